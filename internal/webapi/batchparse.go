package webapi

import (
	"bytes"
	"net/http"
	"net/textproto"
	"strings"
	"unicode"

	"almoner/internal/fault"
)

// maxOperations is the most operations a batch, and a change set in it, may hold.
const maxOperations = 1000

// batchItem is one entry of a batch: a single operation, or a change set of several.
type batchItem struct {
	single    *operation
	changeSet []*operation
}

// operation is one request inside a batch.
type operation struct {
	contentID string
	method    string
	url       string
	header    http.Header
	body      []byte
}

// parseBatch reads a multipart body. Line ends may be CRLF, LF or mixed; preamble and epilogue are passed over; only parts delimited
// by the declared boundary count.
func parseBatch(contentType string, body []byte) ([]batchItem, error) {
	boundary, err := boundaryOf(contentType)
	if err != nil {
		return nil, err
	}
	var items []batchItem
	total := 0
	for _, part := range splitParts(body, boundary) {
		item, err := parseItem(part)
		if err != nil {
			return nil, err
		}
		total += max(1, len(item.changeSet))
		if total > maxOperations {
			return nil, fault.New(fault.BadRequest, "The current batch message contains too many parts. The maximum number of parts allowed per batch is '%d'.", maxOperations)
		}
		items = append(items, item)
	}
	return items, nil
}

// boundaryOf reads the boundary of a multipart type, quoted or bare. Clients write bare ones with characters that belong in quotes.
func boundaryOf(contentType string) (string, error) {
	kind, params, _ := strings.Cut(contentType, ";")
	if strings.EqualFold(strings.TrimSpace(kind), "multipart/mixed") {
		for _, param := range strings.Split(params, ";") {
			name, val, _ := strings.Cut(param, "=")
			if val = strings.Trim(strings.TrimSpace(val), `"`); strings.EqualFold(strings.TrimSpace(name), "boundary") && val != "" {
				return val, nil
			}
		}
	}
	return "", fault.New(fault.BadRequest, "The Content-Type '%s' of a batch must be multipart/mixed with a boundary.", contentType)
}

// splitParts cuts a multipart body at its delimiter lines. The line end before a delimiter belongs to the delimiter.
func splitParts(body []byte, boundary string) [][]byte {
	var parts [][]byte
	delimiter := []byte("--" + boundary)
	start := -1
	for at := 0; at < len(body); {
		end := bytes.IndexByte(body[at:], '\n')
		next := len(body)
		if end >= 0 {
			next = at + end + 1
		}
		line := bytes.TrimRight(body[at:next], " \t\r\n")
		if bytes.Equal(line, delimiter) || bytes.Equal(line, append(delimiter[:len(delimiter):len(delimiter)], "--"...)) {
			if start >= 0 {
				parts = append(parts, trimLineEnd(body[start:at]))
			}
			if len(line) > len(delimiter) {
				return parts
			}
			start = next
		}
		at = next
	}
	if start >= 0 && start < len(body) {
		parts = append(parts, trimLineEnd(body[start:]))
	}
	return parts
}

func trimLineEnd(b []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
}

func parseItem(part []byte) (batchItem, error) {
	header, rest := readHeaders(part)
	if !strings.HasPrefix(strings.ToLower(header.Get("Content-Type")), "multipart/") {
		op, err := parseOperation(header, rest)
		return batchItem{single: op}, err
	}
	boundary, err := boundaryOf(header.Get("Content-Type"))
	if err != nil {
		return batchItem{}, err
	}
	item := batchItem{changeSet: []*operation{}}
	seen := map[string]bool{}
	for _, p := range splitParts(rest, boundary) {
		h, r := readHeaders(p)
		op, err := parseOperation(h, r)
		if err != nil {
			return batchItem{}, err
		}
		if err := checkOperation(op, seen); err != nil {
			return batchItem{}, err
		}
		item.changeSet = append(item.changeSet, op)
	}
	if len(item.changeSet) > maxOperations {
		return batchItem{}, fault.New(fault.BadRequest, "The current change set contains too many operations. The maximum number of operations allowed per change set is '%d'.", maxOperations)
	}
	return item, nil
}

// checkOperation refuses what a change set cannot hold: reads, and a Content-ID seen before.
func checkOperation(op *operation, seen map[string]bool) error {
	switch op.method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return fault.New(fault.BadRequest, "An invalid HTTP method '%s' was detected for a request in a change set. Requests in change sets only support the HTTP methods 'POST', 'PUT', 'DELETE', and 'PATCH'.", op.method)
	}
	if op.contentID != "" {
		if seen[op.contentID] {
			return fault.New(fault.BadRequest, "The Content-ID '%s' was used more than once in a change set.", op.contentID)
		}
		seen[op.contentID] = true
	}
	return nil
}

// readHeaders reads header lines up to the blank line, or to the end where a client leaves it out.
func readHeaders(b []byte) (http.Header, []byte) {
	h := http.Header{}
	for len(b) > 0 {
		var line []byte
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line, b = b[:i], b[i+1:]
		} else {
			line, b = b, nil
		}
		line = bytes.TrimRight(line, "\r")
		if len(bytes.TrimSpace(line)) == 0 {
			if len(h) == 0 {
				continue // blank lines in front
			}
			return h, b
		}
		name, val, ok := strings.Cut(string(line), ":")
		if !ok {
			return h, b
		}
		h.Add(textproto.TrimString(name), textproto.TrimString(val))
	}
	return h, nil
}

// parseOperation reads the request inside a part: its line, its headers, and everything after the blank line as the body.
func parseOperation(part http.Header, b []byte) (*operation, error) {
	b = bytes.TrimLeft(b, "\r\n")
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	line := strings.TrimSpace(string(first))
	method, target, ok := strings.Cut(line, " ")
	if !ok {
		return nil, fault.New(fault.BadPayload, "A part of the batch is not a readable request: '%s'.", truncate(line))
	}
	if i := strings.LastIndex(target, " HTTP/"); i >= 0 {
		target = target[:i]
	}
	op := &operation{method: strings.ToUpper(method), url: strings.TrimSpace(target), contentID: part.Get("Content-ID")}
	op.header, op.body = readOperationHeaders(rest)
	op.body = bytes.TrimSpace(op.body)
	if op.contentID == "" {
		op.contentID = op.header.Get("Content-ID")
	}
	if strings.ContainsFunc(op.method+op.url+op.contentID, unicode.IsControl) {
		return nil, fault.New(fault.BadPayload, "A part of the batch holds a control character in its request line or Content-ID: %q.", truncate(op.url))
	}
	return op, nil
}

// readOperationHeaders is readHeaders for a request that may have none at all.
func readOperationHeaders(b []byte) (http.Header, []byte) {
	if trimmed := bytes.TrimLeft(b, "\r\n"); len(trimmed) < len(b) || len(trimmed) == 0 {
		return http.Header{}, trimmed
	}
	return readHeaders(b)
}

func truncate(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
