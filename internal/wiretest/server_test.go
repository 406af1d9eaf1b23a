package wiretest_test

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
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/service"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
	"almoner/internal/wiretest"
	"almoner/tables"
)

// now is the moment every test takes place.
var now = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)

var calendar = query.Calendar{StartMonth: 1}

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// stores makes databases: one is prepared once and copied for every test that asks.
type stores struct {
	model *schema.Model
	open  func(t *testing.T) store.Store
}

// onSQLite prepares a file with all tables and the platform's own rows.
func onSQLite(t *testing.T) *stores {
	s := &stores{model: model(t)}
	template := filepath.Join(t.TempDir(), "template.db")
	open := func(t *testing.T, file string) store.Store {
		st, err := sqlite.Open(context.Background(), file, s.model, sqlite.Options{Calendar: calendar})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	s.prepare(t, open(t, template))
	s.open = func(t *testing.T) store.Store {
		content, err := os.ReadFile(template)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "wire.db")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return open(t, file)
	}
	return s
}

// onPostgreSQL prepares a database with all tables and the platform's own rows.
func onPostgreSQL(t *testing.T) *stores {
	s := &stores{model: model(t)}
	template := pgtest.DSN(t)
	open := func(t *testing.T, dsn string) store.Store {
		st, err := postgres.Open(context.Background(), dsn, s.model, postgres.Options{Calendar: calendar})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	s.prepare(t, open(t, template))
	s.open = func(t *testing.T) store.Store { return open(t, pgtest.Copy(t, template)) }
	return s
}

func model(t *testing.T) *schema.Model {
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s *stores) prepare(t *testing.T, st store.Store) {
	if err := auth.Bootstrap(t.Context(), st, s.model, now, settings.Default()); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// serve serves a fresh database at a fixed moment until the test ends.
func (s *stores) serve(t *testing.T) wiretest.Target {
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelError}))
	return s.serveWith(t, settings.Default(), log)
}

// serveWith is serve with settings and a log of one's own.
func (s *stores) serveWith(t *testing.T, cfg *settings.Settings, log *slog.Logger) wiretest.Target {
	st := s.open(t)
	t.Cleanup(func() { st.Close() })
	s.keep(t, st, cfg)
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	svc, err := service.New(t.Context(), service.Options{
		Store: st, Model: s.model, Settings: cfg, Clock: func() time.Time { return now }, Log: log, Origin: origin,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); svc.Run(ctx) }()
	server.Config.Handler = svc
	server.Start()
	t.Cleanup(func() { server.Close(); stop(); <-ended })
	token, err := auth.NewRegistry(st, s.model, nil).IssueToken(t.Context(), "", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return wiretest.Target{Origin: origin, Token: token}
}

// keep stores the business settings that are not the default ones, as every node of the service reads them.
func (s *stores) keep(t *testing.T, st store.Store, cfg *settings.Settings) {
	table := s.model.Table("setting")
	err := st.Write(t.Context(), func(tx store.Tx) error {
		for _, c := range settings.Diff(settings.Default(), cfg) {
			if !settings.IsBusiness(c.Name) {
				continue
			}
			row := []query.Assign{{Column: table.MustColumn("name"), Value: value.Text(c.Name)}, {Column: table.MustColumn("value"), Value: value.Text(c.New)}}
			if err := tx.Put(t.Context(), table, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// testWriter sends the service's log to the test's.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}
