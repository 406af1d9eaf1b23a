package servicetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Client calls a service as one application.
type Client struct {
	Origin string // scheme and host of the service
	Token  string // the application's bearer token
}

// Answer is what a call got back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call sends a request. path is relative to the Web API unless it is a whole address; header lines are written
// as "Name: value".
func (c *Client) Call(ctx context.Context, method, path, body string, header ...string) (*Answer, error) {
	if !strings.HasPrefix(path, "http") {
		path = c.Origin + "/api/data/v9.2" + path
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.ReplaceAll(path, " ", "%20"), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, val, _ := strings.Cut(line, ": ")
		req.Header.Set(name, val)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &Answer{Status: resp.StatusCode, Header: resp.Header}
	a.Body, err = io.ReadAll(resp.Body)
	return a, err
}

// Must is Call that fails the test when the answer is an error.
func (c *Client) Must(t testing.TB, method, path, body string, header ...string) *Answer {
	t.Helper()
	a, err := c.Call(t.Context(), method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status >= 400 {
		t.Fatalf("%s %s answered %d: %s", method, path, a.Status, a.Body)
	}
	return a
}

// Create posts a row and returns its id.
func (c *Client) Create(t testing.TB, set, body string, header ...string) string {
	t.Helper()
	return c.Must(t, "POST", "/"+set, body, header...).ID()
}

// Get reads a row or a collection.
func (c *Client) Get(t testing.TB, path string) map[string]any {
	t.Helper()
	return c.Must(t, "GET", path, "").JSON(t)
}

// Columns reads columns of a row as "1.00 <nil>", in the order given.
func (c *Client) Columns(t testing.TB, path string, names ...string) string {
	t.Helper()
	row := c.Get(t, path+"?$select="+strings.Join(names, ","))
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%v", row[name])
	}
	return strings.Join(parts, " ")
}

// ID returns the id in OData-EntityId.
func (a *Answer) ID() string {
	_, rest, _ := strings.Cut(a.Header.Get("OData-EntityId"), "(")
	return strings.TrimSuffix(rest, ")")
}

// JSON reads the body; numbers keep their text.
func (a *Answer) JSON(t testing.TB) map[string]any {
	t.Helper()
	var out map[string]any
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		t.Fatalf("%v in %s", err, a.Body)
	}
	return out
}
