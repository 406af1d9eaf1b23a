package postgres

import (
	"context"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// Read implements store.Reader on a connection of its own. A result of several statements is read in one snapshot.
func (s *Store) Read(ctx context.Context, q *query.Query) (query.Rows, error) {
	generated, err := sqlgen.Read(s.dialect, *s.calendar.Load(), q)
	if err != nil {
		return nil, err
	}
	return s.readOnce(ctx, reading{driverStatements(generated), q.Page.Size, continues(q)})
}

// reading is what a cursor of its own reads.
type reading struct {
	statements []statement
	size       int  // the most rows wanted; 0: all
	generic    bool // one plan serves for all parameters
}

// continues tells whether a query is the next page of a whole table: the same walk along an index wherever it begins. The server
// would plan it anew for each position, which took a fifth of a page's time.
func continues(q *query.Query) bool {
	return q.Page.After != nil && q.Where == nil && len(q.Links) == 0
}

// ReadChildren implements store.Reader.
func (s *Store) ReadChildren(ctx context.Context, e *query.Expand, parents []value.GUID) (query.Rows, error) {
	generated, err := sqlgen.Children(s.dialect, *s.calendar.Load(), e, parents)
	if err != nil {
		return nil, err
	}
	return s.readOnce(ctx, reading{statements: []statement{driverStatement(generated)}})
}

// readOnce opens a cursor that frees its connection when it ends.
func (s *Store) readOnce(ctx context.Context, r reading) (query.Rows, error) {
	x, err := s.openSession(ctx, s.pool, false)
	if err != nil {
		return nil, err
	}
	if len(r.statements) > 1 {
		x.beginView()
		if r.generic {
			x.queue.add(statement{sql: "SET LOCAL plan_cache_mode = force_generic_plan"})
		}
	}
	c, err := openCursor(ctx, x, true, r.statements, r.size, nil)
	if err != nil {
		x.end()
		return nil, err
	}
	return c, nil
}

// Count implements store.Reader.
func (s *Store) Count(ctx context.Context, q *query.Query) (n int64, err error) {
	err = s.once(ctx, func(x *session) error {
		n, err = x.Count(ctx, q)
		return err
	})
	return n, err
}

// Get implements store.Reader.
func (s *Store) Get(ctx context.Context, t *schema.Table, id value.GUID, cols []*schema.Column) (row *query.Row, err error) {
	err = s.once(ctx, func(x *session) error {
		row, err = x.Get(ctx, t, id, cols)
		return err
	})
	return row, err
}

// once runs fn on a connection outside any transaction.
func (s *Store) once(ctx context.Context, fn func(*session) error) error {
	x, err := s.openSession(ctx, s.pool, false)
	if err != nil {
		return err
	}
	defer x.end()
	return fn(x)
}

// View implements store.Store: one repeatable-read transaction, begun with its first read.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	x, err := s.openSession(ctx, s.pool, false)
	if err != nil {
		return err
	}
	defer x.end()
	x.beginView()
	return fn(x)
}

// Read implements store.Reader.
func (x *session) Read(ctx context.Context, q *query.Query) (query.Rows, error) {
	generated, err := sqlgen.Read(x.store.dialect, *x.store.calendar.Load(), q)
	if err != nil {
		return nil, err
	}
	return x.rows(ctx, driverStatements(generated), q.Page.Size, query.Cells(&q.Select))
}

// ReadChildren implements store.Reader.
func (x *session) ReadChildren(ctx context.Context, e *query.Expand, parents []value.GUID) (query.Rows, error) {
	generated, err := sqlgen.Children(x.store.dialect, *x.store.calendar.Load(), e, parents)
	if err != nil {
		return nil, err
	}
	classes := append([]query.CellClass{query.BytesCell}, query.Cells(&e.Many.Select)...)
	return x.rows(ctx, []statement{driverStatement(generated)}, 0, classes)
}

func (x *session) rows(ctx context.Context, statements []statement, size int, classes []query.CellClass) (query.Rows, error) {
	c, err := openCursor(ctx, x, false, statements, size, classes)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Count implements store.Reader.
func (x *session) Count(ctx context.Context, q *query.Query) (int64, error) {
	generated, err := sqlgen.Count(x.store.dialect, *x.store.calendar.Load(), q)
	if err != nil {
		return 0, err
	}
	return x.integer(ctx, driverStatement(generated))
}

// integer runs a statement and returns the integer in its first cell; 0 without a row.
func (x *session) integer(ctx context.Context, st statement) (int64, error) {
	c, err := openCursor(ctx, x, false, []statement{st}, 1, nil)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if !c.Next() {
		return 0, c.Err()
	}
	return c.Int(0), nil
}

// Get implements store.Reader.
func (x *session) Get(ctx context.Context, t *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error) {
	st, cols := x.store.pointRead(t, id, cols, false)
	c, err := openCursor(ctx, x, false, []statement{st}, 1, nil)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if !c.Next() {
		return nil, c.Err()
	}
	return query.ScanRow(t, id, cols, c, 0), nil
}
