package securitytest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// caller is somebody who sends requests: a token, and perhaps the user it acts for.
type caller struct {
	w     *world
	token string
	user  string // MSCRMCallerID; "" to act for oneself
}

// as is the caller acting for a user.
func (c caller) as(user string) caller {
	c.user = user
	return c
}

// answer is what came back.
type answer struct {
	asked  string
	status int
	header http.Header
	body   string
}

// send sends one request below /api/data/v9.2/; headers are name and value in turn.
func (c caller) send(method, path, body string, headers ...string) answer {
	c.w.t.Helper()
	return c.to(method, "/api/data/v9.2/"+path, body, headers...)
}

// to sends one request to any door of the service.
func (c caller) to(method, url, body string, headers ...string) answer {
	c.w.t.Helper()
	req := httptest.NewRequest(method, strings.ReplaceAll(url, " ", "%20"), strings.NewReader(body))
	req.Host = "127.0.0.1:8080"
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.user != "" {
		req.Header.Set("MSCRMCallerID", c.user)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	c.w.svc.ServeHTTP(rec, req)
	a := answer{asked: method + " " + url + " " + body, status: rec.Code, header: canonical(rec.Header()), body: rec.Body.String()}
	a.check(c.w.t)
	return a
}

func (c caller) get(path string, headers ...string) answer {
	c.w.t.Helper()
	return c.send(http.MethodGet, path, "", headers...)
}

func (c caller) post(path, body string, headers ...string) answer {
	c.w.t.Helper()
	return c.send(http.MethodPost, path, body, headers...)
}

func (c caller) patch(path, body string, headers ...string) answer {
	c.w.t.Helper()
	return c.send(http.MethodPatch, path, body, headers...)
}

func (c caller) delete(path string) answer {
	c.w.t.Helper()
	return c.send(http.MethodDelete, path, "")
}

// create makes a row and returns its id; it must succeed.
func (c caller) create(set, body string) string {
	c.w.t.Helper()
	a := c.post(set, body)
	if a.status != http.StatusNoContent {
		c.w.t.Fatalf("%s: %d %s", a.asked, a.status, a.body)
	}
	return idIn(a.header.Get("OData-EntityId"))
}

// canonical is a header under the names a client's library would see; the service writes some as the platform does.
func canonical(h http.Header) http.Header {
	out := http.Header{}
	for name, vs := range h {
		out[http.CanonicalHeaderKey(name)] = vs
	}
	return out
}

// idIn is the key in the address of a row.
func idIn(address string) string {
	_, id, _ := strings.Cut(address, "(")
	return strings.TrimSuffix(id, ")")
}

// internals is what must never leave the process: stacks, SQL, drivers, paths.
var internals = regexp.MustCompile(`goroutine \d|runtime\.|\.go:\d+|panic|SELECT .* FROM|INSERT INTO|UPDATE .* SET|(?i)sqlite|pgx|SQLSTATE|/work/|/tmp/|/home/|(?i)constraint failed|0x[0-9a-f]{10,}`)

// check looks at every answer the tests get: errors have their full shape, and nothing of the inside is in them.
func (a answer) check(t *testing.T) {
	t.Helper()
	if a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: no X-Content-Type-Options", a.asked)
	}
	if a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%s: lets other origins read it", a.asked)
	}
	if a.status < 400 {
		return
	}
	if found := internals.FindString(a.body); found != "" && !strings.Contains(a.asked, found) {
		t.Errorf("%s: the error shows %q: %s", a.asked, found, a.body)
	}
	if a.status >= 500 && a.status != http.StatusServiceUnavailable {
		t.Errorf("%s: %d %s", a.asked, a.status, a.body)
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "application/json; odata") {
		return
	}
	if e := a.fault(); e.Code == "" && a.status != http.StatusNotFound || e.Message == "" || e.Inner.Trace == "" {
		t.Errorf("%s: the error lacks code, message or trace: %s", a.asked, a.body)
	}
}

// faultBody is the error member of an answer.
type faultBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Inner   struct {
		Trace string `json:"trace"`
	} `json:"innererror"`
}

func (a answer) fault() faultBody {
	var body struct {
		Error faultBody `json:"error"`
	}
	_ = json.Unmarshal([]byte(a.body), &body) // an answer of another shape has no fault
	return body.Error
}

// ok tells whether the request succeeded.
func (a answer) ok() bool { return a.status < 300 }

// must fails the test unless the answer has a status.
func (a answer) must(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Errorf("%s: %d, want %d: %s", a.asked, a.status, status, a.body)
	}
	return a
}

// refused fails the test unless the answer has a status, an error code and a piece of message.
func (a answer) refused(t *testing.T, status int, code, message string) answer {
	t.Helper()
	e := a.fault()
	if a.status != status || e.Code != code || !strings.Contains(e.Message, message) {
		t.Errorf("%s:\n got %d %s %q\nwant %d %s …%q…", a.asked, a.status, e.Code, e.Message, status, code, message)
	}
	return a
}

// decode reads a JSON answer.
func (a answer) decode(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(a.body), &out); err != nil {
		t.Fatalf("%s: %v: %s", a.asked, err, a.body)
	}
	return out
}

// rows are the entries of a list answer.
func (a answer) rows(t *testing.T) []map[string]any {
	t.Helper()
	var out []map[string]any
	values, _ := a.decode(t)["value"].([]any)
	for _, v := range values {
		out = append(out, v.(map[string]any))
	}
	return out
}

// batch sends operations, each a request line and, after a line break, a body. One writing operation makes a change set. The answer
// is that of the last operation that was answered.
func (c caller) batch(operations ...string) answer {
	c.w.t.Helper()
	a := c.send(http.MethodPost, "$batch", batchBody(operations), "Content-Type", "multipart/mixed; boundary=b", "Prefer", "odata.continue-on-error")
	_, last, found := cutLast(a.body, "HTTP/1.1 ")
	if !found {
		return a
	}
	status, rest, _ := strings.Cut(last, " ")
	a.status, _ = strconv.Atoi(status)
	if i := strings.IndexByte(rest, '{'); i >= 0 {
		a.body = rest[i : strings.LastIndexByte(rest, '}')+1]
	}
	a.check(c.w.t)
	return a
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// batchBody writes a multipart body: reads as they are, each write as a change set of its own.
func batchBody(operations []string) string {
	var b strings.Builder
	for i, op := range operations {
		line, body, _ := strings.Cut(op, "\n")
		head := "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n"
		request := line + " HTTP/1.1\r\nContent-Type: application/json\r\n\r\n" + body + "\r\n"
		b.WriteString("--b\r\n")
		if strings.HasPrefix(line, "GET ") {
			b.WriteString(head + "\r\n" + request)
			continue
		}
		set := "c" + strconv.Itoa(i)
		b.WriteString("Content-Type: multipart/mixed; boundary=" + set + "\r\n\r\n--" + set + "\r\n" + head + "Content-ID: 1\r\n\r\n" + request + "--" + set + "--\r\n")
	}
	b.WriteString("--b--\r\n")
	return b.String()
}

// is fails the test unless the answer has exactly this body.
func (a answer) is(t *testing.T, body string) {
	t.Helper()
	if got := strings.TrimPrefix(a.body, "\ufeff"); got != body {
		t.Errorf("%s: %q, want %q", a.asked, got, body)
	}
}

// contains fails the test unless the answer holds a text.
func (a answer) contains(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(a.body, text) {
		t.Errorf("%s: %d without %s: %s", a.asked, a.status, text, a.body)
	}
}
