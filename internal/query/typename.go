package query

import (
	"strings"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// typeNamePrefix begins the derivation of a column that names the table a lookup points at.
const typeNamePrefix = "typename:"

// typeName is the logical name of the table a lookup points at; null when it points nowhere.
func typeName(lookup Ref) Expr {
	var name Expr = Literal{value.Null}
	targets := lookup.Column.Targets
	for i := len(targets) - 1; i >= 0; i-- {
		name = when(pointsAt(lookup, targets[i]), Literal{value.Text(targets[i].Name)}, name)
	}
	return name
}

// pointsAt is the condition that a lookup points at a row of a table.
func pointsAt(lookup Ref, target *schema.Table) Filter {
	if !lookup.Column.Polymorphic() {
		return Cond{Left: lookup, Op: OpNotNull}
	}
	return Cond{TypeCode{lookup}, OpEq, []Expr{Literal{value.Int(int64(target.TypeCode))}}}
}

// typeNameCondition compares type codes instead of names where a condition tests the table of a polymorphic lookup for
// equality: codes are what is stored and indexed. Other conditions are returned as they are.
func typeNameCondition(c Cond) Filter {
	ref, ok := c.Left.(Ref)
	if !ok {
		return c
	}
	name, ok := strings.CutPrefix(ref.Column.Virtual, typeNamePrefix)
	if !ok {
		return c
	}
	lookup := Ref{ref.Link, ref.Link.Table.MustColumn(name)}
	switch {
	case !lookup.Column.Polymorphic():
		return c
	case c.Op == OpNull || c.Op == OpNotNull:
		return Cond{Left: lookup, Op: c.Op}
	case c.Op == OpEq || c.Op == OpNe || c.Op == OpIn || c.Op == OpNotIn:
		return typeCodeCondition(c, lookup)
	default:
		return c
	}
}

func typeCodeCondition(c Cond, lookup Ref) Filter {
	var codes []Expr
	for i := range c.Args {
		name := literalArg(c, i)
		if name.Kind() != value.KindText {
			return c
		}
		for _, t := range lookup.Column.Targets {
			if value.Fold(name.Text()) == t.Name {
				codes = append(codes, Literal{value.Int(int64(t.TypeCode))})
			}
		}
	}
	negative := c.Op == OpNe || c.Op == OpNotIn
	switch {
	case len(codes) == 0:
		return Const(negative)
	case negative:
		return Cond{TypeCode{lookup}, OpNotIn, codes}
	default:
		return Cond{TypeCode{lookup}, OpIn, codes}
	}
}
