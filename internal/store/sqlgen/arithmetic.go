package sqlgen

import (
	"almoner/internal/query"
)

// arithmetic prints a sum or a difference in the form of its result.
func (p *printer) arithmetic(c query.Call, sign string) {
	f := formOf(c)
	p.put("(")
	p.bigNumber(c.Args[0], f)
	p.put(sign)
	p.bigNumber(c.Args[1], f)
	p.put(")")
}

// product prints a product: money times an integer stays money, anything inexact is floating point.
func (p *printer) product(c query.Call) {
	f := formOf(c)
	p.put("(")
	if f.family == floatForm {
		p.number(c.Args[0], f)
		p.put("*")
		p.number(c.Args[1], f)
	} else {
		p.bigNumber(c.Args[0], formOf(c.Args[0]))
		p.put("*")
		p.bigNumber(c.Args[1], formOf(c.Args[1]))
	}
	p.put(")")
}

// quotient prints a floating-point quotient; null when the divisor is 0.
func (p *printer) quotient(c query.Call) {
	float := form{family: floatForm}
	p.put("(")
	p.number(c.Args[0], float)
	p.put("/nullif(")
	p.number(c.Args[1], float)
	p.put(",0))")
}

// remainder prints a remainder with the sign of the dividend as a floating-point number; null when the divisor is 0. Exact
// numbers are divided exactly.
func (p *printer) remainder(c query.Call) {
	a, b := formOf(c.Args[0]), formOf(c.Args[1])
	if a.family != exactForm || b.family != exactForm {
		p.floatRemainder(c)
		return
	}
	f := form{exactForm, max(a.scale, b.scale)}
	p.put("(CAST(")
	p.bigNumber(c.Args[0], f)
	p.put("%nullif(")
	p.bigNumber(c.Args[1], f)
	p.put(",0) AS " + p.d.double + ")/" + zeros(f.scale) + ")")
}

// floatRemainder prints a - trunc(a/b)*b.
func (p *printer) floatRemainder(c query.Call) {
	float := form{family: floatForm}
	p.put("(")
	p.number(c.Args[0], float)
	p.put("-trunc(")
	p.number(c.Args[0], float)
	p.put("/nullif(")
	p.number(c.Args[1], float)
	p.put(",0))*")
	p.number(c.Args[1], float)
	p.put(")")
}

// wholeNumber prints round (half away from zero), floor or ceiling of a floating-point number.
func (p *printer) wholeNumber(c query.Call) {
	x := func() { p.number(c.Args[0], form{family: floatForm}) }
	switch c.Fn {
	case query.FnRound:
		p.d.round(p, x)
		return
	case query.FnFloor:
		p.put("floor(")
	default:
		p.put("ceil(")
	}
	x()
	p.put(")")
}

// bigNumber prints an expression in a form with room for 64 bits.
func (p *printer) bigNumber(e query.Expr, f form) {
	if _, ok := e.(query.Ref); ok && f.family == exactForm && formOf(e) == f {
		p.bigint(e)
		return
	}
	p.number(e, f)
}
