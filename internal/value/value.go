// Package value holds the kinds of value a column can carry: how they are parsed, compared, folded and printed.
// It sits at the bottom of the import graph; everything above speaks in its types.
package value

import (
	"math"
	"strconv"
)

// Kind says what a Value holds.
type Kind uint8

// The kinds. Money, Decimal, Date and Time are integers inside: minor units, scaled units, days and seconds
// since 1970-01-01 UTC.
const (
	KindNull Kind = iota
	KindBool
	KindInt
	KindMoney
	KindDecimal
	KindFloat
	KindText
	KindID
	KindDate
	KindTime
)

var kindNames = [...]string{"null", "bool", "int", "money", "decimal", "float", "text", "id", "date", "time"}

// String names the kind for messages and test output.
func (k Kind) String() string { return kindNames[k] }

// Value is one cell: a small tagged union, comparable with ==. The zero Value is null.
type Value struct {
	kind  Kind
	scale uint8
	n     int64
	id    GUID
	s     string
}

// Null is the absent value.
var Null = Value{}

// Bool makes a Boolean value.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, n: 1}
	}
	return Value{kind: KindBool}
}

// Int makes an integer value; choices, states and counts are integers.
func Int(n int64) Value { return Value{kind: KindInt, n: n} }

// Money makes a money value from minor units.
func Money(cents int64) Value { return Value{kind: KindMoney, n: cents} }

// Decimal makes an exact decimal worth n / 10^scale.
func Decimal(n int64, scale int) Value { return Value{kind: KindDecimal, n: n, scale: uint8(scale)} }

// Float makes a binary floating-point value.
func Float(f float64) Value { return Value{kind: KindFloat, n: int64(math.Float64bits(f))} }

// Text makes a text value. The empty string is a value here; the boundary turns it into null (decision 35).
func Text(s string) Value { return Value{kind: KindText, s: s} }

// ID makes a GUID value.
func ID(g GUID) Value { return Value{kind: KindID, id: g} }

// Ref makes the value of a lookup that may point at several tables: the row's id and its table's type code.
func Ref(g GUID, typeCode int) Value { return Value{kind: KindID, id: g, n: int64(typeCode)} }

// Date makes a calendar date from days since 1970-01-01.
func Date(days int64) Value { return Value{kind: KindDate, n: days} }

// Time makes a moment from seconds since 1970-01-01T00:00:00Z.
func Time(seconds int64) Value { return Value{kind: KindTime, n: seconds} }

// Kind tells what the value holds.
func (v Value) Kind() Kind { return v.kind }

// IsNull tells whether the value is absent.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Int returns the integer inside a Bool, Int, Money, Decimal (unscaled), Date or Time; 0 for null.
func (v Value) Int() int64 { return v.n }

// Bool returns the truth of a Bool value; null is false.
func (v Value) Bool() bool { return v.kind == KindBool && v.n != 0 }

// Float returns the number inside any numeric value as a float64.
func (v Value) Float() float64 {
	switch v.kind {
	case KindFloat:
		return math.Float64frombits(uint64(v.n))
	case KindMoney:
		return float64(v.n) / 100
	case KindDecimal:
		return float64(v.n) / math.Pow10(int(v.scale))
	default:
		return float64(v.n)
	}
}

// Scale returns the number of decimals of a Decimal value.
func (v Value) Scale() int { return int(v.scale) }

// Text returns the string of a Text value; "" for anything else.
func (v Value) Text() string { return v.s }

// ID returns the GUID of an ID value; the zero GUID for anything else.
func (v Value) ID() GUID { return v.id }

// TypeCode returns the table type code carried by a Ref; 0 where the lookup has a single target.
func (v Value) TypeCode() int {
	if v.kind != KindID {
		return 0
	}
	return int(v.n)
}

// String prints the value as the wire would, without quotes; "null" for null. It is the form used in messages.
func (v Value) String() string { return string(v.AppendText(nil)) }

// AppendText appends the plain text of the value: 250.00, 2024-03-01, true, a GUID, the text itself.
func (v Value) AppendText(b []byte) []byte {
	switch v.kind {
	case KindBool:
		return strconv.AppendBool(b, v.n != 0)
	case KindInt:
		return strconv.AppendInt(b, v.n, 10)
	case KindMoney:
		return AppendDecimal(b, v.n, 2)
	case KindDecimal:
		return AppendDecimal(b, v.n, int(v.scale))
	case KindFloat:
		return AppendFloat(b, v.Float())
	case KindText:
		return append(b, v.s...)
	case KindID:
		return v.id.Append(b)
	case KindDate:
		return AppendDate(b, v.n)
	case KindTime:
		return AppendTime(b, v.n)
	default:
		return append(b, "null"...)
	}
}
