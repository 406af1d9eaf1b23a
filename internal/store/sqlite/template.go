package sqlite

import (
	"context"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// template is a query rendered once.
type template struct {
	store *Store
	sql   *sqlgen.Template
	size  int
}

var _ store.Prepared = (*template)(nil)

// Prepare implements store.Store.
func (s *Store) Prepare(q *query.Query, slots []value.GUID) (store.Prepared, error) {
	statements, err := sqlgen.Read(s.dialect, *s.calendar.Load(), q)
	if err != nil {
		return nil, err
	}
	t, err := sqlgen.NewTemplate(statements, slots)
	if err != nil {
		return nil, err
	}
	return &template{s, t, q.Page.Size}, nil
}

// Read implements store.Prepared.
func (t *template) Read(ctx context.Context, ids []value.GUID) (query.Rows, error) {
	l, err := t.store.lendOnce(ctx)
	if err != nil {
		return nil, err
	}
	r, err := l.rows(ctx, t.sql.Fill(ids), t.size)
	if err != nil {
		l.end()
	}
	return r, err
}
