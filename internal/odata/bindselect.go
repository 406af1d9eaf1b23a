package odata

import (
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
)

// node binds what is shown of one row, and its part of @odata.context: the selected names and expanded properties in
// parentheses, in request order.
func (e *env) node(names []string, items []ExpandItem) (*query.Node, string, error) {
	l := e.it.link
	cols, listed, err := selected(l.Table, names)
	if err != nil {
		return nil, "", err
	}
	n := &query.Node{Link: l, Outputs: outputs(l, cols)}
	context := listed
	expanded := map[*schema.Nav]bool{}
	for _, item := range items {
		x, text, err := e.expand(item)
		if err != nil {
			return nil, "", err
		}
		if expanded[x.Nav] {
			return nil, "", badRequest("The navigation property '%s' is expanded twice.", item.Name).At(l.Table.Name, "column "+item.Name)
		}
		expanded[x.Nav] = true
		n.Expands = append(n.Expands, x)
		context = append(context, text)
	}
	if len(context) == 0 {
		return n, "", nil
	}
	return n, "(" + strings.Join(context, ",") + ")", nil
}

// selected returns the columns a $select stands for, and its names as @odata.context lists them. Without a $select that is
// all columns and no names. The key is always there, and the currency wherever money is.
func selected(t *schema.Table, names []string) (cols []*schema.Column, listed []string, err error) {
	seen := make([]bool, len(t.Columns))
	if len(names) == 0 {
		cols = make([]*schema.Column, 0, len(t.Columns))
	}
	take := func(c *schema.Column) {
		if c != nil && !c.Hidden && !seen[c.Index] {
			seen[c.Index] = true
			cols = append(cols, c)
		}
	}
	for _, name := range names {
		if name == "*" {
			takeAll(t, take)
			listed = append(listed, name)
			continue
		}
		c := selectable(t, name)
		if c == nil {
			return nil, nil, noProperty(t, name)
		}
		if !seen[c.Index] {
			listed = append(listed, c.Wire)
		}
		take(c)
	}
	if len(names) == 0 {
		takeAll(t, take)
	}
	for _, c := range cols {
		if c.Type == schema.TypeMoney {
			take(t.Column("transactioncurrencyid"))
			break
		}
	}
	take(t.Key)
	return cols, listed, nil
}

func takeAll(t *schema.Table, take func(*schema.Column)) {
	for _, c := range t.Columns {
		take(c)
	}
}

// selectable finds what a name in $select stands for: a column, or the lookup of a single-valued navigation property.
func selectable(t *schema.Table, name string) *schema.Column {
	if c := property(t, name); c != nil {
		return c
	}
	if nav := t.Nav(name); nav != nil && !nav.Many && !nav.Column.Hidden {
		return nav.Column
	}
	return nil
}

func outputs(l *query.Link, cols []*schema.Column) []query.Output {
	out := make([]query.Output, len(cols))
	for i, c := range cols {
		out[i] = query.Output{Name: c.Wire, Expr: query.Ref{Link: l, Column: c}, Column: c}
	}
	return out
}
