package sqlgen

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// signs are the comparison operators in SQL.
var signs = map[query.Op]string{
	query.OpEq: "=", query.OpGt: ">", query.OpGe: ">=", query.OpLt: "<", query.OpLe: "<=",
}

// mirrored are the operators as seen from the other side.
var mirrored = map[query.Op]query.Op{
	query.OpEq: query.OpEq, query.OpGt: query.OpLt, query.OpGe: query.OpLe, query.OpLt: query.OpGt, query.OpLe: query.OpGe,
}

// compare prints a comparison of two values, each taken to a unit in which they can be compared.
func (p *printer) compare(left query.Expr, op query.Op, right query.Expr) {
	if _, constant := left.(query.Literal); constant {
		if _, both := right.(query.Literal); !both {
			left, op, right = right, mirrored[op], left
		}
	}
	a, b := formOf(left), formOf(right)
	lit, constant := right.(query.Literal)
	switch {
	case constant && lit.Value.IsNull():
		p.truth(false)
	case a.family == otherForm || b.family == otherForm:
		p.comparable(left)
		p.put(signs[op])
		p.comparable(right)
	case constant && a.family != floatForm:
		p.compareConstant(left, a, op, lit.Value)
	default:
		f := common(a, b)
		p.number(left, f)
		p.put(signs[op])
		p.number(right, f)
	}
}

// common is the form in which two numbers are compared.
func common(a, b form) form {
	switch {
	case a == b:
		return a
	case a.family == dateForm && b.family == momentForm || a.family == momentForm && b.family == dateForm:
		return form{family: momentForm}
	default:
		return form{family: floatForm}
	}
}

// compareConstant compares a number held as an integer with a constant that may lie between two integers or beyond
// them all.
func (p *printer) compareConstant(e query.Expr, f form, op query.Op, v value.Value) {
	at := f.locate(v)
	upward := op == query.OpGt || op == query.OpGe
	switch {
	case at.beyond != 0 && op != query.OpEq && upward == (at.beyond < 0):
		p.expr(e)
		p.put(" IS NOT NULL")
		return
	case at.beyond != 0 || !at.exact && op == query.OpEq:
		p.truth(false)
		return
	case !at.exact && upward:
		op = query.OpGt
	case !at.exact:
		op = query.OpLe
	}
	p.expr(e)
	p.put(signs[op])
	if v.Kind() == value.KindBool { // written out, so that the database can see that an index without some rows will do
		p.int(at.floor)
		return
	}
	p.arg(value.Int(at.floor))
}

// manyIDs is how many GUIDs are written one by one; more are sent as one parameter.
const manyIDs = 16

// in prints the test whether a value is among others.
func (p *printer) in(left query.Expr, args []query.Expr) {
	if query.KindOf(left) == value.KindID && len(args) > manyIDs {
		if ids, ok := constantIDs(args); ok {
			p.args = append(p.args, Arg{IDs: ids})
			p.d.idSet(p, func() { p.expr(left) }, len(p.args))
			return
		}
	}
	var plain []query.Expr
	var rest []query.Filter
	f := formOf(left)
	for _, e := range args {
		switch lit, constant := e.(query.Literal); {
		case constant && lit.Value.IsNull():
		case constant && (f.family == otherForm || f.family == floatForm || f.locate(lit.Value).exact):
			plain = append(plain, e)
		case constant && f.family != floatForm: // lies between two integers: equals none
		default:
			rest = append(rest, query.Cond{Left: left, Op: query.OpEq, Args: []query.Expr{e}})
		}
	}
	if len(rest) > 0 {
		p.put("(")
		p.inConstants(left, plain)
		p.put(" OR ")
		p.chain(rest, " OR ", "1=0")
		p.put(")")
		return
	}
	p.inConstants(left, plain)
}

// inConstants prints the test whether a value is among constants that fit its form.
func (p *printer) inConstants(left query.Expr, constants []query.Expr) {
	if len(constants) == 0 {
		p.truth(false)
		return
	}
	p.comparable(left)
	p.put(" IN (")
	f := formOf(left)
	for i, e := range constants {
		if i > 0 {
			p.put(",")
		}
		if f.family == otherForm {
			p.comparable(e)
		} else {
			p.number(e, f)
		}
	}
	p.put(")")
}

// constantIDs takes the GUIDs out of literals; ok is false when one is something else.
func constantIDs(args []query.Expr) (ids []value.GUID, ok bool) {
	ids = make([]value.GUID, 0, len(args))
	for _, e := range args {
		lit, constant := e.(query.Literal)
		if !constant || lit.Value.Kind() != value.KindID {
			return nil, false
		}
		ids = append(ids, lit.Value.ID())
	}
	return ids, true
}
