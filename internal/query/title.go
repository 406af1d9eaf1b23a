package query

import (
	"almoner/internal/schema"
	"almoner/internal/value"
)

// TitleOf is the primary name of the row a lookup points at: one sub-select per target table that has a primary name,
// the first present when there are several. It is nil when no target has one.
func TitleOf(ref Ref) Expr {
	var parts []Expr
	for _, target := range ref.Column.Targets {
		if target.Title == nil || target.Key == nil {
			continue
		}
		source := &Link{Table: target, Parent: ref.Link, From: target.Key, To: ref.Column}
		parts = append(parts, &Scalar{Source: source, Pick: Ref{source, target.Title}})
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	default:
		return Call{Fn: FnCoalesce, Args: parts}
	}
}

// Equal is the condition that a column of a source holds a value.
func Equal(l *Link, c *schema.Column, v value.Value) Cond {
	return Cond{Left: Ref{l, c}, Op: OpEq, Args: []Expr{Literal{v}}}
}

// Refs makes one unnamed output per column of a source, in order.
func Refs(l *Link, cols []*schema.Column) []Output {
	out := make([]Output, len(cols))
	for i, c := range cols {
		out[i] = Output{Expr: Ref{l, c}, Column: c}
	}
	return out
}
