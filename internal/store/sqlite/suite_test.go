package sqlite_test

import (
	"path/filepath"
	"testing"

	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/store/sqlite"
	"almoner/internal/store/storetest"
)

func TestSuite(t *testing.T) {
	storetest.Run(t, func(t *testing.T, m *schema.Model) store.Store {
		s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "suite.db"), m, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	})
}
