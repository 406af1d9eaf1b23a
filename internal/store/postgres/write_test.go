package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"almoner/internal/fault"
	"almoner/internal/pgtest"
	"almoner/internal/store"
	"almoner/internal/value"
)

func wantFault(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code {
		t.Fatalf("got %v, want code %v", err, code)
	}
	return f
}

// turnedAway tells whether nobody else can begin to write: the turnstile is held by one alone.
func turnedAway(t *testing.T, s *Store) (held bool) {
	const sql = `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND mode = 'ExclusiveLock'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND (classid::bigint << 32) | objid::bigint = $1)`
	if err := s.side.QueryRow(t.Context(), sql, s.turnKey).Scan(&held); err != nil {
		t.Error(err)
	}
	return held
}

// Who loses a deadlock runs again, and alone: it would else soon meet the next.
func TestDeadlockIsRunAgain(t *testing.T) {
	s := openTest(t, Options{})
	ids := insertDepartments(t, s, 2)
	var meet sync.WaitGroup
	meet.Add(2)
	var runs atomic.Int32
	// Each of the two locks one row, waits for the other to have done so, then wants the other's row.
	cross := func(first, second value.GUID) error {
		once := sync.OnceFunc(func() { meet.Done(); meet.Wait() })
		again := false
		return s.Write(t.Context(), func(tx store.Tx) error {
			runs.Add(1)
			if _, err := tx.GetLocked(t.Context(), departments(s), first, nil); err != nil {
				return err
			}
			if turnedAway(t, s) != again {
				t.Errorf("run again: %v, alone: %v", again, !again)
			}
			again = true
			once()
			if _, err := tx.GetLocked(t.Context(), departments(s), second, nil); err != nil {
				return err
			}
			return tx.Update(t.Context(), departments(s), second, named(departments(s), "by "+first.String()))
		})
	}
	results := make(chan error, 2)
	go func() { results <- cross(ids[0], ids[1]) }()
	go func() { results <- cross(ids[1], ids[0]) }()
	for range 2 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if runs.Load() < 3 {
		t.Errorf("%d runs: there was no deadlock to recover from", runs.Load())
	}
	if nameOf(t, s, ids[0]) != "by "+ids[1].String() || nameOf(t, s, ids[1]) != "by "+ids[0].String() {
		t.Error("a write is missing")
	}
}

func TestLostRaceForAKeyIsRunAgain(t *testing.T) {
	s := openTest(t, Options{})
	id := newID()
	runs := 0
	mustWrite(t, s, func(tx store.Tx) error {
		runs++
		row, err := tx.Get(t.Context(), departments(s), id, nil)
		if err != nil {
			return err
		}
		if row != nil {
			return tx.Update(t.Context(), departments(s), id, named(departments(s), "updated"))
		}
		mustWrite(t, s, func(other store.Tx) error { // someone else is faster
			return other.Insert(t.Context(), departments(s), id, named(departments(s), "other"))
		})
		return tx.Insert(t.Context(), departments(s), id, named(departments(s), "ours"))
	})
	if got := nameOf(t, s, id); got != "updated" || runs != 2 {
		t.Errorf("row is %q after %d runs", got, runs)
	}
}

func TestConstraintsAreFaults(t *testing.T) {
	s := openTest(t, Options{})
	ids := insertDepartments(t, s, 2)
	table := departments(s)
	mustWrite(t, s, func(tx store.Tx) error {
		return tx.Update(t.Context(), table, ids[1], assign(table, "svc_parentdepartment", value.ID(ids[0])))
	})
	nobody := newID()
	for _, c := range []struct {
		name string
		code fault.Code
		do   func(store.Tx) error
	}{
		{"taken key", fault.DuplicateRecord, func(tx store.Tx) error { return tx.Insert(t.Context(), table, ids[0], nil) }},
		{"taken key, seen by a read", fault.DuplicateRecord, func(tx store.Tx) error {
			if err := tx.Insert(t.Context(), table, ids[0], nil); err != nil {
				return err
			}
			_, err := tx.Get(t.Context(), table, ids[0], nil)
			return err
		}},
		{"missing target", fault.ObjectDoesNotExist, func(tx store.Tx) error {
			return tx.Update(t.Context(), table, ids[0], assign(table, "svc_manager", value.ID(nobody)))
		}},
		{"row in use", fault.CannotDeleteAssociated, func(tx store.Tx) error { return tx.Delete(t.Context(), table, ids[0]) }},
		{"swallowed", fault.DuplicateRecord, func(tx store.Tx) error {
			_ = tx.Insert(t.Context(), table, ids[0], nil)
			_, _ = tx.NextVersion(t.Context())
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := s.Write(t.Context(), func(tx store.Tx) error {
				if err := tx.Insert(t.Context(), table, nobody, nil); err != nil { // must be undone with the rest
					return err
				}
				return c.do(tx)
			})
			f := wantFault(t, err, c.code)
			if c.code == fault.ObjectDoesNotExist && f.Message != "contact With Id = "+nobody.String()+" Does Not Exist" {
				t.Errorf("message %q", f.Message)
			}
			if row, err := s.Get(t.Context(), table, nobody, nil); row != nil || err != nil {
				t.Errorf("part of a failed write is there: %v, %v", row, err)
			}
		})
	}
}

