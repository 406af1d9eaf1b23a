package odata

import (
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// operand is one bound side of an operation: an expression over the row, or a constant that takes its type from what it
// meets.
type operand struct {
	expr query.Expr  // nil for a constant
	lit  Literal     // the constant
	nav  *schema.Nav // the expression stands for this navigation property: comparable with null alone
}

func (o operand) constant() bool { return o.expr == nil }

func (o operand) null() bool { return o.expr == nil && o.lit.Kind == NullLiteral }

func (o operand) kind() value.Kind { return query.KindOf(o.expr) }

// scaleOf is the number of decimals an exact expression is held with.
func scaleOf(e query.Expr) int {
	switch e := e.(type) {
	case query.Ref:
		if e.Column.Type.Kind() == value.KindDecimal {
			return e.Column.Scale
		}
	case query.Call:
		if query.KindOf(e) == value.KindDecimal {
			return scaleOf(e.Args[0])
		}
	}
	if query.KindOf(e) == value.KindMoney {
		return 2
	}
	return 0
}

func numeric(k value.Kind) bool {
	return k == value.KindInt || k == value.KindMoney || k == value.KindDecimal || k == value.KindFloat
}

// kindEdm names the EDM type of values that belong to no column.
var kindEdm = map[value.Kind]string{
	value.KindNull: "null", value.KindBool: "Edm.Boolean", value.KindInt: "Edm.Int32", value.KindMoney: "Edm.Decimal", value.KindDecimal: "Edm.Decimal",
	value.KindFloat: "Edm.Double", value.KindText: "Edm.String", value.KindID: "Edm.Guid", value.KindDate: "Edm.Date", value.KindTime: "Edm.DateTimeOffset",
}

// edm names an operand's type for messages.
func (o operand) edm() string {
	if o.constant() {
		return o.lit.edm()
	}
	if o.nav != nil && o.nav.To != nil {
		return namespace + o.nav.To.Name
	}
	if r, ok := o.expr.(query.Ref); ok {
		return r.Column.Type.Edm()
	}
	return kindEdm[o.kind()]
}

// edm names a literal's type for messages.
func (l Literal) edm() string {
	switch l.Kind {
	case BoolLiteral:
		return "Edm.Boolean"
	case NumberLiteral:
		return l.numberEdm()
	case StringLiteral:
		return "Edm.String"
	case GUIDLiteral:
		return "Edm.Guid"
	case DateLiteral:
		return "Edm.Date"
	case TimeLiteral:
		return "Edm.DateTimeOffset"
	case TypedLiteral:
		return l.Type
	default:
		return "null"
	}
}

func (l Literal) numberEdm() string {
	switch n, ok := l.integer(); {
	case ok && n == int64(int32(n)):
		return "Edm.Int32"
	case ok:
		return "Edm.Int64"
	case strings.ContainsAny(l.Text, "eEN"):
		return "Edm.Double"
	default:
		return "Edm.Decimal"
	}
}

// operatorKinds names operators as messages do.
var operatorKinds = map[string]string{
	"eq": "Equal", "ne": "NotEqual", "gt": "GreaterThan", "ge": "GreaterThanOrEqual", "lt": "LessThan", "le": "LessThanOrEqual",
	"add": "Add", "sub": "Subtract", "mul": "Multiply", "div": "Divide", "mod": "Modulo", "and": "And", "or": "Or", "has": "Has", "in": "Equal",
}

// incompatible says that an operator cannot join the types of its two sides.
func incompatible(l, r operand, op string) error {
	e := badRequest("A binary operator with incompatible types was detected. Found operand types '%s' and '%s' for operator kind '%s'.",
		l.edm(), r.edm(), operatorKinds[op])
	for _, side := range []operand{l, r} {
		if ref, ok := side.expr.(query.Ref); ok {
			return e.At(ref.Column.Table.Name, "column "+ref.Column.Name)
		}
	}
	return e
}
