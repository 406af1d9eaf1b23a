package odata

import (
	"strconv"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// value binds an expression that yields a value.
func (e *env) value(n Node) (operand, error) {
	switch n := n.(type) {
	case Literal:
		return operand{lit: n}, nil
	case Member:
		return e.member(n)
	case Unary:
		if n.Op == "-" {
			return e.negative(n.X)
		}
	case Binary:
		if fn, ok := arithmetic[n.Op]; ok {
			return e.arithmetic(n, fn)
		}
	case Func:
		return e.function(n)
	}
	return operand{}, badRequest("A value was expected, but a condition or a list was found.")
}

func (e *env) negative(n Node) (operand, error) {
	x, err := e.value(n)
	switch {
	case err != nil || x.null():
		return x, err
	case x.constant() || x.nav != nil || !numeric(x.kind()):
		return operand{}, badRequest("A unary operator with an incompatible type was detected. Found operand type '%s' for operator kind 'Negate'.", x.edm())
	}
	return operand{expr: query.Call{Fn: query.FnNeg, Args: []query.Expr{x.expr}}}, nil
}

var arithmetic = map[string]query.Fn{"add": query.FnAdd, "sub": query.FnSub, "mul": query.FnMul, "div": query.FnDiv, "mod": query.FnMod}

// arithmetic binds an operation on two numbers; null on either side makes it null.
func (e *env) arithmetic(n Binary, fn query.Fn) (operand, error) {
	l, err := e.value(n.L)
	if err != nil {
		return operand{}, err
	}
	r, err := e.value(n.R)
	switch {
	case err != nil:
		return operand{}, err
	case !l.number() || !r.number():
		return operand{}, incompatible(l, r, n.Op)
	case l.null() || r.null():
		return operand{lit: Literal{Kind: NullLiteral}}, nil
	}
	if (fn == query.FnDiv || fn == query.FnMod) && r.constant() && fitNumber(r.lit.Text, value.KindFloat, 0).value == value.Float(0) {
		return operand{}, badRequest("A division by zero was found.")
	}
	x, err := l.addend(fn, r)
	if err != nil {
		return operand{}, err
	}
	y, err := r.addend(fn, l)
	return operand{expr: query.Call{Fn: fn, Args: []query.Expr{x, y}}}, err
}

// number tells whether the operand is a number or null.
func (o operand) number() bool {
	if o.constant() {
		return o.lit.Kind == NumberLiteral || o.lit.Kind == NullLiteral
	}
	return o.nav == nil && numeric(o.kind())
}

// addend is an operand as an argument of arithmetic with another one. Integers and, where they are added to money, amounts
// of whole cents stay exact; every other constant is a float (decision 55).
func (o operand) addend(fn query.Fn, with operand) (query.Expr, error) {
	if !o.constant() {
		return o.expr, nil
	}
	if n, ok := o.lit.integer(); ok {
		return query.Literal{Value: value.Int(n)}, nil
	}
	if !with.constant() && with.kind() == value.KindMoney && (fn == query.FnAdd || fn == query.FnSub) {
		if f := fitNumber(o.lit.Text, value.KindMoney, 2); f.place == exact {
			return query.Literal{Value: f.value}, nil
		}
	}
	f := fitNumber(o.lit.Text, value.KindFloat, 0)
	if f.place != exact {
		return nil, badRequest("The number '%s' cannot be calculated with.", o.lit.Text)
	}
	return query.Literal{Value: f.value}, nil
}

// argument says what a parameter of a function takes.
type argument uint8

const (
	textArg   argument = iota // Edm.String
	wholeArg                  // Edm.Int32
	numberArg                 // any number
	dayArg                    // Edm.Date or Edm.DateTimeOffset
	momentArg                 // Edm.DateTimeOffset
)

var argumentNames = [...]string{"Edm.String", "Edm.Int32", "Edm.Decimal", "Edm.Date or Edm.DateTimeOffset", "Edm.DateTimeOffset"}

// signature describes a canonical function. Parameters from least on may be left out.
type signature struct {
	fn    query.Fn
	args  []argument
	least int
}

var signatures = map[string]signature{
	"tolower":   {query.FnToLower, []argument{textArg}, 1},
	"toupper":   {query.FnToUpper, []argument{textArg}, 1},
	"trim":      {query.FnTrim, []argument{textArg}, 1},
	"length":    {query.FnLength, []argument{textArg}, 1},
	"indexof":   {query.FnIndexOf, []argument{textArg, textArg}, 2},
	"substring": {query.FnSubstring, []argument{textArg, wholeArg, wholeArg}, 2},
	"concat":    {query.FnConcat, []argument{textArg, textArg}, 2},
	"year":      {query.FnYear, []argument{dayArg}, 1},
	"month":     {query.FnMonth, []argument{dayArg}, 1},
	"day":       {query.FnDay, []argument{dayArg}, 1},
	"hour":      {query.FnHour, []argument{momentArg}, 1},
	"minute":    {query.FnMinute, []argument{momentArg}, 1},
	"second":    {query.FnSecond, []argument{momentArg}, 1},
	"date":      {query.FnDate, []argument{dayArg}, 1},
	"round":     {query.FnRound, []argument{numberArg}, 1},
	"floor":     {query.FnFloor, []argument{numberArg}, 1},
	"ceiling":   {query.FnCeiling, []argument{numberArg}, 1},
	"now":       {query.FnNow, nil, 0},
}

// isCanonical tells whether a function without a namespace is one of those served.
func isCanonical(name string) bool {
	_, condition := textConditions[name]
	_, function := signatures[name]
	return condition || function
}

// noSignature says that a function was called with arguments it does not take.
func noSignature(name string) error {
	args := []string{argumentNames[textArg], argumentNames[textArg]}
	if s, ok := signatures[name]; ok {
		args = args[:0]
		for _, a := range s.args {
			args = append(args, argumentNames[a])
		}
	}
	return badRequest("No function signature for the function with name '%s' matches the specified arguments. The function signatures considered are: %s(%s).",
		name, name, strings.Join(args, ", "))
}

// function binds a call of a canonical function; a null argument makes it null.
func (e *env) function(n Func) (operand, error) {
	s, ok := signatures[n.Name]
	if !ok || len(n.Args) < s.least || len(n.Args) > len(s.args) {
		return operand{}, noSignature(n.Name)
	}
	call := query.Call{Fn: s.fn}
	null := false
	for i, arg := range n.Args {
		o, err := e.value(arg)
		if err != nil {
			return operand{}, err
		}
		null = null || o.null()
		if o.null() {
			continue
		}
		x, ok := o.as(s.args[i])
		if !ok {
			return operand{}, noSignature(n.Name)
		}
		call.Args = append(call.Args, x)
	}
	if null {
		return operand{lit: Literal{Kind: NullLiteral}}, nil
	}
	if s.fn == query.FnDate && query.KindOf(call.Args[0]) == value.KindDate {
		return operand{expr: call.Args[0]}, nil
	}
	return operand{expr: call}, nil
}

// as returns an operand as an argument of a function, if it is of the right type.
func (o operand) as(a argument) (query.Expr, bool) {
	if o.constant() {
		return o.lit.as(a)
	}
	k := o.kind()
	fits := a == textArg && k == value.KindText || a == wholeArg && k == value.KindInt || a == numberArg && numeric(k) ||
		a == dayArg && (k == value.KindDate || k == value.KindTime) || a == momentArg && k == value.KindTime
	return o.expr, fits && o.nav == nil
}

// as returns a literal as an argument of a function, if it is of the right type.
func (l Literal) as(a argument) (query.Expr, bool) {
	switch n, whole := l.integer(); {
	case a == textArg && l.Kind == StringLiteral:
		return query.Literal{Value: value.Text(l.Text)}, true
	case (a == wholeArg || a == numberArg) && whole:
		return query.Literal{Value: value.Int(n)}, true
	case a == numberArg && l.Kind == NumberLiteral:
		f, err := strconv.ParseFloat(l.Text, 64)
		return query.Literal{Value: value.Float(f)}, err == nil && !strings.ContainsAny(l.Text, "IN")
	case (a == dayArg || a == momentArg) && l.Kind == TimeLiteral, a == dayArg && l.Kind == DateLiteral:
		k := value.KindDate
		if l.Kind == TimeLiteral {
			k = value.KindTime
		}
		f, err := fitMoment(l, k)
		return query.Literal{Value: f.value}, err == nil && (f.place == exact || f.place == between)
	default:
		return nil, false
	}
}
