package servicetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/rules"
	"almoner/internal/service"
	"almoner/internal/settings"
	"almoner/internal/store"
)

// Server is a running service as one application calls it: the administrator's, unless As made it.
type Server struct {
	Origin  string
	Service *service.Service
	Store   store.Store
	token   string
}

// Serve starts a service on the database until the test ends. Its protection limits are off.
func (d *Database) Serve(t testing.TB) *Server {
	t.Helper()
	cfg := settings.Default()
	cfg.LimitRequests, cfg.LimitConcurrency, cfg.LimitExecution = 0, 0, 0
	listener := httptest.NewUnstartedServer(nil)
	s := &Server{Origin: "http://" + listener.Listener.Addr().String(), Store: d.Store(t)}
	log := slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelError}))
	var err error
	s.Service, err = service.New(t.Context(), service.Options{
		Store: s.Store, Model: d.Model, Settings: cfg, Clock: d.Clock.Now, Log: log, Origin: s.Origin, Shared: d.only == nil,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Service.Run(ctx) }()
	listener.Config.Handler = s.Service
	listener.Start()
	t.Cleanup(func() { listener.Close(); stop(); <-ended })
	s.token = s.issueToken(t, "")
	return s
}

func (s *Server) issueToken(t testing.TB, app string) string {
	t.Helper()
	token, err := s.registry().IssueToken(t.Context(), app, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (s *Server) registry() *auth.Registry {
	return auth.NewRegistry(s.Store, s.Service.Engine.Model(), nil)
}

// As returns the same service as a new application with some roles calls it.
func (s *Server) As(t testing.TB, app string, roles ...string) *Server {
	t.Helper()
	if _, err := s.registry().CreateApp(t.Context(), app, roles); err != nil {
		t.Fatal(err)
	}
	other := *s
	other.token = s.issueToken(t, app)
	return &other
}

// testLog sends a service's log to the test's.
type testLog struct{ t testing.TB }

func (w testLog) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// Answer is what a call got back.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call sends a request. path is relative to the Web API unless it is a whole address; header lines are written
// as "Name: value".
func (s *Server) Call(ctx context.Context, method, path, body string, header ...string) (*Answer, error) {
	if !strings.HasPrefix(path, "http") {
		path = s.Origin + "/api/data/v9.2" + path
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.ReplaceAll(path, " ", "%20"), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
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
func (s *Server) Must(t testing.TB, method, path, body string, header ...string) *Answer {
	t.Helper()
	a, err := s.Call(t.Context(), method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status >= 400 {
		t.Fatalf("%s %s answered %d: %s", method, path, a.Status, a.Body)
	}
	return a
}

// Create posts a row and returns its id.
func (s *Server) Create(t testing.TB, set, body string, header ...string) string {
	t.Helper()
	return s.Must(t, "POST", "/"+set, body, header...).ID()
}

// Get reads a row or a collection.
func (s *Server) Get(t testing.TB, path string) map[string]any {
	t.Helper()
	return s.Must(t, "GET", path, "").JSON(t)
}

// Columns reads columns of a row as "a=1 b=null", in the order given.
func (s *Server) Columns(t testing.TB, path string, names ...string) string {
	t.Helper()
	row := s.Get(t, path+"?$select="+strings.Join(names, ","))
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

// CheckBooks fails the test for every stored total that is not what the base rows say.
func (s *Server) CheckBooks(t testing.TB) {
	t.Helper()
	err := s.Service.Engine.Recalc(t.Context(), rules.Recalculation{Check: true, Drift: func(d rules.Drift) error {
		t.Errorf("drift: %s", d)
		return nil
	}}, false)
	if err != nil {
		t.Error(err)
	}
}
