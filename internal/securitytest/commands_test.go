package securitytest

import (
	"path/filepath"
	"testing"

	"almoner/internal/auth"
	"almoner/internal/pgtest"
	"almoner/internal/servicetest"
	"almoner/internal/store"
)

// withCommands starts a world and opens its database a second time, as a command does while the service runs.
func withCommands(t *testing.T, kind string) (*world, *auth.Registry) {
	var first, second store.Store
	switch kind {
	case "SQLite":
		file := filepath.Join(t.TempDir(), "shared.db")
		first = servicetest.OpenSQLite(t, file)
		second = servicetest.OpenSQLite(t, file)
	default:
		dsn := pgtest.DSN(t)
		first = servicetest.OpenPostgreSQL(t, dsn)
		second = servicetest.OpenPostgreSQL(t, dsn)
	}
	w := newWorld(t, first, nil)
	return w, auth.NewRegistry(second, w.model, nil)
}
