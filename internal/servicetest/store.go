package servicetest

import (
	"context"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/tables"
)

// Noon is the moment a database is made: noon of 30 June 2026.
var Noon = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)

// calendar is the calendar year, which stores are opened with.
var calendar = query.Calendar{StartMonth: 1}

// Model returns the program's own tables.
func Model(t testing.TB) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// OpenSQLite opens a file, making it where there is none, until the test ends.
func OpenSQLite(t testing.TB, file string) store.Store {
	t.Helper()
	return openSQLite(t, file, sqlite.Options{Calendar: calendar})
}

func openSQLite(t testing.TB, file string, options sqlite.Options) store.Store {
	t.Helper()
	st, err := sqlite.Open(context.Background(), file, Model(t), options)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, st)
}

// OpenPostgreSQL opens a database on a server until the test ends.
func OpenPostgreSQL(t testing.TB, dsn string) store.Store {
	t.Helper()
	return openPostgreSQL(t, dsn, postgres.Options{Calendar: calendar})
}

func openPostgreSQL(t testing.TB, dsn string, options postgres.Options) store.Store {
	t.Helper()
	st, err := postgres.Open(context.Background(), dsn, Model(t), options)
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, st)
}

// closing closes a store when the test ends; a test may have closed it before.
func closing(t testing.TB, st store.Store) store.Store {
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// Bootstrap writes the rows every database has, at Noon.
func Bootstrap(t testing.TB, st store.Store) {
	t.Helper()
	if err := auth.Bootstrap(t.Context(), st, Model(t), Noon, settings.Default()); err != nil {
		t.Fatal(err)
	}
}
