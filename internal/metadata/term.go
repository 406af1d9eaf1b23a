package metadata

import (
	"strconv"
	"strings"

	"almoner/internal/odata"
	"almoner/internal/value"
)

// term is one bound side of a comparison. What it yields is nil, bool, float64, or text: folded, or the text of a GUID or
// an enumeration member.
type term struct {
	typ string // CSDL type; "" for null
	get func(element) any
	lit *odata.Literal // the constant, if it is one
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
		if !strings.HasPrefix(l.Type, namespace) {
			return t, refused("A constant of type '%s' cannot be used in a filter of the metadata API.", l.Type)
		}
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
		case m.many || last != (m.shape == nil) || strings.HasPrefix(m.typ, "Collection("):
			return term{}, refused("The property '%s' of type '%s' cannot be compared.", path, of.qualified())
		}
		steps = append(steps, m)
		at = m.shape
	}
	last := steps[len(steps)-1]
	return term{typ: last.typ, get: func(e element) any { return compared(last, follow(e, steps)) }}, nil
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

// compared turns what a property yields into what terms yield.
func compared(m *member, v any) any {
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
