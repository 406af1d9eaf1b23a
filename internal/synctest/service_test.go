package synctest

import (
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/pgtest"
	"almoner/internal/servicetest"
	"almoner/internal/store"
)

// fixture is a service inside the process of the test, whose clock can be moved and whose background jobs do not run by themselves.
type fixture struct {
	*client
	*servicetest.Server
	clock *servicetest.Clock
}

// eachService runs a test with a service on each store.
func eachService(t *testing.T, test func(*testing.T, *fixture)) {
	t.Run("SQLite", func(t *testing.T) { test(t, serve(t, newSQLite(t))) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, serve(t, newPostgreSQL(t))) })
}

func newSQLite(t testing.TB) store.Store {
	return servicetest.OpenSQLite(t, filepath.Join(t.TempDir(), "sync.db"))
}

func newPostgreSQL(t testing.TB) store.Store { return servicetest.OpenPostgreSQL(t, pgtest.DSN(t)) }

// serve serves a store until the test ends.
func serve(t testing.TB, st store.Store) *fixture {
	t.Helper()
	servicetest.Bootstrap(t, st)
	db := servicetest.On(t, st)
	s := db.Start(t, servicetest.Log(t))
	return &fixture{client: newClient(t, s.Token, s.Origin), Server: s, clock: db.Clock}
}

// later moves the service's clock.
func (f *fixture) later(d time.Duration) { f.clock.Set(f.clock.Now().Add(d)) }
