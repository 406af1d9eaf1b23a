package storetest_test

import (
	"path/filepath"
	"testing"

	"almoner/internal/pgtest"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/store/storetest"
)

func TestTmpSuite(t *testing.T) {
	storetest.Run(t, func(t *testing.T, m *schema.Model) store.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), m, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

func TestTmpSuitePG(t *testing.T) {
	storetest.Run(t, func(t *testing.T, m *schema.Model) store.Store {
		s, err := postgres.Open(t.Context(), pgtest.DSN(t), m, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}
