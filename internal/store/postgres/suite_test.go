package postgres

import (
	"testing"

	"almoner/internal/pgtest"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/store/storetest"
)

func TestSuite(t *testing.T) {
	storetest.Run(t, func(t *testing.T, m *schema.Model) store.Store { return openSuite(t, pgtest.DSN(t), m) })
}

// The database's own collation must make no difference.
func TestSuiteOnALinguisticDatabase(t *testing.T) {
	storetest.Run(t, func(t *testing.T, m *schema.Model) store.Store { return openSuite(t, pgtest.LinguisticDSN(t), m) })
}

func openSuite(t *testing.T, dsn string, m *schema.Model) store.Store {
	t.Helper()
	s, err := Open(t.Context(), dsn, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
