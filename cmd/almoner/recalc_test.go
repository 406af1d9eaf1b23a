package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/seed"
	"almoner/internal/store"
	"almoner/internal/value"
	"almoner/tables"
)

// sampleFile makes a database file with a very small sample, and lets spoil change it.
func sampleFile(t *testing.T, spoil func(*opened)) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sample.db")
	db, err := (&database{dsn: file}).open(t.Context(), opening{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.store.Close()
	eng, err := db.engine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	size := seed.Size{Name: "tiny", Donors: 40, Funds: 8, Gifts: 200, GiftPayments: 240, RequestPayments: 60, Steady: 40}
	if err := seed.Fill(t.Context(), eng, seed.Options{Size: size, Seed: 1, AsOf: value.CivilDays(2026, 6, 30)}); err != nil {
		t.Fatal(err)
	}
	spoil(db)
	return file
}

// spoilFirst writes a wrong value into a column of the first row of a table, and returns the row's key.
func spoilFirst(t *testing.T, db *opened, table, column string, wrong value.Value) value.GUID {
	t.Helper()
	tab := db.model.Table(table)
	root := &query.Link{Table: tab}
	q := &query.Query{Root: root, Page: query.Page{Size: 1}, Order: []query.Order{{Expr: query.Ref{Link: root, Column: tab.Key}}}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{tab.Key})}
	var id value.GUID
	err := db.store.Write(t.Context(), func(tx store.Tx) error {
		rows, err := tx.Read(t.Context(), q)
		if err != nil {
			return err
		}
		if rows.Next() {
			id = value.GUID(rows.Bytes(0))
		}
		rows.Close()
		return errors.Join(rows.Err(), tx.Update(t.Context(), tab, id, []query.Assign{{Column: tab.MustColumn(column), Value: wrong}}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// command runs the program and returns what it printed for scripts.
func command(ctx context.Context, args ...string) (string, error) {
	root := newRoot()
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return out.String(), err
}

func TestRecalcFindsAndMendsDrift(t *testing.T) {
	var gift, donor value.GUID
	file := sampleFile(t, func(db *opened) {
		gift = spoilFirst(t, db, "svc_gift", "svc_balance", value.Money(123_45))
		donor = spoilFirst(t, db, "svc_donor", "svc_countofgifts", value.Int(99_999))
	})
	check := func(want int, args ...string) string {
		t.Helper()
		out, err := command(t.Context(), append([]string{"recalc", "--check", "--db", file}, args...)...)
		if (want > 0) != errors.Is(err, errSilent) {
			t.Fatalf("recalc --check %v ended with %v, %d drifts expected", args, err, want)
		}
		if got := strings.Count(out, "\n"); got != want {
			t.Fatalf("recalc --check %v printed %d lines, want %d:\n%s", args, got, want, out)
		}
		return out
	}
	out := check(2)
	for _, text := range []string{"svc_gift " + gift.String() + " svc_balance: stored 123.45, expected ", "svc_donor " + donor.String() + " svc_countofgifts: stored 99999, expected "} {
		if !strings.Contains(out, text) {
			t.Errorf("no line with %q in:\n%s", text, out)
		}
	}
	check(1, "--table", "svc_donor")
	check(1, "--id", gift.String())
	check(0, "--table", "svc_fund")
	if _, err := command(t.Context(), "recalc", "--db", file, "--table", "svc_gift"); err != nil {
		t.Fatal(err)
	}
	check(1)
	if _, err := command(t.Context(), "recalc", "--db", file); err != nil {
		t.Fatal(err)
	}
	check(0)
}

// TestDerivedTables holds the tables --table takes against those that have derived values.
func TestDerivedTables(t *testing.T) {
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	got, want := derivedTables(), rules.DerivedTables(m)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("--table takes %v, want %v", got, want)
	}
}

func TestRecalcKeepsToItsSnapshot(t *testing.T) {
	file := sampleFile(t, func(db *opened) {
		eng, err := db.engine(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		wrote := false
		err = eng.Recalc(t.Context(), rules.Recalculation{Check: true, Progress: func(int64) {
			if !wrote { // a comparison under way must not keep others from writing
				wrote = true
				spoilFirst(t, db, "svc_donor", "svc_countofgifts", value.Int(1_000_000))
			}
		}, Drift: func(d rules.Drift) error {
			t.Errorf("saw a write made meanwhile: %s", d)
			return nil
		}}, false)
		if err != nil || !wrote {
			t.Fatal(err, wrote)
		}
	})
	if _, err := command(t.Context(), "recalc", "--check", "--db", file); !errors.Is(err, errSilent) {
		t.Errorf("the write made meanwhile is not seen afterwards: %v", err)
	}
}

func TestWrongUsageOfSeedAndRecalc(t *testing.T) {
	file := filepath.Join(t.TempDir(), "none.db")
	for _, args := range [][]string{
		{"seed", "--size", "huge"}, {"seed", "--as-of", "yesterday"}, {"seed", "--as-of", "1752-01-01"}, {"seed", "now"}, {"recalc", "--table", "contact"}, {"recalc", "--id", "7"}, {"recalc", "all"},
	} {
		if got := run(t.Context(), append(args, "--db", file)); got != exitUsage {
			t.Errorf("almoner %s ends with %d, want %d", strings.Join(args, " "), got, exitUsage)
		}
	}
}

func TestSeedRefusesAFilledDatabase(t *testing.T) {
	file := sampleFile(t, func(*opened) {})
	if got := run(t.Context(), []string{"seed", "--db", file}); got != exitFailed {
		t.Errorf("seeding a filled database ends with %d, want %d", got, exitFailed)
	}
}
