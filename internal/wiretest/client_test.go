package wiretest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"almoner/internal/wiretest"
)

// client calls a service as its administrator.
type client struct {
	t  *testing.T
	to wiretest.Target
}

// reply is an answer with its body read as JSON; numbers keep their text.
type reply struct {
	status int
	id     string // from OData-EntityId
	text   string
	body   map[string]any
}

// code returns the error's code, "" when there is none.
func (r *reply) code() string {
	e, _ := r.body["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

// call sends a request; body is marshalled unless it is text already, nil for none.
func (c *client) call(method, path string, body any, prefer ...string) *reply {
	c.t.Helper()
	var payload io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		payload = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		payload = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, c.to.Origin+"/api/data/v9.2/"+path, payload)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.to.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header["Prefer"] = prefer
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	r := &reply{status: resp.StatusCode, text: string(text)}
	if _, rest, ok := strings.Cut(resp.Header.Get("OData-EntityId"), "("); ok {
		r.id = strings.TrimSuffix(rest, ")")
	}
	if len(text) > 0 && text[0] == '{' {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&r.body); err != nil {
			c.t.Fatalf("%s %s answered what is no JSON: %v\n%s", method, path, err, text)
		}
	}
	return r
}

// must is call for requests that cannot fail.
func (c *client) must(method, path string, body any, prefer ...string) *reply {
	c.t.Helper()
	r := c.call(method, path, body, prefer...)
	if r.status >= 300 {
		c.t.Fatalf("%s %s %v answered %d %s", method, path, body, r.status, r.text)
	}
	return r
}
