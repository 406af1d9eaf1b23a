package seed

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/settings"
	"almoner/internal/store/sqlite"
	"almoner/tables"
)

func TestProf(t *testing.T) {
	m, _ := tables.Model()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), m, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := auth.Bootstrap(t.Context(), st, m, time.Now(), settings.Default()); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Options{Store: st, Model: m, Settings: settings.Default(), Logger: slog.Default()})
	if err != nil {
		t.Fatal(err)
	}
	s, _ := SizeOf("medium")
	s.Donors /= 3
	s.Gifts /= 3
	s.GiftPayments /= 3
	s.RequestPayments /= 3
	t0 := time.Now()
	if err := Fill(t.Context(), e, Options{Size: s, Seed: 1, AsOf: 20634}); err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(t0))
}
