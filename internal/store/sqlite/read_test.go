package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// names reads what is left of rows of departments.
func names(t testing.TB, r query.Rows) []string {
	t.Helper()
	var all []string
	for r.Next() {
		all = append(all, string(r.Bytes(1)))
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCellsComeBackAsTheyWentIn(t *testing.T) {
	db := fresh(t, Options{})
	ctx := context.Background()
	set := []query.Assign{
		{Column: db.event.Column("svc_eventname"), Value: value.Text("Gala für Ünïcode 🎻 ")},
		{Column: db.event.Column("svc_eventdate"), Value: value.Time(-62135596800)},
		{Column: db.event.Column("svc_goal"), Value: value.Money(math.MaxInt64)},
	}
	db.mustWrite(t, func(tx store.Tx) error { return tx.Insert(ctx, db.event, id(1), set) })
	row, err := db.Get(ctx, db.event, id(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range db.event.StoredColumns() {
		want := value.Null
		for _, a := range append(set, query.Assign{Column: db.event.Key, Value: value.ID(id(1))}) {
			if a.Column == c {
				want = a.Value
			}
		}
		if !row.Loaded(c) || row.Get(c) != want {
			t.Errorf("%s: %v, want %v", c.Name, row.Get(c), want)
		}
	}
	part, err := db.Get(ctx, db.event, id(1), []*schema.Column{db.event.Column("svc_goal")})
	if err != nil || part.Value("svc_goal") != value.Money(math.MaxInt64) || part.Loaded(db.event.Title) {
		t.Errorf("part of a row: %v, %v", part, err)
	}
	if none, err := db.Get(ctx, db.event, id(2), nil); none != nil || err != nil {
		t.Errorf("a row that is not there: %v, %v", none, err)
	}
}

func TestBytesOfOneRowStayUntilNext(t *testing.T) {
	db := fresh(t, Options{})
	db.mustWrite(t, func(tx store.Tx) error {
		return errors.Join(db.add(tx, 1, "a"), db.add(tx, 2, strings.Repeat("long ", 50)))
	})
	r, err := db.Read(context.Background(), db.departments(0))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for n := 1; r.Next(); n++ {
		key, name, again := r.Bytes(0), r.Bytes(1), r.Bytes(0)
		if value.GUID(key) != id(n) || value.GUID(again) != id(n) || len(name) == 0 {
			t.Errorf("row %d: %x %q %x", n, key, name, again)
		}
		if _ = append(name, "!"...); value.GUID(again) != id(n) {
			t.Error("appending to one cell changed another")
		}
	}
}

func TestConnectionGoesBackWithTheLastRow(t *testing.T) {
	db := fresh(t, Options{Readers: 1})
	db.fill(t, 10)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for round := range 3 {
		r, err := db.Read(ctx, db.departments(4))
		if err != nil {
			t.Fatal(err)
		}
		if got := names(t, r); len(got) != 4 {
			t.Fatalf("%d rows", len(got))
		}
		if round == 1 {
			r.Close()
			r.Close()
		}
		if r.Next() {
			t.Error("a row after the end")
		}
	}
	r, err := db.Read(ctx, db.departments(0))
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	waiting, stop := context.WithCancel(ctx)
	stop()
	if _, err := db.Read(waiting, db.departments(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a connection: %v", err)
	}
	r.Close()
	if db.count(t, db) != 10 {
		t.Error("after closing early")
	}
}

func TestViewSeesOneSnapshot(t *testing.T) {
	db := fresh(t, Options{})
	db.fill(t, 5)
	err := db.View(context.Background(), func(r store.Reader) error {
		if n := db.count(t, r); n != 5 {
			t.Errorf("%d rows at first", n)
		}
		db.mustWrite(t, func(tx store.Tx) error {
			return errors.Join(db.add(tx, 6, "new"), tx.Delete(context.Background(), db.department, id(1)))
		})
		if row, err := r.Get(context.Background(), db.department, id(1), nil); err != nil || row == nil {
			t.Errorf("the deleted row: %v, %v", row, err)
		}
		if n := db.count(t, r); n != 5 {
			t.Errorf("%d rows later", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(db.present(t, 6)); got != "[2 3 4 5 6]" {
		t.Errorf("afterwards %s", got)
	}
}

func TestCursorsOfOneViewDoNotDisturbEachOther(t *testing.T) {
	db := fresh(t, Options{Readers: 1})
	db.fill(t, 20)
	err := db.View(context.Background(), func(r store.Reader) error {
		outer, err := r.Read(context.Background(), db.departments(0))
		if err != nil {
			return err
		}
		for n := 0; outer.Next(); n++ {
			inner, err := r.Read(context.Background(), db.departments(0)) // the same text as the outer
			if err != nil {
				return err
			}
			if got := len(names(t, inner)); got != 20 {
				t.Errorf("inner read at %d: %d rows", n, got)
			}
			if got := string(outer.Bytes(1)); got != fmt.Sprintf("Department %d", n+1) {
				t.Errorf("outer row %d: %s", n, got)
			}
		}
		_, err = r.Read(context.Background(), db.departments(0)) // left open: the view closes it
		return errors.Join(outer.Err(), err)
	})
	if err != nil {
		t.Fatal(err)
	}
	if db.count(t, db) != 20 {
		t.Error("the connection did not come back")
	}
}

func TestTransactionReadsItsOwnWrites(t *testing.T) {
	db := fresh(t, Options{})
	db.fill(t, 2)
	db.mustWrite(t, func(tx store.Tx) error {
		open, err := tx.Read(context.Background(), db.departments(0))
		if err != nil || !open.Next() {
			return fmt.Errorf("read: %w", err)
		}
		if err := db.add(tx, 3, "mine"); err != nil {
			return err
		}
		if n := db.count(t, tx); n != 3 {
			t.Errorf("%d rows inside", n)
		}
		if n := db.count(t, db); n != 2 {
			t.Errorf("%d rows outside", n)
		}
		return nil // with a cursor open
	})
	if n := db.count(t, db); n != 3 {
		t.Errorf("%d rows after the commit", n)
	}
}

// endless is a query that takes longer than any test: every department joined with every other, and again.
func (db *database) endless() *query.Query {
	q := db.departments(0)
	parent := q.Root
	for range 6 {
		link := &query.Link{Table: db.department, Parent: parent, Kind: query.Inner,
			From: db.department.Column("statecode"), To: db.department.Column("statecode")}
		q.Links = append(q.Links, link)
		parent = link
	}
	return q
}

// fillStates inserts departments that all join each other.
func (db *database) fillStates(t *testing.T, n int) {
	db.mustWrite(t, func(tx store.Tx) error {
		for i := 1; i <= n; i++ {
			set := append(db.name("x"), query.Assign{Column: db.department.Column("statecode"), Value: value.Int(0)})
			if err := tx.Insert(context.Background(), db.department, id(i), set); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestCancelledAndOverlongReadsEnd(t *testing.T) {
	db := fresh(t, Options{Readers: 1, StatementTimeout: 50 * time.Millisecond})
	db.fillStates(t, 300)
	_, err := db.Count(context.Background(), db.endless())
	if f := fault.As(err); f.Code != fault.QueryTimeout || strings.Contains(f.Message, "SELECT") {
		t.Errorf("overlong count: %v", err)
	}
	err = db.View(context.Background(), func(r store.Reader) error {
		rows, err := r.Read(context.Background(), db.endless())
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return rows.Err()
	})
	if fault.As(err).Code != fault.QueryTimeout {
		t.Errorf("overlong view: %v", err)
	}
	patient := reopen(t, db.file, Options{Readers: 1})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := patient.Count(ctx, patient.endless()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled count: %v", err)
	}
	for _, d := range []*database{db, patient} {
		if n := d.count(t, d); n != 300 {
			t.Errorf("the connection is not fit any more: %d", n)
		}
	}
}

func TestSumBeyondIntegersIsTheClientsFault(t *testing.T) {
	db := fresh(t, Options{})
	goal := db.event.Column("svc_goal")
	db.mustWrite(t, func(tx store.Tx) error {
		for i := range 3 {
			if err := tx.Insert(context.Background(), db.event, id(i+1), []query.Assign{{Column: goal, Value: value.Money(math.MaxInt64 / 2)}}); err != nil {
				return err
			}
		}
		return nil
	})
	q := selection(db.event, []*schema.Column{goal})
	q.Grouped = true
	q.Select.Outputs[0].Agg = query.AggSum
	r, err := db.Read(context.Background(), q)
	if err == nil {
		for r.Next() {
		}
		err = r.Err()
		r.Close()
	}
	if f := fault.As(err); err == nil || f.Status != 400 {
		t.Errorf("sum: %v", err)
	}
}

func TestSlowReaderDoesNotHoldTheWriterUp(t *testing.T) {
	db := fresh(t, Options{})
	db.fill(t, 2000)
	r, err := db.Read(context.Background(), db.departments(0))
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	for i := range 50 {
		db.mustWrite(t, func(tx store.Tx) error { return db.add(tx, 10_000+i, "meanwhile") })
	}
	if got := 1 + len(names(t, r)); got != 2000 {
		t.Errorf("the slow reader saw %d rows", got)
	}
	grown, err := os.Stat(db.file + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Bulk(context.Background(), func(x store.Tx) error { return db.add(x, 1<<20, "x") }); err != nil {
		t.Fatal(err)
	}
	c, err := connect(db.file, forWriting)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if busy, err := c.text("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil || busy != "0" {
		t.Errorf("a finished reader still holds the log of %d bytes: %s, %v", grown.Size(), busy, err)
	}
}

func TestReadersAndWritersTogether(t *testing.T) {
	db := fresh(t, Options{Readers: 3})
	goal := db.event.Column("svc_goal")
	const accounts, total = 4, 4000
	set := func(n int64) []query.Assign { return []query.Assign{{Column: goal, Value: value.Money(n)}} }
	db.mustWrite(t, func(tx store.Tx) error {
		for i := range accounts {
			if err := tx.Insert(context.Background(), db.event, id(i), set(total/accounts)); err != nil {
				return err
			}
		}
		return nil
	})
	move := func(from, to int) func(store.Tx) error {
		return func(tx store.Tx) error {
			a, err := tx.GetLocked(context.Background(), db.event, id(from), nil)
			if err != nil {
				return err
			}
			b, err := tx.GetLocked(context.Background(), db.event, id(to), nil)
			if err != nil {
				return err
			}
			if err := tx.Update(context.Background(), db.event, id(from), set(a.Get(goal).Int()-1)); err != nil {
				return err
			}
			return tx.Update(context.Background(), db.event, id(to), set(b.Get(goal).Int()+1))
		}
	}
	var wg sync.WaitGroup
	for w := range accounts {
		wg.Go(func() {
			for range 40 {
				if err := db.Write(context.Background(), move(w, (w+1)%accounts)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 4 {
		wg.Go(func() {
			for range 40 {
				if got := db.sum(t, goal); got != total {
					t.Errorf("a reader saw %d", got)
				}
			}
		})
	}
	wg.Wait()
	if got := db.sum(t, goal); got != total {
		t.Errorf("in the end %d", got)
	}
}

// sum adds the goals of all events, row by row in one view.
func (db *database) sum(t *testing.T, goal *schema.Column) (sum int64) {
	err := db.View(context.Background(), func(r store.Reader) error {
		for i := range 4 {
			row, err := r.Get(context.Background(), db.event, id(i), nil)
			if err != nil {
				return err
			}
			sum += row.Get(goal).Int()
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return sum
}

func TestExplainShowsTheStatementAndItsPlan(t *testing.T) {
	db := fresh(t, Options{})
	text, err := db.Explain(context.Background(), db.departments(10))
	if err != nil || !strings.Contains(text, "SELECT") || !strings.Contains(text, "SCAN") {
		t.Errorf("%s, %v", text, err)
	}
}
