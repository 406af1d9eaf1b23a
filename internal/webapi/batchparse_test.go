package webapi

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almoner/internal/fault"
)

// show prints parsed items on one line each: a change set in brackets, an operation as method, URL, Content-ID, some headers and body.
func show(items []batchItem) string {
	var out []string
	for _, item := range items {
		if item.single != nil {
			out = append(out, showOperation(item.single))
			continue
		}
		var ops []string
		for _, op := range item.changeSet {
			ops = append(ops, showOperation(op))
		}
		out = append(out, "["+strings.Join(ops, "; ")+"]")
	}
	return strings.Join(out, "\n")
}

func showOperation(op *operation) string {
	text := op.method + " " + op.url
	if op.contentID != "" {
		text += " #" + op.contentID
	}
	for _, name := range []string{"Accept", "Prefer", "If-Match"} {
		for _, val := range op.header.Values(name) {
			text += " " + name + "=" + val
		}
	}
	if len(op.body) > 0 {
		text += " " + string(op.body)
	}
	return text
}

const (
	plainType = "multipart/mixed; boundary=b"
	part      = "--b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
)

func TestParseBatch(t *testing.T) {
	set := "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" +
		"--c\r\nContent-Type: application/http\r\nContent-ID: 1\r\n\r\nPOST contacts HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"a\":1}\r\n" +
		"--c\r\nContent-Type: application/http\r\n\r\nDELETE $1 HTTP/1.1\r\nContent-ID: 2\r\nIf-Match: *\r\n\r\n\r\n--c--\r\n"
	inSet := `[POST contacts #1 {"a":1}; DELETE $1 #2 If-Match=*]`
	for _, c := range []struct{ name, contentType, body, want string }{
		{"one request", plainType, part + "GET x HTTP/1.1\r\nAccept: application/json\r\n\r\n\r\n--b--\r\n", "GET x Accept=application/json"},
		{"a change set and a request", plainType, set + part + "GET x HTTP/1.1\r\n\r\n--b--\r\n", inSet + "\nGET x"},
		{"line feeds alone", plainType, strings.ReplaceAll(set+part+"GET x HTTP/1.1\r\n\r\n--b--", "\r\n", "\n"), inSet + "\nGET x"},
		{"a blank line in front", plainType, "\r\n" + set + "--b--", inSet},
		{"preamble and epilogue", plainType, "This is a batch.\r\n" + part + "GET x HTTP/1.1\r\n\r\n--b--\r\nThe end.\r\n--b\r\nGET y\r\n", "GET x"},
		{"no final line end", plainType, part + "GET x HTTP/1.1\r\n\r\n--b--", "GET x"},
		{"no closing delimiter", plainType, part + "GET x HTTP/1.1\r\n\r\n", "GET x"},
		{"no blank line after the headers", plainType, part + "GET x HTTP/1.1\r\nAccept: a\r\n--b--\r\n", "GET x Accept=a"},
		{"no headers and no blank line", plainType, part + "DELETE x HTTP/1.1\r\n--b--\r\n", "DELETE x"},
		{"a blank line before the body", plainType, part + "POST x HTTP/1.1\r\nAccept: a\r\n\r\n\r\n{\"a\":1}\r\n--b--\r\n", `POST x Accept=a {"a":1}`},
		{"a body without headers", plainType, part + "POST x HTTP/1.1\r\n\r\n{\"a\":1}\r\n--b--\r\n", `POST x {"a":1}`},
		{"a body of several lines", plainType, part + "POST x HTTP/1.1\r\n\r\n{\"a\":1,\r\n \"b\":2}\r\n--b--\r\n", "POST x {\"a\":1,\r\n \"b\":2}"},
		{"raw spaces", plainType, part + "GET x?$orderby=createdon desc HTTP/1.1\r\n\r\n--b--\r\n", "GET x?$orderby=createdon desc"},
		{"the word HTTP in the URL", plainType, part + "GET x?$filter=n eq ' HTTP/2' HTTP/1.1\r\n\r\n--b--\r\n", "GET x?$filter=n eq ' HTTP/2'"},
		{"no protocol", plainType, part + "GET x\r\n\r\n--b--\r\n", "GET x"},
		{"a lower-case method", plainType, part + "get x HTTP/1.1\r\n\r\n--b--\r\n", "GET x"},
		{"headers in any case without a space", plainType, "--b\r\ncontent-type:application/http\r\ncontent-transfer-encoding:binary\r\n\r\nGET x HTTP/1.1\r\nprefer:a\r\n\r\n--b--\r\n", "GET x Prefer=a"},
		{"a quoted boundary", `multipart/mixed;boundary="b"`, part + "GET x HTTP/1.1\r\n\r\n--b--\r\n", "GET x"},
		{"a boundary with a parameter after it", "multipart/mixed; boundary=b; charset=utf-8", part + "GET x HTTP/1.1\r\n\r\n--b--\r\n", "GET x"},
		{"a bare boundary that needs quotes", "multipart/mixed; boundary=b:1/2=?", "--b:1/2=?\r\nContent-Type: application/http\r\n\r\nGET x HTTP/1.1\r\n\r\n--b:1/2=?--\r\n", "GET x"},
		{"a delimiter inside a body is none", plainType, part + "POST x HTTP/1.1\r\n\r\n{\"a\":\"--b\"}\r\n--b--\r\n", `POST x {"a":"--b"}`},
		{"a longer line is no delimiter", plainType, part + "GET x HTTP/1.1\r\n\r\n--bb\r\n--b--\r\n", "GET x --bb"},
		{"blanks behind a delimiter", plainType, strings.Replace(part, "--b", "--b \t", 1) + "GET x HTTP/1.1\r\n\r\n--b--\r\n", "GET x"},
		{"no part of the boundary", plainType, "--other\r\nContent-Type: application/http\r\n\r\nGET x HTTP/1.1\r\n\r\n--other--\r\n", ""},
		{"nothing at all", plainType, "", ""},
		{"an empty change set", plainType, "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c--\r\n--b--\r\n", "[]"},
		{"a thousand operations", plainType, strings.Repeat(part+"GET x HTTP/1.1\r\n\r\n", 1000) + "--b--", strings.TrimSuffix(strings.Repeat("GET x\n", 1000), "\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			items, err := parseBatch(c.contentType, []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(items); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestParseBatchRefuses(t *testing.T) {
	inSet := func(ops string) string {
		return "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" + ops + "--c--\r\n--b--\r\n"
	}
	op := func(line, id string) string {
		return "--c\r\nContent-Type: application/http\r\nContent-ID: " + id + "\r\n\r\n" + line + " HTTP/1.1\r\n\r\n"
	}
	var many strings.Builder
	for i := range 1001 {
		many.WriteString(op("DELETE x", fmt.Sprint(i)))
	}
	for _, c := range []struct{ name, contentType, body, want string }{
		{"JSON", "application/json", `{"requests":[]}`, "must be multipart/mixed"},
		{"no type", "", "", "must be multipart/mixed"},
		{"no boundary", "multipart/mixed", "", "with a boundary"},
		{"an empty boundary", `multipart/mixed; boundary=""`, "", "with a boundary"},
		{"a read in a change set", plainType, inSet(op("GET x", "1")), "invalid HTTP method 'GET'"},
		{"the same Content-ID twice", plainType, inSet(op("POST x", "1") + op("POST y", "1")), "Content-ID '1' was used more than once"},
		{"a part without a request", plainType, part + "\r\n--b--\r\n", "not a readable request"},
		{"a part with one word", plainType, part + "GET\r\n--b--\r\n", "not a readable request: 'GET'"},
		{"one word before headers", plainType, part + "blah\r\nAccept: */*\r\n\r\n--b--\r\n", "not a readable request: 'blah'"},
		{"a control character in the URL", plainType, part + "GET x\ry HTTP/1.1\r\n\r\n--b--\r\n", "control character"},
		{"a control character in the Content-ID", plainType, inSet(op("POST x", "1\r2")), "control character"},
		{"a change set without boundary", plainType, "--b\r\nContent-Type: multipart/mixed\r\n\r\n--c--\r\n--b--\r\n", "with a boundary"},
		{"a change set in a change set", plainType, inSet("--c\r\nContent-Type: multipart/mixed; boundary=d\r\n\r\n--d--\r\n"), "not a readable request"},
		{"1001 operations", plainType, strings.Repeat(part+"GET x HTTP/1.1\r\n\r\n", 1001) + "--b--", "maximum number of parts allowed per batch is '1000'"},
		{"1001 operations in a change set", plainType, inSet(many.String()), "maximum number of operations allowed per change set is '1000'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseBatch(c.contentType, []byte(c.body))
			if err == nil {
				t.Fatal("it was taken")
			}
			if e := fault.As(err); e.Status != http.StatusBadRequest || !strings.Contains(e.Message, c.want) {
				t.Errorf("got %d %q, want %q", e.Status, e.Message, c.want)
			}
		})
	}
}

// FuzzParseBatch feeds the parser with bodies grown from those of the conversations. It must not fall over, and what it takes must be what
// a change set and a batch may hold.
func FuzzParseBatch(f *testing.F) {
	for _, body := range conversationBatches(f) {
		f.Add("batch_x", body)
		f.Add("b", strings.ReplaceAll(body, "\n", "\r\n"))
	}
	f.Fuzz(func(t *testing.T, boundary, body string) {
		items, err := parseBatch("multipart/mixed; boundary="+boundary, []byte(body))
		if err != nil {
			if e := fault.As(err); e.Status != http.StatusBadRequest {
				t.Fatalf("%d %s", e.Status, e.Message)
			}
			return
		}
		total := 0
		for _, item := range items {
			total += max(1, len(item.changeSet))
			for _, op := range item.changeSet {
				if op.method == http.MethodGet || op.method == "" {
					t.Fatalf("a change set with %q", op.method)
				}
			}
			if item.single != nil && (item.single.method == "" || strings.ContainsAny(item.single.url+item.single.contentID, "\r\n")) {
				t.Fatalf("an operation %q %q %q", item.single.method, item.single.url, item.single.contentID)
			}
		}
		if total > maxOperations {
			t.Fatalf("%d operations", total)
		}
	})
}

// conversationBatches collects the bodies of $batch requests in the conversations.
func conversationBatches(f *testing.F) []string {
	files, err := filepath.Glob("../../testdata/wire/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, piece := range strings.Split(string(text), "> POST /$batch\n")[1:] {
			request, _, _ := strings.Cut(piece, "\n<")
			out = append(out, strings.ReplaceAll(strings.ReplaceAll("\n"+request, "\n> ", "\n"), "\n>", "\n"))
		}
	}
	if len(out) < 10 {
		f.Fatalf("only %d batches found in the conversations", len(out))
	}
	return out
}
