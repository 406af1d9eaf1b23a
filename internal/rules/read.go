package rules

import (
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// condition is a comparison of a column, bound to a link when the query is made.
type condition struct {
	column *schema.Column
	op     query.Op
	values []value.Value
}

// equal compares a column of a table with a value.
func equal(t *schema.Table, name string, v value.Value) condition {
	return condition{t.MustColumn(name), query.OpEq, []value.Value{v}}
}

// compare compares a column of a table by an operator.
func compare(t *schema.Table, name string, op query.Op, values ...value.Value) condition {
	return condition{t.MustColumn(name), op, values}
}

// readRows reads the rows of a table that meet all conditions, with the named columns, ordered by the named columns (a minus
// in front: descending), after a position, at most size of them.
func readRows(env Env, t *schema.Table, columns []string, where []condition, order []string, after []value.Value, size int) ([]*query.Row, error) {
	root := &query.Link{Table: t}
	q := &query.Query{Root: root, Page: query.Page{Size: size}}
	cols := columnsOf(t, columns)
	outputs := cols
	if t.Key != nil {
		outputs = append([]*schema.Column{t.Key}, cols...)
	}
	q.Select = query.Node{Link: root}
	for _, c := range outputs {
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Name: c.Name, Expr: query.Ref{Link: root, Column: c}, Column: c})
	}
	q.Where = conditions(root, where)
	for _, name := range order {
		plain := strings.TrimPrefix(name, "-")
		q.Order = append(q.Order, query.Order{Expr: query.Ref{Link: root, Column: t.MustColumn(plain)}, Desc: plain != name})
	}
	if after != nil {
		q.Page.After = &query.Position{Values: after}
	}
	return scan(env, q, t, cols)
}

func conditions(root *query.Link, where []condition) query.Filter {
	if len(where) == 0 {
		return nil
	}
	var all query.And
	for _, c := range where {
		cond := query.Cond{Left: query.Ref{Link: root, Column: c.column}, Op: c.op}
		for _, v := range c.values {
			cond.Args = append(cond.Args, query.Literal{Value: v})
		}
		all = append(all, cond)
	}
	return all
}

func scan(env Env, q *query.Query, t *schema.Table, cols []*schema.Column) ([]*query.Row, error) {
	rows, err := env.Read(q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []*query.Row
	for rows.Next() {
		var id value.GUID
		at := 0
		if t.Key != nil {
			id, at = value.GUID(rows.Bytes(0)), 1
		}
		out = append(out, query.ScanRow(t, id, cols, rows, at))
	}
	return out, rows.Err()
}
