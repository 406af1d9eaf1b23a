package storetest

import (
	"slices"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// holds tells whether a filter holds for a row.
func (ev *Evaluator) holds(f query.Filter, s *scope) bool {
	switch f := f.(type) {
	case nil:
		return true
	case query.And:
		for _, part := range f {
			if !ev.holds(part, s) {
				return false
			}
		}
		return true
	case query.Or:
		for _, part := range f {
			if ev.holds(part, s) {
				return true
			}
		}
		return false
	case query.Not:
		return !ev.holds(f.Filter, s)
	case query.Const:
		return bool(f)
	case query.Cond:
		return ev.condition(f, s)
	case *query.Exists:
		for _, found := range ev.joined(ev.linked(f.Link, s), f.Links) {
			if ev.holds(f.Where, found) {
				return true
			}
		}
		return false
	case *query.InQuery:
		left := ev.eval(f.Left, s)
		return slices.ContainsFunc(ev.valuesOf(f), func(v value.Value) bool { return is(left, query.OpEq, v) })
	}
	panic("storetest: unknown filter")
}

// valuesOf runs the query inside a condition, once.
func (ev *Evaluator) valuesOf(f *query.InQuery) []value.Value {
	if values, known := ev.values[f]; known {
		return values
	}
	values := []value.Value{}
	for _, found := range ev.matching(f.Query, nil) {
		values = append(values, ev.eval(f.Query.Select.Outputs[0].Expr, found))
	}
	if ev.values == nil {
		ev.values = map[*query.InQuery][]value.Value{}
	}
	ev.values[f] = values
	return values
}

// opposite maps the operators that hold exactly where another does not.
var opposite = map[query.Op]query.Op{
	query.OpNe: query.OpEq, query.OpNotIn: query.OpIn, query.OpNotLike: query.OpLike, query.OpNotContains: query.OpContains,
	query.OpNotBeginsWith: query.OpBeginsWith, query.OpNotEndsWith: query.OpEndsWith,
	query.OpNotContainValues: query.OpContainValues, query.OpNotUnder: query.OpUnder,
}

func (ev *Evaluator) condition(c query.Cond, s *scope) bool {
	if op, negative := opposite[c.Op]; negative {
		return !ev.condition(query.Cond{Left: c.Left, Op: op, Args: c.Args}, s)
	}
	left := ev.eval(c.Left, s)
	args := make([]value.Value, len(c.Args))
	for i, e := range c.Args {
		args[i] = ev.eval(e, s)
	}
	switch c.Op {
	case query.OpNull:
		return left.IsNull()
	case query.OpNotNull:
		return !left.IsNull()
	case query.OpIn:
		for _, v := range args {
			if is(left, query.OpEq, v) {
				return true
			}
		}
		return false
	case query.OpBetween:
		return is(left, query.OpGe, args[0]) && is(left, query.OpLe, args[1])
	case query.OpNotBetween:
		return is(left, query.OpLt, args[0]) || is(left, query.OpGt, args[1])
	case query.OpLike, query.OpContains, query.OpBeginsWith, query.OpEndsWith:
		_, constant := c.Args[0].(query.Literal)
		return textMatches(c.Op, left, args[0], constant)
	case query.OpContainValues:
		for _, v := range args {
			if strings.Contains(","+left.Text()+",", ","+v.String()+",") {
				return true
			}
		}
		return false
	case query.OpAbove, query.OpAboveOrEqual, query.OpUnder, query.OpUnderOrEqual:
		return ev.inHierarchy(c, left, args[0])
	default:
		return is(left, c.Op, args[0])
	}
}

// is compares two values by one of the six comparisons but ne.
func is(a value.Value, op query.Op, b value.Value) bool {
	c, ok := compare(a, b)
	switch op {
	case query.OpEq:
		return ok && c == 0
	case query.OpGt:
		return ok && c > 0
	case query.OpGe:
		return ok && c >= 0
	case query.OpLt:
		return ok && c < 0
	default:
		return ok && c <= 0
	}
}

// textMatches applies a text operator; a constant is a pattern, a computed text is taken as it is.
func textMatches(op query.Op, left, right value.Value, pattern bool) bool {
	if left.IsNull() || right.IsNull() {
		return false
	}
	text := value.Fold(left.Text())
	switch {
	case pattern && op == query.OpContains:
		return query.ContainsPattern(right.Text()).Match(text)
	case pattern && op == query.OpBeginsWith:
		return query.PrefixPattern(right.Text()).Match(text)
	case pattern && op == query.OpEndsWith:
		return query.SuffixPattern(right.Text()).Match(text)
	case pattern:
		return query.LikePattern(right.Text()).Match(text)
	case op == query.OpContains:
		return strings.Contains(text, query.FoldOpen(right.Text()))
	case op == query.OpBeginsWith:
		return strings.HasPrefix(text, query.FoldOpen(right.Text()))
	default:
		return strings.HasSuffix(text, value.Fold(right.Text()))
	}
}

// inHierarchy tells whether a key or lookup is above or under a row.
func (ev *Evaluator) inHierarchy(c query.Cond, left, row value.Value) bool {
	if left.IsNull() {
		return false
	}
	column := c.Left.(query.Ref).Column
	table := column.Table
	if column != table.Key {
		table = column.Targets[0]
	}
	if left.ID() == row.ID() && (c.Op == query.OpAboveOrEqual || c.Op == query.OpUnderOrEqual) {
		return true
	}
	parents := map[value.GUID]value.Value{}
	for _, r := range table.Parents {
		if r.Hierarchical && r.Parent == table {
			for _, row := range ev.Rows[table] {
				parents[row.ID] = row.Get(r.Column)
			}
		}
	}
	from, to := left.ID(), row.ID()
	if c.Op == query.OpAbove || c.Op == query.OpAboveOrEqual {
		from, to = to, from
	}
	for range 100 {
		parent, known := parents[from]
		if !known || parent.IsNull() {
			return false
		}
		if from = parent.ID(); from == to {
			return true
		}
	}
	return false
}
