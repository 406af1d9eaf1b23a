package wiretest_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/pgtest"
	"almoner/internal/servicetest"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/wiretest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// stores opens databases: one is prepared once and copied for every test that asks.
type stores func(t *testing.T) store.Store

// onSQLite prepares a file with all tables and the platform's own rows.
func onSQLite(t *testing.T) stores {
	template := filepath.Join(t.TempDir(), "template.db")
	prepare(t, servicetest.OpenSQLite(t, template))
	return func(t *testing.T) store.Store {
		content, err := os.ReadFile(template)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "wire.db")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return servicetest.OpenSQLite(t, file)
	}
}

// onPostgreSQL prepares a database with all tables and the platform's own rows.
func onPostgreSQL(t *testing.T) stores {
	template := pgtest.DSN(t)
	prepare(t, servicetest.OpenPostgreSQL(t, template))
	return func(t *testing.T) store.Store { return servicetest.OpenPostgreSQL(t, pgtest.Copy(t, template)) }
}

// prepare makes a template, which nobody may have open when it is copied.
func prepare(t *testing.T, st store.Store) {
	servicetest.Bootstrap(t, st)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// serve serves a fresh database until the test ends, with some settings that are not the default ones, by name and text. Its clock stands
// at noon of 30 June 2026 unless a conversation moves it.
func (open stores) serve(t *testing.T, set ...[2]string) wiretest.Target {
	return open.serveLogging(t, servicetest.Log(t), set...)
}

// serveLogging is serve with a log of one's own.
func (open stores) serveLogging(t *testing.T, log *slog.Logger, set ...[2]string) wiretest.Target {
	db := servicetest.On(t, open(t))
	db.Settings = settings.Default() // the protection limits too
	for _, s := range set {
		db.Set(t, s[0], s[1])
	}
	s := db.Start(t, log)
	s.RunJobs(t)
	return wiretest.Target{
		Client: s.Client,
		Move:   func(to time.Time) { s.RestJobs(t); db.Clock.Set(to) },
		Jobs:   func() { s.RunJobs(t); s.AwaitJobs(t) },
	}
}
