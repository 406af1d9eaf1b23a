package auth

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
	"almoner/tables"
)

func testModel(t testing.TB) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// database is a bootstrapped embedded store with a clock that tests move.
type database struct {
	store.Store
	t     *testing.T
	model *schema.Model
	clock time.Time
	*Registry
}

func openDatabase(t *testing.T) *database {
	t.Helper()
	content, err := bootstrapped()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	m := testModel(t)
	s, err := sqlite.Open(t.Context(), file, m, sqlite.Options{Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	d := &database{Store: s, t: t, model: m, clock: time.Now().Truncate(time.Second)}
	d.Registry = NewRegistry(s, m, func() time.Time { return d.clock })
	return d
}

// bootstrapped is the content of a new database, made once.
var bootstrapped = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "auth")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	m, err := tables.Model()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	s, err := sqlite.Open(ctx, filepath.Join(dir, "new.db"), m, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := Bootstrap(ctx, s, m, time.Now(), settings.Default()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "new.db"))
})

// inTx runs a change and fails the test when it fails.
func (d *database) inTx(do func(context.Context, *writer) error) {
	d.t.Helper()
	ctx := d.t.Context()
	err := d.Write(ctx, func(tx store.Tx) error {
		w, err := newWriter(ctx, tx, d.model, d.clock, SystemUser)
		if err != nil {
			return err
		}
		if err := do(ctx, w); err != nil {
			return err
		}
		return BumpSecurity(ctx, tx, d.model)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// add inserts a row and returns its id.
func (d *database) add(table string, vs values) value.GUID {
	d.t.Helper()
	id := value.NewGUID(d.clock)
	d.inTx(func(ctx context.Context, w *writer) error { return w.insert(ctx, table, id, vs) })
	return id
}

func (d *database) row(table string, id value.GUID) *query.Row {
	d.t.Helper()
	row, err := d.Get(d.t.Context(), d.model.Table(table), id, nil)
	if err != nil || row == nil {
		d.t.Fatalf("row %s of %s: %v, %v", id, table, row, err)
	}
	return row
}

// callerOf returns the caller a user is.
func (d *database) callerOf(user value.GUID) *Caller {
	d.t.Helper()
	a, err := d.Account(d.t.Context(), Lookup{ByUser, user})
	if err != nil || a == nil {
		d.t.Fatalf("account of %s: %v, %v", user, a, err)
	}
	return NewCaller(d.model, a)
}

// count returns the number of rows of a table.
func (d *database) count(table string) int {
	d.t.Helper()
	rows, err := find(d.t.Context(), d.Store, &query.Link{Table: d.model.Table(table)}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return len(rows)
}

// edit runs a change of a role.
func (d *database) edit(do func(*RoleEditor) error) {
	d.t.Helper()
	err := d.Write(d.t.Context(), func(tx store.Tx) error { return do(&RoleEditor{Tx: tx, Model: d.model, Now: d.clock}) })
	if err != nil {
		d.t.Fatal(err)
	}
}

// remove deletes the rows in which a column holds a value.
func (d *database) remove(table, column string, v value.Value) {
	d.t.Helper()
	t := d.model.Table(table)
	err := d.Write(d.t.Context(), func(tx store.Tx) error {
		return tx.Remove(d.t.Context(), t, []query.Assign{{Column: t.MustColumn(column), Value: v}})
	})
	if err != nil {
		d.t.Fatal(err)
	}
}
