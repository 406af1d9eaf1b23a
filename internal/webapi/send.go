package webapi

import (
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
	var body io.Writer = out
	if gz := compressor(hr, w.Header(), resp, out); gz != nil {
		defer gz.Close()
		body = gz
	}
	if resp.Stream == nil {
		s.sendBytes(out, hr, body, resp)
		return
	}
	if hr.Method == http.MethodHead {
		out.begin()
		return
	}
	if err := resp.Stream(body); err != nil {
		s.streamFailed(hr, w, r, out, err)
	}
	if !out.begun {
		out.begin()
	}
}

func (s *Service) sendBytes(out *socket, hr *http.Request, body io.Writer, resp *Response) {
	if out.w.Header().Get("Content-Encoding") == "" && resp.Body != nil {
		out.w.Header().Set("Content-Length", strconv.Itoa(len(resp.Body)))
	}
	out.begin()
	if hr.Method != http.MethodHead && len(resp.Body) > 0 {
		// A client that is gone cannot be told.
		_, _ = body.Write(resp.Body)
	}
}

func (s *Service) streamFailed(hr *http.Request, w http.ResponseWriter, r *Request, out *socket, err error) {
	s.logFailure(hr.Context(), r, err)
	if out.begun {
		panic(http.ErrAbortHandler)
	}
	resp := s.finished(r, r.errorResponse(err))
	for name := range w.Header() {
		w.Header().Del(name)
	}
	s.headers(w.Header(), r, resp)
	out.status = resp.Status
	out.begin()
	_, _ = w.Write(resp.Body)
}

// headers puts on what every answer carries.
func (s *Service) headers(h http.Header, r *Request, resp *Response) {
	for name, values := range resp.Header {
		if spelled, ok := spellings[name]; ok {
			name = spelled
		}
		h[name] = values
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("Expires", "-1")
	h.Set("X-Content-Type-Options", "nosniff")
	id := r.ID.String()
	h["REQ_ID"] = []string{id}
	h["x-ms-service-request-id"] = []string{id}
	h["x-ms-dop-hint"] = []string{"4"}
	if r.Session != nil {
		h["x-ms-ratelimit-burst-remaining-xrm-requests"] = []string{strconv.Itoa(r.remaining.Requests)}
		h["x-ms-ratelimit-time-remaining-xrm-requests"] = []string{string(appendGrouped(nil, int64(r.remaining.Time.Seconds()*100), 2))}
	}
}

// spellings are the header names the platform writes other than Go would.
var spellings = map[string]string{"Odata-Version": "OData-Version", "Odata-Entityid": "OData-EntityId", "Etag": "ETag", "Req_id": "REQ_ID"}

// compressor returns a gzip writer when the client takes one and the answer is worth it.
func compressor(hr *http.Request, h http.Header, resp *Response, out io.Writer) *gzip.Writer {
	h.Add("Vary", "Accept-Encoding")
	if !strings.Contains(hr.Header.Get("Accept-Encoding"), "gzip") || hr.Method == http.MethodHead {
		return nil
	}
	if resp.Stream == nil && len(resp.Body) < compressFrom {
		return nil
	}
	gz, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
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
	return o.w.Write(p)
}
