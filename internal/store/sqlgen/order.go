package sqlgen

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// term is one sort key of a statement.
type term struct {
	expr     query.Expr
	desc     bool
	nullable bool
	cell     int  // of a merged query: the number of the cell to sort by, from 1; 0: expr
	least    bool // of a merged query: expr is a computed text, the same for all rows of a group
}

// orderTerms lists the sort keys of a query that does not merge rows.
func orderTerms(q *query.Query) []term {
	terms := make([]term, len(q.Order))
	for i, o := range q.Order {
		terms[i] = term{expr: o.Expr, desc: o.Desc, nullable: nullable(o.Expr)}
	}
	return terms
}

// nullable tells whether an expression may be null: all but the key of a row that is there, and constants.
func nullable(e query.Expr) bool {
	switch e := e.(type) {
	case query.Ref:
		return !inPrimaryKey(e.Column.Table, e.Column) || absent(e.Link)
	case query.Literal:
		return e.Value.IsNull()
	case query.Call:
		return e.Fn != query.FnCoalesce || nullable(e.Args[len(e.Args)-1])
	default:
		return true
	}
}

// absent tells whether a source may lack a row that the query returns.
func absent(l *query.Link) bool {
	for ; l != nil; l = l.Parent {
		if l.Kind == query.Outer {
			return true
		}
	}
	return false
}

// orderBy prints ORDER BY; nothing for no keys.
func (p *printer) orderBy(terms []term) {
	word := " ORDER BY "
	for _, t := range terms {
		p.put(word)
		p.term(t)
		word = ","
	}
}

// term prints one sort key. Nulls are named only where there may be some: the index of a primary key has no place for
// them.
func (p *printer) term(t term) {
	switch {
	case t.cell > 0:
		p.int(int64(t.cell))
	case t.least:
		p.put("min(")
		p.comparable(t.expr)
		p.put(")")
	default:
		p.comparable(t.expr)
	}
	switch {
	case t.desc && t.nullable:
		p.put(" DESC NULLS LAST")
	case t.desc:
		p.put(" DESC")
	case t.nullable:
		p.put(" NULLS FIRST")
	}
}

// mergedTerms lists the sort keys of a grouped or distinct query: each is one of its outputs. A text is sorted by the fold
// it is grouped by, everything else by its cell. A computed text that is a group key is asked of any row of the group: printed a second
// time it would have parameters of its own, and PostgreSQL would not know it again.
func (p *printer) mergedTerms(q *query.Query) []term {
	outs := outputs(&q.Select)
	terms := make([]term, 0, len(q.Order))
	for _, o := range q.Order {
		index, ok := outputIndex(outs, o.Expr)
		if !ok {
			p.fail("a grouped or distinct query is sorted by what it does not put out")
			return nil
		}
		_, column := outs[index].Expr.(query.Ref)
		t := term{expr: outs[index].Expr, desc: o.Desc, nullable: true, least: !column && outs[index].GroupKey()}
		if outs[index].Agg != query.AggNone || query.KindOf(t.expr) != value.KindText {
			t.cell = 1
			for _, before := range outs[:index] {
				t.cell += before.Cells()
			}
		}
		terms = append(terms, t)
	}
	return terms
}

// outputIndex finds the output a sort key of a merged query means.
func outputIndex(outs []*query.Output, e query.Expr) (int, bool) {
	switch e := e.(type) {
	case query.OutputRef:
		return e.Index, e.Index >= 0 && e.Index < len(outs)
	case query.Ref, *query.Scalar, query.TypeCode:
		for i, o := range outs {
			if o.Agg == query.AggNone && sameExpr(o.Expr, e) {
				return i, true
			}
		}
	}
	return 0, false
}

// sameExpr compares expressions that are comparable; calls hold lists and never are the same.
func sameExpr(a, b query.Expr) bool {
	if _, call := a.(query.Call); call {
		return false
	}
	return a == b
}
