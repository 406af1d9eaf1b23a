package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// crowd runs writes so that all share one group: the first waits inside its function until the others stand in line.
type crowd struct {
	db     *database
	answer []error
	runs   []int
	groups []map[*group]bool
	wg     sync.WaitGroup
}

// gather runs fns in one group; before is called when all wait.
func gather(db *database, ctxs []context.Context, before func(), fns []func(store.Tx) error) *crowd {
	n := len(fns)
	c := &crowd{db: db, answer: make([]error, n), runs: make([]int, n), groups: make([]map[*group]bool, n)}
	started, gate := make(chan struct{}), make(chan struct{})
	var once sync.Once
	launch := func(i int, fn func(store.Tx) error) {
		c.groups[i] = map[*group]bool{}
		c.wg.Go(func() {
			c.answer[i] = db.Write(ctxs[i], func(t store.Tx) error {
				c.runs[i]++
				c.groups[i][t.(*tx).group] = true
				return fn(t)
			})
		})
	}
	launch(0, func(t store.Tx) error {
		once.Do(func() { close(started); <-gate })
		return fns[0](t)
	})
	<-started
	for i := 1; i < n; i++ {
		launch(i, fns[i])
		synctest.Wait()
	}
	before()
	synctest.Wait()
	close(gate)
	c.wg.Wait()
	return c
}

func contexts(n int) []context.Context {
	return slices.Repeat([]context.Context{context.Background()}, n)
}

