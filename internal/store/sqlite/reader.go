package sqlite

import (
	"context"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// loan is a reader connection lent to one caller.
type loan struct {
	session
	ctx   context.Context
	once  bool // it is for a single cursor and goes back with it
	sound bool
	ended bool
}

// lend takes a reader connection; end gives it back.
func (s *Store) lend(ctx context.Context) (*loan, error) {
	c, err := s.readers.take(ctx)
	if err != nil {
		return nil, unavailable(ctx, err)
	}
	l := &loan{ctx: ctx, sound: true}
	l.session = session{store: s, conn: c, owner: l}
	return l, nil
}

// lendOnce lends a connection that goes back when the cursor opened on it is closed.
func (s *Store) lendOnce(ctx context.Context) (*loan, error) {
	l, err := s.lend(ctx)
	if err == nil {
		l.once = true
	}
	return l, err
}

// begin gives each read its own time.
func (l *loan) begin(ctx context.Context) error {
	l.conn.stop.limit(l.store.options.StatementTimeout)
	return ctx.Err()
}

// note remembers whether the connection can be used again.
func (l *loan) note(err error) error {
	if unsound(err) {
		l.sound = false
	}
	switch {
	case !interrupted(err):
		return sqlFault(err)
	case l.conn.stop.timedOut.Load():
		return timeoutFault(l.store.options.StatementTimeout)
	default:
		return unavailable(l.ctx, err)
	}
}

// idle ends a loan made for a single cursor.
func (l *loan) idle() {
	if l.once {
		l.end()
	}
}

// end gives the connection back; further calls do nothing.
func (l *loan) end() {
	if l.ended {
		return
	}
	l.ended = true
	l.closeAll()
	l.store.readers.give(l.conn, l.sound)
}

// Read implements store.Reader.
func (s *Store) Read(ctx context.Context, q *query.Query) (query.Rows, error) {
	l, err := s.lendOnce(ctx)
	if err != nil {
		return nil, err
	}
	r, err := l.Read(ctx, q)
	if err != nil {
		l.end()
	}
	return r, err
}

// ReadChildren implements store.Reader.
func (s *Store) ReadChildren(ctx context.Context, e *query.Expand, parents []value.GUID) (query.Rows, error) {
	l, err := s.lendOnce(ctx)
	if err != nil {
		return nil, err
	}
	r, err := l.ReadChildren(ctx, e, parents)
	if err != nil {
		l.end()
	}
	return r, err
}

// Count implements store.Reader.
func (s *Store) Count(ctx context.Context, q *query.Query) (int64, error) {
	l, err := s.lend(ctx)
	if err != nil {
		return 0, err
	}
	defer l.end()
	return l.Count(ctx, q)
}

// Get implements store.Reader.
func (s *Store) Get(ctx context.Context, t *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error) {
	l, err := s.lend(ctx)
	if err != nil {
		return nil, err
	}
	defer l.end()
	return l.Get(ctx, t, id, cols)
}

// View implements store.Store. The end of ctx ends every read of the view.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	l, err := s.lend(ctx)
	if err != nil {
		return err
	}
	defer l.end()
	if err := l.conn.exec("BEGIN"); err != nil {
		return l.note(err)
	}
	return fn(l)
}

// Watermark implements store.Store: versions are drawn inside the transaction that uses them, one transaction at a time,
// so the last one committed is a watermark. Each call reads it afresh, because other processes write too.
func (s *Store) Watermark(ctx context.Context) (int64, error) {
	l, err := s.lend(ctx)
	if err != nil {
		return 0, err
	}
	defer l.end()
	if err := l.begin(ctx); err != nil {
		return 0, err
	}
	v, err := s.readCounter(l.conn, versionCounter)
	if err != nil {
		return 0, l.note(err)
	}
	return v, nil
}

// Ping implements store.Store.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Watermark(ctx)
	return err
}