func TestCancelledContextDoesNotStopAWrite(t *testing.T) {
	s := openTest(t, Options{})
	id := newID()
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Write(ctx, func(tx store.Tx) error {
		if err := tx.Insert(ctx, departments(s), id, named(departments(s), "kept")); err != nil {
			return err
		}
		cancel()
		if _, err := tx.Get(ctx, departments(s), id, nil); err != nil {
			return err
		}
		return tx.Update(ctx, departments(s), id, named(departments(s), "kept on"))
	})
	if err != nil || nameOf(t, s, id) != "kept on" {
		t.Errorf("write: %v, row %q", err, nameOf(t, s, id))
	}
	if err := s.Write(ctx, func(store.Tx) error { t.Error("fn was run"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a write whose caller has gone: %v", err)
	}
}

// A COMMIT that waits for a standby which never answers must end in a 503, and must not become visible because its caller
// lost patience: a retry would find the row, answer success, and the row could still be lost.
func TestCommitIsNeverCancelled(t *testing.T) {
	c, err := pgtest.Start("synchronous_standby_names=nobody")
	if err != nil {
		pgtest.Missing(t, err)
	}
	defer c.Stop() // before the stores close: they would wait for the commit
	local := openDSN(t, c.DSN()+"&synchronous_commit=local", Options{})
	s := openDSN(t, c.DSN(), Options{})
	s.writeLimit = 200 * time.Millisecond
	id := newID()
	err = s.Write(t.Context(), func(tx store.Tx) error {
		return tx.Insert(t.Context(), departments(s), id, named(departments(s), "in doubt"))
	})
	if f := wantFault(t, err, fault.Unexpected); f.Status != 503 || f.Retry == 0 {
		t.Errorf("status %d, retry after %d", f.Status, f.Retry)
	}
	waiting := `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
	for range 20 { // long enough for a cancel request to arrive, had one been sent
		time.Sleep(10 * time.Millisecond)
		var n int
		if err := local.pool.QueryRow(t.Context(), waiting).Scan(&n); err != nil || n != 1 {
			t.Fatalf("%d commits wait, %v: the commit was cancelled", n, err)
		}
	}
	if got := nameOf(t, local, id); got != "" {
		t.Errorf("the row is visible: %q", got)
	}
}

func TestCommitsWaitForTheDisk(t *testing.T) {
	s := openDSN(t, pgtest.DSN(t)+"&synchronous_commit=off", Options{})
	mustWrite(t, s, func(tx store.Tx) error {
		n, err := tx.(*transaction).integer(t.Context(), statement{sql: "SELECT (current_setting('synchronous_commit') = 'on')::int"})
		if n != 1 {
			t.Error("a write commits without waiting for the disk")
		}
		return err
	})
}

func TestVersionsFollowLocks(t *testing.T) {
	s := openTest(t, Options{})
	ids := insertDepartments(t, s, 2)
	mustWrite(t, s, func(tx store.Tx) error {
		if _, err := tx.GetLocked(t.Context(), departments(s), ids[0], nil); err != nil {
			return err
		}
		before, err := tx.NextVersion(t.Context())
		if err != nil {
			return err
		}
		var others int64
		mustWrite(t, s, func(other store.Tx) error {
			if _, err := other.GetLocked(t.Context(), departments(s), ids[1], nil); err != nil {
				return err
			}
			others, err = other.NextVersion(t.Context())
			return err
		})
		if _, err := tx.GetLocked(t.Context(), departments(s), ids[1], nil); err != nil {
			return err
		}
		after, err := tx.NextVersion(t.Context())
		if before >= others || others >= after {
			t.Errorf("versions %d, %d, %d of a row run backwards", before, others, after)
		}
		return err
	})
}

func TestVersionsAreDistinct(t *testing.T) {
	s := openTest(t, Options{})
	last := int64(0)
	mustWrite(t, s, func(tx store.Tx) error {
		for range 1000 {
			v, err := tx.NextVersion(t.Context())
			if err != nil {
				return err
			}
			if v <= last {
				t.Fatalf("%d after %d", v, last)
			}
			last = v
		}
		return nil
	})
}

func TestTouchIsARealCommit(t *testing.T) {
	for _, mayEmit := range []bool{true, false} {
		s := openTest(t, Options{})
		s.touchSQL = touchStatement(mayEmit)
		mustWrite(t, s, func(tx store.Tx) error {
			if err := tx.Touch(t.Context()); err != nil {
				return err
			}
			n, err := tx.(*transaction).integer(t.Context(), statement{sql: "SELECT (pg_current_xact_id_if_assigned() IS NOT NULL)::int"})
			if n != 1 {
				t.Errorf("may emit %v: the transaction has no id", mayEmit)
			}
			return err
		})
	}
}

func TestManyWritesInOneTransaction(t *testing.T) {
	s := openTest(t, Options{})
	n := 3 * maxQueued
	insertDepartments(t, s, n)
	if got, err := s.Count(t.Context(), allDepartments(s, 0)); err != nil || got != int64(n) {
		t.Errorf("%d rows, %v", got, err)
	}
}

func TestServerAway(t *testing.T) {
	c, err := pgtest.Start()
	if err != nil {
		pgtest.Missing(t, err)
	}
	s := openDSN(t, c.DSN(), Options{})
	insertDepartments(t, s, 1)
	killOthers(t, c.DSN())
	if _, err := s.Count(t.Context(), allDepartments(s, 0)); err != nil { // broken connections are noticed or told as 503
		wantFault(t, err, fault.Unexpected)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	_, readErr := s.Count(t.Context(), allDepartments(s, 0))
	_, markErr := s.Watermark(t.Context())
	writeErr := s.Write(t.Context(), func(tx store.Tx) error { return tx.Touch(t.Context()) })
	for _, err := range []error{readErr, writeErr, markErr, s.Ping(t.Context())} {
		if f := wantFault(t, err, fault.Unexpected); f.Status != 503 || f.Retry == 0 {
			t.Errorf("status %d, retry after %d", f.Status, f.Retry)
		}
	}
}

func killOthers(t *testing.T, dsn string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
	if err != nil {
		t.Fatal(err)
	}
}
