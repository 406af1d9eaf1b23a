package wiretest_test

import (
	"encoding/json"
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
	text, header := "", []string(nil)
	switch b := body.(type) {
	case nil:
	case string:
		text = b
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		text = string(raw)
	}
	if len(prefer) > 0 {
		header = append(header, "Prefer: "+strings.Join(prefer, ","))
	}
	a, err := c.to.Call(c.t.Context(), method, "/"+path, text, header...)
	if err != nil {
		c.t.Fatal(err)
	}
	r := &reply{status: a.Status, id: a.ID(), text: string(a.Body)}
	if strings.HasPrefix(r.text, "{") {
		r.body = a.JSON(c.t)
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
