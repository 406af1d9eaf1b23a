package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	maxQueued     = 512                   // writes that wait to be sent, at most
	rollbackLimit = 5 * time.Second       // a connection that cannot roll back in time is dropped
	drainLimit    = 20 * time.Millisecond // what is left of a result is waited for so long before it is cancelled
)

// session is one connection used by one goroutine for a while, usually inside a transaction. Statements without a result
// are queued and travel together with the next one that has a result, or with the COMMIT, in one round trip.
//
// The protocol allows one result at a time; when a second cursor is opened the rest of the first is copied out of the way.
type session struct {
	store *Store
	conn  *pgxpool.Conn
	write bool          // nothing is cancelled, contexts of callers are ignored, each round trip has a limit of its own
	limit time.Duration // that limit
	begun bool          // a transaction has been queued or begun

	queue  queue
	active *cursor // the cursor that reads from the connection now
	failed error   // the first error of a transaction; everything after it is refused with it
}

// statement is SQL text with its arguments in the driver's form.
type statement struct {
	sql  string
	args []any
}

// openSession takes a connection from a pool; the end of ctx ends the wait for it.
func (s *Store) openSession(ctx context.Context, pool *pgxpool.Pool, write bool) (*session, error) {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return nil, translate(ctx, err)
	}
	setWriting(conn.Conn(), write)
	return &session{store: s, conn: conn, write: write, limit: s.writeLimit}, nil
}

// beginView queues the start of a transaction that reads one snapshot.
func (x *session) beginView() {
	x.begun = true
	x.queue.add(statement{sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"})
}

// beginWrite queues the start of a write transaction, whose commit waits for the disk whatever the server's habit is.
func (x *session) beginWrite() {
	x.begun = true
	x.queue.add(statement{sql: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"})
	if x.store.lazyCommits {
		x.queue.add(statement{sql: "SET LOCAL synchronous_commit = on"})
	}
}

// limited returns the context a round trip runs under. Reads end with their caller or after the statement time-out. Writes
// do neither: their context only ends when the server has been silent for very long.
func (x *session) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if x.write {
		return context.WithTimeoutCause(context.WithoutCancel(ctx), x.limit, errWriteLimit)
	}
	if limit := x.store.options.StatementTimeout; limit > 0 {
		return context.WithTimeoutCause(ctx, limit, errStatementTimeout)
	}
	return context.WithCancel(ctx)
}

// send runs queued statements and then those given, whose results the exchange yields in turn. The exchange must be closed
// before anything else is sent.
func (x *session) send(ctx context.Context, statements ...statement) (*exchange, error) {
	if x.failed != nil {
		return nil, x.failed
	}
	if err := x.suspend(); err != nil {
		return nil, err
	}
	ctx, cancel := x.limited(ctx)
	e := &exchange{session: x, ctx: ctx, cancel: cancel}
	if x.queue.length == 0 && len(statements) == 1 {
		e.single = &statements[0]
		return e, nil
	}
	batch, works := x.queue.batch(x.store.writer)
	x.queue = queue{}
	for _, st := range statements {
		batch.Queue(st.sql, st.args...)
	}
	e.batch = x.conn.SendBatch(ctx, batch)
	for _, w := range works {
		if _, err := e.batch.Exec(); err != nil {
			e.fail(err, w)
			return nil, e.close()
		}
	}
	return e, nil
}

// flush runs queued statements.
func (x *session) flush(ctx context.Context) error {
	if x.failed != nil || x.queue.length == 0 {
		return x.failed
	}
	e, err := x.send(ctx)
	if err != nil {
		return err
	}
	return e.close()
}

// commit ends the transaction for good, queued statements first. It returns nil only when the server has said so.
func (x *session) commit(ctx context.Context) error {
	if x.failed != nil || !x.begun {
		return x.failed
	}
	x.limit = x.store.writeLimit
	x.queue.add(statement{sql: "COMMIT"})
	if err := x.flush(ctx); err != nil {
		return err
	}
	x.begun = false
	return nil
}

// suspend copies the rest of the open cursor, so that the connection can be used for something else.
func (x *session) suspend() error {
	if x.active == nil {
		return nil
	}
	return x.active.detach()
}

// end frees the connection. A transaction that has not been committed is rolled back; a connection that is unfit is closed.
func (x *session) end() {
	if x.conn == nil {
		return
	}
	conn := x.conn.Conn()
	if x.active != nil {
		x.active.abandon(errors.New("postgres: the transaction has ended"))
	}
	if conn.PgConn().TxStatus() != 'I' && !conn.IsClosed() {
		ctx, cancel := context.WithTimeout(context.Background(), rollbackLimit)
		_, _ = conn.Exec(ctx, "ROLLBACK") // when it fails the pool drops the connection, and the server rolls back
		cancel()
	}
	if x.write && !conn.IsClosed() {
		setWriting(conn, false)
	}
	x.conn.Release()
	x.conn = nil
}

// exchange is one round trip with its results still to be read.
type exchange struct {
	session *session
	ctx     context.Context
	cancel  context.CancelFunc
	single  *statement // the only statement, when it needs no pipeline
	batch   pgx.BatchResults
	err     error
}

// next opens the result of the next statement. Its rows must be read to the end or closed before the one after it.
func (e *exchange) next() (pgx.Rows, error) {
	var rows pgx.Rows
	var err error
	if e.single != nil {
		rows, err = e.session.conn.Query(e.ctx, e.single.sql, e.single.args...)
	} else {
		rows, err = e.batch.Query()
	}
	if err != nil {
		e.fail(err, nil)
		return nil, e.err
	}
	return rows, nil
}

// fail notes an error of a statement that did some works; inside a transaction it is the end of it.
func (e *exchange) fail(err error, works []*work) {
	if err == nil || e.err != nil {
		return
	}
	e.err = explain(translate(e.ctx, err), works)
	if e.session.begun {
		e.session.failed = e.err
	}
}

// close ends the round trip and returns its first error.
func (e *exchange) close() error {
	if e.batch != nil {
		e.fail(e.batch.Close(), nil)
	}
	e.cancel()
	return e.err
}
