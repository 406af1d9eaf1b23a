package webapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// stall is how long a client may leave a write unread before it is given up.
const stall = 30 * time.Second

// compressFrom is the size from which a body is worth compressing.
const compressFrom = 1400

// send writes an answer. A stream that fails before its first byte becomes an error answer; after it the connection is cut, so that
// nobody takes half an answer for a whole one.
func (s *Service) send(w http.ResponseWriter, hr *http.Request, r *Request, resp *Response) {
	s.headers(w.Header(), r, resp)
	out := &socket{w: w, rc: http.NewResponseController(w), status: resp.Status}
	gz := compressor(hr, w.Header(), resp)
	switch {
	case resp.Stream == nil:
		s.sendBytes(out, hr, gz, resp)
	case hr.Method == http.MethodHead:
		out.begin()
	default:
		if err := stream(out, gz, resp); err != nil {
			s.streamFailed(hr, r, resp, out, err)
		}
	}
}

// stream sends a streamed body, compressed if gz is given. What a stalled client has not read yet is kept until it does.
func stream(out *socket, gz *gzip.Writer, resp *Response) error {
	way := newRelay(out)
	var body io.Writer = way
	if gz != nil {
		gz.Reset(way)
		body = gz
	}
	err := resp.Stream(body)
	if err == nil && gz != nil {
		err = gz.Close()
	}
	if err != nil {
		way.abandon()
		return err
	}
	if err := way.finish(); err != nil {
		return err
	}
	if !out.begun {
		out.begin()
	}
	return nil
}

// sendBytes sends a body that is there already. A client that is gone cannot be told.
func (s *Service) sendBytes(out *socket, hr *http.Request, gz *gzip.Writer, resp *Response) {
	if gz != nil {
		gz.Reset(out)
		_, _ = gz.Write(resp.Body)
		_ = gz.Close()
		return
	}
	if resp.Body != nil {
		out.w.Header().Set("Content-Length", strconv.Itoa(len(resp.Body)))
	}
	out.begin()
	if hr.Method != http.MethodHead && len(resp.Body) > 0 {
		_, _ = out.Write(resp.Body)
	}
}

// streamFailed answers with an error in place of a stream that has not begun.
func (s *Service) streamFailed(hr *http.Request, r *Request, failed *Response, out *socket, err error) {
	s.logFailure(hr.Context(), r, err)
	if out.begun {
		panic(http.ErrAbortHandler)
	}
	h := out.w.Header()
	for _, one := range failed.Header {
		delete(h, one.Name)
	}
	delete(h, "Content-Encoding")
	resp := s.finished(r, r.errorResponse(err))
	s.headers(h, r, resp)
	out.status = resp.Status
	out.begin()
	_, _ = out.w.Write(resp.Body)
}

// Header values that never change. The HTTP server reads them and writes nothing to them.
var (
	noCache  = []string{"no-cache"}
	expired  = []string{"-1"}
	noSniff  = []string{"nosniff"}
	dopHint  = []string{"4"}
	protocol = []string{"4.0"}
	varies   = []string{"Accept-Encoding"}
)

// headers puts on what every answer carries. The values of one answer share one list.
func (s *Service) headers(h http.Header, r *Request, resp *Response) {
	values := make([]string, 0, len(resp.Header)+ownHeaders)
	put := func(name, value string) {
		values = append(values, value)
		last := len(values)
		h[name] = values[last-1 : last : last]
	}
	for i, one := range resp.Header {
		if resp.Header[:i].Get(one.Name) != "" {
			h[one.Name] = append(h[one.Name], one.Value)
			continue
		}
		put(one.Name, one.Value)
	}
	h["OData-Version"] = protocol
	h["Cache-Control"] = noCache
	h["Expires"] = expired
	h["X-Content-Type-Options"] = noSniff
	h["x-ms-dop-hint"] = dopHint
	id := r.ID.String()
	put("REQ_ID", id)
	h["x-ms-service-request-id"] = h["REQ_ID"]
	if r.Session != nil {
		put("x-ms-ratelimit-burst-remaining-xrm-requests", strconv.Itoa(r.remaining.Requests))
		put("x-ms-ratelimit-time-remaining-xrm-requests", string(appendGrouped(nil, int64(r.remaining.Time.Seconds()*100), 2)))
	}
}

// ownHeaders is how many headers of an answer differ from request to request beside those of the answer itself.
const ownHeaders = 3

// compressor returns a gzip writer, still without a target, when the client takes one and the answer is worth it.
func compressor(hr *http.Request, h http.Header, resp *Response) *gzip.Writer {
	h["Vary"] = varies
	if !strings.Contains(hr.Header.Get("Accept-Encoding"), "gzip") || hr.Method == http.MethodHead {
		return nil
	}
	if resp.Stream == nil && len(resp.Body) < compressFrom {
		return nil
	}
	gz, err := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	if err != nil {
		return nil // the level is a constant of the package
	}
	h.Set("Content-Encoding", "gzip")
	return gz
}

// socket writes to the client with a deadline that moves along as long as the client reads.
type socket struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	status int
	begun  bool
	moved  time.Time
}

var _ io.Writer = (*socket)(nil)

func (o *socket) begin() {
	o.begun = true
	o.w.WriteHeader(o.status)
}

// Write sends bytes, beginning the answer with its status if it has not begun.
func (o *socket) Write(p []byte) (int, error) {
	if now := time.Now(); now.Sub(o.moved) > stall/8 {
		o.moved = now
		// Recorders and pipes have no deadline; the write then simply blocks.
		_ = o.rc.SetWriteDeadline(now.Add(stall))
	}
	if !o.begun {
		o.begin()
	}
	n, err := o.w.Write(p) // #nosec G705 -- JSON under nosniff; text in it is escaped
	if err != nil {
		err = fmt.Errorf("%w: %w", errClientGone, err)
	}
	return n, err
}

// errClientGone marks the end of an answer that its client has not taken.
var errClientGone = errors.New("the client went away")