func TestEightWritesInOneGroup(t *testing.T) {
	file := emptyFile(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := openFile(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		const cancelled, duplicate, panics, leaves = 2, 4, 5, 7
		fns := make([]func(store.Tx) error, 8)
		for i := range fns {
			fns[i] = func(tx store.Tx) error { return db.add(tx, i+1, fmt.Sprint(i)) }
		}
		fns[duplicate] = func(tx store.Tx) error {
			if err := db.add(tx, duplicate+1, "gone with its request"); err != nil {
				return err
			}
			return db.add(tx, 1, "taken by the first of the group")
		}
		fns[panics] = func(tx store.Tx) error {
			_ = db.add(tx, panics+1, "gone")
			panic("out of order")
		}
		fns[leaves] = func(tx store.Tx) error {
			_ = db.add(tx, leaves+1, "gone")
			runtime.Goexit()
			return nil
		}
		ctxs := contexts(8)
		ctx, cancel := context.WithCancel(context.Background())
		ctxs[cancelled] = ctx
		c := gather(db, ctxs, cancel, fns)

		for i, err := range c.answer {
			switch i {
			case cancelled:
				if !errors.Is(err, context.Canceled) || c.runs[i] != 0 {
					t.Errorf("the cancelled one: %v after %d runs", err, c.runs[i])
				}
			case duplicate:
				f := fault.As(err)
				if f.Code != fault.DuplicateRecord || f.Message != "A record with matching key values already exists." ||
					f.TraceText() != "svc_department > id "+id(1).String() {
					t.Errorf("the duplicate: %v, %s", err, f.TraceText())
				}
			case panics:
				if err == nil || !strings.Contains(err.Error(), "out of order") {
					t.Errorf("the panic: %v", err)
				}
			case leaves: // its goroutine is gone
			default:
				if err != nil || c.runs[i] != 1 || len(c.groups[i]) != 1 || !c.groups[i][first(c.groups[0])] {
					t.Errorf("write %d: %v, %d runs, groups %v", i, err, c.runs[i], c.groups[i])
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if got, want := reopen(t, file, Options{}).present(t, 8), []int{1, 2, 4, 7}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

func first(groups map[*group]bool) *group {
	for g := range groups {
		return g
	}
	return nil
}

// exhaust makes the database full at its present size, writes until it notices, and lifts the limit again.
func (db *database) exhaust(t store.Tx, n int) error {
	w := t.(*tx).conn
	pages, err := w.text("PRAGMA page_count")
	if err != nil {
		return err
	}
	if err := w.exec("PRAGMA max_page_count=" + pages); err != nil {
		return err
	}
	for err == nil {
		err = t.Insert(context.Background(), db.department, id(n), []query.Assign{
			{Column: db.department.Column("svc_description"), Value: value.Text(strings.Repeat("x", 50_000))}})
		n++
	}
	return errors.Join(err, w.exec("PRAGMA max_page_count=4294967294"))
}

func TestFullDiskUndoesTheGroupAndNobodyIsLiedTo(t *testing.T) {
	file := emptyFile(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := openFile(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fns := []func(store.Tx) error{
			func(tx store.Tx) error { return db.add(tx, 1, "before") },
			func(tx store.Tx) error { return db.exhaust(tx, 100) },
			func(tx store.Tx) error { return db.add(tx, 2, "after") },
			func(tx store.Tx) error { // does not look at its errors
				_ = db.exhaust(tx, 200)
				_ = db.add(tx, 3, "must not be committed alone")
				return nil
			},
			func(tx store.Tx) error { return db.add(tx, 4, "last") },
		}
		c := gather(db, contexts(len(fns)), func() {}, fns)
		for i, err := range c.answer {
			if full := i == 1 || i == 3; full {
				if f := fault.As(err); err == nil || f.Status != 503 || f.Retry == 0 {
					t.Errorf("write %d: %v", i, err)
				}
			} else if err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		}
		if c.runs[0] != 2 {
			t.Errorf("the first was run %d times; its group was lost once", c.runs[0])
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	db := reopen(t, file, Options{})
	if got, want := db.present(t, 300), []int{1, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

func TestLostTransactionTakesNoMoreStatements(t *testing.T) {
	db := fresh(t, Options{})
	err := db.Bulk(context.Background(), func(tx store.Tx) error {
		_ = db.exhaust(tx, 10)
		for name, err := range map[string]error{
			"insert": db.add(tx, 1, "x"),
			"delete": tx.Delete(context.Background(), db.department, id(1)),
			"touch":  tx.Touch(context.Background()),
		} {
			if fault.As(err).Status != 503 {
				t.Errorf("%s in a lost transaction: %v", name, err)
			}
		}
		if _, err := tx.NextVersion(context.Background()); err == nil {
			t.Error("a version was drawn in a lost transaction")
		}
		if _, err := tx.Read(context.Background(), db.departments(0)); err == nil {
			t.Error("a lost transaction answered a read")
		}
		return nil
	})
	if fault.As(err).Status != 503 {
		t.Errorf("bulk: %v", err)
	}
	if n := db.count(t, db); n != 0 {
		t.Errorf("%d rows", n)
	}
}

func TestBulkRunsAlone(t *testing.T) {
	file := emptyFile(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := openFile(file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		started, gate := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		var small, bulk, late *group
		wg.Go(func() {
			db.mustWrite(t, func(x store.Tx) error { small = x.(*tx).group; close(started); <-gate; return nil })
		})
		<-started
		wg.Go(func() {
			if err := db.Bulk(context.Background(), func(x store.Tx) error { bulk = x.(*tx).group; return db.add(x, 1, "b") }); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			db.mustWrite(t, func(x store.Tx) error { late = x.(*tx).group; return nil })
		})
		synctest.Wait()
		close(gate)
		wg.Wait()
		if small == bulk || bulk == late || bulk == nil {
			t.Error("a bulk load shared its commit")
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestConstraints(t *testing.T) {
	db := fresh(t, Options{})
	parent, manager := db.department.Column("svc_parentdepartment"), db.department.Column("svc_manager")
	ctx := context.Background()
	db.mustWrite(t, func(tx store.Tx) error {
		if err := db.add(tx, 1, "parent"); err != nil {
			return err
		}
		return tx.Insert(ctx, db.department, id(2), append(db.name("child"), query.Assign{Column: parent, Value: value.ID(id(1))}))
	})
	for name, c := range map[string]struct {
		code    fault.Code
		message string
		fn      func(store.Tx) error
	}{
		"insert with a dangling lookup": {fault.ObjectDoesNotExist, "contact With Id = " + id(9).String() + " Does Not Exist",
			func(tx store.Tx) error {
				return tx.Insert(ctx, db.department, id(3), append(db.name("x"),
					query.Assign{Column: parent, Value: value.ID(id(1))}, query.Assign{Column: manager, Value: value.ID(id(9))}))
			}},
		"update with a dangling lookup": {fault.ObjectDoesNotExist, "svc_department With Id = " + id(9).String() + " Does Not Exist",
			func(tx store.Tx) error {
				return tx.Update(ctx, db.department, id(2), []query.Assign{{Column: parent, Value: value.ID(id(9))}})
			}},
		"delete of a parent": {fault.CannotDeleteAssociated,
			"The object you tried to delete is associated with another object and cannot be deleted.",
			func(tx store.Tx) error { return tx.Delete(ctx, db.department, id(1)) }},
		"a taken key": {fault.DuplicateRecord, "A record with matching key values already exists.",
			func(tx store.Tx) error { return db.add(tx, 2, "again") }},
	} {
		err := db.Write(ctx, c.fn)
		if f := fault.As(err); err == nil || f.Code != c.code || f.Message != c.message || f.Status == 500 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := db.present(t, 9); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("rows %v", got)
	}
}

func TestVersionsAndNumbers(t *testing.T) {
	db := fresh(t, Options{})
	command := reopen(t, db.file, Options{})
	ctx := context.Background()
	if w, err := db.Watermark(ctx); err != nil || w != 0 {
		t.Errorf("watermark of an empty database: %d, %v", w, err)
	}
	var last int64
	draw := func(tx store.Tx) error {
		v, err := tx.NextVersion(ctx)
		if v <= last {
			t.Errorf("version %d after %d", v, last)
		}
		last = v
		return err
	}
	failed := errors.New("failed")
	for i := range 6 {
		from := []*database{db, command}[i%2] // two processes draw from one counter
		from.mustWrite(t, draw)
		if w, err := db.Watermark(ctx); err != nil || w != last {
			t.Errorf("watermark %d, %v; version %d was answered", w, err, last)
		}
		if err := from.Write(ctx, func(tx store.Tx) error { _, err := tx.NextVersion(ctx); return errors.Join(err, failed) }); !errors.Is(err, failed) {
			t.Error(err)
		}
	}
	for want := int64(1); want <= 3; want++ {
		db.mustWrite(t, func(tx store.Tx) error {
			n, err := tx.NextNumber(ctx, "gift")
			if n != want {
				t.Errorf("number %d, want %d", n, want)
			}
			return err
		})
	}
	db.mustWrite(t, func(tx store.Tx) error { // a counter put by hand counts on from there
		if _, err := tx.NextNumber(ctx, "gift"); err != nil {
			return err
		}
		set := []query.Assign{{Column: db.counter.name, Value: value.Text("gift")}, {Column: db.counter.value, Value: value.Int(700)}}
		if err := tx.Put(ctx, db.counter.table, set); err != nil {
			return err
		}
		n, err := tx.NextNumber(ctx, "gift")
		if n != 701 {
			t.Errorf("after putting 700: %d", n)
		}
		return err
	})
}

func TestTouchIsARealCommit(t *testing.T) {
	db := fresh(t, Options{})
	c, err := connect(db.file, forReading)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	seen := func() string {
		v, err := c.text("PRAGMA data_version")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := seen()
	db.mustWrite(t, func(store.Tx) error { return nil })
	if seen() != before {
		t.Error("a write of nothing committed something")
	}
	db.mustWrite(t, func(tx store.Tx) error { return tx.Touch(context.Background()) })
	if seen() == before {
		t.Error("a touched write committed nothing")
	}
}

func TestTransactionOutlivesItsContextOnceBegun(t *testing.T) {
	db := fresh(t, Options{StatementTimeout: 1})
	ctx, cancel := context.WithCancel(context.Background())
	err := db.Write(ctx, func(tx store.Tx) error {
		cancel()
		return errors.Join(db.add(tx, 1, "kept"), tx.Update(ctx, db.department, id(1), db.name("changed")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(ctx, func(store.Tx) error { t.Error("ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := reopen(t, db.file, Options{}).present(t, 1); len(got) != 1 {
		t.Error("the write is not there")
	}
}

func TestLockedByAnotherProcessEndsIn503(t *testing.T) {
	db := fresh(t, Options{})
	db.mustWrite(t, func(x store.Tx) error { // the patience of ten seconds is too long for a test
		x.(*tx).conn.db.SetBusyTimeout(1)
		return nil
	})
	other, err := connect(db.file, forWriting)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	if err := other.exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	err = db.Write(context.Background(), func(store.Tx) error { t.Error("ran"); return nil })
	if f := fault.As(err); f.Status != 503 || f.Retry == 0 {
		t.Errorf("locked out: %v", err)
	}
	if err := other.exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	db.mustWrite(t, func(tx store.Tx) error { return db.add(tx, 1, "afterwards") })
}
