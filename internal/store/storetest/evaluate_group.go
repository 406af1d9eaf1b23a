package storetest

import (
	"slices"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// merged returns the rows of a grouped or distinct query in order.
func (ev *Evaluator) merged(q *query.Query) [][]value.Value {
	keys, groups := ev.groups(q)
	var out [][]value.Value
	for _, key := range keys {
		out = append(out, ev.groupCells(&q.Select, groups[key]))
	}
	slices.SortStableFunc(out, func(a, b []value.Value) int {
		for _, o := range q.Order {
			at, by := cellOf(q, o.Expr)
			if c := orderOf(by, a[at], b[at], o.Desc); c != 0 {
				return c
			}
		}
		return 0
	})
	return out
}

// groups puts the rows that agree in all group keys together; without keys all rows, also none, are one group.
func (ev *Evaluator) groups(q *query.Query) (keys []string, groups map[string][]*scope) {
	groups = map[string][]*scope{}
	keyed := false
	for i := range q.Select.Outputs {
		keyed = keyed || q.Select.Outputs[i].GroupKey()
	}
	if !keyed {
		keys, groups[""] = []string{""}, nil
	}
	for _, s := range ev.matching(q, nil) {
		var key strings.Builder
		for i := range q.Select.Outputs {
			if o := &q.Select.Outputs[i]; o.GroupKey() {
				key.WriteString(groupKey(ev.eval(o.Expr, s)) + "\x00")
			}
		}
		if _, seen := groups[key.String()]; !seen && keyed {
			keys = append(keys, key.String())
		}
		groups[key.String()] = append(groups[key.String()], s)
	}
	return keys, groups
}

func groupKey(v value.Value) string {
	if v.Kind() == value.KindText {
		return "text:" + value.Fold(v.Text())
	}
	return v.Kind().String() + ":" + v.String()
}

func (ev *Evaluator) groupCells(n *query.Node, group []*scope) []value.Value {
	var out []value.Value
	for i := range n.Outputs {
		o := &n.Outputs[i]
		if o.Agg != query.AggNone {
			out = append(out, ev.aggregate(o.Agg, o.Distinct, o.Expr, group))
			continue
		}
		v := ev.aggregate(query.AggMin, false, o.Expr, group)
		out = append(out, v)
		if o.HasTypeCell() {
			out = append(out, typeCell(v))
		}
		if o.Label != nil {
			out = append(out, ev.eval(o.Label, group[0]))
		}
	}
	return out
}

// cellOf is the cell a sort key of a merged query means, and how it is compared: the least or greatest text of a group is
// compared by code point, a text that is a group key by its fold.
func cellOf(q *query.Query, e query.Expr) (int, func(a, b value.Value) (int, bool)) {
	at := 0
	for i := range q.Select.Outputs {
		o := &q.Select.Outputs[i]
		if ref, ok := e.(query.OutputRef); ok && ref.Index == i || !ok && o.Expr == e {
			if o.Agg != query.AggNone {
				return at, comparePlain
			}
			return at, compare
		}
		at += o.Cells()
	}
	panic("storetest: sorted by what is not put out")
}

// aggregate computes an aggregate over the non-null values of a group.
func (ev *Evaluator) aggregate(agg query.Agg, distinct bool, e query.Expr, group []*scope) value.Value {
	if agg == query.AggCount {
		return value.Int(int64(len(group)))
	}
	var values []value.Value
	seen := map[string]bool{}
	for _, s := range group {
		v := ev.eval(e, s)
		if v.IsNull() || distinct && seen[groupKey(v)] {
			continue
		}
		seen[groupKey(v)] = true
		values = append(values, v)
	}
	switch {
	case agg == query.AggCountColumn:
		return value.Int(int64(len(values)))
	case len(values) == 0:
		return value.Null
	case agg == query.AggMin:
		return slices.MinFunc(values, plainOrder)
	case agg == query.AggMax:
		return slices.MaxFunc(values, plainOrder)
	default:
		return total(agg, values)
	}
}

// comparePlain compares texts by code point, not by fold, and everything else as ever.
func comparePlain(a, b value.Value) (int, bool) {
	if a.Kind() == value.KindText && b.Kind() == value.KindText {
		return strings.Compare(a.Text(), b.Text()), true
	}
	return compare(a, b)
}

// plainOrder is comparePlain for values that are not null.
func plainOrder(a, b value.Value) int {
	c, _ := comparePlain(a, b)
	return c
}

// total is the sum or the mean: exact for integers in their unit, a mean of integers cut, of money and decimals rounded.
func total(agg query.Agg, values []value.Value) value.Value {
	first := values[0]
	if first.Kind() == value.KindFloat {
		sum := 0.0
		for _, v := range values {
			sum += v.Float()
		}
		if agg == query.AggAvg {
			sum /= float64(len(values))
		}
		return value.Float(sum)
	}
	sum, n := int64(0), int64(len(values))
	for _, v := range values {
		sum += v.Int()
	}
	switch {
	case agg == query.AggSum:
		return sameUnit(first, sum)
	case first.Kind() == value.KindMoney || first.Kind() == value.KindDecimal:
		return sameUnit(first, divideRounded(sum, n))
	default:
		return sameUnit(first, sum/n)
	}
}

// divideRounded is a / b rounded half away from zero; b is positive.
func divideRounded(a, b int64) int64 {
	q, r := a/b, a%b
	switch {
	case 2*r >= b:
		return q + 1
	case -2*r >= b:
		return q - 1
	default:
		return q
	}
}

// sameUnit makes a value of n units of the kind and scale of v.
func sameUnit(v value.Value, n int64) value.Value {
	switch v.Kind() {
	case value.KindMoney:
		return value.Money(n)
	case value.KindDecimal:
		return value.Decimal(n, v.Scale())
	case value.KindDate:
		return value.Date(n)
	case value.KindTime:
		return value.Time(n)
	case value.KindBool:
		return value.Bool(n != 0)
	default:
		return value.Int(n)
	}
}
