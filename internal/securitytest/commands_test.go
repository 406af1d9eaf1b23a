package securitytest

import (
	"path/filepath"
	"testing"

	"almoner/internal/auth"
	"almoner/internal/pgtest"
	"almoner/internal/store"
)

// withCommands starts a world and opens its database a second time, as a command does while the service runs.
func withCommands(t *testing.T, kind string) (*world, *auth.Registry) {
	var first, second store.Store
	switch kind {
	case "SQLite":
		file := filepath.Join(t.TempDir(), "shared.db")
		first = openFile(t, file)
		second = openFile(t, file)
	default:
		dsn := pgtest.DSN(t)
		first = openPostgreSQL(t, dsn)
		second = openPostgreSQL(t, dsn)
	}
	w := newWorld(t, first, nil)
	return w, auth.NewRegistry(second, w.model, nil)
}
