package odata

import (
	"math/big"
	"strconv"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// place says where a constant lies among the values an operand can have.
type place uint8

const (
	exact   place = iota // fitted.value is the constant
	between              // fitted.value is the greatest below it
	below                // less than all
	above                // greater than all
	nowhere              // not a number
)

// fitted is a constant as seen from the operand it is compared with.
type fitted struct {
	value value.Value
	place place
}

// fit converts a literal to the kind of the operand it meets. ok is false when the types do not go together; the error is
// that of a literal which is of the right type but has no meaning, such as the 31st of June.
func fit(o operand, l Literal) (f fitted, ok bool, err error) {
	switch k := o.kind(); {
	case numeric(k) && l.Kind == NumberLiteral:
		return fitNumber(l.Text, k, scaleOf(o.expr)), true, nil
	case k == value.KindText && l.Kind == StringLiteral:
		return fitted{value: value.Text(l.Text)}, true, nil
	case k == value.KindBool && l.Kind == BoolLiteral:
		return fitted{value: value.Bool(l.Text == "true")}, true, nil
	case k == value.KindID && l.Kind == GUIDLiteral:
		id, err := value.ParseGUID(l.Text)
		return fitted{value: value.ID(id)}, true, err
	case (k == value.KindDate || k == value.KindTime) && (l.Kind == DateLiteral || l.Kind == TimeLiteral):
		f, err := fitMoment(l, k)
		return f, true, err
	default:
		return fitted{}, false, nil
	}
}

// fitNumber places a number among those with so many decimals. Floats take any finite number.
func fitNumber(text string, k value.Kind, scale int) fitted {
	switch text {
	case "NaN", "-NaN":
		return fitted{place: nowhere}
	case "INF":
		return fitted{place: above}
	case "-INF":
		return fitted{place: below}
	}
	if k == value.KindFloat {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return beyond(text)
		}
		return fitted{value: value.Float(f)}
	}
	n, whole := floorScaled(text, scale)
	if n == nil || !n.IsInt64() {
		return beyond(text)
	}
	f := fitted{value: exactValue(n.Int64(), k, scale)}
	if !whole {
		f.place = between
	}
	return f
}

func beyond(text string) fitted {
	if strings.HasPrefix(text, "-") {
		return fitted{place: below}
	}
	return fitted{place: above}
}

func exactValue(n int64, k value.Kind, scale int) value.Value {
	switch k {
	case value.KindMoney:
		return value.Money(n)
	case value.KindDecimal:
		return value.Decimal(n, scale)
	default:
		return value.Int(n)
	}
}

// floorScaled returns the greatest integer not above number x 10^scale, and whether it is exactly that. It is nil when the
// exponent puts the number out of reach of any column.
func floorScaled(text string, scale int) (n *big.Int, whole bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	exp := 0
	if exponent != "" {
		var err error
		if exp, err = strconv.Atoi(exponent); err != nil || exp > 400 {
			if !strings.HasPrefix(exponent, "-") {
				return nil, false
			}
			exp = -400
		}
		exp = max(exp, -400)
	}
	r, ok := new(big.Rat).SetString(mantissa + "e" + strconv.Itoa(exp+scale))
	if !ok {
		return nil, false
	}
	q, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	return q, rest.Sign() == 0
}

// fitMoment places a date or moment among days or seconds. A moment meets a date column by its date, a date meets a moment
// as its midnight, both in UTC.
func fitMoment(l Literal, k value.Kind) (fitted, error) {
	date, clock := l.Text, ""
	if i := strings.IndexAny(l.Text, "Tt"); i >= 0 {
		date, clock = l.Text[:i], l.Text[i:]
	}
	year := strings.TrimSuffix(date, date[len(date)-6:])
	outside := len(year) != 4 || year == "0000"
	probe := date
	if outside {
		probe = "2000" + date[len(date)-6:]
	}
	seconds, fraction, ok := parseMoment(probe + strings.ToUpper(clock))
	switch {
	case !ok:
		return fitted{}, badRequest("Unrecognized '%s' literal '%s'.", l.edm(), l.Text)
	case outside && (year == "0000" || strings.HasPrefix(year, "-")):
		return fitted{place: below}, nil
	case outside:
		return fitted{place: above}, nil
	case k == value.KindDate:
		return fitted{value: value.Date(value.DateOf(seconds, nil))}, nil
	case fraction:
		return fitted{value: value.Time(seconds), place: between}, nil
	default:
		return fitted{value: value.Time(seconds)}, nil
	}
}

// parseMoment reads a date or a moment; a leap second is the second after the 59th. fraction tells that part of a second
// was cut off.
func parseMoment(text string) (seconds int64, fraction, ok bool) {
	leap := int64(0)
	if len(text) > 19 && text[16:19] == ":60" {
		text, leap = text[:16]+":59"+text[19:], 1
	}
	if i := strings.IndexByte(text, '.'); i >= 0 {
		end := i + 1 + digits(text, i+1)
		fraction = strings.Trim(text[i+1:end], "0") != ""
		text = text[:i] + text[end:]
	}
	seconds, err := value.ParseTime(text)
	return seconds + leap, fraction, err == nil
}

// integer returns the number of an integer literal that 64 bits can hold.
func (l Literal) integer() (int64, bool) {
	if l.Kind != NumberLiteral {
		return 0, false
	}
	n, err := strconv.ParseInt(l.Text, 10, 64)
	return n, err == nil
}

var comparisons = map[string]query.Op{"eq": query.OpEq, "ne": query.OpNe, "gt": query.OpGt, "ge": query.OpGe, "lt": query.OpLt, "le": query.OpLe}

// condition compares an expression with a constant that may lie between or beyond its values.
func (f fitted) condition(left query.Expr, op string) query.Filter {
	greater, less := op == "gt" || op == "ge", op == "lt" || op == "le"
	switch {
	case f.place == exact:
		return query.Cond{Left: left, Op: comparisons[op], Args: []query.Expr{query.Literal{Value: f.value}}}
	case !greater && !less:
		return query.Const(op == "ne")
	case f.place == between && greater:
		return query.Cond{Left: left, Op: query.OpGt, Args: []query.Expr{query.Literal{Value: f.value}}}
	case f.place == between:
		return query.Cond{Left: left, Op: query.OpLe, Args: []query.Expr{query.Literal{Value: f.value}}}
	case f.place == below && greater, f.place == above && less:
		return query.Cond{Left: left, Op: query.OpNotNull}
	default:
		return query.Const(false)
	}
}
