package sqlgen

import (
	"cmp"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// expr prints an expression's value in its own form; text as it is stored.
func (p *printer) expr(e query.Expr) {
	if p.full() {
		return
	}
	switch e := e.(type) {
	case query.Ref:
		p.column(e.Link, e.Column)
	case query.Literal:
		p.constant(e.Value)
	case query.TypeCode:
		p.sqlColumn(e.Ref.Link, codeName(e.Ref.Column))
	case *query.Scalar:
		p.scalar(e, func() { p.expr(e.Pick) })
	case query.Call:
		if query.KindOf(e) == value.KindText {
			p.textCall(e, plainText)
			return
		}
		p.call(e)
	default:
		p.fail("%T is no value", e)
	}
}

// constant prints a literal as a parameter; null is a keyword, for a parameter would need a type.
func (p *printer) constant(v value.Value) {
	if v.IsNull() {
		p.put("NULL")
		return
	}
	p.arg(v)
}

// comparable prints an expression in the form by which it is compared, ordered and grouped: text by its fold.
func (p *printer) comparable(e query.Expr) {
	if query.KindOf(e) == value.KindText {
		p.text(e, foldedText)
		return
	}
	p.expr(e)
}

// scalar prints a correlated sub-select; pick prints what it takes of the row.
func (p *printer) scalar(s *query.Scalar, pick func()) {
	p.put("(SELECT ")
	mark := p.reach(s.Source, nil)
	if s.Agg == query.AggNone {
		pick()
	} else {
		p.aggregate(s.Agg, false, s.Pick)
	}
	p.correlated(s.Source, nil, s.Where)
	if key := s.Source.Table.Key; s.Agg == query.AggNone && (key == nil || s.Source.From != key) {
		if key != nil {
			p.put(" ORDER BY ")
			p.column(s.Source, key)
		}
		p.put(" LIMIT 1")
	}
	p.put(")")
	p.leave(mark)
}

// call prints a function that yields anything but text.
func (p *printer) call(c query.Call) {
	if len(c.Args) == 0 {
		p.fail("function %d without arguments", c.Fn)
		return
	}
	switch c.Fn {
	case query.FnLength:
		p.put("length(")
		p.text(c.Args[0], plainText)
		p.put(")")
	case query.FnIndexOf:
		p.put("(")
		p.place(c.Args[0], openText, c.Args[1])
		p.put("-1)")
	case query.FnDate:
		p.days(c.Args[0])
	case query.FnAdd:
		p.arithmetic(c, "+")
	case query.FnSub:
		p.arithmetic(c, "-")
	case query.FnMul:
		p.product(c)
	case query.FnDiv:
		p.quotient(c)
	case query.FnMod:
		p.remainder(c)
	case query.FnNeg:
		p.put("(-")
		p.bigNumber(c.Args[0], formOf(c))
		p.put(")")
	case query.FnRound, query.FnFloor, query.FnCeiling:
		p.wholeNumber(c)
	case query.FnCoalesce:
		p.put("coalesce(")
		p.numbers(c.Args, formOf(c))
		p.put(")")
	case query.FnGreatest:
		p.greatest(c)
	case query.FnIf:
		p.choose(c, func(e query.Expr) { p.number(e, formOf(c)) })
	case query.FnMoney:
		p.expr(c.Args[0])
	case query.FnFromBase, query.FnToBase:
		p.exchange(c)
	case query.FnLabelRank:
		p.labelRank(c.Args[0])
	default:
		p.calendarNumber(c)
	}
}

// numbers prints expressions in one form, separated by commas.
func (p *printer) numbers(args []query.Expr, f form) {
	for i, e := range args {
		if i > 0 {
			p.put(",")
		}
		p.number(e, f)
	}
}

// greatest prints the greatest of numbers; null when one of them is null.
func (p *printer) greatest(c query.Call) {
	args := make([]func(), len(c.Args))
	for i, e := range c.Args {
		args[i] = func() { p.number(e, formOf(c)) }
	}
	p.d.greatest(p, args)
}

// choose prints a conditional value; branch prints either of them.
func (p *printer) choose(c query.Call, branch func(query.Expr)) {
	test, ok := c.Args[0].(query.Test)
	if !ok {
		p.fail("a conditional value without a test")
		return
	}
	p.put("CASE WHEN ")
	p.all(test.Filter)
	p.put(" THEN ")
	branch(c.Args[1])
	p.put(" ELSE ")
	branch(c.Args[2])
	p.put(" END")
}

// exchange prints the conversion of money between currencies.
func (p *printer) exchange(c query.Call) {
	money := func() { p.number(c.Args[0], formOf(c)) }
	rate := func() { p.number(c.Args[1], form{exactForm, rateScale}) }
	if c.Fn == query.FnFromBase {
		p.d.fromBase(p, money, rate)
	} else {
		p.d.toBase(p, money, rate)
	}
}

// rateScale is the number of decimals of an exchange rate.
const rateScale = 10

// labelRank prints the rank of a choice's label in folded order; null without a label. Equal labels share a rank.
func (p *printer) labelRank(e query.Expr) {
	ref, ok := e.(query.Ref)
	if !ok || ref.Column.Options == nil || len(ref.Column.Options.Options) == 0 {
		p.put("NULL")
		return
	}
	options := slices.Clone(ref.Column.Options.Options)
	slices.SortStableFunc(options, func(a, b schema.Option) int { return cmp.Compare(value.Fold(a.Label), value.Fold(b.Label)) })
	p.put("CASE ")
	p.column(ref.Link, ref.Column)
	rank := int64(0)
	for i, o := range options {
		if i == 0 || value.Fold(o.Label) != value.Fold(options[i-1].Label) {
			rank++
		}
		p.put(" WHEN ")
		p.int(o.Value)
		p.put(" THEN ")
		p.int(rank)
	}
	p.put(" END")
}
