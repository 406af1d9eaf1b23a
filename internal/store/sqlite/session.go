package sqlite

import (
	"context"
	"slices"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// session answers queries on one connection that belongs to one caller for a while: for a single cursor, for a view, or
// for a write transaction. Any number of its cursors may be open at the same time.
type session struct {
	store *Store
	conn  *conn
	open  []*rows
	owner owner
}

// owner is who holds the connection of a session.
type owner interface {
	begin(ctx context.Context) error // asked before each read
	note(err error) error            // takes note of an error of the connection and returns what the caller is told of it
	idle()                           // called when the last cursor has been closed
}

// forget strikes a closed cursor off the list.
func (s *session) forget(r *rows) {
	if i := slices.Index(s.open, r); i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
	}
	if len(s.open) == 0 {
		s.owner.idle()
	}
}

// closeAll closes the cursors a caller has left open.
func (s *session) closeAll() {
	for len(s.open) > 0 {
		s.open[len(s.open)-1].Close()
	}
}

// prepare readies a generated statement with its parameters.
func (s *session) prepare(st sqlgen.Statement) (*prepared, error) {
	p, err := s.conn.prepare(st.SQL)
	if err != nil {
		return nil, s.owner.note(err)
	}
	p.bind(st.Args)
	return p, nil
}

// cursor opens rows over statements; most is the number of rows wanted, 0 for all.
func (s *session) cursor(statements []sqlgen.Statement, most int) *rows {
	r := &rows{on: s, rest: statements, left: -1}
	if most > 0 {
		r.left = most
	}
	s.open = append(s.open, r)
	return r
}

// Read implements store.Reader.
func (s *session) Read(ctx context.Context, q *query.Query) (query.Rows, error) {
	statements, err := sqlgen.Read(s.store.dialect, *s.store.calendar.Load(), q)
	if err != nil {
		return nil, err
	}
	return s.rows(ctx, statements, q.Page.Size)
}

// ReadChildren implements store.Reader.
func (s *session) ReadChildren(ctx context.Context, e *query.Expand, parents []value.GUID) (query.Rows, error) {
	st, err := sqlgen.Children(s.store.dialect, *s.store.calendar.Load(), e, parents)
	if err != nil {
		return nil, err
	}
	return s.rows(ctx, []sqlgen.Statement{st}, 0)
}

// rows begins a result, so that a statement the database refuses is an error here and not at the first row.
func (s *session) rows(ctx context.Context, statements []sqlgen.Statement, most int) (query.Rows, error) {
	if err := s.owner.begin(ctx); err != nil {
		return nil, err
	}
	if len(statements) > 1 && s.conn.db.AutocommitEnabled() {
		if err := s.conn.exec("BEGIN"); err != nil { // all parts of a result see one snapshot
			return nil, s.owner.note(err)
		}
	}
	r := s.cursor(statements, most)
	if err := r.start(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Count implements store.Reader.
func (s *session) Count(ctx context.Context, q *query.Query) (int64, error) {
	st, err := sqlgen.Count(s.store.dialect, *s.store.calendar.Load(), q)
	if err != nil {
		return 0, err
	}
	r, err := s.rows(ctx, []sqlgen.Statement{st}, 1)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	if !r.Next() {
		return 0, r.Err()
	}
	return r.Int(0), nil
}

// Get implements store.Reader.
func (s *session) Get(ctx context.Context, t *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error) {
	whole := s.store.whole[t]
	sql := whole.sql
	if cols == nil {
		cols = whole.columns
	} else {
		sql = sqlgen.Get(s.store.dialect, t, cols, false)
	}
	st := sqlgen.Statement{SQL: sql, Args: []sqlgen.Arg{{Value: value.ID(id)}}}
	r, err := s.rows(ctx, []sqlgen.Statement{st}, 1)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if !r.Next() {
		return nil, r.Err()
	}
	return query.ScanRow(t, id, cols, r, 0), nil
}

// explain appends the text of a statement and the plan SQLite has for it.
func (s *session) explain(b *strings.Builder, st sqlgen.Statement) error {
	b.WriteString(st.SQL)
	b.WriteByte('\n')
	r, err := s.rows(context.Background(), []sqlgen.Statement{{SQL: "EXPLAIN QUERY PLAN " + st.SQL, Args: st.Args}}, 0)
	if err != nil {
		return err
	}
	defer r.Close()
	depth := map[int64]int{}
	for r.Next() {
		level := depth[r.Int(1)] + 1
		depth[r.Int(0)] = level
		b.WriteString(strings.Repeat("  ", level))
		b.Write(r.Bytes(3))
		b.WriteByte('\n')
	}
	return r.Err()
}
