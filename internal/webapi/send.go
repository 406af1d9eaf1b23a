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
	gz := compressor(hr, w.Header(), resp)
	switch {
	case resp.Stream == nil:
		s.sendBytes(out, hr, gz, resp)
	case hr.Method == http.MethodHead:
		out.begin()
	default:
		if err := stream(out, gz, resp); err != nil {
			s.streamFailed(hr, w, r, out, err)
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

// Header values that never change. The HTTP server reads them and writes nothing to them.
var (
	noCache  = []string{"no-cache"}
	expired  = []string{"-1"}
	noSniff  = []string{"nosniff"}
	dopHint  = []string{"4"}
	protocol = []string{"4.0"}
	varies   = []string{"Accept-Encoding"}
)

// headers puts on what every answer carries.
func (s *Service) headers(h http.Header, r *Request, resp *Response) {
	for name, values := range resp.Header {
		if spelled, ok := spellings[name]; ok {
			name = spelled
		}
		h[name] = values
	}
	h["OData-Version"] = protocol
	h["Cache-Control"] = noCache
	h["Expires"] = expired
	h["X-Content-Type-Options"] = noSniff
	id := []string{r.ID.String()}
	h["REQ_ID"] = id
	h["x-ms-service-request-id"] = id
	h["x-ms-dop-hint"] = dopHint
	if r.Session != nil {
		h["x-ms-ratelimit-burst-remaining-xrm-requests"] = []string{strconv.Itoa(r.remaining.Requests)}
		h["x-ms-ratelimit-time-remaining-xrm-requests"] = []string{string(appendGrouped(nil, int64(r.remaining.Time.Seconds()*100), 2))}
	}
}

// spellings are the header names the platform writes other than Go would.
var spellings = map[string]string{"Odata-Version": "OData-Version", "Odata-Entityid": "OData-EntityId", "Etag": "ETag", "Req_id": "REQ_ID"}

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
	return o.w.Write(p) // #nosec G705 -- JSON under nosniff; text in it is escaped
}
