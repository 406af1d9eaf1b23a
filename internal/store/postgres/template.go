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
	*sqlgen.Template
}

var _ store.Prepared = template{}

// Prepare implements store.Store.
func (s *Store) Prepare(q *query.Query, slots []value.GUID) (store.Prepared, error) {
	t, err := sqlgen.NewTemplate(s.dialect, *s.calendar.Load(), q, slots)
	return template{s, t}, err
}

// Read implements store.Prepared.
func (t template) Read(ctx context.Context, ids []value.GUID) (query.Rows, error) {
	return t.store.readOnce(ctx, reading{statements: driverStatements(t.Fill(ids)), size: t.Size})
}
