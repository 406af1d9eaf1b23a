package securitytest

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/pgtest"
	"almoner/internal/schema"
	"almoner/internal/service"
	"almoner/internal/servicetest"
	"almoner/internal/settings"
	"almoner/internal/store"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// world is a service over a database of its own, called in process.
type world struct {
	t        *testing.T
	model    *schema.Model
	store    store.Store
	settings *settings.Settings
	svc      *service.Service
	registry *auth.Registry
	admin    caller // the built-in administrator
	origin   string
	log      *logbook
	made     int               // rows made so far, for names
	parents  map[string]string // the rows samples point at, by use
}

// onBoth runs a test in a fresh world on each store.
func onBoth(t *testing.T, test func(t *testing.T, w *world)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, open(t), nil))
		})
	}
}

// stores open an empty database of each kind.
var stores = map[string]func(t *testing.T) store.Store{
	"SQLite":     openSQLite,
	"PostgreSQL": func(t *testing.T) store.Store { return servicetest.OpenPostgreSQL(t, pgtest.DSN(t)) },
}

func openSQLite(t *testing.T) store.Store {
	return servicetest.OpenSQLite(t, filepath.Join(t.TempDir(), "test.db"))
}

// newWorld fills an empty database with the platform's own rows and serves it until the test ends. Without adjust there are no
// protection limits.
func newWorld(t *testing.T, st store.Store, adjust func(*service.Options)) *world {
	t.Helper()
	w := &world{t: t, model: servicetest.Model(t), store: st, settings: settings.Default(), log: &logbook{}, parents: map[string]string{}}
	servicetest.Bootstrap(t, st)
	w.settings.LimitRequests, w.settings.LimitConcurrency, w.settings.LimitExecution = 0, 0, 0
	w.serve(adjust)
	return w
}

// serve starts the world's service.
func (w *world) serve(adjust func(*service.Options)) {
	w.t.Helper()
	w.origin = "http://127.0.0.1:8080"
	o := service.Options{
		Store: w.store, Model: w.model, Settings: w.settings, Clock: servicetest.NewClock(servicetest.Noon).Now,
		Log: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Origin: w.origin,
	}
	if adjust != nil {
		adjust(&o)
	}
	svc, err := service.New(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); svc.Run(ctx) }()
	w.t.Cleanup(func() { stop(); <-ended; w.log.check(w.t) })
	w.svc = svc
	w.registry = auth.NewRegistry(w.store, w.model, nil)
	w.admin = w.app("")
}

// app is the caller an application's token makes; "" for the built-in administrator.
func (w *world) app(name string) caller {
	w.t.Helper()
	token, err := w.registry.IssueToken(w.t.Context(), name, time.Hour)
	if err != nil {
		w.t.Fatal(err)
	}
	w.log.secret(token)
	return caller{w: w, token: token}
}

// newApp registers an application with roles and returns its caller.
func (w *world) newApp(name string, roles ...string) (caller, auth.Credentials) {
	w.t.Helper()
	c, err := w.registry.CreateApp(w.t.Context(), name, roles)
	if err != nil {
		w.t.Fatal(err)
	}
	w.log.secret(c.ClientSecret)
	return w.app(name), c
}

// newUser registers a person with roles, whom the administrator acts for: the caller has exactly that person's rights.
func (w *world) newUser(name string, roles ...string) caller {
	w.t.Helper()
	id, err := w.registry.CreateUser(w.t.Context(), name, roles)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.admin.as(id.String())
}

// newRole makes a role of grants like prvReadsvc_gift:global and returns its id.
func (w *world) newRole(name string, grants ...string) string {
	w.t.Helper()
	id, err := w.registry.CreateRole(w.t.Context(), name, grants)
	if err != nil {
		w.t.Fatal(err)
	}
	return id.String()
}

// poll lets the service see changes of the security data at once.
func (w *world) poll() {
	w.t.Helper()
	if err := w.svc.Auth.Poll(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// listen serves the world on a real socket and returns its address.
func (w *world) listen() string {
	server := httptest.NewServer(w.svc)
	w.t.Cleanup(server.Close)
	return server.URL
}
