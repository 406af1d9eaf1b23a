package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/value"
)

// changed reads the departments with a version in (from, to].
func changed(s *Store, from, to int64) *query.Query {
	q := allDepartments(s, 0)
	version := query.Ref{Link: q.Root, Column: departments(s).MustColumn("versionnumber")}
	q.Select.Outputs = append(q.Select.Outputs, query.Output{Name: "v", Expr: version, Column: version.Column})
	q.Where = query.And{
		query.Cond{Left: version, Op: query.OpGt, Args: []query.Expr{query.Literal{Value: value.Int(from)}}},
		query.Cond{Left: version, Op: query.OpLe, Args: []query.Expr{query.Literal{Value: value.Int(to)}}},
	}
	return q
}

// pull brings a mirror from one watermark to the next.
func pull(ctx context.Context, s *Store, mirror map[value.GUID]string, from int64) (int64, error) {
	to, err := s.Watermark(ctx)
	if err != nil {
		return 0, err
	}
	rows, err := s.Read(ctx, changed(s, from, to))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		mirror[value.GUID(rows.Bytes(0))] = string(rows.Bytes(1))
	}
	return to, rows.Err()
}

// change gives a department a new name and version, as the engine does: lock, draw, write.
func change(ctx context.Context, s *Store, id value.GUID, name string) error {
	table := departments(s)
	return s.Write(ctx, func(tx store.Tx) error {
		row, err := tx.GetLocked(ctx, table, id, nil)
		if err != nil {
			return err
		}
		version, err := tx.NextVersion(ctx)
		if err != nil {
			return err
		}
		set := append(named(table, name), assign(table, "versionnumber", value.Int(version))...)
		if row == nil {
			return tx.Insert(ctx, table, id, set)
		}
		return tx.Update(ctx, table, id, set)
	})
}

