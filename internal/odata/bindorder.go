package odata

import (
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
)

// order binds sort keys. A lookup sorts by the primary name of what it points at; a key named twice counts once.
func (e *env) order(items []OrderItem) ([]query.Order, error) {
	var out []query.Order
	seen := map[query.Expr]bool{}
	if len(items) > query.MaxOrder {
		return nil, badRequest("$orderby has %d keys; at most %d are allowed.", len(items), query.MaxOrder)
	}
	for _, item := range items {
		ref, expr, err := e.sortKey(item.Expr)
		if err != nil {
			return nil, err
		}
		if ref != nil {
			if seen[*ref] {
				continue
			}
			seen[*ref] = true
		}
		out = append(out, query.Order{Expr: expr, Desc: item.Desc})
	}
	return out, nil
}

// sortKey binds one sort key and returns the column it names, if it is no more than that.
func (e *env) sortKey(n Node) (*query.Ref, query.Expr, error) {
	if lit, ok := n.(Literal); ok && lit.Kind == StringLiteral {
		n = Member{Names: strings.Split(lit.Text, "/")} // a property name given by an alias
	}
	if isCondition(n) {
		return nil, nil, badRequest("$orderby takes properties and values, not conditions.")
	}
	o, err := e.value(n)
	if err != nil {
		return nil, nil, err
	}
	if o.constant() {
		return nil, nil, badRequest("$orderby takes properties, not constants.")
	}
	ref, ok := o.expr.(query.Ref)
	if !ok {
		return nil, o.expr, nil
	}
	if ref.Column.Type == schema.TypeLookup {
		if title := query.TitleOf(ref); title != nil {
			return &ref, title, nil
		}
	}
	return &ref, ref, nil
}
