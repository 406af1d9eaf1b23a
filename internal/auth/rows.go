package auth

import (
	"context"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// inChunk is the most values one condition compares with.
const inChunk = 200

// find returns the rows of a source that satisfy a filter (nil: all), with the columns named, in key order.
func find(ctx context.Context, src store.Reader, root *query.Link, where query.Filter, columns ...string) ([]*query.Row, error) {
	t := root.Table
	cols := make([]*schema.Column, len(columns))
	for i, name := range columns {
		cols[i] = t.MustColumn(name)
	}
	q := &query.Query{Root: root, Where: where}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, cols)}
	first := 0
	if t.Key != nil {
		q.Select.Outputs = append(query.Refs(root, []*schema.Column{t.Key}), q.Select.Outputs...)
		q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: t.Key}}}
		first = 1
	}
	rows, err := src.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []*query.Row
	for rows.Next() {
		var id value.GUID
		if t.Key != nil {
			id = value.GUID(rows.Bytes(0))
		}
		out = append(out, query.ScanRow(t, id, cols, rows, first))
	}
	return out, rows.Err()
}

// findBy returns the rows of a table in which a column holds a value.
func findBy(ctx context.Context, src store.Reader, t *schema.Table, column string, v value.Value, columns ...string) ([]*query.Row, error) {
	root := &query.Link{Table: t}
	return find(ctx, src, root, query.Equal(root, t.MustColumn(column), v), columns...)
}

// findAmong returns the rows of a table in which a column holds one of some ids.
func findAmong(ctx context.Context, src store.Reader, t *schema.Table, column string, ids []value.GUID, columns ...string) ([]*query.Row, error) {
	var out []*query.Row
	for len(ids) > 0 {
		n := min(inChunk, len(ids))
		root := &query.Link{Table: t}
		rows, err := find(ctx, src, root, among(root, column, ids[:n]), columns...)
		if err != nil {
			return nil, err
		}
		out, ids = append(out, rows...), ids[n:]
	}
	return out, nil
}

// writer adds rows in the name of the service, filling the columns every row has.
type writer struct {
	tx      store.Tx
	model   *schema.Model
	now     time.Time
	by      value.GUID // zero while there is no user yet
	version int64
}

func newWriter(ctx context.Context, tx store.Tx, m *schema.Model, now time.Time, by value.GUID) (*writer, error) {
	version, err := tx.NextVersion(ctx)
	return &writer{tx: tx, model: m, now: now, by: by, version: version}, err
}

// values are columns of one row by name.
type values map[string]value.Value

// insert adds a row; columns not given take their defaults.
func (w *writer) insert(ctx context.Context, table string, id value.GUID, vs values) error {
	t := w.model.Table(table)
	row := query.NewRow(t, id)
	for _, c := range t.Columns {
		if c.Stored() && !c.Default.IsNull() {
			row.Set(c, c.Default)
		}
	}
	w.stamp(row, "createdon", "createdby")
	w.stamp(row, "modifiedon", "modifiedby")
	for name, v := range vs {
		row.Put(name, v)
	}
	return w.tx.Insert(ctx, t, id, row.Diff(nil))
}

// update changes columns of a row and marks it as changed now.
func (w *writer) update(ctx context.Context, table string, id value.GUID, vs values) error {
	row := query.NewRow(w.model.Table(table), id)
	w.stamp(row, "modifiedon", "modifiedby")
	for name, v := range vs {
		row.Put(name, v)
	}
	return w.tx.Update(ctx, row.Table, id, row.Diff(nil))
}

// stamp fills when and by whom, and the version, where the table has the columns.
func (w *writer) stamp(row *query.Row, when, who string) {
	if c := row.Table.Column(when); c != nil {
		row.Set(c, value.Time(w.now.Unix()))
	}
	if c := row.Table.Column(who); c != nil && !w.by.IsZero() {
		row.Set(c, value.ID(w.by))
	}
	if c := row.Table.Column("versionnumber"); c != nil {
		row.Set(c, value.Int(w.version))
	}
}

// put inserts or replaces a row of a hidden table.
func (w *writer) put(ctx context.Context, table string, vs values) error {
	t := w.model.Table(table)
	return w.tx.Put(ctx, t, vs.assigns(t))
}

func (vs values) assigns(t *schema.Table) []query.Assign {
	var out []query.Assign
	for _, c := range t.Columns {
		if v, ok := vs[c.Name]; ok {
			out = append(out, query.Assign{Column: c, Value: v})
		}
	}
	return out
}
