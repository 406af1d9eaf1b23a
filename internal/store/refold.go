package store

import (
	"context"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// RefoldPage is the number of rows folded anew at a time.
const RefoldPage = 500

// Refold writes every text of a table once more, which renews the fold stored beside it. Stores call it when the rules of folding have
// changed since a database was written.
func Refold(ctx context.Context, tx Tx, t *schema.Table) error {
	texts := slices.DeleteFunc(t.StoredColumns(), func(c *schema.Column) bool { return !c.Folded() })
	switch {
	case len(texts) == 0:
		return nil
	case t.Key != nil:
		return refoldKeyed(ctx, tx, t, append([]*schema.Column{t.Key}, texts...))
	default:
		return refoldHidden(ctx, tx, t, t.StoredColumns())
	}
}

// refoldKeyed goes through a table by its key, the first of the columns, a page at a time.
func refoldKeyed(ctx context.Context, tx Tx, t *schema.Table, columns []*schema.Column) error {
	q := selection(t, columns)
	q.Order = []query.Order{{Expr: query.Ref{Link: q.Root, Column: t.Key}}}
	q.Page.Size = RefoldPage
	for {
		rows, err := collect(ctx, tx, q, columns)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, set := range rows {
			if err := tx.Update(ctx, t, set[0].Value.ID(), set[1:]); err != nil {
				return err
			}
		}
		q.Page.After = &query.Position{Values: []value.Value{rows[len(rows)-1][0].Value}}
	}
}

// refoldHidden writes every row of a table without a key of its own anew. Texts may be part of what identifies it there, so the old row
// goes first.
func refoldHidden(ctx context.Context, tx Tx, t *schema.Table, columns []*schema.Column) error {
	rows, err := collect(ctx, tx, selection(t, columns), columns)
	if err != nil {
		return err
	}
	for _, set := range rows {
		identity := slices.DeleteFunc(slices.Clone(set), func(a query.Assign) bool { return !slices.Contains(t.Unique[0], a.Column) })
		if err := tx.Remove(ctx, t, identity); err != nil {
			return err
		}
		if err := tx.Put(ctx, t, set); err != nil {
			return err
		}
	}
	return nil
}

// selection asks for columns of all rows of a table.
func selection(t *schema.Table, columns []*schema.Column) *query.Query {
	root := &query.Link{Table: t}
	return &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, columns)}}
}

// collect reads the rows of a selection as assignments.
func collect(ctx context.Context, r Reader, q *query.Query, columns []*schema.Column) ([][]query.Assign, error) {
	rows, err := r.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all [][]query.Assign
	for rows.Next() {
		set, at := make([]query.Assign, len(columns)), 0
		for i, c := range columns {
			set[i] = query.Assign{Column: c, Value: query.Cell(rows, at, c)}
			at += q.Select.Outputs[i].Cells()
		}
		all = append(all, set)
	}
	return all, rows.Err()
}
