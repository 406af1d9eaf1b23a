// Package servicetest starts whole services for tests: on either store, with a clock that tests move, several on one database.
package servicetest

import (
	"path/filepath"
	"testing"

	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
)

// Database is a bootstrapped database that services can be started on.
type Database struct {
	Model    *schema.Model
	Clock    *Clock             // of all services, beginning at Noon
	Settings *settings.Settings // of services started from now on; without protection limits unless a test sets some
	open     func(t testing.TB) store.Store
	only     store.Store                      // the one store of an embedded database; nil when every service opens its own
	held     func(t testing.TB) (bool, error) // what SnapshotHeld asks; nil for a database made by On
}

// Each runs a test once on each store, in parallel with others.
func Each(t *testing.T, test func(t *testing.T, db *Database)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t, OnSQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); test(t, OnPostgreSQL(t)) })
}

// OnSQLite makes a database in a file. Its services share one open file, as only one process serves it.
func OnSQLite(t testing.TB) *Database {
	t.Helper()
	return OnSQLiteWith(t, sqlite.Options{Calendar: calendar})
}

// OnSQLiteWith is OnSQLite with options of the store.
func OnSQLiteWith(t testing.TB, options sqlite.Options) *Database {
	t.Helper()
	file := filepath.Join(t.TempDir(), "test.db")
	st := openSQLite(t, file, options)
	Bootstrap(t, st)
	d := On(t, st)
	d.held = func(testing.TB) (bool, error) { return logHeld(file) }
	return d
}

// OnPostgreSQL makes a database on a server. Every service has connections of its own, as processes have.
func OnPostgreSQL(t testing.TB) *Database {
	t.Helper()
	return OnPostgreSQLWith(t, postgres.Options{Calendar: calendar})
}

// OnPostgreSQLWith is OnPostgreSQL with options of the stores.
func OnPostgreSQLWith(t testing.TB, options postgres.Options) *Database {
	t.Helper()
	dsn := pgtest.DSN(t)
	st := openPostgreSQL(t, dsn, options)
	Bootstrap(t, st)
	d := On(t, st)
	d.only, d.open = nil, func(t testing.TB) store.Store { return openPostgreSQL(t, dsn, options) }
	d.held = func(t testing.TB) (bool, error) { return backendBusy(t, dsn) }
	return d
}

// On is the database behind a store that has been bootstrapped. All its services share the store.
func On(t testing.TB, st store.Store) *Database {
	t.Helper()
	cfg := settings.Default()
	cfg.LimitRequests, cfg.LimitConcurrency, cfg.LimitExecution = 0, 0, 0
	return &Database{Model: Model(t), Clock: NewClock(Noon), Settings: cfg, only: st}
}

// Shared tells whether several services may be started on the database.
func (d *Database) Shared() bool { return d.only == nil }

// Store returns the database's store; on a server, one with connections of its own.
func (d *Database) Store(t testing.TB) store.Store {
	if d.only != nil {
		return d.only
	}
	return d.open(t)
}

// Set changes a setting for services started after it. A business setting is also stored, where running services find it.
func (d *Database) Set(t testing.TB, name, text string) {
	t.Helper()
	if err := d.Settings.Set(name, text); err != nil {
		t.Fatal(err)
	}
	if settings.IsBusiness(name) {
		d.Mark(t, name, text)
	}
}

// Mark stores a row in the table of settings, where the background jobs keep their marks too.
func (d *Database) Mark(t testing.TB, name, text string) {
	t.Helper()
	table := d.Model.Table("setting")
	err := d.Store(t).Write(t.Context(), func(tx store.Tx) error {
		return tx.Put(t.Context(), table, []query.Assign{
			{Column: table.MustColumn("name"), Value: value.Text(name)}, {Column: table.MustColumn("value"), Value: value.Text(text)},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
