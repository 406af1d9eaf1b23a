package storetest

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// eval computes an expression for a row.
func (ev *Evaluator) eval(e query.Expr, s *scope) value.Value {
	switch e := e.(type) {
	case query.Ref:
		if row := s.rowOf(e.Link); row != nil {
			return row.Get(e.Column)
		}
		return value.Null
	case query.Literal:
		return e.Value
	case query.TypeCode:
		return typeCell(ev.eval(e.Ref, s))
	case *query.Scalar:
		return ev.scalar(e, s)
	case query.Call:
		return ev.call(e, s)
	}
	panic("storetest: unknown expression")
}

func (ev *Evaluator) scalar(e *query.Scalar, s *scope) value.Value {
	found := slices.DeleteFunc(ev.linked(e.Source, s), func(s *scope) bool { return !ev.holds(e.Where, s) })
	if e.Agg != query.AggNone {
		return ev.aggregate(e.Agg, false, e.Pick, found)
	}
	if len(found) == 0 {
		return value.Null
	}
	first := slices.MinFunc(found, func(a, b *scope) int { return slices.Compare(a.row.ID[:], b.row.ID[:]) })
	return ev.eval(e.Pick, first)
}

// call computes a function: first those that look at nulls themselves, then the others, which are null when an argument is.
func (ev *Evaluator) call(c query.Call, s *scope) value.Value {
	kind := query.KindOf(c)
	if c.Fn == query.FnIf {
		if ev.holds(c.Args[0].(query.Test).Filter, s) {
			return as(ev.eval(c.Args[1], s), kind, scaleOf(c))
		}
		return as(ev.eval(c.Args[2], s), kind, scaleOf(c))
	}
	args := make([]value.Value, len(c.Args))
	for i, e := range c.Args {
		args[i] = ev.eval(e, s)
		if c.Fn == query.FnCoalesce && !args[i].IsNull() {
			return as(args[i], kind, scaleOf(c))
		}
		if c.Fn != query.FnCoalesce && args[i].IsNull() {
			return value.Null
		}
	}
	switch {
	case c.Fn == query.FnCoalesce:
		return value.Null
	case c.Fn <= query.FnConcat:
		return textFunction(c.Fn, args)
	case c.Fn >= query.FnRound && c.Fn <= query.FnNeg:
		return arithmetic(c.Fn, kind, args)
	case c.Fn == query.FnGreatest:
		return as(slices.MaxFunc(args, plainOrder), kind, scaleOf(c))
	case c.Fn == query.FnFromBase:
		return exchanged(args[0], new(big.Rat).Mul(args[0].Rat(), args[1].Rat()))
	case c.Fn == query.FnToBase:
		return exchanged(args[0], new(big.Rat).Quo(args[0].Rat(), args[1].Rat()))
	case c.Fn == query.FnMoney:
		return value.Money(args[0].Int())
	case c.Fn == query.FnLabelRank:
		return labelRank(c.Args[0].(query.Ref).Column, args[0])
	default:
		return ev.datePart(c.Fn, args[0])
	}
}

// scaleOf is the number of decimals of an expression that yields a decimal: that of the column it begins with.
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

// as gives a number the kind an expression has as a whole.
func as(v value.Value, kind value.Kind, scale int) value.Value {
	if v.IsNull() || v.Kind() == kind {
		return v
	}
	switch kind {
	case value.KindMoney:
		return exchanged(value.Money(0), v.Rat())
	case value.KindDecimal:
		return exchanged(value.Decimal(0, scale), v.Rat())
	case value.KindFloat:
		return value.Float(v.Float())
	default:
		return v
	}
}

// exchanged rounds an amount to the unit of like.
func exchanged(like value.Value, amount *big.Rat) value.Value {
	scale := 2
	if like.Kind() == value.KindDecimal {
		scale = like.Scale()
	}
	n, err := value.RoundRat(amount, scale)
	if err != nil {
		panic(err)
	}
	return sameUnit(like, n)
}

func textFunction(fn query.Fn, args []value.Value) value.Value {
	text := args[0].Text()
	switch fn {
	case query.FnToLower:
		return value.Text(mapASCII(text, 'A', 'Z', 'a'-'A'))
	case query.FnToUpper:
		return value.Text(mapASCII(text, 'a', 'z', 'A'-'a'))
	case query.FnTrim:
		return value.Text(strings.Trim(text, " "))
	case query.FnLength:
		return value.Int(int64(utf8.RuneCountInString(text)))
	case query.FnIndexOf:
		folded := query.FoldOpen(text)
		at := strings.Index(folded, query.FoldOpen(args[1].Text()))
		if at < 0 {
			return value.Int(-1)
		}
		return value.Int(int64(utf8.RuneCountInString(folded[:at])))
	case query.FnSubstring:
		runes := []rune(text)
		runes = runes[min(max(args[1].Int(), 0), int64(len(runes))):]
		if len(args) > 2 {
			runes = runes[:min(max(args[2].Int(), 0), int64(len(runes)))]
		}
		return value.Text(string(runes))
	default: // FnConcat
		for _, v := range args[1:] {
			text += v.Text()
		}
		return value.Text(text)
	}
}

