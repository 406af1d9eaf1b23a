package metadata

import (
	"cmp"
	"slices"
	"strings"

	"almoner/internal/odata"
)

// predicate is a bound condition.
type predicate func(element) bool

// bindFilter binds a parsed filter to the type it is asked of. Everything wrong with it is found here, before any element
// is looked at.
func bindFilter(of *shape, n odata.Node) (predicate, error) {
	switch n := n.(type) {
	case odata.Logic:
		return bindLogic(of, n)
	case odata.Unary:
		if n.Op == "not" {
			inner, err := bindFilter(of, n.X)
			return func(e element) bool { return !inner(e) }, err
		}
	case odata.Binary:
		return bindComparison(of, n)
	}
	t, err := bindTerm(of, n)
	if err != nil {
		return nil, err
	}
	if t.typ != edmBoolean {
		return nil, refused("The $filter expression must evaluate to a single boolean value.")
	}
	return func(e element) bool { return t.get(e) == true }, nil
}

func bindLogic(of *shape, n odata.Logic) (predicate, error) {
	var terms []predicate
	for _, x := range n.Terms {
		p, err := bindFilter(of, x)
		if err != nil {
			return nil, err
		}
		terms = append(terms, p)
	}
	decisive := n.Op == "or" // the outcome of one condition that settles the whole
	return func(e element) bool {
		return slices.ContainsFunc(terms, func(p predicate) bool { return p(e) == decisive }) == decisive
	}, nil
}

// verdicts says which outcomes of a comparison satisfy an operator.
var verdicts = map[string]func(int) bool{
	"eq": func(n int) bool { return n == 0 }, "ne": func(n int) bool { return n != 0 },
	"gt": func(n int) bool { return n > 0 }, "ge": func(n int) bool { return n >= 0 },
	"lt": func(n int) bool { return n < 0 }, "le": func(n int) bool { return n <= 0 },
}

func bindComparison(of *shape, n odata.Binary) (predicate, error) {
	if n.Op == "in" {
		return bindIn(of, n)
	}
	holds := verdicts[n.Op]
	if holds == nil {
		return nil, refused("The operator '%s' is not supported in a filter of the metadata API.", n.Op)
	}
	l, err := bindTerm(of, n.L)
	if err != nil {
		return nil, err
	}
	r, err := bindTerm(of, n.R)
	if err != nil {
		return nil, err
	}
	if err := agree(&l, &r, n.Op); err != nil {
		return nil, err
	}
	equality := n.Op == "eq" || n.Op == "ne"
	return func(e element) bool {
		a, b := l.get(e), r.get(e)
		if !equality && (a == nil || b == nil) {
			return false
		}
		return holds(compareValues(a, b))
	}, nil
}

func bindIn(of *shape, n odata.Binary) (predicate, error) {
	list, ok := n.R.(odata.List)
	if !ok {
		return nil, refused("The operator 'in' needs a list of values on its right side.")
	}
	equals := odata.Logic{Op: "or"}
	for _, item := range list.Items {
		equals.Terms = append(equals.Terms, odata.Binary{Op: "eq", L: n.L, R: item})
	}
	return bindLogic(of, equals)
}

// agree makes sure that two sides are of one type. A text beside an enumeration is read as the name of a member.
func agree(l, r *term, op string) error {
	if l.typ == "" || r.typ == "" || family(l.typ) == family(r.typ) {
		return firstError(checkMember(l), checkMember(r))
	}
	for _, pair := range [][2]*term{{l, r}, {r, l}} {
		enum, text := pair[0], pair[1]
		if strings.HasPrefix(enum.typ, namespace) && text.typ == edmString && text.lit != nil {
			text.typ = enum.typ
			text.get = constant(text.lit.Text)
			return checkMember(text)
		}
	}
	return refused("A binary operator with incompatible types was detected. Found operand types '%s' and '%s' for operator kind '%s'.", l.typ, r.typ, op)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkMember refuses a constant that is no member of its enumeration.
func checkMember(t *term) error {
	if t.lit == nil || !strings.HasPrefix(t.typ, namespace) {
		return nil
	}
	i := slices.IndexFunc(enumerations, func(e *enumeration) bool { return namespace+e.name == t.typ })
	if i < 0 || !enumerations[i].has(t.lit.Text) {
		return refused("The string '%s' is not a valid enumeration type constant of '%s'.", t.lit.Text, t.typ)
	}
	return nil
}

// family joins the types that may be compared with each other.
func family(typ string) string {
	switch typ {
	case edmInt32, edmInt64, edmDecimal, edmDouble:
		return "number"
	default:
		return typ
	}
}

// compareValues orders two values of terms; null comes before everything, false before true.
func compareValues(a, b any) int {
	if a == nil || b == nil {
		return cmp.Compare(rank(a != nil), rank(b != nil))
	}
	switch a := a.(type) {
	case bool:
		return cmp.Compare(rank(a), rank(b.(bool)))
	case float64:
		return cmp.Compare(a, b.(float64))
	default:
		return cmp.Compare(a.(string), b.(string))
	}
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}
