package sqlite

import (
	"context"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// refoldPage is how many rows are folded anew at a time.
const refoldPage = 200

// refold writes every text once more, which renews the fold stored beside it.
func (s *Store) refold(t *tx) error {
	for _, table := range s.model.Tables {
		texts := foldedColumns(table)
		var err error
		switch {
		case len(texts) == 0:
		case table.Key != nil:
			err = t.refoldKeyed(table, texts)
		default:
			err = t.refoldHidden(table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// foldedColumns lists the stored text columns of a table.
func foldedColumns(table *schema.Table) []*schema.Column {
	var texts []*schema.Column
	for _, c := range table.Columns {
		if c.Stored() && c.IsText() && c.Type != schema.TypeMultiChoice {
			texts = append(texts, c)
		}
	}
	return texts
}

// refoldKeyed goes through a table by key, a page at a time.
func (t *tx) refoldKeyed(table *schema.Table, texts []*schema.Column) error {
	columns := append([]*schema.Column{table.Key}, texts...)
	q := selection(table, columns)
	q.Order = []query.Order{{Expr: query.Ref{Link: q.Root, Column: table.Key}}}
	q.Page.Size = refoldPage
	for {
		rows, err := t.collect(q, columns)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, set := range rows {
			if err := t.Update(context.Background(), table, set[0].Value.ID(), set[1:]); err != nil {
				return err
			}
		}
		last := rows[len(rows)-1][0].Value
		q.Page.After = &query.Position{Values: []value.Value{last}}
	}
}

// refoldHidden writes every row of a table without a key of its own anew. Texts may be part of what identifies it there,
// so the old row goes first.
func (t *tx) refoldHidden(table *schema.Table) error {
	columns := storedColumns(table)
	rows, err := t.collect(selection(table, columns), columns)
	if err != nil {
		return err
	}
	for _, set := range rows {
		identity := slices.DeleteFunc(slices.Clone(set), func(a query.Assign) bool { return !slices.Contains(table.Unique[0], a.Column) })
		if err := t.Remove(context.Background(), table, identity); err != nil {
			return err
		}
		if err := t.Put(context.Background(), table, set); err != nil {
			return err
		}
	}
	return nil
}

// selection is a query for columns of all rows of a table.
func selection(table *schema.Table, columns []*schema.Column) *query.Query {
	link := &query.Link{Table: table}
	q := &query.Query{Root: link, Select: query.Node{Link: link}}
	for _, c := range columns {
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: query.Ref{Link: link, Column: c}, Column: c})
	}
	return q
}

// collect reads all rows of a query for columns as assignments.
func (t *tx) collect(q *query.Query, columns []*schema.Column) ([][]query.Assign, error) {
	rows, err := t.Read(context.Background(), q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all [][]query.Assign
	for rows.Next() {
		set := make([]query.Assign, len(columns))
		at := 0
		for i, c := range columns {
			set[i] = query.Assign{Column: c, Value: query.Cell(rows, at, c)}
			at += q.Select.Outputs[i].Cells()
		}
		all = append(all, set)
	}
	return all, rows.Err()
}
