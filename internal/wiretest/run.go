package wiretest

import (
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"almoner/internal/servicetest"
)

// Target is a running service a conversation is held with.
type Target struct {
	*servicetest.Client                    // of the administrator
	Move                func(to time.Time) // moves the service's clock; its background jobs rest from then on
	Jobs                func()             // lets the background jobs do what the clock asks for
}

// Settings lists what the conversation of a file wants its service started with, by name and text.
func Settings(t *testing.T, file string) [][2]string {
	t.Helper()
	return read(t, file).Settings
}

// Run holds the conversation of a file with a service that was started with its settings, after those it names in lines such as
// "@ data/foundation.txt". With update the file's answers are rewritten to what the service said.
func Run(t *testing.T, file string, to Target, update bool) {
	t.Helper()
	c := read(t, file)
	vars := variables{"origin": to.Origin, "base": to.Origin + "/api/data/v9.2", "token": to.Token}
	chosen := chosenIDs(c.Exchanges)
	for _, name := range c.Before {
		before := filepath.Join(filepath.Dir(file), name)
		earlier := read(t, before)
		if len(earlier.Settings) > 0 {
			t.Fatalf("%s: settings are for the conversation that names it to tell", before)
		}
		maps.Copy(chosen, chosenIDs(earlier.Exchanges))
		hold(t, before, earlier.Exchanges, to, vars)
	}
	if !update {
		hold(t, file, c.Exchanges, to, vars)
		return
	}
	for _, x := range c.Exchanges {
		resp, body := send(t, file, x, to, vars)
		record(x, resp, body, vars, chosen)
	}
	if err := os.WriteFile(file, []byte(Print(c)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// hold sends the requests of a conversation and compares the answers.
func hold(t *testing.T, file string, exchanges []*Exchange, to Target, vars variables) {
	t.Helper()
	for _, x := range exchanges {
		resp, body := send(t, file, x, to, vars)
		compare(t, file, x, resp, body, vars)
	}
}

func read(t *testing.T, file string) *Conversation {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// prepare does what has to be done before a request.
func prepare(x *Exchange, to Target) {
	if !x.Clock.IsZero() {
		to.Move(x.Clock)
	}
	if x.Jobs {
		to.Jobs()
	}
}

func send(t *testing.T, file string, x *Exchange, to Target, vars variables) (*http.Response, string) {
	t.Helper()
	prepare(x, to)
	fill := func(s string) string {
		out, err := vars.expand(s)
		if err != nil {
			t.Fatalf("%s:%d: %v", file, x.Line, err)
		}
		return out
	}
	url := fill(x.Target)
	if !strings.HasPrefix(url, "http") {
		url = vars["base"] + url
	}
	req, err := http.NewRequest(x.Method, strings.ReplaceAll(url, " ", "%20"), strings.NewReader(fill(x.Body)))
	if err != nil {
		t.Fatalf("%s:%d: %v", file, x.Line, err)
	}
	req.Header.Set("Authorization", "Bearer "+to.Token)
	if x.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range x.Header {
		if val := fill(h[1]); val == "-" {
			req.Header.Del(h[0])
		} else {
			req.Header.Set(h[0], val)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s:%d: %v", file, x.Line, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s:%d: %v", file, x.Line, err)
	}
	return resp, strings.ReplaceAll(string(body), "\r\n", "\n")
}

func compare(t *testing.T, file string, x *Exchange, resp *http.Response, body string, vars variables) {
	t.Helper()
	if got := strconv.Itoa(resp.StatusCode); got != x.Want.Status {
		t.Errorf("%s:%d: %s %s answered %s, want %s\n%s", file, x.Line, x.Method, x.Target, got, x.Want.Status, body)
		return
	}
	for _, h := range x.Want.Header {
		if got := resp.Header.Get(h[0]); !vars.match(h[1], got) {
			t.Errorf("%s:%d: header %s is %q, want %q", file, x.Line, h[0], got, h[1])
		}
	}
	body = strings.TrimRight(body, "\n")
	if !vars.match(x.Want.Body, body) {
		t.Errorf("%s:%d: %s %s answered\n got %s\nwant %s", file, x.Line, x.Method, x.Target, vars.abstract(body, nil), x.Want.Body)
	}
}

func record(x *Exchange, resp *http.Response, body string, vars variables, chosen map[string]bool) {
	x.Want.Status = strconv.Itoa(resp.StatusCode)
	for i, h := range x.Want.Header {
		if !vars.match(h[1], resp.Header.Get(h[0])) {
			x.Want.Header[i][1] = vars.abstract(resp.Header.Get(h[0]), chosen)
		}
	}
	body = strings.TrimRight(body, "\n")
	if x.Want.Body == "" || !vars.match(x.Want.Body, body) {
		x.Want.Body = vars.abstract(body, chosen)
	}
}
