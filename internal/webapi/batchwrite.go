package webapi

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// batchWriter collects the parts of a batch answer, because the outer status is known only when the last part has run.
type batchWriter struct {
	overflow
	boundary string
}

func newBatchWriter(boundary string) *batchWriter {
	return &batchWriter{overflow: overflow{most: batchLimit}, boundary: boundary}
}

// operation writes the part of a single operation and returns its status. A stream that fails is replaced by its error.
func (w *batchWriter) operation(op *operation, resp *Response, r *Request) (int, error) {
	body := resp.Body
	if resp.Stream != nil {
		var buf bytes.Buffer
		if err := resp.Stream(&buf); err != nil {
			resp = r.errorResponse(err)
			buf.Reset()
			buf.Write(resp.Body)
		}
		body = buf.Bytes()
	}
	b := append([]byte("--"+w.boundary+"\r\n"), partHeader(op)...)
	b = appendStatus(b, resp)
	_, err := w.Write(append(b, body...))
	if err == nil {
		_, err = io.WriteString(w, "\r\n")
	}
	return resp.Status, err
}

// changeSet writes the part of a change set: its operations' answers, or the one that failed.
func (w *batchWriter) changeSet(ops []*operation, responses []*Response) error {
	inner := "changesetresponse_" + strings.TrimPrefix(w.boundary, "batchresponse_")
	b := []byte("--" + w.boundary + "\r\nContent-Type: multipart/mixed; boundary=" + inner + "\r\n\r\n")
	for i, resp := range responses {
		b = append(append(b, "--"+inner+"\r\n"...), partHeader(ops[i])...)
		b = appendStatus(b, resp)
		b = append(append(b, resp.Body...), "\r\n"...)
	}
	b = append(b, "--"+inner+"--\r\n"...)
	_, err := w.Write(b)
	return err
}

func partHeader(op *operation) []byte {
	b := []byte("Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n")
	if op.contentID != "" {
		b = append(b, "Content-ID: "+op.contentID+"\r\n"...)
	}
	return append(b, "\r\n"...)
}

// partHeaders are the headers of a part's answer, in a fixed order. The address of a row ends its line.
var partHeaders = []string{"OData-Version", "Content-Type", "Preference-Applied", "ETag", "Retry-After", "REQ_ID", "Warning", "Location", "OData-EntityId"}

func appendStatus(b []byte, resp *Response) []byte {
	b = append(b, "HTTP/1.1 "...)
	b = append(b, statusLine(resp.Status)...)
	b = append(b, "\r\n"...)
	for _, name := range partHeaders {
		for _, h := range resp.Header {
			if h.Name == name {
				b = append(append(append(append(b, name...), ": "...), h.Value...), "\r\n"...)
			}
		}
	}
	return append(b, "\r\n"...)
}

// statusLine is a status with its reason phrase, which holds word characters and blanks only.
func statusLine(status int) string {
	text := strings.Map(func(r rune) rune {
		if r == '-' || r == '\'' {
			return ' '
		}
		return r
	}, http.StatusText(status))
	return strings.TrimSpace(itoa(status) + " " + text)
}

// finish writes everything to the client and frees the file.
func (w *batchWriter) finish(to io.Writer) error {
	defer w.close()
	if err := w.copyTo(to); err != nil {
		return err
	}
	_, err := io.WriteString(to, "--"+w.boundary+"--\r\n")
	return err
}
