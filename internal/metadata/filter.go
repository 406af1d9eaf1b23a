package metadata

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"almoner/internal/odata"
	"almoner/internal/value"
)

// predicate is a bound condition.
type predicate func(element) bool

// term is one bound side of a comparison. What it yields is nil, bool, float64, or text: folded, or the text of a GUID or
// an enumeration member.
type term struct {
	typ string // CSDL type; "" for null
	get func(element) any
	lit *odata.Literal // the constant, if it is one
}

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

// bindTerm binds one side of a comparison: a property, a constant, or a text function.
func bindTerm(of *shape, n odata.Node) (term, error) {
	switch n := n.(type) {
	case odata.Literal:
		return bindLiteral(n)
	case odata.Member:
		return bindPath(of, n)
	case odata.Func:
		return bindFunc(of, n)
	default:
		return term{}, refused("The $filter of the metadata API takes comparisons of properties with constants, contains, startswith, endswith, and, or, not and in.")
	}
}

// literalTypes are the types of constants. A number is compared as one whatever its exact type.
var literalTypes = map[odata.LiteralKind]string{
	odata.BoolLiteral: edmBoolean, odata.NumberLiteral: edmDouble, odata.StringLiteral: edmString, odata.GUIDLiteral: edmGuid,
	odata.DateLiteral: edmDate, odata.TimeLiteral: edmDateTime,
}

func bindLiteral(l odata.Literal) (term, error) {
	t := term{typ: literalTypes[l.Kind], lit: &l}
	switch l.Kind {
	case odata.NullLiteral:
		t.get = constant(nil)
	case odata.BoolLiteral:
		t.get = constant(l.Text == "true")
	case odata.NumberLiteral:
		n, err := strconv.ParseFloat(l.Text, 64)
		if err != nil {
			return t, refused("'%s' is not a number that can be compared.", l.Text)
		}
		t.get = constant(n)
	case odata.StringLiteral:
		t.get = constant(value.Fold(l.Text))
	case odata.TypedLiteral:
		t.typ = l.Type
		t.get = constant(l.Text)
	case odata.GUIDLiteral:
		t.get = constant(strings.ToLower(l.Text))
	default:
		t.get = constant(strings.ToUpper(l.Text))
	}
	return t, nil
}

func constant(v any) func(element) any { return func(element) any { return v } }

// bindPath binds a property, or one inside a complex property such as IsAuditEnabled/Value. Labels cannot be filtered.
func bindPath(of *shape, path odata.Member) (term, error) {
	var steps []*member
	at := of
	for i, name := range path.Names {
		m := at.byName[name]
		last := i == len(path.Names)-1
		switch {
		case m == nil:
			return term{}, noProperty(name, at)
		case m.shape == labelShape:
			return term{}, refused("The property '%s' is a label and cannot be used in a filter.", name)
		case m.nav || m.many || last != (m.shape == nil) || strings.HasPrefix(m.typ, "Collection("):
			return term{}, refused("The property '%s' of type '%s' cannot be compared.", path, of.qualified())
		}
		steps = append(steps, m)
		at = m.shape
	}
	last := steps[len(steps)-1]
	return term{typ: last.typ, get: func(e element) any { return comparable(last, follow(e, steps)) }}, nil
}

// follow reads the property at the end of a path; nil when something on the way is null.
func follow(e element, steps []*member) any {
	var v any = e
	for _, m := range steps {
		inner, ok := v.(element)
		if !ok {
			return nil
		}
		v = m.get(inner.of)
	}
	return v
}

// comparable turns what a property yields into what terms yield.
func comparable(m *member, v any) any {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case number:
		f, _ := strconv.ParseFloat(string(v), 64) // a number of ours always parses
		return f
	case value.GUID:
		return v.String()
	case string:
		if m.typ == edmString {
			return value.Fold(v)
		}
		return v
	default:
		return v
	}
}

// textFuncs are the functions that test a text.
var textFuncs = map[string]func(s, part string) bool{
	"contains": strings.Contains, "startswith": strings.HasPrefix, "endswith": strings.HasSuffix,
}

func bindFunc(of *shape, n odata.Func) (term, error) {
	if (n.Name == "tolower" || n.Name == "toupper") && len(n.Args) == 1 {
		t, err := bindTerm(of, n.Args[0]) // comparison ignores case, so both are the text itself
		return t, firstError(err, textual(t, n.Name))
	}
	test := textFuncs[n.Name]
	if test == nil || len(n.Args) != 2 {
		return term{}, refused("The function '%s' is not supported in a filter of the metadata API.", n.Name)
	}
	s, err := bindTerm(of, n.Args[0])
	if err != nil {
		return term{}, err
	}
	part, err := bindTerm(of, n.Args[1])
	if err != nil {
		return term{}, err
	}
	found := func(e element) any {
		text, okText := s.get(e).(string)
		piece, okPiece := part.get(e).(string)
		return okText && okPiece && test(text, piece)
	}
	return term{typ: edmBoolean, get: found}, firstError(textual(s, n.Name), textual(part, n.Name))
}

func textual(t term, function string) error {
	if t.typ != edmString {
		return refused("The function '%s' takes text, not '%s'.", function, t.typ)
	}
	return nil
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
