package sqlgen

import (
	"math/big"

	"almoner/internal/query"
	"almoner/internal/value"
)

// form is how a number is held in SQL, so that two of them are compared and added in one unit.
type form struct {
	family family
	scale  int // exactForm: the number is held as an integer worth n / 10^scale
}

// family groups the forms that convert into each other by a factor.
type family uint8

const (
	otherForm  family = iota // text, GUID, null: no number
	exactForm                // integers, choices, Booleans, money, decimals
	floatForm                // binary floating point
	dateForm                 // days
	momentForm               // seconds
)

// formOf tells how an expression's value is held.
func formOf(e query.Expr) form {
	switch kind := query.KindOf(e); kind {
	case value.KindBool, value.KindInt:
		return form{family: exactForm}
	case value.KindMoney:
		return form{exactForm, 2}
	case value.KindDecimal:
		return form{exactForm, scaleOf(e)}
	case value.KindFloat:
		return form{family: floatForm}
	case value.KindDate:
		return form{family: dateForm}
	case value.KindTime:
		return form{family: momentForm}
	default:
		return form{}
	}
}

// scaleOf is the number of decimals of an expression that yields a decimal.
func scaleOf(e query.Expr) int {
	switch e := e.(type) {
	case query.Ref:
		return e.Column.Scale
	case query.Literal:
		return e.Value.Scale()
	case *query.Scalar:
		return scaleOf(e.Pick)
	case query.Call:
		if e.Fn == query.FnIf {
			return scaleOf(e.Args[1])
		}
		return scaleOf(e.Args[0])
	default:
		return 0
	}
}

// point is where a constant lies among the integers of a form: at Floor, or between Floor and the next, or beyond them.
type point struct {
	floor  int64
	exact  bool
	beyond int // -1 below, +1 above every 64-bit integer
}

// locate converts a constant into a form's unit.
func (f form) locate(v value.Value) point {
	if kind := v.Kind(); f.family == dateForm && kind == value.KindDate || f.family == momentForm && kind == value.KindTime ||
		f.family == exactForm && (f.scale == 0 && (kind == value.KindInt || kind == value.KindBool) || f.scale == 2 && kind == value.KindMoney) {
		return point{floor: v.Int(), exact: true}
	}
	worth := f.worth(v)
	floor := new(big.Int).Div(worth.Num(), worth.Denom()) // Euclidean, and the denominator is positive
	if !floor.IsInt64() {
		return point{beyond: floor.Sign()}
	}
	return point{floor: floor.Int64(), exact: worth.IsInt()}
}

// worth is the exact worth of a constant in a form's unit.
func (f form) worth(v value.Value) *big.Rat {
	worth := v.Rat()
	if worth == nil { // a float that is no number
		worth = new(big.Rat)
	}
	day := big.NewRat(value.SecondsPerDay, 1)
	switch {
	case f.family == exactForm:
		return worth.Mul(worth, new(big.Rat).SetInt(power(f.scale)))
	case f.family == dateForm && v.Kind() == value.KindTime:
		return worth.Quo(worth, day)
	case f.family == momentForm && v.Kind() == value.KindDate:
		return worth.Mul(worth, day)
	default:
		return worth
	}
}

// number prints a numeric expression in a form.
func (p *printer) number(e query.Expr, f form) {
	own := formOf(e)
	if lit, ok := e.(query.Literal); ok {
		p.literal(lit.Value, f)
		return
	}
	switch {
	case own == f || own.family == otherForm || f.family == otherForm:
		p.expr(e)
	case f.family == floatForm:
		p.float(e, own)
	case f.family == exactForm && own.family == exactForm && f.scale > own.scale:
		p.put("(")
		p.bigint(e)
		p.put("*" + zeros(f.scale-own.scale) + ")")
	case f.family == exactForm:
		p.rounded(e, f)
	case f.family == momentForm && own.family == dateForm:
		p.put("(")
		p.bigint(e)
		p.put("*86400)")
	case f.family == dateForm && own.family == momentForm:
		p.days(e)
	default:
		p.fail("a value cannot be taken as another kind of number")
	}
}

// literal prints a constant in a form.
func (p *printer) literal(v value.Value, f form) {
	switch {
	case v.IsNull():
		p.put("NULL")
	case f.family == floatForm:
		p.arg(value.Float(v.Float()))
	case f.family == otherForm:
		p.arg(v)
	default:
		at := f.locate(v)
		if !at.exact {
			at.floor = f.nearest(v)
		}
		p.arg(value.Int(at.floor))
	}
}

// nearest rounds a constant to a form's unit, half away from zero.
func (f form) nearest(v value.Value) int64 {
	n, err := value.RoundRat(f.worth(v), 0)
	if err != nil {
		return 0
	}
	return n
}

// float prints an expression held in another form as a floating-point number.
func (p *printer) float(e query.Expr, own form) {
	p.put("(CAST(")
	p.expr(e)
	p.put(" AS " + p.d.double + ")")
	if own.scale > 0 {
		p.put("/" + zeros(own.scale))
	}
	p.put(")")
}

// rounded prints an expression as an integer of a coarser exact form, half away from zero.
func (p *printer) rounded(e query.Expr, f form) {
	p.put("CAST(")
	p.d.round(p, func() {
		p.number(e, form{family: floatForm})
		p.put("*" + zeros(f.scale))
	})
	p.put(" AS bigint)")
}

// bigint prints an expression with room for 64 bits, as arithmetic on it needs.
func (p *printer) bigint(e query.Expr) {
	if ref, ok := e.(query.Ref); ok && ref.Column.Type.Kind() == value.KindMoney {
		p.expr(e)
		return
	}
	p.put("CAST(")
	p.expr(e)
	p.put(" AS bigint)")
}
