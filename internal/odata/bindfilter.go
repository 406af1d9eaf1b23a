package odata

import (
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

// filter binds a condition.
func (e *env) filter(n Node) (query.Filter, error) {
	switch n := n.(type) {
	case Logic:
		return e.logic(n)
	case Unary:
		if n.Op == "not" {
			return e.negation(n.X)
		}
	case Binary:
		return e.binary(n)
	case Func:
		if op, ok := textConditions[n.Name]; ok {
			return e.textCondition(n, op)
		}
	case QueryFunc:
		return e.queryFunc(n)
	case Lambda:
		return e.lambda(n)
	case Literal:
		if n.Kind == BoolLiteral || n.Kind == NullLiteral {
			return query.Const(n.Text == "true"), nil
		}
	case Member:
		return e.flag(n)
	}
	return nil, notBoolean()
}

func notBoolean() error {
	return badRequest("The $filter expression must evaluate to a single boolean value.")
}

// logic binds and and or; one inside another of the same word becomes part of it.
func (e *env) logic(n Logic) (query.Filter, error) {
	var terms []query.Filter
	for _, term := range n.Terms {
		f, err := e.filter(term)
		if err != nil {
			return nil, err
		}
		and, isAnd := f.(query.And)
		or, isOr := f.(query.Or)
		switch {
		case isAnd && n.Op == "and":
			terms = append(terms, and...)
		case isOr && n.Op == "or":
			terms = append(terms, or...)
		default:
			terms = append(terms, f)
		}
	}
	if n.Op == "and" {
		return query.And(terms), nil
	}
	return query.Or(terms), nil
}

// negation binds not. The platform's own functions may not stand behind it.
func (e *env) negation(n Node) (query.Filter, error) {
	if _, ok := n.(QueryFunc); ok {
		return nil, badRequest("Not operator along with the Custom Named Condition operators is not allowed")
	}
	f, err := e.filter(n)
	if err != nil {
		return nil, err
	}
	if c, ok := f.(query.Const); ok {
		return !c, nil
	}
	return query.Not{Filter: f}, nil
}

// flag binds a Boolean column that stands alone as a condition.
func (e *env) flag(n Member) (query.Filter, error) {
	o, err := e.member(n)
	if err != nil {
		return nil, err
	}
	if o.nav != nil || o.kind() != value.KindBool {
		return nil, notBoolean()
	}
	return query.Cond{Left: o.expr, Op: query.OpEq, Args: []query.Expr{query.Literal{Value: value.Bool(true)}}}, nil
}

func (e *env) binary(n Binary) (query.Filter, error) {
	switch {
	case n.Op == "in":
		return e.in(n)
	case n.Op == "has":
		return nil, badRequest("The operator 'has' is not supported: no property is of a flags type.")
	case comparisons[n.Op] == 0:
		return nil, notBoolean()
	case isCondition(n.L):
		return e.conditionEquals(n.L, n.Op, n.R)
	case isCondition(n.R):
		return e.conditionEquals(n.R, n.Op, n.L)
	}
	l, err := e.value(n.L)
	if err != nil {
		return nil, err
	}
	r, err := e.value(n.R)
	if err != nil {
		return nil, err
	}
	return compare(l, n.Op, r)
}

// isCondition tells whether a node is a condition by its form.
func isCondition(n Node) bool {
	switch n := n.(type) {
	case Logic, QueryFunc, Lambda:
		return true
	case Unary:
		return n.Op == "not"
	case Binary:
		return comparisons[n.Op] != 0 || n.Op == "in" || n.Op == "has"
	case Func:
		_, ok := textConditions[n.Name]
		return ok
	default:
		return false
	}
}

// conditionEquals binds a condition compared with true or false.
func (e *env) conditionEquals(condition Node, op string, other Node) (query.Filter, error) {
	lit, ok := other.(Literal)
	if !ok || lit.Kind != BoolLiteral || op != "eq" && op != "ne" {
		return nil, badRequest("A condition can only be compared with true or false, by eq or ne.")
	}
	if (lit.Text == "true") == (op == "eq") {
		return e.filter(condition)
	}
	return e.negation(condition)
}

var flipped = map[string]string{"eq": "eq", "ne": "ne", "gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}

// compare binds a comparison of two operands.
func compare(l operand, op string, r operand) (query.Filter, error) {
	switch {
	case l.constant() && r.constant():
		return compareConstants(l, op, r)
	case l.constant():
		return compare(r, flipped[op], l)
	case r.null():
		return compareNull(l.expr, op), nil
	case l.nav != nil || r.nav != nil || l.kind() == value.KindBool && op != "eq" && op != "ne":
		return nil, incompatible(l, r, op)
	case r.constant():
		f, ok, err := fit(l, r.lit)
		if err != nil || !ok {
			return nil, firstError(err, incompatible(l, r, op))
		}
		return f.condition(l.expr, op), nil
	}
	l.expr, r.expr = meetNow(l.expr, r.expr), meetNow(r.expr, l.expr)
	if l.kind() != r.kind() && !(numeric(l.kind()) && numeric(r.kind())) {
		return nil, incompatible(l, r, op)
	}
	return query.Cond{Left: l.expr, Op: comparisons[op], Args: []query.Expr{r.expr}}, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// meetNow makes the moment now() its date where it meets a date.
func meetNow(e, other query.Expr) query.Expr {
	if c, ok := e.(query.Call); ok && c.Fn == query.FnNow && query.KindOf(other) == value.KindDate {
		return query.Call{Fn: query.FnDate, Args: []query.Expr{e}}
	}
	return e
}

func compareNull(left query.Expr, op string) query.Filter {
	switch op {
	case "eq":
		return query.Cond{Left: left, Op: query.OpNull}
	case "ne":
		return query.Cond{Left: left, Op: query.OpNotNull}
	default:
		return query.Const(false)
	}
}

// in binds membership in a list. A null in the list stands for rows without a value.
func (e *env) in(n Binary) (query.Filter, error) {
	list, ok := n.R.(List)
	if !ok {
		list = List{Items: []Node{n.R}}
	}
	l, err := e.value(n.L)
	if err != nil {
		return nil, err
	}
	if l.constant() || l.nav != nil {
		return nil, badRequest("The left side of 'in' must be a property.")
	}
	if e.b.values += len(list.Items); e.b.values > maxListValues {
		return nil, tooManyValues()
	}
	var null query.Filter
	var args []query.Expr
	for _, item := range list.Items {
		lit, _ := item.(Literal)
		if lit.Kind == NullLiteral {
			null = query.Cond{Left: l.expr, Op: query.OpNull}
			continue
		}
		f, ok, err := fit(l, lit)
		if err != nil || !ok {
			return nil, firstError(err, incompatible(l, operand{lit: lit}, "in"))
		}
		if f.place == exact {
			args = append(args, query.Literal{Value: f.value})
		}
	}
	return eitherOf(null, oneOf(l.expr, args)), nil
}

func tooManyValues() error {
	return badRequest("The query has more than %d values in lists.", maxListValues)
}

func oneOf(left query.Expr, args []query.Expr) query.Filter {
	if len(args) == 0 {
		return nil
	}
	return query.Cond{Left: left, Op: query.OpIn, Args: args}
}

// eitherOf joins two filters by or, either of which may be nil; without any it never holds.
func eitherOf(a, b query.Filter) query.Filter {
	switch {
	case a == nil && b == nil:
		return query.Const(false)
	case a == nil:
		return b
	case b == nil:
		return a
	default:
		return query.Or{a, b}
	}
}

// textConditions are the functions that are conditions by themselves.
var textConditions = map[string]query.Op{"contains": query.OpContains, "startswith": query.OpBeginsWith, "endswith": query.OpEndsWith}

// textCondition binds contains, startswith and endswith; the text looked for must be a constant.
func (e *env) textCondition(n Func, op query.Op) (query.Filter, error) {
	if len(n.Args) != 2 {
		return nil, noSignature(n.Name)
	}
	l, err := e.value(n.Args[0])
	if err != nil {
		return nil, err
	}
	r, err := e.value(n.Args[1])
	switch {
	case err != nil:
		return nil, err
	case l.null() || r.null():
		return query.Const(false), nil
	case l.constant() || l.nav != nil || l.kind() != value.KindText || !r.constant() || r.lit.Kind != StringLiteral:
		return nil, noSignature(n.Name)
	}
	return query.Cond{Left: l.expr, Op: op, Args: []query.Expr{query.Literal{Value: value.Text(r.lit.Text)}}}, nil
}

// compareConstants settles a comparison that does not depend on the row.
func compareConstants(l operand, op string, r operand) (query.Filter, error) {
	if l.null() || r.null() {
		both := l.null() && r.null()
		return query.Const(op == "eq" && both || op == "ne" && !both), nil
	}
	sign, ok := compareLiterals(l.lit, r.lit)
	if !ok {
		return nil, incompatible(l, r, op)
	}
	switch op {
	case "eq":
		return query.Const(sign == 0), nil
	case "ne":
		return query.Const(sign != 0), nil
	case "gt":
		return query.Const(sign > 0), nil
	case "ge":
		return query.Const(sign >= 0), nil
	case "lt":
		return query.Const(sign < 0), nil
	default:
		return query.Const(sign <= 0), nil
	}
}

// compareLiterals orders two literals of one kind; numbers by their worth as floats.
func compareLiterals(a, b Literal) (sign int, ok bool) {
	if a.Kind != b.Kind || a.Kind == TypedLiteral {
		return 0, false
	}
	if a.Kind == NumberLiteral {
		x, y := fitNumber(a.Text, value.KindFloat, 0), fitNumber(b.Text, value.KindFloat, 0)
		switch fx, fy := x.value.Float(), y.value.Float(); {
		case fx < fy:
			return -1, x.place == exact && y.place == exact
		case fx > fy:
			return 1, x.place == exact && y.place == exact
		default:
			return 0, x.place == exact && y.place == exact
		}
	}
	return strings.Compare(value.Fold(a.Text), value.Fold(b.Text)), true
}
