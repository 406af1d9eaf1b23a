package engine

import (
	"context"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// fillDynamic spools the members of the dynamic lists among the parents of an expanded collection and returns the parents that are
// left. Each such list is one more statement.
func (r *reader) fillDynamic(ctx context.Context, source store.Reader, e ExpandPlan, parents []value.GUID, spool *query.Spool) ([]value.GUID, error) {
	lists, err := r.dynamicLists(ctx, source, parents)
	if err != nil {
		return nil, err
	}
	dynamic := map[value.GUID]bool{}
	for _, list := range lists {
		dynamic[list.ID] = true
		if err := r.fillMembers(ctx, source, e, list, spool); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(parents, func(id value.GUID) bool { return dynamic[id] }), nil
}

// dynamicLists reads what tells the members of those lists that are dynamic.
func (r *reader) dynamicLists(ctx context.Context, source store.Reader, ids []value.GUID) ([]*query.Row, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	t := r.e.model.Table("list")
	cols := []*schema.Column{t.MustColumn("type"), t.MustColumn("createdfromcode"), t.MustColumn("query")}
	root := &query.Link{Table: t}
	q := &query.Query{Root: root, Where: query.Equal(root, cols[0], value.Bool(true))}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, cols)}
	rows, err := source.ReadChildren(ctx, &query.Expand{Many: q, Parent: query.Ref{Link: root, Column: t.Key}}, ids)
	if err != nil {
		return nil, err
	}
	return query.ScanRows(t, cols, rows)
}

// fillMembers spools the members of one dynamic list: the rows of the collection's query that the list's own selects, without the
// member rows of static lists between them.
func (r *reader) fillMembers(ctx context.Context, source store.Reader, e ExpandPlan, list *query.Row, spool *query.Spool) error {
	many := e.Expand.Many
	members := &query.Query{Root: many.Root}
	var err error
	if members.Where, err = r.Members(list, many.Root); err != nil || members.Where == query.Filter(query.Const(false)) {
		return err
	}
	if err := r.narrow(members); err != nil {
		return err
	}
	q := &query.Query{Root: many.Root, Select: many.Select, Where: query.AllOf(many.Where, members.Where), Order: many.Order}
	q.Links = slices.DeleteFunc(slices.Clone(many.Links), func(l *query.Link) bool { return l == pairOf(e.Expand) })
	if q.Page.Size = e.Expand.Top; q.Page.Size == 0 {
		q.Page.Size = e.Expand.Show + 1
	}
	rows, err := source.Read(ctx, q)
	if err != nil {
		return err
	}
	defer rows.Close()
	_, err = spool.Fill(e.Many.shown(&relatedRows{rows, list.ID}), 0)
	return err
}

// pairOf is the source of an expanded many-to-many collection that joins its rows to their parents.
func pairOf(e *query.Expand) *query.Link { return e.Parent.(query.Ref).Link }

// relatedRows are rows with the key of the parent they belong to put before them.
type relatedRows struct {
	query.Rows
	parent value.GUID
}

// Null tells whether a cell is null.
func (r *relatedRows) Null(i int) bool { return i > 0 && r.Rows.Null(i-1) }

// Int returns a cell of the row as an integer.
func (r *relatedRows) Int(i int) int64 { return r.Rows.Int(i - 1) }

// Float returns a cell of the row as a float.
func (r *relatedRows) Float(i int) float64 { return r.Rows.Float(i - 1) }

// Bytes returns a cell of the row, or the key of its parent.
func (r *relatedRows) Bytes(i int) []byte {
	if i == 0 {
		return r.parent[:]
	}
	return r.Rows.Bytes(i - 1)
}
