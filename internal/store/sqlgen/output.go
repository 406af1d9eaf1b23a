package sqlgen

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// outputs lists the outputs of a node and of the single-valued nodes below it in the order of their cells.
func outputs(n *query.Node) []*query.Output {
	return appendOutputs(make([]*query.Output, 0, len(n.Outputs)), n)
}

func appendOutputs(list []*query.Output, n *query.Node) []*query.Output {
	for i := range n.Outputs {
		list = append(list, &n.Outputs[i])
	}
	for _, e := range n.Expands {
		for _, one := range e.One {
			list = appendOutputs(list, one)
		}
	}
	return list
}

// merged tells whether rows are put together: by groups, or because alike rows come once.
func merged(q *query.Query) bool { return q.Grouped || q.Distinct }

// cells prints the select list of a query. after, when not nil, is called after each cell, with its number.
func (p *printer) cells(q *query.Query, after func(cell int)) {
	cell := 0
	begin := func() {
		if cell > 0 {
			p.put(",")
		}
	}
	end := func() {
		if after != nil {
			after(cell)
		}
		cell++
	}
	for _, o := range outputs(&q.Select) {
		begin()
		p.output(o, merged(q))
		end()
		if o.HasTypeCell() {
			begin()
			p.typeCell(o)
			end()
		}
		if o.Label != nil {
			begin()
			p.label(o.Label, merged(q))
			end()
		}
	}
	if cell == 0 {
		p.put("1")
		end()
	}
}

// output prints the value of an output.
func (p *printer) output(o *query.Output, grouped bool) {
	switch {
	case o.Agg != query.AggNone:
		p.aggregate(o.Agg, o.Distinct, o.Expr)
	case grouped && o.GroupKey() && query.KindOf(o.Expr) == value.KindText:
		p.put("min(") // texts of one group differ in case and accents: the least, by code point, stands for all
		p.expr(o.Expr)
		p.put(")")
	default:
		p.expr(o.Expr)
	}
}

// typeCell prints the type code beside a polymorphic lookup.
func (p *printer) typeCell(o *query.Output) {
	ref, ok := o.Expr.(query.Ref)
	if !ok {
		p.fail("the type code of a computed value is asked for")
		return
	}
	p.sqlColumn(ref.Link, codeName(ref.Column))
}

// label prints the text beside a cell. It follows from the cell, so any one of a group will do.
func (p *printer) label(e query.Expr, grouped bool) {
	if _, column := e.(query.Ref); column && grouped {
		p.put("min(")
		p.expr(e)
		p.put(")")
		return
	}
	p.expr(e)
}

// groupBy prints the keys of a grouped or distinct query. A computed key is named by the number of its cell: printed a second time it
// would have parameters of its own, and PostgreSQL would not know it again.
func (p *printer) groupBy(q *query.Query) {
	word := " GROUP BY "
	cell := 1
	for _, o := range outputs(&q.Select) {
		at := cell
		cell += o.Cells()
		if !o.GroupKey() {
			continue
		}
		p.put(word)
		word = ","
		if _, column := o.Expr.(query.Ref); column || query.KindOf(o.Expr) == value.KindText {
			p.comparable(o.Expr)
		} else {
			p.int(int64(at))
		}
		if o.HasTypeCell() {
			p.put(word)
			p.typeCell(o)
		}
	}
}

// aggregate prints an aggregate of an expression over a group.
func (p *printer) aggregate(agg query.Agg, distinct bool, e query.Expr) {
	switch agg {
	case query.AggCount:
		p.put("count(*)")
	case query.AggCountColumn:
		p.put("count(")
		if distinct {
			p.put("DISTINCT ")
		}
		p.comparable(e)
		p.put(")")
	case query.AggSum:
		p.sum(e)
	case query.AggAvg:
		p.average(e)
	case query.AggMin:
		p.extreme("min(", p.d.minID, e)
	case query.AggMax:
		p.extreme("max(", p.d.maxID, e)
	default:
		p.fail("aggregate %d is unknown", agg)
	}
}

// sum prints a total in the form of what is added up.
func (p *printer) sum(e query.Expr) {
	if formOf(e).family == floatForm {
		p.put("sum(")
		p.expr(e)
		p.put(")")
		return
	}
	p.put(p.d.sum.before)
	p.expr(e)
	p.put(p.d.sum.after)
}

// average prints a mean: of integers cut to an integer, of money and decimals rounded to their scale.
func (p *printer) average(e query.Expr) {
	x := func() { p.expr(e) }
	switch f := formOf(e); {
	case f.family == floatForm:
		p.put("avg(")
		x()
		p.put(")")
	case f.scale > 0:
		p.d.average.rounded(p, x)
	default:
		p.d.average.cut(p, x)
	}
}

// extreme prints the least or greatest value of a group.
func (p *printer) extreme(fn string, ids wrap, e query.Expr) {
	if query.KindOf(e) == value.KindID {
		p.put(ids.before)
		p.expr(e)
		p.put(ids.after)
		return
	}
	p.put(fn)
	p.expr(e)
	p.put(")")
}
