package rulestest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Find returns the rows whose columns hold the values, in key order.
func (e *Env) Find(t *schema.Table, where []query.Assign, cols []*schema.Column) ([]*query.Row, error) {
	e.Calls++
	found := map[value.GUID]*query.Row{}
	for id, r := range e.rows[t] {
		if !slices.ContainsFunc(where, func(a query.Assign) bool { return !same(r.Get(a.Column), a.Value) }) {
			found[id] = pick(r, cols)
		}
	}
	return sortedRows(found), nil
}

// same compares values as an equality of the store does: the type code of a lookup does not matter here.
func same(a, b value.Value) bool {
	if a.Kind() == value.KindID && b.Kind() == value.KindID {
		return a.ID() == b.ID()
	}
	return a == b
}

// pick copies the columns asked for into a row of its own, so that a rule that forgot one sees null.
func pick(r *query.Row, cols []*schema.Column) *query.Row {
	if cols == nil {
		return r.Clone()
	}
	out := query.NewRow(r.Table, r.ID)
	for _, c := range cols {
		out.Set(c, r.Get(c))
	}
	return out
}

func sortedRows(m map[value.GUID]*query.Row) []*query.Row {
	return slices.SortedFunc(maps.Values(m), func(a, b *query.Row) int { return slices.Compare(a.ID[:], b.ID[:]) })
}

// Read answers queries over one table: conditions, order, position and page size.
func (e *Env) Read(q *query.Query) (query.Rows, error) {
	e.Calls++
	t := q.Root.Table
	var all []*query.Row
	if t.Key != nil {
		all = sortedRows(e.rows[t])
	} else {
		for _, key := range slices.Sorted(maps.Keys(e.side[t])) {
			all = append(all, e.side[t][key])
		}
	}
	all = slices.DeleteFunc(all, func(r *query.Row) bool {
		return !holds(r, q.Where) || q.Page.After != nil && compareTo(r, q.Order, q.Page.After.Values) <= 0
	})
	slices.SortStableFunc(all, func(a, b *query.Row) int { return compareTo(a, q.Order, orderValues(b, q.Order)) })
	if q.Page.Size > 0 && len(all) > q.Page.Size {
		all = all[:q.Page.Size]
	}
	return &cursor{rows: all, outputs: q.Select.Outputs, at: -1}, nil
}

func orderValues(r *query.Row, order []query.Order) []value.Value {
	out := make([]value.Value, len(order))
	for i, o := range order {
		out[i] = eval(r, o.Expr)
	}
	return out
}

func compareTo(r *query.Row, order []query.Order, values []value.Value) int {
	for i, o := range order {
		c := compare(eval(r, o.Expr), values[i])
		if o.Desc {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func compare(a, b value.Value) int {
	switch {
	case a.IsNull() || b.IsNull():
		return cmp.Compare(b2i(!a.IsNull()), b2i(!b.IsNull()))
	case a.Kind() == value.KindID:
		x, y := a.ID(), b.ID()
		return slices.Compare(x[:], y[:])
	case a.Kind() == value.KindText:
		return cmp.Compare(value.Fold(a.Text()), value.Fold(b.Text()))
	default:
		return cmp.Compare(a.Int(), b.Int())
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func eval(r *query.Row, x query.Expr) value.Value {
	switch x := x.(type) {
	case query.Ref:
		return r.Get(x.Column)
	case query.Literal:
		return x.Value
	default:
		panic(fmt.Sprintf("rulestest: expression %T", x))
	}
}

func holds(r *query.Row, f query.Filter) bool {
	switch f := f.(type) {
	case nil:
		return true
	case query.And:
		return !slices.ContainsFunc(f, func(g query.Filter) bool { return !holds(r, g) })
	case query.Or:
		return slices.ContainsFunc(f, func(g query.Filter) bool { return holds(r, g) })
	case query.Cond:
		return condition(eval(r, f.Left), f)
	default:
		panic(fmt.Sprintf("rulestest: filter %T", f))
	}
}

func condition(v value.Value, c query.Cond) bool {
	args := make([]value.Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = eval(nil, a)
	}
	switch c.Op {
	case query.OpNull:
		return v.IsNull()
	case query.OpNotNull:
		return !v.IsNull()
	case query.OpEq:
		return !v.IsNull() && compare(v, args[0]) == 0
	case query.OpGe:
		return !v.IsNull() && compare(v, args[0]) >= 0
	case query.OpLe:
		return !v.IsNull() && compare(v, args[0]) <= 0
	case query.OpIn:
		return slices.ContainsFunc(args, func(a value.Value) bool { return !v.IsNull() && compare(v, a) == 0 })
	default:
		panic(fmt.Sprintf("rulestest: operator %d", c.Op))
	}
}

// cursor gives out cells in the store's canonical form.
type cursor struct {
	rows    []*query.Row
	outputs []query.Output
	at      int
}

func (c *cursor) Next() bool { c.at++; return c.at < len(c.rows) }
func (c *cursor) Err() error { return nil }
func (c *cursor) Close()     {}

// cell finds the value in a cell; a polymorphic lookup takes two.
func (c *cursor) cell(i int) (v value.Value, typeCode bool) {
	for _, o := range c.outputs {
		if i == 0 {
			return eval(c.rows[c.at], o.Expr), false
		}
		i--
		if o.HasTypeCell() {
			if i == 0 {
				return eval(c.rows[c.at], o.Expr), true
			}
			i--
		}
	}
	panic("rulestest: no such cell")
}

func (c *cursor) Null(i int) bool { v, _ := c.cell(i); return v.IsNull() }

func (c *cursor) Int(i int) int64 {
	v, typeCode := c.cell(i)
	if typeCode {
		return int64(v.TypeCode())
	}
	return v.Int()
}

func (c *cursor) Float(i int) float64 { v, _ := c.cell(i); return v.Float() }

func (c *cursor) Bytes(i int) []byte {
	v, _ := c.cell(i)
	if v.Kind() == value.KindID {
		id := v.ID()
		return id[:]
	}
	return []byte(v.Text())
}
