package fetchxml

import (
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// condition binds one comparison.
func (b *binder) condition(s *scope, c Condition) (query.Filter, error) {
	link := s.home
	if c.EntityName != "" {
		found, err := s.find(c.EntityName)
		if err != nil {
			return nil, err
		}
		link = found
	}
	col, err := column(link.Table, c.Attribute)
	if err != nil {
		return nil, err
	}
	op := query.OpByFetch(c.Operator)
	if op == nil {
		return nil, fault.New(fault.FetchUnknownOperator, "The condition operator '%s' is not supported.", c.Operator).
			At(link.Table.Name, "column "+col.Name)
	}
	if !fits(op, col) {
		return nil, fault.New(fault.OperatorUnfit, "The operator '%s' is not valid for the attribute '%s', which is of type %s.", c.Operator, col.Name, col.Type).
			At(link.Table.Name, "column "+col.Name)
	}
	ref := query.Ref{Link: link, Column: col}
	args, err := b.arguments(s, ref, op, c)
	if err != nil {
		return nil, err
	}
	return query.Cond{Left: subject(ref, op.Op), Op: op.Op, Args: args}, nil
}

// subject is what an operator looks at: the column, or, where a text operator is used on a lookup, the name of the row it
// points at.
func subject(ref query.Ref, op query.Op) query.Expr {
	if ref.Column.Type == schema.TypeLookup && isTextOp(op) {
		return query.TitleOf(ref)
	}
	return ref
}

func (b *binder) arguments(s *scope, ref query.Ref, op *query.OpFacts, c Condition) ([]query.Expr, error) {
	if c.ValueOf != "" {
		return valueOf(s, ref, op, c)
	}
	values := c.Values
	if op.Arity == query.NoValue && len(values) == 1 && values[0] == "" {
		values = nil // clients send value="" along with null and the like
	}
	if !arityOf(op.Arity, len(values)) {
		return nil, fault.New(fault.FetchBadValue, "The condition on attribute '%s' with operator '%s' expects %s; %d given.",
			c.Attribute, c.Operator, arityWords[op.Arity], len(values)).At(ref.Link.Table.Name, "column "+c.Attribute)
	}
	var args []query.Expr
	for _, text := range values {
		v, err := argument(op, ref.Column, text)
		if err != nil {
			return nil, err
		}
		args = append(args, query.Literal{Value: v})
	}
	return args, nil
}

var arityWords = map[query.Arity]string{
	query.NoValue: "no value", query.OneValue: "one value", query.TwoValues: "two values", query.ManyValues: "one value or more",
}

func arityOf(a query.Arity, n int) bool {
	switch a {
	case query.NoValue:
		return n == 0
	case query.OneValue:
		return n == 1
	case query.TwoValues:
		return n == 2
	default:
		return n >= 1
	}
}

// valueOf compares with another column: of the same source, or alias.column of another.
func valueOf(s *scope, ref query.Ref, op *query.OpFacts, c Condition) ([]query.Expr, error) {
	if op.Op > query.OpLe || len(c.Values) > 0 {
		return nil, fault.New(fault.FetchBadValue, "valueof on attribute '%s' takes the operators eq, ne, gt, ge, lt, le and no value.", c.Attribute).
			At(ref.Link.Table.Name, "column "+c.Attribute)
	}
	link, name := ref.Link, c.ValueOf
	if alias, rest, ok := strings.Cut(c.ValueOf, "."); ok {
		found, err := s.find(alias)
		if err != nil {
			return nil, err
		}
		link, name = found, rest
	}
	other, err := column(link.Table, name)
	if err != nil {
		return nil, err
	}
	if other.Type.Kind() != ref.Column.Type.Kind() {
		return nil, fault.New(fault.FetchBadValue, "The attributes '%s' and '%s' are not of the same type and cannot be compared.", c.Attribute, c.ValueOf).
			At(ref.Link.Table.Name, "column "+c.Attribute)
	}
	return []query.Expr{query.Ref{Link: link, Column: other}}, nil
}

func isTextOp(op query.Op) bool { return op >= query.OpLike && op <= query.OpNotEndsWith }

// fits tells whether an operator can be used on a column.
func fits(op *query.OpFacts, c *schema.Column) bool {
	switch o := op.Op; {
	case op.Hours:
		return c.Type == schema.TypeDateTime
	case op.Dates:
		return isDate(c)
	case o >= query.OpGt && o <= query.OpLe, o == query.OpBetween, o == query.OpNotBetween:
		return c.Type != schema.TypeBool && c.Type != schema.TypeLookup && c.Type != schema.TypeMultiChoice
	case isTextOp(o):
		return c.IsText() && c.Type != schema.TypeMultiChoice || c.Type == schema.TypeLookup && query.TitleOf(query.Ref{Column: c}) != nil
	case o == query.OpContainValues || o == query.OpNotContainValues:
		return c.Type == schema.TypeMultiChoice
	case o >= query.OpAbove && o <= query.OpNotUnder:
		parent := hierarchy(c.Table)
		return parent != nil && (c == c.Table.Key || c == parent)
	case o == query.OpEqualUserLanguage:
		return c.Type.Kind() == value.KindInt
	case o >= query.OpEqualUserID:
		return c.Type.Kind() == value.KindID
	default: // eq, ne, in, not-in, null, not-null
		return true
	}
}
