package sqlite

import (
	"errors"
	"fmt"
	"time"

	"almoner/internal/fault"
)

// group is one transaction of the writer and the requests that share it. They see each other's rows, which is right
// because they stand or fall together.
type group struct {
	writer   *writer
	conn     *conn
	begun    time.Time
	members  []member
	counters counters
	failed   bool  // the request that opened it failed: nothing of it may stay
	lost     error // why the transaction is gone; nil while it is open
}

// member is a request of a group and what its function said.
type member struct {
	*request
	err error
}

func newGroup(w *writer, c *conn) *group {
	return &group{writer: w, conn: c, begun: time.Now(), counters: counters{}}
}

// runFirst runs the request that opens the transaction and tells whether others may join. It needs no savepoint: when it fails,
// there is nothing else to keep.
func (g *group) runFirst(r *request) bool {
	g.failed = g.run(r) != nil
	return !g.failed
}

// runInSavepoint runs a further request so that its failure leaves the others' work in place.
func (g *group) runInSavepoint(r *request) {
	if err := g.exec("SAVEPOINT request"); err != nil {
		g.members = append(g.members, member{r, err})
		return
	}
	err := g.run(r)
	if g.lost != nil {
		return
	}
	if err != nil && g.exec("ROLLBACK TO request") != nil {
		return
	}
	_ = g.exec("RELEASE request") // an error is in g.lost
}

// run gives a request its turn and finds out whether the transaction is still there afterwards.
func (g *group) run(r *request) error {
	t := newTx(g)
	err := r.offer(t)
	t.end()
	if err != errLeft {
		g.members = append(g.members, member{r, err})
	}
	if t.lost != nil {
		g.lose(t.lost)
	} else if g.conn.db.AutocommitEnabled() {
		g.lose(errors.New("the transaction ended inside a request"))
	}
	return err
}

// exec runs a statement that steers the transaction; when it fails, the transaction is given up.
func (g *group) exec(text string) error {
	err := g.conn.exec(text)
	if err != nil {
		g.lose(err)
	}
	return err
}

// lose notes why the transaction is gone and takes away what may be left of it.
func (g *group) lose(err error) {
	if g.lost == nil {
		g.lost = err
	}
	if g.conn.db.AutocommitEnabled() {
		return
	}
	if err := g.conn.exec("ROLLBACK"); err != nil {
		g.lost = fmt.Errorf("%w; and the rollback failed: %w", g.lost, err)
	}
}

// commit makes the work of all members durable. When it returns an error nothing of it is in the database.
func (g *group) commit() error {
	if g.lost == nil && g.failed {
		return g.exec("ROLLBACK")
	}
	if g.lost == nil {
		if err := g.counters.flush(g.writer.store, g.conn); err != nil {
			g.lose(err)
		}
	}
	if g.lost == nil && g.exec("COMMIT") == nil {
		g.writer.version = max(g.writer.version, g.counters.last(versionCounter))
	}
	return g.lost
}

// answer tells each member what its own function said; it is called after the commit.
func (g *group) answer() {
	for _, m := range g.members {
		m.answer(m.err)
	}
}

// refuse tells every member that its write is not there.
func (g *group) refuse(err error) {
	for _, m := range g.members {
		m.answer(fault.Unavailable(err, retryAfter))
	}
}

// prove commits a write that concerns nobody, after checking that the version committed last is still there.
func (g *group) prove() error {
	v, err := g.counters.read(g.writer.store, g.conn, versionCounter)
	if err == nil && v < g.writer.version {
		err = fmt.Errorf("version %d was committed, but the file knows none above %d", g.writer.version, v)
	}
	if err == nil {
		err = g.conn.exec(touchSQL)
	}
	if err != nil {
		g.lose(err)
		return g.lost
	}
	return g.exec("COMMIT")
}
