package postgres

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
	generated, err := sqlgen.Read(s.dialect, *s.calendar.Load(), q)
	if err != nil {
		return nil, err
	}
	t, err := sqlgen.NewTemplate(generated, slots)
	if err != nil {
		return nil, err
	}
	return &template{s, t, q.Page.Size}, nil
}

// Read implements store.Prepared.
func (t *template) Read(ctx context.Context, ids []value.GUID) (query.Rows, error) {
	return t.store.readOnce(ctx, reading{statements: driverStatements(t.sql.Fill(ids)), size: t.size})
}
