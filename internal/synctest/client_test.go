package synctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"almoner/internal/value"
)

const api = "/api/data/v9.2/"

// client talks to one or several nodes of a service as one application.
type client struct {
	t     testing.TB
	token string
	nodes []string     // their origins
	turn  atomic.Int64 // requests go to the nodes in turn
}

func newClient(t testing.TB, token string, origins ...string) *client {
	return &client{t: t, token: token, nodes: origins}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a *answer) String() string { return fmt.Sprint(a.status, " ", a.body) }

// id is the id of the row a write made, "" if it made none.
func (a *answer) id() string {
	text := a.header.Get("OData-EntityId")
	open, end := strings.LastIndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return ""
	}
	return text[open+1 : end]
}

// send sends a request once. target is a path below the service's root, or an absolute URL whose host does not matter.
func (c *client) send(method, target, body string, header ...string) (*answer, error) {
	origin := c.nodes[int(c.turn.Add(1))%len(c.nodes)]
	if i := strings.Index(target, api); i >= 0 {
		target = target[i+len(api):]
	}
	req, err := http.NewRequest(method, origin+api+strings.ReplaceAll(target, " ", "%20"), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Host = "almoner.test"
	req.Header.Set("Authorization", "Bearer "+c.token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	return &answer{resp.StatusCode, resp.Header, string(content)}, err
}

// persist sends a request until it is answered: processes that are killed or away are asked again. A write must be one that is safe to
// send again.
func (c *client) persist(method, target, body string, header ...string) *answer {
	for {
		a, err := c.send(method, target, body, header...)
		if err == nil && a.status != http.StatusServiceUnavailable {
			return a
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// once sends a write until it is answered. The service does it once however often it is sent.
func (c *client) once(method, target, body string, header ...string) *answer {
	return c.persist(method, target, body, append(header, repeatable(newID())...)...)
}

// repeatable are the headers that make a request safe to send again.
func repeatable(id string) []string {
	return []string{"Repeatability-Request-ID", id, "Repeatability-First-Sent", "Tue, 30 Jun 2026 12:00:00 GMT"}
}

// must sends a request that has to succeed.
func (c *client) must(method, target, body string, header ...string) *answer {
	c.t.Helper()
	a, err := c.send(method, target, body, header...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, target, err)
	}
	if a.status >= 300 {
		c.t.Fatalf("%s %s: %s\n%s", method, target, a, body)
	}
	return a
}

// refused sends a request that has to fail with a status, and returns its error code and message.
func (c *client) refused(status int, method, target, body string, header ...string) (code, message string) {
	c.t.Helper()
	a, err := c.send(method, target, body, header...)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, target, err)
	}
	if a.status != status {
		c.t.Fatalf("%s %s: got %s, want status %d", method, target, a, status)
	}
	var e struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		c.t.Fatalf("%s %s: %v in %s", method, target, err, a.body)
	}
	return e.Error.Code, e.Error.Message
}

// page is one page of a list or a delta.
type page struct {
	Value []json.RawMessage `json:"value"`
	Next  string            `json:"@odata.nextLink"`
	Delta string            `json:"@odata.deltaLink"`
}

func readPage(text string) (*page, error) {
	p := &page{}
	return p, json.Unmarshal([]byte(text), p)
}

// count asks how many rows a set has.
func (c *client) count(target string) string {
	c.t.Helper()
	return c.must("GET", target, "").body
}

func newID() string { return value.NewGUID(time.Now()).String() }

// batch is the body of a $batch request.
type batch struct{ bytes.Buffer }

const batchType = "multipart/mixed; boundary=batch_b"

// changeSet adds a change set; each part is a request: method and target, and its body if it has one. Parts have the Content-IDs 1, 2, …
func (b *batch) changeSet(parts ...[2]string) *batch {
	b.WriteString("--batch_b\r\nContent-Type: multipart/mixed; boundary=changeset_c\r\n\r\n")
	for i, p := range parts {
		fmt.Fprintf(b, "--changeset_c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: %d\r\n\r\n", i+1)
		fmt.Fprintf(b, "%s HTTP/1.1\r\nContent-Type: application/json\r\n\r\n%s\r\n", p[0], p[1])
	}
	b.WriteString("--changeset_c--\r\n")
	return b
}

// request adds a single request.
func (b *batch) request(line, body string) *batch {
	fmt.Fprintf(b, "--batch_b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n%s HTTP/1.1\r\nContent-Type: application/json\r\n\r\n%s\r\n", line, body)
	return b
}

func (b *batch) end() string { return b.String() + "--batch_b--\r\n" }
