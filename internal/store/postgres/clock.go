package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"almoner/internal/fault"
)

// The change clock.
//
// Row versions are drawn from a sequence. A version is handed out before its transaction commits, so "everything up to the
// highest version seen" is no safe place to continue from: 10 may be committed after 11 has been read. The clock finds safe
// places, called ticks:
//
//   - a writer takes a shared advisory lock before anything else and holds it to the end of its transaction; it locks its
//     rows, then draws versions, writes and commits;
//   - a tick takes the same lock exclusively. At that moment no writer is under way: every version the sequence has given
//     belongs to a transaction that is visible or gone for good. The tick stores the sequence's last value in a
//     one-row table and commits. Versions drawn later are greater.
//
// So a stored tick W means: every write with a version up to W that will ever exist is visible to whoever sees the tick. It
// holds for any number of processes on one database, because lock, sequence and tick live there; and it survives dump,
// restore and upgrade.
//
// The tick commits synchronously. Its commit record follows the records of all draws up to W in the log, so once W has been
// given to a client, no crash or failover can make the sequence hand out a version up to W again.
//
// A waiting exclusive lock holds back new writers. A tick therefore waits only very briefly, and after a miss it tries again
// after a pause, more patiently. Both grow together, so that writers stand still for at most a fifth of the time: a long
// transaction delays the clock, not the writers, and many short ones do not keep it from ticking.

const (
	tickPace      = 50 * time.Millisecond // least time between two ticks of one process
	leastPatience = 20 * time.Millisecond // how long a tick waits for the lock when others have not missed it
	mostPatience  = 250 * time.Millisecond
	pausePerWait  = 4 // a pause is so many times as long as the wait before it

	versionSequence = "almoner_version"
	tickTable       = "almoner_tick"

	lastVersion = "(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM " + versionSequence + ")"
	sqlTick     = "UPDATE " + tickTable + " SET version = " + lastVersion + " WHERE id = 1 RETURNING version"
	sqlLook     = "SELECT version, " + lastVersion + " FROM " + tickTable + " WHERE id = 1"
	sqlDraw     = "SELECT nextval('" + versionSequence + "') FROM generate_series(1, $1::int)"
)

// clock gives watermarks. Callers that wait at the same time share one tick.
type clock struct {
	store *Store
	key   int64 // of the advisory lock
	plain bool  // tests only: versions are a plain sequence without lock and tick, which loses writes

	turn   chan struct{} // held by the flight that talks to the database
	mu     sync.Mutex
	open   *flight   // the flight callers may still join
	ticked time.Time // when the last tick was begun

	patience time.Duration // how long the next try waits for the lock; changed by the flight that has the turn
}

// flight is one search for a watermark on behalf of all who joined it.
type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{} // closed when mark and err are set
	mark    int64
	err     error
}

func newClock(s *Store, key int64) *clock {
	return &clock{store: s, key: key, turn: make(chan struct{}, 1), patience: leastPatience}
}

// drawStatement draws n versions: a few as the cells of one row, which costs the server half of what a row for each does.
func drawStatement(n int) statement {
	if n < len(drawFew) {
		return statement{sql: drawFew[n]}
	}
	return statement{sqlDraw, []any{n}}
}

// drawFew holds the statements that draw few versions, by their number.
var drawFew = func() (out [24]string) {
	for n := 1; n < len(out); n++ {
		out[n] = "SELECT " + strings.Repeat(",nextval('"+versionSequence+"')", n)[1:]
	}
	return out
}()

// Watermark implements store.Store. It costs one short read when nothing has been written since the last tick. Else it
// waits for a tick: until no writer is under way, or until ctx ends.
func (s *Store) Watermark(ctx context.Context) (int64, error) {
	f := s.clock.join()
	defer s.clock.leave(f)
	select {
	case <-f.done:
		return f.mark, f.err
	case <-ctx.Done():
		return 0, fault.Unavailable(context.Cause(ctx), 1)
	}
}

// join enters the open flight, or starts one.
func (c *clock) join() *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		ctx, cancel := context.WithCancel(context.Background())
		c.open = &flight{cancel: cancel, done: make(chan struct{})}
		go c.fly(ctx, c.open)
	}
	c.open.waiting++
	return c.open
}

// leave ends a flight nobody waits for any more.
func (c *clock) leave(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	f.cancel()
	if c.open == f {
		c.open = nil
	}
}

// seal closes a flight to newcomers: what it reads from now on need not cover them.
func (c *clock) seal(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == f {
		c.open = nil
	}
}

// unseal lets newcomers join again, unless another flight collects them already or everyone has left.
func (c *clock) unseal(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil && f.waiting > 0 {
		c.open = f
	}
}

// fly finds the watermark of a flight.
func (c *clock) fly(ctx context.Context, f *flight) {
	defer close(f.done)
	defer c.seal(f)
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		f.err = ctx.Err()
		return
	}
	c.seal(f)
	var moved bool
	if f.mark, moved, f.err = c.look(ctx); f.err != nil || !moved {
		return
	}
	for {
		c.unseal(f)
		if f.err = c.keepPace(ctx); f.err != nil {
			return
		}
		c.seal(f)
		if f.mark, f.err = c.tick(ctx); stateOf(f.err) != stateLockNotAvailable {
			c.patience = max(c.patience/2, leastPatience)
			return
		}
		c.unseal(f)
		if f.err = sleep(ctx, pausePerWait*c.patience); f.err != nil {
			return
		}
		c.patience = min(2*c.patience, mostPatience)
	}
}

// look returns the last tick and whether the sequence has moved since. If it has not, the tick still holds: versions are
// drawn under the shared lock, and none was.
func (c *clock) look(ctx context.Context) (mark int64, moved bool, err error) {
	var last int64
	err = c.store.side.QueryRow(ctx, sqlLook).Scan(&mark, &last)
	if c.plain {
		return last, false, translate(ctx, err)
	}
	return mark, last != mark, translate(ctx, err)
}

// keepPace waits until the next tick may be tried.
func (c *clock) keepPace(ctx context.Context) error {
	err := sleep(ctx, time.Until(c.ticked.Add(tickPace)))
	c.ticked = time.Now()
	return err
}

// tick tries once to take the lock and store the sequence's last value. Like any write it is never cancelled.
func (c *clock) tick(ctx context.Context) (int64, error) {
	x, err := c.store.openSession(ctx, c.store.side, true)
	if err != nil {
		return 0, err
	}
	defer x.end()
	x.beginWrite()
	x.queue.add(statement{sql: fmt.Sprintf("SET LOCAL lock_timeout = %d", c.patience.Milliseconds())})
	x.queue.add(statement{"SELECT pg_advisory_xact_lock($1)", []any{c.key}})
	e, err := x.send(ctx, statement{sql: sqlTick}, statement{sql: "COMMIT"})
	if err != nil {
		return 0, err
	}
	marks := readIntegers(e)
	if err := e.close(); err != nil {
		return 0, err
	}
	return marks[0], nil
}

// sleep waits, or returns the error of a context that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
