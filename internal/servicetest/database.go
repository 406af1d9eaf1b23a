// Package servicetest starts whole services for tests: on either store, with a clock that tests move, several on one database.
package servicetest

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
	"almoner/tables"
)

// Database is a bootstrapped database that services can be started on.
type Database struct {
	Model *schema.Model
	Clock *Clock
	open  func(t testing.TB) store.Store
	only  store.Store // the one store of an embedded database; nil when every service opens its own
}

// Noon is the moment a database is made: noon of 30 June 2026.
var Noon = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)

// Each runs a test once on each store, in parallel with others.
func Each(t *testing.T, test func(t *testing.T, db *Database)) {
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) { t.Parallel(); test(t, OnSQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); test(t, OnPostgreSQL(t)) })
}

// OnSQLite makes a database in a file. Its services share one open file, as only one process serves it.
func OnSQLite(t testing.TB) *Database {
	t.Helper()
	d := &Database{Model: model(t), Clock: NewClock(Noon)}
	st, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "test.db"), d.Model, sqlite.Options{Calendar: query.Calendar{StartMonth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, st) })
	d.only = st
	d.bootstrap(t, st)
	return d
}

// OnPostgreSQL makes a database on a server. Every service has connections of its own, as processes have.
func OnPostgreSQL(t testing.TB) *Database {
	t.Helper()
	d := &Database{Model: model(t), Clock: NewClock(Noon)}
	dsn := pgtest.DSN(t)
	d.open = func(t testing.TB) store.Store {
		st, err := postgres.Open(context.Background(), dsn, d.Model, postgres.Options{Calendar: query.Calendar{StartMonth: 1}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeStore(t, st) })
		return st
	}
	d.bootstrap(t, d.open(t))
	return d
}

func model(t testing.TB) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func closeStore(t testing.TB, st store.Store) {
	if err := st.Close(); err != nil {
		t.Error(err)
	}
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

func (d *Database) bootstrap(t testing.TB, st store.Store) {
	t.Helper()
	if err := auth.Bootstrap(t.Context(), st, d.Model, d.Clock.Now(), settings.Default()); err != nil {
		t.Fatal(err)
	}
}

// Set stores a business setting, for services started after it.
func (d *Database) Set(t testing.TB, name, text string) {
	t.Helper()
	if err := settings.Default().Set(name, text); err != nil {
		t.Fatal(err)
	}
	d.Mark(t, name, text)
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
