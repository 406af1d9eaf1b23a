package query

import (
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Expr is a value to be computed for a row: Ref, Literal, Call, Scalar, TypeCode or OutputRef.
type Expr interface{ expr() }

// Ref is a column of a source.
type Ref struct {
	Link   *Link
	Column *schema.Column
}

// Literal is a constant; it always travels as a parameter.
type Literal struct{ Value value.Value }

// Call is a function or an arithmetic operation over expressions.
type Call struct {
	Fn   Fn
	Args []Expr
}

// Scalar is a correlated sub-select that yields one value: Pick of the row of Source that matches (or Agg over all that
// do). Source.Parent is a link of the enclosing query.
type Scalar struct {
	Source *Link
	Where  Filter // further condition; nil for none
	Pick   Expr
	Agg    Agg
}

// TypeCode is the type code of the row a polymorphic lookup points at.
type TypeCode struct{ Ref Ref }

// OutputRef stands for an output of a grouped or distinct query in its Order: the index into Select.Outputs.
type OutputRef struct{ Index int }

func (Ref) expr()       {}
func (Literal) expr()   {}
func (Call) expr()      {}
func (*Scalar) expr()   {}
func (TypeCode) expr()  {}
func (OutputRef) expr() {}

// Fn is a function of the tree.
type Fn uint8

// The functions. Those from FnGroupDay on are date groupings in the organization's time zone: FnGroupYear, FnGroupFiscalYear
// yield the year, the others the number of the day of month, week, month, quarter or fiscal period. FnLabelRank maps a
// choice to the rank of its label in folded order.
const (
	FnToLower Fn = iota + 1
	FnToUpper
	FnTrim
	FnLength
	FnIndexOf
	FnSubstring
	FnConcat
	FnYear
	FnMonth
	FnDay
	FnHour
	FnMinute
	FnSecond
	FnDate
	FnRound
	FnFloor
	FnCeiling
	FnAdd
	FnSub
	FnMul
	FnDiv
	FnMod
	FnNeg
	FnCoalesce
	FnGreatest
	FnIf       // FnIf(condition as a Test, then, else)
	FnFromBase // FnFromBase(base money, exchange rate): base x rate, rounded half away from zero, exact
	FnToBase   // FnToBase(money, exchange rate): money / rate, rounded half away from zero, exact
	FnLabelRank
	FnGroupDay
	FnGroupWeek
	FnGroupMonth
	FnGroupQuarter
	FnGroupYear
	FnGroupFiscalPeriod
	FnGroupFiscalYear
	FnNow   // the service's clock; the resolve pass makes it a literal
	FnMoney // FnMoney(integer): that many minor units, as money
)

// Test makes a filter usable as the condition of FnIf.
type Test struct{ Filter Filter }

func (Test) expr() {}

// KindOf returns the kind of value an expression yields. Integer arithmetic stays integer, money with money or integers
// stays money under add, sub and mul; everything else numeric is Float (decision 55).
func KindOf(e Expr) value.Kind {
	switch e := e.(type) {
	case Ref:
		return e.Column.Type.Kind()
	case Literal:
		return e.Value.Kind()
	case TypeCode:
		return value.KindInt
	case *Scalar:
		if e.Agg == AggCount || e.Agg == AggCountColumn {
			return value.KindInt
		}
		return KindOf(e.Pick)
	case Call:
		return callKind(e)
	default:
		return value.KindNull
	}
}

func callKind(c Call) value.Kind {
	switch c.Fn {
	case FnToLower, FnToUpper, FnTrim, FnConcat, FnSubstring:
		return value.KindText
	case FnDate:
		return value.KindDate
	case FnNow:
		return value.KindTime
	case FnMoney:
		return value.KindMoney
	case FnAdd, FnSub, FnMul:
		return arithmeticKind(c.Fn, KindOf(c.Args[0]), KindOf(c.Args[1]))
	case FnDiv, FnMod:
		return value.KindFloat
	case FnRound, FnFloor, FnCeiling:
		return value.KindFloat
	case FnNeg, FnCoalesce, FnGreatest, FnFromBase, FnToBase:
		return KindOf(c.Args[0])
	case FnIf:
		return KindOf(c.Args[1])
	default:
		return value.KindInt
	}
}

func arithmeticKind(fn Fn, a, b value.Kind) value.Kind {
	exact := func(k value.Kind) bool { return k == value.KindInt || k == value.KindMoney }
	switch {
	case !exact(a) || !exact(b):
		return value.KindFloat
	case a == value.KindInt && b == value.KindInt:
		return value.KindInt
	case fn == FnMul && a == value.KindMoney && b == value.KindMoney:
		return value.KindFloat
	default:
		return value.KindMoney
	}
}
