package storetest

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

func (g *grower) call(fn query.Fn, args ...query.Expr) query.Expr {
	g.fns[fn]++
	return query.Call{Fn: fn, Args: args}
}

// text makes a text expression.
func (g *grower) text(depth int) query.Expr {
	if depth <= 1 || g.chance(2) {
		return g.ref(value.KindText)
	}
	inner := func() query.Expr { return g.text(depth - 1) }
	switch g.rnd.Intn(8) {
	case 0:
		return g.call(query.FnToLower, inner())
	case 1:
		return g.call(query.FnToUpper, inner())
	case 2:
		return g.call(query.FnTrim, inner())
	case 3:
		return g.call(query.FnConcat, inner(), query.Literal{Value: value.Text(pick(g.rnd, texts))})
	case 4:
		return g.call(query.FnSubstring, inner(), query.Literal{Value: value.Int(int64(g.rnd.Intn(4) - 1))})
	case 5:
		return g.call(query.FnSubstring, inner(), g.ref(value.KindInt), query.Literal{Value: value.Int(int64(g.rnd.Intn(4)))})
	case 6:
		return g.call(query.FnCoalesce, inner(), query.Literal{Value: value.Text("Ä")})
	default:
		return g.title()
	}
}

// title is the name of a related group, as a sub-select.
func (g *grower) title() query.Expr {
	for _, l := range g.links {
		if l.Table == g.items {
			return query.TitleOf(query.Ref{Link: l, Column: g.items.MustColumn(pick(g.rnd, []string{"tst_group", "tst_about"}))})
		}
	}
	return g.ref(value.KindText)
}

// number makes a numeric expression; it is of the kind asked for where it is simple.
func (g *grower) number(kind value.Kind, depth int) query.Expr {
	if depth <= 1 || g.chance(2) {
		return g.ref(kind)
	}
	inner := func() query.Expr { return g.number(pick(g.rnd, numbers), depth-1) }
	switch g.rnd.Intn(12) {
	case 0:
		return g.call(pick(g.rnd, []query.Fn{query.FnAdd, query.FnSub, query.FnMul}), inner(), inner())
	case 1:
		return g.call(pick(g.rnd, []query.Fn{query.FnDiv, query.FnMod}), inner(), inner())
	case 2:
		return g.call(query.FnNeg, inner())
	case 3:
		return g.call(pick(g.rnd, []query.Fn{query.FnRound, query.FnFloor, query.FnCeiling}), inner())
	case 4:
		return g.call(query.FnCoalesce, g.ref(kind), query.Literal{Value: value.Int(2)})
	case 5:
		return g.call(query.FnGreatest, g.ref(kind), query.Literal{Value: value.Int(1)})
	case 6:
		return g.call(query.FnIf, query.Test{Filter: g.condition(1)}, g.ref(kind), query.Literal{Value: value.Null})
	case 7:
		rates := []int64{12500000000, 3333333333, 10000000000, 1}
		if g.chance(2) { // the least rate makes any amount too large to be calculated with further
			return g.call(query.FnToBase, g.ref(value.KindMoney), rate(pick(g.rnd, rates[:3])))
		}
		return g.call(query.FnFromBase, g.ref(value.KindMoney), rate(pick(g.rnd, rates)))
	case 8:
		return g.call(query.FnMoney, g.ref(value.KindInt))
	case 9:
		if g.chance(2) {
			return g.call(query.FnLength, g.text(2))
		}
		return g.call(query.FnIndexOf, g.text(2), query.Literal{Value: value.Text(pick(g.rnd, []string{"a", "B", "é", " "}))})
	case 10:
		return g.datePart()
	default:
		return g.total()
	}
}

// total is a number over related rows, as a sub-select.
func (g *grower) total() query.Expr {
	s := &query.Scalar{Source: g.relate(pick(g.rnd, g.links))}
	s.Agg = pick(g.rnd, []query.Agg{query.AggNone, query.AggSum, query.AggAvg, query.AggMin, query.AggMax, query.AggCount, query.AggCountColumn})
	g.within(s.Source, func() {
		s.Pick = query.Ref{Link: s.Source, Column: s.Source.Table.Key}
		for _, c := range s.Source.Table.Columns {
			if c.Type.Kind() == value.KindMoney && !c.System && c.BaseOf == nil {
				s.Pick = query.Ref{Link: s.Source, Column: c}
			}
		}
		if g.chance(2) {
			s.Where = g.condition(1)
		}
	})
	return s
}

var groupings = []query.Fn{query.FnGroupDay, query.FnGroupWeek, query.FnGroupMonth, query.FnGroupQuarter, query.FnGroupYear,
	query.FnGroupFiscalPeriod, query.FnGroupFiscalYear}

var dateParts = append([]query.Fn{query.FnYear, query.FnMonth, query.FnDay, query.FnHour, query.FnMinute, query.FnSecond}, groupings...)

func (g *grower) datePart() query.Expr { return g.call(pick(g.rnd, dateParts), g.date()) }

// date makes an expression that yields a date or a moment.
func (g *grower) date() query.Expr {
	kind := pick(g.rnd, []value.Kind{value.KindDate, value.KindTime})
	if g.chance(4) {
		return g.call(query.FnDate, g.ref(kind))
	}
	return g.ref(kind)
}

// rate is an exchange rate of so many ten-thousand-millionths.
func rate(n int64) query.Expr { return query.Literal{Value: value.Decimal(n, 10)} }
