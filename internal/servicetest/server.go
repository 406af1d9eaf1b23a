package servicetest

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/service"
	"almoner/internal/settings"
	"almoner/internal/store"
)

// Server is a running service, and the administrator's client of it.
type Server struct {
	*Client
	Service  *service.Service
	Store    store.Store
	stopJobs func() // nil while they rest
}

// Serve starts a service on the database until the test ends, with its background jobs.
func (d *Database) Serve(t testing.TB) *Server {
	t.Helper()
	s := d.Start(t, Log(t))
	s.RunJobs(t)
	return s
}

// Start starts a service on the database until the test ends. Its background jobs wait for RunJobs.
func (d *Database) Start(t testing.TB, log *slog.Logger) *Server {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	s := &Server{Client: &Client{Origin: "http://" + listener.Listener.Addr().String()}, Store: d.Store(t)}
	cfg := d.Settings.Clone()
	setCalendar(t, s.Store, cfg)
	var err error
	s.Service, err = service.New(t.Context(), service.Options{
		Store: s.Store, Model: d.Model, Settings: cfg, Clock: d.Clock.Now, Log: log, Origin: s.Origin, Shared: d.Shared(),
	})
	if err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = s.Service
	listener.Start()
	t.Cleanup(listener.Close)
	s.Token = s.issueToken(t, "")
	return s
}

// setCalendar tells a store the organization's calendar, as the program does when it starts.
func setCalendar(t testing.TB, st store.Store, cfg *settings.Settings) {
	t.Helper()
	c, ok := st.(interface {
		SetCalendar(context.Context, query.Calendar) error
	})
	if !ok {
		return
	}
	if err := c.SetCalendar(t.Context(), query.Calendar{Zone: cfg.Location(), StartMonth: cfg.YearStartMonth}); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) issueToken(t testing.TB, app string) string {
	t.Helper()
	token, err := s.Registry().IssueToken(t.Context(), app, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Registry is where the service's applications, users and roles are kept.
func (s *Server) Registry() *auth.Registry {
	return auth.NewRegistry(s.Store, s.Service.Engine.Model(), nil)
}

// As registers an application with some roles and returns its client.
func (s *Server) As(t testing.TB, app string, roles ...string) *Client {
	t.Helper()
	if _, err := s.Registry().CreateApp(t.Context(), app, roles); err != nil {
		t.Fatal(err)
	}
	return &Client{Origin: s.Origin, Token: s.issueToken(t, app)}
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

// Log sends the errors a service logs to the test's log.
func Log(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelError}))
}

type testLog struct{ t testing.TB }

func (w testLog) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}
