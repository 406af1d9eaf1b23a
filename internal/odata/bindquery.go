package odata

import (
	"strconv"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// maxInText is the longest text the platform's In takes, in characters.
const maxInText = 850

// queryFunc binds a query function of the platform. What depends on the caller or the clock stays an operator.
func (e *env) queryFunc(n QueryFunc) (query.Filter, error) {
	facts := query.OpByFunction(n.Name)
	if facts == nil {
		return nil, badRequest("An unknown function with name '%s%s' was found.", namespace, n.Name)
	}
	left, err := e.propertyName(n)
	if err != nil {
		return nil, err
	}
	args, err := n.arguments(facts)
	if err != nil {
		return nil, err
	}
	if e.b.values += len(args); e.b.values > maxListValues {
		return nil, tooManyValues()
	}
	if err := fitsColumn(facts, left.Column); err != nil {
		return nil, err
	}
	cond := query.Cond{Left: left, Op: facts.Op}
	for _, arg := range args {
		v, err := argumentValue(facts, left.Column, arg)
		if err != nil {
			return nil, err
		}
		cond.Args = append(cond.Args, query.Literal{Value: v})
	}
	return cond, nil
}

// propertyName binds PropertyName, which is a logical name, lookups included.
func (e *env) propertyName(n QueryFunc) (query.Ref, error) {
	names := append([]string{"$it"}, n.Base...)
	if len(n.Base) > 0 {
		names = n.Base
	}
	s, rest := e.start(names)
	l, err := s.walk(rest)
	if err != nil {
		return query.Ref{}, err
	}
	name, ok := n.Params["PropertyName"].(Literal)
	if !ok || name.Kind != StringLiteral {
		return query.Ref{}, badRequest("The function '%s%s' needs the parameter PropertyName with a quoted name.", namespace, n.Name)
	}
	c := l.Table.Column(name.Text)
	if c == nil || c.Hidden {
		return query.Ref{}, noProperty(l.Table, name.Text)
	}
	return query.Ref{Link: l, Column: c}, nil
}

// parameters names the parameters of an operator after PropertyName.
func parameters(facts *query.OpFacts) []string {
	switch {
	case facts.Arity == query.NoValue:
		return nil
	case facts.Arity == query.OneValue:
		return []string{"PropertyValue"}
	case facts.Arity == query.TwoValues && facts.Dates:
		return []string{"PropertyValue1", "PropertyValue2"}
	default:
		return []string{"PropertyValues"}
	}
}

// arguments collects the values of a call and checks that they are those the function asks for.
func (n QueryFunc) arguments(facts *query.OpFacts) ([]Literal, error) {
	want := parameters(facts)
	if len(n.Params) != len(want)+1 {
		return nil, n.misused("its parameters are PropertyName" + strings.Join(append([]string{""}, want...), ", "))
	}
	var args []Literal
	for _, name := range want {
		switch p := n.Params[name].(type) {
		case Literal:
			if name == "PropertyValues" {
				return nil, n.misused("PropertyValues must be an array")
			}
			args = append(args, p)
		case List:
			if name != "PropertyValues" {
				return nil, n.misused(name + " must be a single value")
			}
			for _, item := range p.Items {
				args = append(args, item.(Literal))
			}
		default:
			return nil, n.misused("the parameter " + name + " is missing or not a constant")
		}
	}
	if len(want) == 1 && want[0] == "PropertyValues" && (len(args) == 0 || facts.Arity == query.TwoValues && len(args) != 2) {
		return nil, n.misused("the number of values is wrong")
	}
	return args, nil
}

func (n QueryFunc) misused(why string) error {
	return badRequest("The function '%s%s' cannot be called so: %s.", namespace, n.Name, why)
}

// fitsColumn refuses an operator on a column it has no meaning for.
func fitsColumn(facts *query.OpFacts, c *schema.Column) error {
	unfit := false
	kind := c.Type.Kind()
	switch op := facts.Op; {
	case facts.Hours:
		unfit = kind != value.KindTime
	case facts.Dates:
		unfit = kind != value.KindDate && kind != value.KindTime
	case op == query.OpContainValues || op == query.OpNotContainValues:
		unfit = c.Type != schema.TypeMultiChoice
	case op >= query.OpAbove && op <= query.OpNotUnder:
		unfit = !hierarchical(c)
	case op == query.OpEqualUserLanguage:
		unfit = kind != value.KindInt
	case op >= query.OpEqualUserID && op < query.OpOn:
		unfit = kind != value.KindID
	case op == query.OpBetween || op == query.OpNotBetween:
		unfit = kind == value.KindBool || kind == value.KindID
	}
	if unfit {
		return fault.New(fault.OperatorUnfit, "The function '%s%s' cannot be used on '%s', which is of type %s.", namespace, facts.Function, c.Name, c.Type).
			At(c.Table.Name, "column "+c.Name)
	}
	return nil
}

// hierarchical tells whether a column is the key or the parent lookup of a table whose rows form a hierarchy.
func hierarchical(c *schema.Column) bool {
	for _, r := range c.Table.Parents {
		if r.Hierarchical && r.Parent == c.Table && (c == r.Column || c == c.Table.Key) {
			return true
		}
	}
	return false
}

// argumentValue converts one value of a query function: counts and years are integers, the value of On and its like a date,
// everything else what the column holds.
func argumentValue(facts *query.OpFacts, c *schema.Column, arg Literal) (value.Value, error) {
	bad := func(want string) error {
		return badRequest("The value '%s' of the function '%s%s' on '%s' is not %s.", arg.Text, namespace, facts.Function, c.Name, want).
			At(c.Table.Name, "column "+c.Name)
	}
	switch op := facts.Op; {
	case op == query.OpOn || op == query.OpOnOrAfter || op == query.OpOnOrBefore:
		if v, ok := dateValue(arg.Text); ok {
			return v, nil
		}
		return value.Null, bad("a date")
	case facts.Dates:
		n, err := strconv.ParseInt(arg.Text, 10, 64)
		if err != nil || n <= 0 {
			return value.Null, bad("a positive integer")
		}
		return value.Int(n), nil
	case op == query.OpIn && len([]rune(arg.Text)) > maxInText:
		return value.Null, bad("at most " + strconv.Itoa(maxInText) + " characters long")
	}
	v, ok := columnValue(c, arg.Text)
	if !ok || arg.Kind == NullLiteral {
		return value.Null, bad("of type " + c.Type.Edm())
	}
	return v, nil
}

// dateValue reads a day or a moment from text.
func dateValue(text string) (value.Value, bool) {
	if days, err := value.ParseDate(text); err == nil {
		return value.Date(days), true
	}
	if seconds, err := value.ParseTime(text); err == nil {
		return value.Time(seconds), true
	}
	return value.Null, false
}

// columnValue reads text as a value of a column, as the arrays of query functions carry it.
func columnValue(c *schema.Column, text string) (value.Value, bool) {
	switch k := c.Type.Kind(); k {
	case value.KindText:
		return value.Text(text), true
	case value.KindBool:
		switch text {
		case "true", "1":
			return value.Bool(true), true
		case "false", "0":
			return value.Bool(false), true
		}
		return value.Null, false
	case value.KindID:
		id, err := value.ParseGUID(text)
		return value.ID(id), err == nil
	case value.KindDate:
		seconds, _, ok := parseMoment(text)
		return value.Date(value.DateOf(seconds, nil)), ok
	case value.KindTime:
		seconds, _, ok := parseMoment(text)
		return value.Time(seconds), ok
	case value.KindFloat:
		f, err := strconv.ParseFloat(text, 64)
		return value.Float(f), err == nil && f-f == 0
	default:
		n, _, err := value.ParseDecimal(text, c.Scale)
		return exactValue(n, k, c.Scale), err == nil
	}
}
