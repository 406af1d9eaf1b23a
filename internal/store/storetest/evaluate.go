package storetest

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Evaluator answers queries over rows in memory by plain loops: no index, no plan, no SQL. It is the third voice of the
// vote.
type Evaluator struct {
	Calendar query.Calendar
	Rows     map[*schema.Table][]*query.Row

	values map[*query.InQuery][]value.Value // what queries inside conditions gave; they depend on no row outside
}

// scope binds sources to rows, innermost first. A nil row is one an outer join did not find.
type scope struct {
	link *query.Link
	row  *query.Row
	up   *scope
}

func (s *scope) rowOf(l *query.Link) *query.Row {
	for ; s != nil; s = s.up {
		if s.link == l {
			return s.row
		}
	}
	panic("storetest: a source out of reach")
}

// Read returns the cells of all rows a query gives, its page applied.
func (ev *Evaluator) Read(q *query.Query) [][]value.Value {
	if q.Grouped || q.Distinct {
		return cut(ev.merged(q), q.Page)
	}
	found := ev.ordered(q, nil)
	if q.Page.After != nil {
		found = slices.DeleteFunc(found, func(s *scope) bool { return !ev.isAfter(q.Order, q.Page.After, s) })
	}
	var out [][]value.Value
	for _, s := range found {
		out = append(out, ev.cells(&q.Select, s))
	}
	return cut(out, q.Page)
}

// Children returns what a store's ReadChildren gives.
func (ev *Evaluator) Children(e *query.Expand, parents []value.GUID) [][]value.Value {
	parents = slices.Clone(parents)
	slices.SortFunc(parents, func(a, b value.GUID) int { return bytes.Compare(a[:], b[:]) })
	found := ev.ordered(e.Many, nil)
	var out [][]value.Value
	for _, parent := range slices.Compact(parents) {
		n := 0
		for _, s := range found {
			key := ev.eval(e.Parent, s)
			if key.IsNull() || key.ID() != parent || e.Top > 0 && n == e.Top {
				continue
			}
			n++
			out = append(out, append([]value.Value{value.ID(parent)}, ev.cells(&e.Many.Select, s)...))
		}
	}
	return out
}

// Count returns the number of rows without the page.
func (ev *Evaluator) Count(q *query.Query) int64 {
	whole := *q
	whole.Page, whole.Order = query.Page{}, nil
	return int64(len(ev.Read(&whole)))
}

func cut(rows [][]value.Value, page query.Page) [][]value.Value {
	rows = rows[min(page.Offset, len(rows)):]
	if page.Size > 0 {
		rows = rows[:min(page.Size, len(rows))]
	}
	return rows
}

// matching lists the joined rows of a query that satisfy its filter.
func (ev *Evaluator) matching(q *query.Query, up *scope) []*scope {
	var found []*scope
	for _, row := range ev.Rows[q.Root.Table] {
		found = append(found, &scope{q.Root, row, up})
	}
	found = ev.joined(found, q.Links)
	return slices.DeleteFunc(found, func(s *scope) bool { return !ev.holds(q.Where, s) })
}

// ordered is matching in order.
func (ev *Evaluator) ordered(q *query.Query, up *scope) []*scope {
	found := ev.matching(q, up)
	keys := make(map[*scope][]value.Value, len(found))
	for _, s := range found {
		for _, o := range q.Order {
			keys[s] = append(keys[s], ev.eval(o.Expr, s))
		}
	}
	slices.SortStableFunc(found, func(a, b *scope) int {
		for i, o := range q.Order {
			if c := orderOf(compare, keys[a][i], keys[b][i], o.Desc); c != 0 {
				return c
			}
		}
		return 0
	})
	return found
}

// joined extends each scope by the links, in turn.
func (ev *Evaluator) joined(found []*scope, links []*query.Link) []*scope {
	for _, l := range links {
		var next []*scope
		for _, s := range found {
			next = append(next, ev.join(l, s)...)
		}
		found = next
	}
	return found
}

