package webapi

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"almoner/internal/fault"
)

// A recorder with a deadline, as sockets have.
type timedRecorder struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
}

func (r *timedRecorder) SetReadDeadline(t time.Time) error {
	r.deadlines = append(r.deadlines, t)
	return nil
}

func TestBodyIsReadUnderADeadline(t *testing.T) {
	var all bodies
	w := &timedRecorder{ResponseRecorder: httptest.NewRecorder()}
	body, free, err := all.read(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader("hello")))
	if err != nil || string(body) != "hello" {
		t.Fatalf("%q %v", body, err)
	}
	if n := len(w.deadlines); n < 2 || w.deadlines[0].IsZero() || !w.deadlines[n-1].IsZero() {
		t.Errorf("deadlines %v: one while reading, none afterwards", w.deadlines)
	}
	if all.held.Load() != 5 {
		t.Errorf("%d bytes are held", all.held.Load())
	}
	if free(); all.held.Load() != 0 {
		t.Errorf("%d bytes are held afterwards", all.held.Load())
	}
}

func TestBodiesAreBounded(t *testing.T) {
	for name, try := range map[string]struct {
		length int64
		body   io.Reader
		held   int64
		status int
	}{
		"too long by its own word": {maxBody + 1, strings.NewReader("x"), 0, http.StatusRequestEntityTooLarge},
		"too much together":        {5, strings.NewReader("hello"), maxBodies - 1, http.StatusServiceUnavailable},
		"broken off":               {5, io.MultiReader(strings.NewReader("he"), failing{}), 0, http.StatusBadRequest},
	} {
		var all bodies
		all.held.Store(try.held)
		hr := httptest.NewRequest(http.MethodPost, "/", try.body)
		hr.ContentLength = try.length
		_, free, err := all.read(httptest.NewRecorder(), hr)
		if got := fault.As(err).Status; got != try.status {
			t.Errorf("%s: %d, want %d", name, got, try.status)
		}
		if free(); all.held.Load() != try.held {
			t.Errorf("%s: %d bytes are held afterwards", name, all.held.Load())
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }
