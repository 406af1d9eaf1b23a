package wiretest_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestSizes holds requests at the edge of what is taken and beyond.
func TestSizes(t *testing.T) {
	c := &client{t, onSQLite(t).serve(t)}
	long := func(n int) string {
		return "contacts?$filter=lastname%20eq%20%27" + strings.Repeat("x", n) + "%27&$select=lastname"
	}
	around := len("/api/data/v9.2/" + long(0)) // everything of the URL counts, as the client wrote it
	for _, x := range []struct {
		what, method, path string
		body               any
		status             int
		code               string
	}{
		{"a URL as long as can be", "GET", long(32_768 - around), nil, 200, ""},
		{"a URL one character too long", "GET", long(32_769 - around), nil, 400, "0x80060888"},
		{"a URL far too long", "GET", long(134_000), nil, 400, "0x80060888"},
		{"500 conditions", "GET", "contacts?$select=lastname&$filter=" + conditions(500), nil, 200, ""},
		{"501 conditions", "GET", "contacts?$select=lastname&$filter=" + conditions(501), nil, 400, "0x8004430c"},
	} {
		if r := c.call(x.method, x.path, x.body); r.status != x.status || r.code() != x.code {
			t.Errorf("%s: %d %s, want %d %s", x.what, r.status, r.code(), x.status, x.code)
		}
	}
	for _, x := range []struct {
		what   string
		body   string
		status int
		says   string
	}{
		{"a URL as long as can be in a batch", batchOf(getPart("/api/data/v9.2/" + long(65_536-around))), 200, `"value":[]`},
		{"a URL one character too long for a batch", batchOf(getPart("/api/data/v9.2/" + long(65_537-around))), 400, "0x80060888"},
		{"1000 operations", batchOf(copies(getPart("contacts/$count"), 1000)...), 200, "--batchresponse_"},
		{"1001 operations", batchOf(copies(getPart("contacts/$count"), 1001)...), 400, "The maximum number of parts allowed per batch is '1000'."},
		{"1001 operations in a change set", batchOf("Content-Type: multipart/mixed; boundary=c\r\n\r\n" +
			delimited("c", copies("Content-Type: application/http\r\n\r\nDELETE contacts HTTP/1.1\r\n", 1001)...)), 400, "The maximum number of operations allowed per change set is '1000'."},
	} {
		status, text := c.batch(x.body)
		if status != x.status || !strings.Contains(text, x.says) {
			t.Errorf("%s: %d, want %d and %q in\n%.300s", x.what, status, x.status, x.says, text)
		}
	}
}

// TestManyTargets writes more rows with one message than a batch takes operations: only the size of the body bounds them.
func TestManyTargets(t *testing.T) {
	for name, on := range map[string]func(*testing.T) stores{"SQLite": onSQLite, "PostgreSQL": onPostgreSQL} {
		t.Run(name, func(t *testing.T) {
			c := &client{t, on(t).serve(t)}
			const many = 2500
			key := func(i int) string { return fmt.Sprintf("c0000000-0000-0000-0000-%012d", i) }
			for _, message := range []struct {
				name, target string
				status       int
			}{
				{"CreateMultiple", `{"contactid":"%s","lastname":"Berg"}`, 200},
				{"UpdateMultiple", `{"contactid":"%s","jobtitle":"Clerk"}`, 204},
				{"UpsertMultiple", `{"contactid":"%s","lastname":"Ito"}`, 204},
				{"DeleteMultiple", `{"contactid":"%s"}`, 204},
			} {
				targets := make([]string, many)
				for i := range targets {
					targets[i] = fmt.Sprintf(message.target, key(i))
				}
				r := c.call("POST", "contacts/Microsoft.Dynamics.CRM."+message.name, `{"Targets":[`+strings.Join(targets, ",")+`]}`)
				if r.status != message.status {
					t.Fatalf("%s of %d rows: %d %.300s", message.name, many, r.status, r.text)
				}
				want := strconv.Itoa(many)
				if message.name == "DeleteMultiple" {
					want = "0"
				}
				if got := c.call("GET", "contacts/$count", nil).text; got != want {
					t.Errorf("after %s there are %s rows, want %s", message.name, got, want)
				}
			}
		})
	}
}

// TestLargeBody refuses what is larger than any body.
func TestLargeBody(t *testing.T) {
	c := &client{t, onSQLite(t).serve(t)}
	req, err := http.NewRequest("POST", c.to.Origin+"/api/data/v9.2/contacts", io.LimitReader(spaces{}, 128<<20+1))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.to.Token)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 413 || !strings.Contains(string(text), "0x8004418a") {
		t.Errorf("answered %d %s %v", resp.StatusCode, text, err)
	}
}

// spaces is a body without end.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestBatchLines looks at a batch answer byte by byte: clients take it apart line by line.
func TestBatchLines(t *testing.T) {
	c := &client{t, onSQLite(t).serve(t)}
	crlf := batchOf(getPart("WhoAmI"), "Content-Type: multipart/mixed; boundary=c\r\n\r\n"+
		delimited("c", "Content-Type: application/http\r\nContent-ID: 1\r\n\r\nPOST contacts HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"lastname\":\"Line\\nbreak\"}\r\n"))
	mixed := strings.Replace(strings.ReplaceAll(crlf, "\r\n", "\n"), "\n", "\r\n", 7)
	for name, body := range map[string]string{"CRLF": crlf, "LF": strings.ReplaceAll(crlf, "\r\n", "\n"), "mixed": mixed, "leading blank line": "\n" + crlf} {
		status, text := c.batch(body)
		if status != 200 || !strings.HasPrefix(text, "--batchresponse_") {
			t.Fatalf("%s: answered %d, beginning %.60q", name, status, text)
		}
		if strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\n") {
			t.Errorf("%s: a line ends without a carriage return", name)
		}
		if want := "\r\nContent-Type: multipart/mixed; boundary=changesetresponse_"; !strings.Contains(text, want) {
			t.Errorf("%s: lacks %q", name, want)
		}
		if !strings.HasSuffix(strings.TrimSpace(text), "--") || strings.Count(text, "HTTP/1.1 200 OK\r\n") != 1 || strings.Count(text, "HTTP/1.1 204 No Content\r\n") != 1 {
			t.Errorf("%s: answered\n%s", name, text)
		}
	}
}

// batch posts a multipart body whose boundary is b.
func (c *client) batch(body string) (status int, text string) {
	c.t.Helper()
	a, err := c.to.Call(c.t.Context(), "POST", "/$batch", body, "Content-Type: multipart/mixed; boundary=b")
	if err != nil {
		c.t.Fatal(err)
	}
	return a.Status, string(a.Body)
}

func batchOf(parts ...string) string { return delimited("b", parts...) }

func delimited(boundary string, parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "--%s\r\n%s\r\n", boundary, p)
	}
	return b.String() + "--" + boundary + "--\r\n"
}

func getPart(url string) string {
	return "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nGET " + url + " HTTP/1.1\r\nAccept: application/json\r\n"
}

func copies(part string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = part
	}
	return out
}

// conditions is a filter of n comparisons.
func conditions(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("lastname%%20eq%%20%%27%d%%27", i)
	}
	return strings.Join(out, "%20or%20")
}