func (ev *Evaluator) join(l *query.Link, up *scope) []*scope {
	found := ev.linked(l, up)
	switch {
	case l.Kind == query.First && len(found) > 1:
		least := slices.MinFunc(found, func(a, b *scope) int { return bytes.Compare(a.row.ID[:], b.row.ID[:]) })
		return []*scope{least}
	case l.Kind == query.Outer && len(found) == 0:
		return []*scope{{l, nil, up}}
	default:
		return found
	}
}

// linked lists the rows of a source that match its parent.
func (ev *Evaluator) linked(l *query.Link, up *scope) []*scope {
	var found []*scope
	for _, row := range ev.Rows[l.Table] {
		s := &scope{l, row, up}
		from, to := row.Get(l.From), ev.eval(query.Ref{Link: l.Parent, Column: l.To}, s)
		if c, ok := compare(from, to); ok && c == 0 && sameTable(l, from, to) && ev.holds(l.On, s) {
			found = append(found, s)
		}
	}
	return found
}

// sameTable tells whether two lookups, one of them polymorphic, mean rows of one table.
func sameTable(l *query.Link, from, to value.Value) bool {
	return !l.From.Polymorphic() && !l.To.Polymorphic() || codeOf(l.From, from) == codeOf(l.To, to)
}

func codeOf(c *schema.Column, v value.Value) int {
	switch {
	case c.Polymorphic():
		return v.TypeCode()
	case len(c.Targets) == 1:
		return c.Targets[0].TypeCode
	default:
		return c.Table.TypeCode
	}
}

// compare orders two values; ok is false when one is null.
func compare(a, b value.Value) (c int, ok bool) {
	switch {
	case a.IsNull() || b.IsNull():
		return 0, false
	case a.Kind() == value.KindText:
		return strings.Compare(value.Fold(a.Text()), value.Fold(b.Text())), true
	case a.Kind() == value.KindID:
		x, y := a.ID(), b.ID()
		return bytes.Compare(x[:], y[:]), true
	case a.Kind() == value.KindDate || a.Kind() == value.KindTime:
		return cmp.Compare(seconds(a), seconds(b)), true
	case a.Kind() == b.Kind() && a.Scale() == b.Scale() && a.Kind() != value.KindFloat:
		return cmp.Compare(a.Int(), b.Int()), true
	default:
		return a.Rat().Cmp(b.Rat()), true
	}
}

func seconds(v value.Value) int64 {
	if v.Kind() == value.KindDate {
		return v.Int() * value.SecondsPerDay
	}
	return v.Int()
}

// orderOf compares two values of a sort key: nulls first, or last when descending.
func orderOf(compare func(a, b value.Value) (int, bool), a, b value.Value, desc bool) int {
	c, ok := compare(a, b)
	switch {
	case !ok && a.IsNull() && b.IsNull():
		return 0
	case !ok && a.IsNull():
		c = -1
	case !ok:
		c = 1
	}
	if desc {
		return -c
	}
	return c
}

// isAfter tells whether a row comes after a position.
func (ev *Evaluator) isAfter(order []query.Order, after *query.Position, s *scope) bool {
	for i, o := range order {
		if c := orderOf(compare, ev.eval(o.Expr, s), after.Values[i], o.Desc); c != 0 {
			return c > 0
		}
	}
	return false
}

// cells are the cells of a node for one row.
func (ev *Evaluator) cells(n *query.Node, s *scope) []value.Value {
	var out []value.Value
	for i := range n.Outputs {
		o := &n.Outputs[i]
		v := ev.eval(o.Expr, s)
		out = append(out, v)
		if o.HasTypeCell() {
			out = append(out, typeCell(v))
		}
		if o.Label != nil {
			out = append(out, ev.eval(o.Label, s))
		}
	}
	for _, e := range n.Expands {
		for _, one := range e.One {
			out = append(out, ev.cells(one, s)...)
		}
	}
	return out
}

func typeCell(v value.Value) value.Value {
	if v.IsNull() {
		return v
	}
	return value.Int(int64(v.TypeCode()))
}
