package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"almoner/internal/fault"
	"almoner/internal/store"
)

// The most that shares one commit, and how long a writer whose connection failed waits between two attempts to reopen it.
const (
	groupCount  = 64
	groupTime   = 5 * time.Millisecond
	reopenPause = time.Second
	idlePause   = 200 * time.Millisecond // without a write, after which the log is written back
)

// writer owns the one connection that writes. Its goroutine lets the requests that wait take turns in one transaction,
// each in a savepoint of its own, commits once for all of them and only then answers.
//
// Nothing interrupts a statement here: an interrupted write would undo the whole group.
type writer struct {
	store    *Store
	conn     *conn         // nil while it could not be reopened
	queue    chan *request // unbuffered: who waits can still leave
	held     *request      // a large load met while a group was filling up; it goes next, alone
	closing  chan struct{}
	finished chan struct{}
	version  int64 // the highest version committed here; a reopened file must still have it
	loaded   bool  // a large load was taken: statistics are due
	broken   error // why no write is taken; nil while all is well
	tried    time.Time
}

// newWriter makes a writer that owns c; run is its goroutine.
func newWriter(s *Store, c *conn) *writer {
	return &writer{store: s, conn: c, queue: make(chan *request), closing: make(chan struct{}), finished: make(chan struct{})}
}

// do queues a request and waits for its answer.
func (w *writer) do(ctx context.Context, bulk bool, fn func(store.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := newRequest(ctx, bulk, fn)
	select {
	case w.queue <- r:
		return r.wait()
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return fault.Unavailable(errClosed, retryAfter)
	}
}

// run serves requests until the store closes; those who wait then are still served.
func (w *writer) run() {
	defer close(w.finished)
	statistics := time.NewTicker(statisticsPause)
	defer statistics.Stop()
	idle := time.NewTimer(idlePause)
	defer idle.Stop()
	for {
		select {
		case r := <-w.queue:
			w.serve(r)
			idle.Reset(idlePause)
		case <-idle.C:
			w.writeBack()
		case <-statistics.C:
			w.takeStatistics()
			w.store.readers.replace() // they learn of new statistics when they open the file
		case <-w.closing:
			return
		}
	}
}

// writeBack brings the log into the file as far as readers allow. Whoever reads then finds every page in the file itself and looks
// for none in the log.
func (w *writer) writeBack() {
	if w.broken != nil {
		return
	}
	if err := w.conn.exec("PRAGMA wal_checkpoint(PASSIVE)"); err != nil && !w.doubt(err) {
		w.store.log.Warn("the log could not be written back", "error", err)
	}
}

// serve runs a request, with those that wait behind it unless it goes alone.
func (w *writer) serve(r *request) {
	if r.bulk {
		w.loaded = true
		w.alone(r)
	} else {
		w.together(r)
	}
	if next := w.held; next != nil {
		w.held = nil
		w.serve(next)
	}
}

// together runs requests in one transaction. When it is lost although the file is sound, each gets one of its own.
func (w *writer) together(first *request) {
	if !w.fit(first) {
		return
	}
	g, err := w.begin(w.conn)
	if err != nil {
		w.turnAway(first, err)
		return
	}
	if g.runFirst(first) {
		for r := w.next(g); r != nil; r = w.next(g) {
			g.runInSavepoint(r)
		}
	}
	switch err := g.commit(); {
	case err == nil:
		g.answer()
	case w.doubt(err):
		g.refuse(err)
	default:
		for _, m := range g.members {
			w.alone(m.request)
		}
	}
}

// next returns the next waiting request a group may take up, or nil.
func (w *writer) next(g *group) *request {
	if g.lost != nil || len(g.members) >= groupCount || time.Since(g.begun) >= groupTime {
		return nil
	}
	select {
	case r := <-w.queue:
		if !r.bulk {
			return r
		}
		w.held = r
	default:
	}
	return nil
}

// alone runs one request in a transaction of its own.
func (w *writer) alone(r *request) {
	if !w.fit(r) {
		return
	}
	g, err := w.begin(w.conn)
	if err != nil {
		w.turnAway(r, err)
		return
	}
	g.runFirst(r)
	if err := g.commit(); err != nil {
		w.doubt(err)
		g.refuse(err)
		return
	}
	g.answer()
}

// begin opens a transaction that holds the write lock from the start. Another process may hold it for a while.
func (w *writer) begin(c *conn) (*group, error) {
	if err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return nil, err
	}
	return newGroup(w, c), nil
}

// turnAway refuses a request whose transaction could not be opened, and all who wait: when another process keeps the
// write lock, they have waited as long, and waiting one after the other would take each of them longer still.
func (w *writer) turnAway(r *request, err error) {
	w.doubt(err)
	for {
		r.answer(fault.Unavailable(err, retryAfter))
		select {
		case r = <-w.queue:
		default:
			return
		}
	}
}

// fit makes sure that the connection can be written to, and refuses the request when it cannot.
func (w *writer) fit(r *request) bool {
	if w.broken == nil {
		return true
	}
	if time.Since(w.tried) >= reopenPause {
		w.reopen()
	}
	if w.broken != nil {
		r.answer(fault.Unavailable(w.broken, retryAfter))
	}
	return w.broken == nil
}

// doubt tells whether an error puts the file in doubt. SQLite itself would go on after a failed sync as if nothing had
// been; here no write is taken until the file has been opened anew and tried.
func (w *writer) doubt(err error) bool {
	if !unsound(err) {
		return false
	}
	w.store.log.Error("the database could not be written; no write is taken until it has been reopened", "error", err)
	w.broken = err
	w.reopen()
	return true
}

// reopen replaces the connection by one that has proved that it can commit. The old one stays open until then: while
// somebody has the file open, what the failed commit left in the log is behind its end and will be overwritten; a file
// opened by nobody is recovered from its log, and a refused write could come back to life.
func (w *writer) reopen() {
	w.tried = time.Now()
	if w.conn != nil && !w.conn.db.AutocommitEnabled() {
		w.drop() // it could not even roll back, and would keep the next one from writing
	}
	c, err := connect(w.store.path, forWriting)
	if err == nil {
		err = w.prove(c)
	}
	if err != nil {
		w.broken = err
		w.store.log.Error("the database could not be reopened", "error", err)
		return
	}
	w.drop()
	w.conn, w.broken = c, nil
	w.store.log.Warn("the database has been reopened and takes writes again")
}

// drop closes the connection.
func (w *writer) drop() {
	if w.conn == nil {
		return
	}
	if err := w.conn.close(); err != nil {
		w.store.log.Error("closing the writer connection", "error", err)
	}
	w.conn = nil
}

// prove checks that a reopened file still has what was committed last, and that a commit reaches the disk.
func (w *writer) prove(c *conn) error {
	g, err := w.begin(c)
	if err == nil {
		err = g.prove()
	}
	if err != nil {
		return errors.Join(err, c.close())
	}
	return nil
}

// close serves who has begun, and closes the connection after writing the log back into the file.
func (w *writer) close() error {
	close(w.closing)
	<-w.finished
	if w.broken != nil {
		w.drop()
		return fmt.Errorf("closed while no write could be made: %w", w.broken)
	}
	if w.loaded {
		w.takeStatistics()
	}
	_, err := w.conn.text("PRAGMA wal_checkpoint(TRUNCATE)")
	if err != nil && primary(err) == sqlite.ResultBusy {
		err = nil // another process reads; it or the next start writes the log back
	}
	if err != nil {
		err = fmt.Errorf("write the log back: %w", err)
	}
	return errors.Join(err, w.conn.close())
}
