package odata

import (
	"slices"
	"strconv"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Print returns the query string of a bound query: parsing and binding it again gives an equal tree. It covers what Bind
// makes; outputs, orders and expands in other forms are not OData.
func Print(q *query.Query) string {
	var options []string
	add := func(name, text string) {
		if text != "" {
			options = append(options, name+"="+urlSafe.Replace(text))
		}
	}
	if q.Grouped {
		add("$apply", printApply(q))
	} else {
		add("$select", printSelect(q.Select))
		add("$expand", printExpands(q.Select))
		add("$filter", printWhere(q))
	}
	add("$orderby", printOrder(q))
	if q.Page.Size > 0 {
		add("$top", strconv.Itoa(q.Page.Size))
	}
	return strings.Join(options, "&")
}

// urlSafe encodes the characters that would end or change an option's value.
var urlSafe = strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B", "#", "%23")

// printer prints expressions of one query. root is the row bare names belong to; vars names the rows of lambdas.
type printer struct {
	root *query.Link
	vars map[*query.Link]string
}

func newPrinter(q *query.Query) *printer {
	return &printer{root: q.Root, vars: map[*query.Link]string{}}
}

func printWhere(q *query.Query) string {
	if q.Where == nil {
		return ""
	}
	return newPrinter(q).filter(q.Where)
}

// printSelect lists the selected columns; nothing when all of the table's are.
func printSelect(n query.Node) string {
	var names []string
	for _, o := range n.Outputs {
		names = append(names, o.Name)
	}
	all, _, _ := selected(n.Link.Table, nil)
	if slices.Equal(names, wireNames(all)) {
		return ""
	}
	return strings.Join(names, ",")
}

func wireNames(cols []*schema.Column) []string {
	var names []string
	for _, c := range cols {
		names = append(names, c.Wire)
	}
	return names
}

func printExpands(n query.Node) string {
	var items []string
	for _, x := range n.Expands {
		items = append(items, printExpand(x))
	}
	return strings.Join(items, ",")
}

func printExpand(x *query.Expand) string {
	if x.Ref {
		return x.Nav.Name + "/$ref"
	}
	var options []string
	add := func(name, text string) {
		if text != "" {
			options = append(options, name+"="+text)
		}
	}
	if x.Many != nil {
		add("$select", printSelect(x.Many.Select))
		add("$filter", printWhere(x.Many))
		add("$orderby", printOrder(x.Many))
		if x.Top > 0 {
			add("$top", strconv.Itoa(x.Top))
		}
		add("$expand", printExpands(x.Many.Select))
	} else {
		add("$select", printSelectAny(x))
		if on := x.One[0].Link.On; on != nil {
			add("$filter", (&printer{root: x.One[0].Link, vars: map[*query.Link]string{}}).filter(on))
		}
		add("$expand", printExpands(*x.One[0]))
	}
	if len(options) == 0 {
		return x.Nav.Name
	}
	return x.Nav.Name + "(" + strings.Join(options, ";") + ")"
}

// printSelectAny lists the columns selected on any of the tables a property leads to, once each.
func printSelectAny(x *query.Expand) string {
	var names []string
	for _, node := range x.One {
		list := printSelect(*node)
		if list == "" {
			return ""
		}
		for _, name := range strings.Split(list, ",") {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ",")
}

func printOrder(q *query.Query) string {
	p := newPrinter(q)
	var items []string
	for _, o := range q.Order {
		text := ""
		if ref, ok := o.Expr.(query.OutputRef); ok {
			text = p.expr(q.Select.Outputs[ref.Index].Expr)
		} else {
			text = p.sortKey(o.Expr)
		}
		if o.Desc {
			text += " desc"
		}
		items = append(items, text)
	}
	return strings.Join(items, ",")
}

// sortKey prints a lookup for the primary name it is sorted by.
func (p *printer) sortKey(e query.Expr) string {
	if c, ok := e.(query.Call); ok && c.Fn == query.FnCoalesce {
		e = c.Args[0]
	}
	if s, ok := e.(*query.Scalar); ok {
		return p.ref(query.Ref{Link: s.Source.Parent, Column: s.Source.To})
	}
	return p.expr(e)
}

func printApply(q *query.Query) string {
	p := newPrinter(q)
	var keys, aggregates []string
	for _, o := range q.Select.Outputs {
		switch {
		case o.Agg == query.AggNone:
			keys = append(keys, p.expr(o.Expr))
		case o.Agg == query.AggCount:
			aggregates = append(aggregates, "$count as "+o.Name)
		default:
			aggregates = append(aggregates, p.expr(o.Expr)+" with "+methodName(o.Agg)+" as "+o.Name)
		}
	}
	aggregate := "aggregate(" + strings.Join(aggregates, ",") + ")"
	text := aggregate
	switch {
	case len(keys) > 0 && len(aggregates) > 0:
		text = "groupby((" + strings.Join(keys, ",") + ")," + aggregate + ")"
	case len(keys) > 0:
		text = "groupby((" + strings.Join(keys, ",") + "))"
	}
	if where := printWhere(q); where != "" {
		text = "filter(" + where + ")/" + text
	}
	return text
}

func methodName(agg query.Agg) string {
	for name, a := range methods {
		if a == agg {
			return name
		}
	}
	return ""
}

// literal prints a constant as a literal of its type.
func literal(v value.Value) string {
	if v.Kind() == value.KindText {
		return "'" + strings.ReplaceAll(v.Text(), "'", "''") + "'"
	}
	return v.String()
}
