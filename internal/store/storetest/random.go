package storetest

import (
	"math/rand"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// grower makes random query trees over a dataset and counts what it draws.
type grower struct {
	*dataset
	rnd   *rand.Rand
	links []*query.Link // sources in reach
	ops   map[query.Op]int
	fns   map[query.Fn]int
}

func newGrower(rnd *rand.Rand, d *dataset) *grower {
	return &grower{dataset: d, rnd: rnd, ops: map[query.Op]int{}, fns: map[query.Fn]int{}}
}

func (g *grower) chance(one int) bool { return g.rnd.Intn(one) == 0 }

// query makes a read of items with joins, a filter and an order that ends in the keys of all sources.
func (g *grower) query() *query.Query {
	q := &query.Query{Root: &query.Link{Table: g.items}}
	g.links = []*query.Link{q.Root}
	for range g.rnd.Intn(3) {
		q.Links = append(q.Links, g.link())
	}
	q.Where = g.filter(3)
	return q
}

// link joins one more source to one in reach.
func (g *grower) link() *query.Link {
	parent := pick(g.rnd, g.links)
	l := g.relate(parent)
	l.Kind = pick(g.rnd, []query.JoinKind{query.Inner, query.Outer, query.First})
	g.links = append(g.links, l)
	if g.chance(3) {
		l.On = g.condition(1)
	}
	return l
}

// relate makes a link to rows related to a source: by lookup, backwards, through a polymorphic lookup, or by equal text.
func (g *grower) relate(parent *query.Link) *query.Link {
	items, groups := g.items, g.groups
	name, title := items.MustColumn("tst_name"), groups.MustColumn("tst_title")
	about := items.MustColumn("tst_about")
	if parent.Table == groups {
		return pick(g.rnd, []*query.Link{
			{Table: items, Parent: parent, From: items.MustColumn("tst_group"), To: groups.Key},
			{Table: items, Parent: parent, From: about, To: groups.Key},
			{Table: items, Parent: parent, From: name, To: title},
		})
	}
	return pick(g.rnd, []*query.Link{
		{Table: groups, Parent: parent, From: groups.Key, To: items.MustColumn("tst_group")},
		{Table: groups, Parent: parent, From: groups.Key, To: about},
		{Table: items, Parent: parent, From: items.Key, To: about},
		{Table: items, Parent: parent, From: items.Key, To: items.MustColumn("tst_parent")},
		{Table: items, Parent: parent, From: items.MustColumn("tst_parent"), To: items.Key},
		{Table: items, Parent: parent, From: about, To: items.Key},
		{Table: items, Parent: parent, From: about, To: about},
		{Table: groups, Parent: parent, From: title, To: name},
	})
}

// filter makes a filter of some depth.
func (g *grower) filter(depth int) query.Filter {
	if depth == 0 {
		return g.condition(1 + g.rnd.Intn(3))
	}
	switch g.rnd.Intn(8) {
	case 0, 1:
		return query.And(g.filters(depth - 1))
	case 2, 3:
		return query.Or(g.filters(depth - 1))
	case 4:
		return query.Not{Filter: g.filter(depth - 1)}
	case 5:
		return g.exists(depth - 1)
	case 6:
		return g.inQuery(depth - 1)
	default:
		return g.condition(3)
	}
}

func (g *grower) filters(depth int) []query.Filter {
	var out []query.Filter
	for range g.rnd.Intn(4) {
		out = append(out, g.filter(depth))
	}
	if g.chance(12) {
		out = append(out, query.Const(g.chance(2)))
	}
	return out
}

// within runs fn with more sources in reach and puts them out of reach again.
func (g *grower) within(l *query.Link, fn func()) {
	mark := len(g.links)
	g.links = append(g.links, l)
	fn()
	g.links = g.links[:mark]
}

func (g *grower) exists(depth int) query.Filter {
	e := &query.Exists{Link: g.relate(pick(g.rnd, g.links))}
	g.within(e.Link, func() {
		if g.chance(3) {
			e.Links = append(e.Links, g.link())
		}
		if !g.chance(4) {
			e.Where = g.filter(depth)
		}
	})
	return e
}

func (g *grower) inQuery(depth int) query.Filter {
	kind := pick(g.rnd, []value.Kind{value.KindText, value.KindID, value.KindInt})
	in := &query.InQuery{Left: g.ref(kind)}
	root := &query.Link{Table: g.items}
	in.Query = &query.Query{Root: root}
	outer := g.links
	g.links = []*query.Link{root}
	in.Query.Where = g.filter(depth)
	in.Query.Select.Outputs = []query.Output{{Expr: g.ref(kind)}}
	g.links = outer
	return in
}

// ref draws a column of a kind from a source in reach; items have one of every kind.
func (g *grower) ref(kind value.Kind) query.Expr {
	var found []query.Expr
	for _, l := range g.links {
		for _, c := range l.Table.Columns {
			if c.Type.Kind() == kind && c.Stored() && !c.System && c.BaseOf == nil && c.Type != schema.TypeMultiChoice {
				found = append(found, query.Ref{Link: l, Column: c})
			}
		}
	}
	if len(found) == 0 {
		return g.literal(kind)
	}
	return pick(g.rnd, found)
}

func (g *grower) literal(kind value.Kind) query.Expr {
	if g.chance(30) {
		return query.Literal{Value: value.Null}
	}
	if kind == value.KindID && g.chance(2) {
		return query.Literal{Value: value.ID(pick(g.rnd, g.rows).ID)}
	}
	return query.Literal{Value: randomValue(g.rnd, kind)}
}

var numbers = []value.Kind{value.KindInt, value.KindMoney, value.KindDecimal, value.KindFloat}

// condition makes one comparison.
func (g *grower) condition(depth int) query.Filter {
	switch g.rnd.Intn(9) {
	case 0, 1:
		return g.textCondition(depth)
	case 2, 3, 4:
		kind := pick(g.rnd, numbers)
		return g.comparison(g.number(kind, depth), func() query.Expr {
			if g.chance(3) {
				return g.number(pick(g.rnd, numbers), depth)
			}
			return g.literal(pick(g.rnd, numbers))
		})
	case 5, 6:
		dates := []value.Kind{value.KindDate, value.KindTime}
		return g.comparison(g.date(), func() query.Expr {
			if g.chance(3) {
				return g.date()
			}
			return g.literal(pick(g.rnd, dates))
		})
	case 7:
		return g.idCondition()
	default:
		return g.multiChoice()
	}
}

func (g *grower) cond(left query.Expr, op query.Op, args ...query.Expr) query.Cond {
	g.ops[op]++
	return query.Cond{Left: left, Op: op, Args: args}
}

var comparisons = []query.Op{query.OpEq, query.OpNe, query.OpGt, query.OpGe, query.OpLt, query.OpLe, query.OpIn, query.OpNotIn,
	query.OpBetween, query.OpNotBetween, query.OpNull, query.OpNotNull}

// comparison compares an expression by any of the operators every kind has.
func (g *grower) comparison(left query.Expr, arg func() query.Expr) query.Filter {
	op := pick(g.rnd, comparisons)
	switch op {
	case query.OpNull, query.OpNotNull:
		return g.cond(left, op)
	case query.OpBetween, query.OpNotBetween:
		return g.cond(left, op, arg(), arg())
	case query.OpIn, query.OpNotIn:
		var args []query.Expr
		for range g.rnd.Intn(4) {
			args = append(args, arg())
		}
		return g.cond(left, op, args...)
	default:
		if g.chance(8) {
			return g.cond(arg(), op, left)
		}
		return g.cond(left, op, arg())
	}
}

var textOps = []query.Op{query.OpLike, query.OpNotLike, query.OpContains, query.OpNotContains, query.OpBeginsWith, query.OpNotBeginsWith,
	query.OpEndsWith, query.OpNotEndsWith}

func (g *grower) textCondition(depth int) query.Filter {
	left := g.text(depth)
	if g.chance(2) {
		return g.comparison(left, func() query.Expr {
			if g.chance(4) {
				return g.text(depth)
			}
			return g.literal(value.KindText)
		})
	}
	op := pick(g.rnd, textOps)
	if g.chance(6) && op != query.OpLike && op != query.OpNotLike {
		return g.cond(left, op, g.ref(value.KindText))
	}
	return g.cond(left, op, query.Literal{Value: value.Text(pick(g.rnd, patterns))})
}

var walks = []query.Op{query.OpAbove, query.OpAboveOrEqual, query.OpUnder, query.OpUnderOrEqual, query.OpNotUnder}

func (g *grower) idCondition() query.Filter {
	if g.chance(2) {
		for _, l := range g.links {
			if l.Table == g.items {
				column := pick(g.rnd, []*schema.Column{g.items.Key, g.items.MustColumn("tst_parent")})
				return g.cond(query.Ref{Link: l, Column: column}, pick(g.rnd, walks), query.Literal{Value: value.ID(pick(g.rnd, g.rows).ID)})
			}
		}
	}
	if g.chance(4) { // more than are written one by one
		var many []query.Expr
		for range 40 {
			many = append(many, query.Literal{Value: value.ID(pick(g.rnd, g.rows).ID)})
		}
		return g.cond(g.ref(value.KindID), pick(g.rnd, []query.Op{query.OpIn, query.OpNotIn}), many...)
	}
	return g.comparison(g.ref(value.KindID), func() query.Expr {
		if g.chance(3) {
			return g.ref(value.KindID)
		}
		return g.literal(value.KindID)
	})
}

func (g *grower) multiChoice() query.Filter {
	for _, l := range g.links {
		if l.Table == g.items {
			var args []query.Expr
			for range g.rnd.Intn(3) {
				args = append(args, query.Literal{Value: value.Int(pick(g.rnd, []int64{1, 2, 12, 21}))})
			}
			op := pick(g.rnd, []query.Op{query.OpContainValues, query.OpNotContainValues})
			return g.cond(query.Ref{Link: l, Column: g.items.MustColumn("tst_kinds")}, op, args...)
		}
	}
	return query.Const(true)
}
