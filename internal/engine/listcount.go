package engine

import (
	"context"

	"almoner/internal/auth"
	"almoner/internal/fetchxml"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// CountMembers counts the members of a dynamic list anew and keeps the number with it. The count is the list's, not what one
// caller may see of it.
func (e *Engine) CountMembers(ctx context.Context, list value.GUID) error {
	own := e.own()
	if err := own.settle(ctx); err != nil { // a list may ask for totals: made here, a few rows in each transaction
		return err
	}
	return own.Write(ctx, func(x *Tx) error {
		row, err := x.Row(e.model.Table("list"), list, false)
		if err != nil || row == nil || !row.Value("type").Bool() {
			return err
		}
		return x.countMembers(row)
	})
}

// countMembers is CountMembers inside a transaction, by totals that are up to date.
func (x *Tx) countMembers(list *query.Row) error {
	if err := x.settleMarks(); err != nil {
		return err
	}
	count, err := x.memberTotal(list)
	if err != nil {
		return err
	}
	return env{x}.Derive(list.Table, list.ID, []query.Assign{
		assign(list.Table, "membercount", count), assign(list.Table, "x_countedon", value.Time(x.now)),
	})
}

// noteReach marks a dynamic list whose new query goes through rows the caller may not all read. The number of its members would tell
// everybody who sees the list about those rows, so they are never counted.
func (x *Tx) noteReach(w *rules.Write) error {
	if w.System || w.New.Table.Name != "list" || !w.New.Value("type").Bool() || !w.Changed("query") {
		return nil
	}
	narrow := false
	if text := w.New.Value("query").Text(); text != "" {
		member, err := x.e.MemberTable(w.New)
		if err != nil {
			return err
		}
		q, err := fetchxml.Members(x.e.model, text, member)
		if err != nil {
			return err
		}
		narrow = !auth.ReadsAll(x.caller, q)
	}
	w.New.Put("x_narrow", value.Bool(narrow))
	return nil
}

// memberTotal is the number of rows a list's query selects; unknown where it must not be told.
func (x *Tx) memberTotal(list *query.Row) (value.Value, error) {
	if list.Value("x_narrow").Bool() {
		return value.Null, nil
	}
	text := list.Value("query").Text()
	member, err := x.e.MemberTable(list)
	if err != nil || text == "" {
		return value.Int(0), err
	}
	q, err := fetchxml.Members(x.e.model, text, member)
	if err != nil {
		return value.Null, err
	}
	root := &query.Link{Table: member}
	outer := &query.Query{Root: root, Where: amongRows(q, root)}
	outer.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{member.Key})}
	if err := query.Resolve(outer, x.e.resolveContext(x.caller, x.now)); err != nil {
		return value.Null, err
	}
	n, err := x.source.Count(x.ctx, outer)
	return value.Int(n), err
}

// staleLists finds dynamic lists that have not been counted since a moment.
func (e *Engine) staleLists(ctx context.Context, before int64, most int) ([]value.GUID, error) {
	t := e.model.Table("list")
	root := &query.Link{Table: t}
	counted := query.Ref{Link: root, Column: t.MustColumn("x_countedon")}
	created := query.Ref{Link: root, Column: t.MustColumn("createdon")}
	bound := []query.Expr{query.Literal{Value: value.Time(before)}}
	q := &query.Query{Root: root, Page: query.Page{Size: most}, Where: query.And{
		query.Equal(root, t.MustColumn("type"), value.Bool(true)),
		query.Or{
			query.Cond{Left: counted, Op: query.OpLt, Args: bound},
			query.And{query.Cond{Left: counted, Op: query.OpNull}, query.Cond{Left: created, Op: query.OpLt, Args: bound}},
		},
	}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
	return readIDs(ctx, e.store, q)
}

// readIDs reads the ids in cell 0 of a query's rows.
func readIDs(ctx context.Context, r store.Reader, q *query.Query) ([]value.GUID, error) {
	rows, err := r.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []value.GUID
	for rows.Next() {
		ids = append(ids, value.GUID(rows.Bytes(0)))
	}
	return ids, rows.Err()
}