func TestWatermarkLosesNothing(t *testing.T) {
	const writers, writes, rows = 16, 40, 60
	dsn := pgtest.DSN(t)
	nodes := []*Store{openDSN(t, dsn, Options{}), openDSN(t, dsn, Options{})}
	ids := make([]value.GUID, rows)
	for i := range ids {
		ids[i] = newID()
	}
	ctx := t.Context()
	var busy sync.WaitGroup
	for w := range writers {
		busy.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(w)))
			for i := range writes {
				if err := change(ctx, nodes[w%2], ids[random.IntN(rows)], fmt.Sprint(w, "-", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { busy.Wait(); close(done) }()
	mirror, mark := map[value.GUID]string{}, int64(0)
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		var err error
		if mark, err = pull(ctx, nodes[0], mirror, mark); err != nil {
			t.Fatal(err)
		}
	}
	compareMirror(t, nodes[1], mirror)
}

func compareMirror(t *testing.T, s *Store, mirror map[value.GUID]string) {
	t.Helper()
	rows, err := s.Read(t.Context(), allDepartments(s, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	stored := map[value.GUID]string{}
	for rows.Next() {
		stored[value.GUID(rows.Bytes(0))] = string(rows.Bytes(1))
	}
	if !maps.Equal(stored, mirror) {
		t.Errorf("mirror of %d rows differs from the %d stored: %v, %v", len(mirror), len(stored), mirror, stored)
	}
}

// TestLateCommit is the case a plain sequence loses: a version drawn early and committed late. With the clock the watermark
// waits for the slow writer; with the plain sequence the slow writer's row never reaches the mirror.
func TestLateCommit(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) {
			s := openTest(t, Options{})
			s.clock.plain = plain
			slow, fast := newID(), newID()
			drawn, proceed, written := make(chan struct{}), make(chan struct{}), make(chan error, 1)
			go func() {
				written <- s.Write(t.Context(), func(tx store.Tx) error {
					version, err := tx.NextVersion(t.Context())
					if err != nil {
						return err
					}
					close(drawn)
					<-proceed
					return tx.Insert(t.Context(), departments(s), slow, assign(departments(s), "versionnumber", value.Int(version)))
				})
			}()
			<-drawn
			if err := change(t.Context(), s, fast, "fast"); err != nil {
				t.Fatal(err)
			}
			mirror := map[value.GUID]string{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if !plain { // the clock would wait for the slow writer, which waits for us
				time.AfterFunc(200*time.Millisecond, cancel)
			}
			mark, err := pull(ctx, s, mirror, 0)
			if plain != (err == nil) {
				t.Fatalf("pull beside an open write: %v", err)
			}
			close(proceed)
			if err := <-written; err != nil {
				t.Fatal(err)
			}
			if _, err := pull(t.Context(), s, mirror, mark); err != nil {
				t.Fatal(err)
			}
			if _, found := mirror[slow]; found == plain {
				t.Errorf("slow writer's row in the mirror: %v", found)
			}
		})
	}
}

// TestWatermarkBesideManyWriters keeps transactions under way all the time, each longer than a tick waits at first. A tick must get
// through before the writers are done.
func TestWatermarkBesideManyWriters(t *testing.T) {
	const writers, writes = 6, 80
	s := openTest(t, Options{})
	var done atomic.Int64
	var ticked atomic.Bool
	var busy sync.WaitGroup
	first := make(chan struct{}, writers)
	for range writers {
		busy.Go(func() {
			for range writes {
				if ticked.Load() {
					return
				}
				err := s.Write(t.Context(), func(tx store.Tx) error {
					version, err := tx.NextVersion(t.Context())
					if err != nil {
						return err
					}
					select {
					case first <- struct{}{}:
					default:
					}
					time.Sleep(50 * time.Millisecond)
					return tx.Insert(t.Context(), departments(s), newID(), assign(departments(s), "versionnumber", value.Int(version)))
				})
				if err != nil {
					t.Error(err)
				}
				done.Add(1)
			}
		})
	}
	<-first
	if _, err := s.Watermark(t.Context()); err != nil {
		t.Error(err)
	}
	ticked.Store(true)
	if n := done.Load(); n == writers*writes {
		t.Error("the tick waited until nobody wrote any more")
	} else {
		t.Logf("the tick came after %d of %d writes", n, writers*writes)
	}
	busy.Wait()
}

func TestWatermarkCoversAnsweredWrites(t *testing.T) {
	dsn := pgtest.DSN(t)
	one, two := openDSN(t, dsn, Options{}), openDSN(t, dsn, Options{})
	mirror, mark := map[value.GUID]string{}, int64(0)
	for i := range 10 {
		id := newID()
		if err := change(t.Context(), one, id, "x"); err != nil {
			t.Fatal(err)
		}
		var err error
		if mark, err = pull(t.Context(), two, mirror, mark); err != nil {
			t.Fatal(err)
		}
		if mirror[id] != "x" {
			t.Fatalf("write %d was answered by one node and is missing from the other's delta", i)
		}
	}
}

func TestWatermarkWithoutWritesTakesNoLock(t *testing.T) {
	s := openTest(t, Options{})
	if err := change(t.Context(), s, newID(), "x"); err != nil {
		t.Fatal(err)
	}
	first, err := s.Watermark(t.Context())
	if err != nil || first == 0 {
		t.Fatalf("%d, %v", first, err)
	}
	// A writer that has not drawn a version yet would hold back a tick, but no tick is needed.
	mustWrite(t, s, func(tx store.Tx) error {
		if _, err := tx.Get(t.Context(), departments(s), newID(), nil); err != nil {
			return err
		}
		again, err := s.Watermark(t.Context())
		if again != first {
			t.Errorf("watermark moved from %d to %d", first, again)
		}
		return err
	})
}

func TestWatermarkEndsWithItsContext(t *testing.T) {
	s := openTest(t, Options{})
	release := errors.New("release")
	err := s.Write(t.Context(), func(tx store.Tx) error {
		if _, err := tx.NextVersion(t.Context()); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		var waiting sync.WaitGroup
		for range 8 {
			waiting.Go(func() {
				if _, err := s.Watermark(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
		waiting.Wait()
		return release
	})
	if !errors.Is(err, release) {
		t.Fatal(err)
	}
	if _, err := s.Watermark(t.Context()); err != nil {
		t.Error(err)
	}
}
