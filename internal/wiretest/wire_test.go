package wiretest_test

import (
	"context"
	"flag"
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
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/wiretest"
	"almoner/tables"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata/wire from what the service says on SQLite")

// now is the moment every conversation takes place.
var now = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)

func TestConversationsOnSQLite(t *testing.T) {
	each(t, *update, func(t *testing.T, m *schema.Model) store.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "wire.db"), m, sqlite.Options{Calendar: query.Calendar{StartMonth: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

func TestConversationsOnPostgreSQL(t *testing.T) {
	if *update {
		return
	}
	each(t, false, func(t *testing.T, m *schema.Model) store.Store {
		s, err := postgres.Open(t.Context(), pgtest.DSN(t), m, postgres.Options{Calendar: query.Calendar{StartMonth: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// each holds every conversation with a service of its own on a fresh database.
func each(t *testing.T, update bool, open func(*testing.T, *schema.Model) store.Store) {
	files, err := filepath.Glob("../../testdata/wire/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations found", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { wiretest.Run(t, file, start(t, open), update) })
	}
}

// start serves a fresh database at a fixed moment.
func start(t *testing.T, open func(*testing.T, *schema.Model) store.Store) wiretest.Target {
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	st := open(t, m)
	t.Cleanup(func() { st.Close() })
	cfg := settings.Default()
	clock := func() time.Time { return now }
	if err := auth.Bootstrap(t.Context(), st, m, now, cfg); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelError}))
	svc, err := service.New(t.Context(), service.Options{Store: st, Model: m, Settings: cfg, Clock: clock, Log: log, Origin: origin})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go svc.Run(ctx)
	server.Config.Handler = svc
	server.Start()
	t.Cleanup(func() { server.Close(); stop() })
	token, err := auth.NewRegistry(st, m, nil).IssueToken(t.Context(), "", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return wiretest.Target{Origin: origin, Token: token}
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}