// mapASCII shifts the letters between two others: stores change the case of ASCII alone, as no comparison sees it.
func mapASCII(s string, low, high, shift rune) string {
	return strings.Map(func(r rune) rune {
		if r >= low && r <= high {
			return r + shift
		}
		return r
	}, s)
}

func arithmetic(fn query.Fn, kind value.Kind, args []value.Value) value.Value {
	a := args[0]
	switch fn {
	case query.FnRound:
		return value.Float(math.Copysign(math.Floor(math.Abs(a.Float())+0.5), a.Float()))
	case query.FnFloor:
		return value.Float(math.Floor(a.Float()))
	case query.FnCeiling:
		return value.Float(math.Ceil(a.Float()))
	case query.FnNeg:
		if a.Kind() == value.KindFloat {
			return value.Float(-a.Float())
		}
		return sameUnit(a, -a.Int())
	}
	b := args[1]
	if (fn == query.FnDiv || fn == query.FnMod) && b.Float() == 0 {
		return value.Null
	}
	if kind != value.KindFloat {
		return exactArithmetic(fn, kind, a, b)
	}
	switch fn {
	case query.FnAdd:
		return value.Float(a.Float() + b.Float())
	case query.FnSub:
		return value.Float(a.Float() - b.Float())
	case query.FnMul:
		return value.Float(a.Float() * b.Float())
	case query.FnDiv:
		return value.Float(a.Float() / b.Float())
	default:
		return remainder(a, b)
	}
}

// exactArithmetic adds, subtracts or multiplies integers and money.
func exactArithmetic(fn query.Fn, kind value.Kind, a, b value.Value) value.Value {
	amount := new(big.Rat)
	switch fn {
	case query.FnAdd:
		amount.Add(a.Rat(), b.Rat())
	case query.FnSub:
		amount.Sub(a.Rat(), b.Rat())
	default:
		amount.Mul(a.Rat(), b.Rat())
	}
	if kind == value.KindMoney {
		return exchanged(value.Money(0), amount)
	}
	return value.Int(amount.Num().Int64())
}

// remainder divides exact numbers exactly.
func remainder(a, b value.Value) value.Value {
	if a.Kind() == value.KindFloat || b.Kind() == value.KindFloat {
		return value.Float(a.Float() - math.Trunc(a.Float()/b.Float())*b.Float())
	}
	scale := max(decimals(a), decimals(b))
	one := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	x, y := new(big.Rat).Mul(a.Rat(), one), new(big.Rat).Mul(b.Rat(), one)
	rest := new(big.Int).Rem(x.Num(), y.Num()) // both are whole at this scale
	return value.Float(float64(rest.Int64()) / math.Pow10(scale))
}

func decimals(v value.Value) int {
	switch v.Kind() {
	case value.KindMoney:
		return 2
	case value.KindDecimal:
		return v.Scale()
	default:
		return 0
	}
}

// labelRank is the rank of a choice's label among the distinct folded labels of its set.
func labelRank(c *schema.Column, v value.Value) value.Value {
	label, ok := c.Options.LabelOf(v.Int())
	if !ok {
		return value.Null
	}
	var labels []string
	for _, o := range c.Options.Options {
		labels = append(labels, value.Fold(o.Label))
	}
	slices.SortFunc(labels, cmp.Compare[string])
	labels = slices.Compact(labels)
	return value.Int(int64(slices.Index(labels, value.Fold(label)) + 1))
}

// datePart computes a part of a date or of a moment on the organization's clock.
func (ev *Evaluator) datePart(fn query.Fn, v value.Value) value.Value {
	day, clock := v.Int(), time.Time{}
	if v.Kind() == value.KindTime {
		day, clock = ev.Calendar.Day(v.Int()), ev.clock(v)
	}
	year, month, dayOfMonth := value.Civil(day)
	start := max(ev.Calendar.StartMonth, 1)
	switch fn {
	case query.FnDate:
		return value.Date(day)
	case query.FnYear, query.FnGroupYear:
		return value.Int(int64(year))
	case query.FnMonth, query.FnGroupMonth:
		return value.Int(int64(month))
	case query.FnDay, query.FnGroupDay:
		return value.Int(int64(dayOfMonth))
	case query.FnHour:
		return value.Int(int64(clock.Hour()))
	case query.FnMinute:
		return value.Int(int64(clock.Minute()))
	case query.FnSecond:
		return value.Int(int64(clock.Second()))
	case query.FnGroupWeek:
		newYear := ev.Calendar.Week(value.CivilDays(year, 1, 1))
		return value.Int((day-newYear)/7 + 1)
	case query.FnGroupQuarter:
		return value.Int(int64((month-1)/3 + 1))
	case query.FnGroupFiscalPeriod:
		return value.Int(int64((month-start+12)%12/3 + 1))
	default: // FnGroupFiscalYear
		if month < start {
			year--
		}
		return value.Int(int64(year))
	}
}

// clock is a moment as the organization's clock shows it.
func (ev *Evaluator) clock(v value.Value) time.Time {
	if ev.Calendar.Zone == nil {
		return time.Unix(v.Int(), 0).UTC()
	}
	return time.Unix(v.Int(), 0).In(ev.Calendar.Zone)
}
