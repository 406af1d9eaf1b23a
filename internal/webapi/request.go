// Package webapi is the wire: it turns HTTP into Requests, finds what a URL names, binds query options and bodies, lets the engine
// work and encodes what comes back. Single requests and the parts of a batch travel through the same Handler. Errors are
// returned by everyone and written in one place.
package webapi

import (
	"context"
	"io"
	"net/http"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/limits"
	"almoner/internal/odata"
	"almoner/internal/value"
)

// Handler answers one call.
type Handler func(context.Context, *Request) (*Response, error)

// Request is one call of the Web API, alone or as a part of a batch.
type Request struct {
	Method   string
	Path     string // resource path after the version, still percent-encoded
	RawQuery string
	Header   http.Header
	Body     []byte
	Base     string // scheme://host/api/data/v9.2, as the client sees it
	Session  *engine.Session
	ID       value.GUID

	principal auth.Principal   // whose token the call came with
	remaining limits.Remaining // what the caller may still ask for in this window

	Prefer  Preferences
	Options *odata.Options

	length    int        // of the URL as the client wrote it
	allow     string     // the methods the resource takes, once it is known
	inBatch   bool       // the call is a part of a batch
	repeat    *repeatKey // a call that may be sent again; nil for others
	changeSet *changeSet // the change set the call is part of; nil outside
}

// Response is the answer to one call. A body is either bytes or a stream; a stream that fails after its first byte cuts the
// connection.
type Response struct {
	Status int
	Header headers
	Body   []byte
	Stream func(w io.Writer) error

	pooled *[]byte // the lent memory Body lies in, to be given back once it is sent; nil when it is its own
}

func newResponse(status int) *Response {
	return &Response{Status: status, Header: make(headers, 0, usualHeaders)}
}

// usualHeaders is room for the headers most answers have.
const usualHeaders = 5

// free gives the memory of a body that has been sent back.
func (resp *Response) free() {
	if resp.pooled != nil {
		giveBuffer(resp.pooled)
		resp.pooled, resp.Body = nil, nil
	}
}

// noContent is the answer of a write that sends nothing back.
func noContent() *Response { return newResponse(http.StatusNoContent) }

// jsonResponse is an answer with a JSON body.
func (r *Request) jsonResponse(status int, body []byte) *Response {
	resp := newResponse(status)
	resp.Header.Set("Content-Type", r.contentType())
	resp.Body = body
	return resp
}

// textResponse is an answer in plain text: $count and $value.
func textResponse(body []byte) *Response {
	resp := newResponse(http.StatusOK)
	resp.Header.Set("Content-Type", "text/plain")
	resp.Body = body
	return resp
}

// jsonTypes are the media types by metadata level.
var jsonTypes = [...]string{
	minimal: "application/json; odata.metadata=minimal", full: "application/json; odata.metadata=full", none: "application/json; odata.metadata=none",
}

// contentType names JSON at the metadata level the client asked for, in a batch with the platform's word that it is streamed.
func (r *Request) contentType() string {
	kind := jsonTypes[r.level()]
	if r.inBatch {
		kind += "; odata.streaming=true"
	}
	if r.quotesNumbers() {
		kind += "; IEEE754Compatible=true"
	}
	return kind
}

// write runs fn in a transaction: the one of the change set the call is part of, or one of its own.
func (r *Request) write(ctx context.Context, fn func(*engine.Tx) error) error {
	if r.changeSet != nil {
		return fn(r.changeSet.tx)
	}
	return r.Session.Write(ctx, fn)
}
