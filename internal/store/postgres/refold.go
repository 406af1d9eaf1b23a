package postgres

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// refoldPage is the number of rows folded anew at a time.
const refoldPage = 1000

// refold brings the folds stored beside texts to this program's rules, when those of the database are older. Each table is a
// transaction; the version is noted when all are done, so an interrupted run is simply run again.
func (s *Store) refold(ctx context.Context, conn *pgx.Conn) error {
	m, err := readMeta(ctx, conn)
	if err != nil || m[metaFold] == strconv.Itoa(value.FoldVersion) {
		return err
	}
	s.log.Info("texts are folded anew", "from", m[metaFold], "to", value.FoldVersion)
	for _, table := range s.model.Tables {
		texts := slices.DeleteFunc(storedColumns(table), func(c *schema.Column) bool { return !sqlgen.Shadowed(c) })
		if len(texts) == 0 {
			continue
		}
		fold := func(tx store.Tx) error { return refoldKeyed(ctx, tx, table, texts) }
		if table.Key == nil {
			fold = func(tx store.Tx) error { return refoldHidden(ctx, tx, table) }
		}
		if err := s.Bulk(ctx, fold); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, "UPDATE "+metaTable+" SET value = $1 WHERE name = $2", strconv.Itoa(value.FoldVersion), metaFold)
	return err
}

// refoldKeyed writes the texts of a table once more, a page at a time, which renews their folds.
func refoldKeyed(ctx context.Context, tx store.Tx, table *schema.Table, texts []*schema.Column) error {
	columns := append([]*schema.Column{table.Key}, texts...)
	q := selection(table, columns)
	q.Order = []query.Order{{Expr: query.Ref{Link: q.Root, Column: table.Key}}}
	q.Page.Size = refoldPage
	for {
		rows, err := collect(ctx, tx, q, columns)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, set := range rows {
			if err := tx.Update(ctx, table, set[0].Value.ID(), set[1:]); err != nil {
				return err
			}
		}
		q.Page.After = &query.Position{Values: []value.Value{rows[len(rows)-1][0].Value}}
	}
}

// refoldHidden does the same for a table that texts may identify the rows of: a row is put in the place of itself.
func refoldHidden(ctx context.Context, tx store.Tx, table *schema.Table) error {
	columns := storedColumns(table)
	rows, err := collect(ctx, tx, selection(table, columns), columns)
	if err != nil {
		return err
	}
	for _, set := range rows {
		key := slices.DeleteFunc(slices.Clone(set), func(a query.Assign) bool { return !slices.Contains(table.Unique[0], a.Column) })
		if err := tx.Remove(ctx, table, key); err != nil {
			return err
		}
		if err := tx.Put(ctx, table, set); err != nil {
			return err
		}
	}
	return nil
}

// selection asks for columns of all rows of a table.
func selection(table *schema.Table, columns []*schema.Column) *query.Query {
	root := &query.Link{Table: table}
	q := &query.Query{Root: root, Select: query.Node{Link: root}}
	for _, c := range columns {
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: query.Ref{Link: root, Column: c}, Column: c})
	}
	return q
}

// collect reads the rows of a selection as assignments.
func collect(ctx context.Context, r store.Reader, q *query.Query, columns []*schema.Column) ([][]query.Assign, error) {
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
