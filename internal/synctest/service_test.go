package synctest

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/service"
	"almoner/internal/servicetest"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/tables"
)

// fixture is a service inside the process of the test, whose clock can be moved.
type fixture struct {
	*client
	clock    *servicetest.Clock
	store    store.Store
	model    *schema.Model
	registry *auth.Registry
	service  *service.Service
}

// eachService runs a test with a service on each store.
func eachService(t *testing.T, test func(*testing.T, *fixture)) {
	t.Run("sqlite", func(t *testing.T) { test(t, serve(t, openSQLite(t, filepath.Join(t.TempDir(), "sync.db")))) })
	t.Run("postgres", func(t *testing.T) { test(t, serve(t, openPostgres(t, pgtest.DSN(t)))) })
}

func model(t testing.TB) *schema.Model {
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func openSQLite(t testing.TB, file string) store.Store {
	st, err := sqlite.Open(t.Context(), file, model(t), sqlite.Options{Calendar: query.Calendar{StartMonth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func openPostgres(t testing.TB, dsn string) store.Store {
	st, err := postgres.Open(t.Context(), dsn, model(t), postgres.Options{Calendar: query.Calendar{StartMonth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// serve serves a store until the test ends. The jobs of the service do not run by themselves.
func serve(t testing.TB, st store.Store) *fixture {
	t.Helper()
	f := &fixture{clock: servicetest.NewClock(servicetest.Noon), store: st, model: model(t)}
	t.Cleanup(func() { st.Close() })
	ctx, set := context.Background(), settings.Default()
	set.LimitRequests, set.LimitConcurrency, set.LimitExecution = 0, 0, 0
	if err := auth.Bootstrap(ctx, st, f.model, f.clock.Now(), set); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	var err error
	f.service, err = service.New(ctx, service.Options{
		Store: st, Model: f.model, Settings: set, Clock: f.clock.Now, Log: slog.New(slog.NewTextHandler(logWriter{t}, &slog.HandlerOptions{Level: slog.LevelError})), Origin: origin,
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = f.service
	server.Start()
	t.Cleanup(server.Close)
	f.registry = auth.NewRegistry(st, f.model, nil)
	token, err := f.registry.IssueToken(ctx, "", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	f.client = newClient(t, token, origin)
	return f
}

// later moves the service's clock.
func (f *fixture) later(d time.Duration) { f.clock.Set(f.clock.Now().Add(d)) }

// logWriter sends the service's log to the test's.
type logWriter struct{ t testing.TB }

func (w logWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}
