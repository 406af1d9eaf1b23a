package odata

import (
	"strconv"
	"strings"

	"almoner/internal/query"
)

// filter prints a condition.
func (p *printer) filter(f query.Filter) string {
	switch f := f.(type) {
	case query.And:
		return p.terms(f, " and ")
	case query.Or:
		return p.terms(f, " or ")
	case query.Const:
		return strconv.FormatBool(bool(f))
	case query.Not:
		if all, ok := f.Filter.(*query.Exists); ok {
			if inner, ok := all.Where.(query.Not); ok {
				return p.lambda(all, "all", inner.Filter)
			}
		}
		return "not (" + p.filter(f.Filter) + ")"
	case *query.Exists:
		return p.lambda(f, "any", f.Where)
	case query.Cond:
		return p.cond(f)
	default:
		return ""
	}
}

func (p *printer) terms(filters []query.Filter, word string) string {
	var parts []string
	for _, f := range filters {
		text := p.filter(f)
		switch f.(type) {
		case query.And, query.Or:
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, word)
}

// lambda prints an existence test with a range variable of its own.
func (p *printer) lambda(x *query.Exists, word string, body query.Filter) string {
	text := p.path(x.Link.Parent, collectionOf(x)) + "/" + word
	if body == nil {
		return text + "()"
	}
	row := relatedRow(x)
	name := "v" + strconv.Itoa(len(p.vars)+1)
	p.vars[row] = name
	text += "(" + name + ":" + p.filter(body) + ")"
	delete(p.vars, row)
	return text
}

// relatedRow is the row an existence test is about: the link itself, or the one joined to it behind a many-to-many pair.
func relatedRow(x *query.Exists) *query.Link {
	if len(x.Links) > 0 && x.Links[0].Kind == query.Inner {
		return x.Links[0]
	}
	return x.Link
}

// collectionOf names the collection an existence test runs over.
func collectionOf(x *query.Exists) string {
	row := relatedRow(x)
	for _, nav := range x.Link.Parent.Table.Navs() {
		if !nav.Many || nav.To != row.Table || (nav.Through == nil) != (row == x.Link) {
			continue
		}
		column := nav.Column
		if nav.Through != nil {
			here, _ := nav.Ends()
			column = here.Column
		}
		if column == x.Link.From {
			return nav.Name
		}
	}
	return ""
}

var conditionWords = map[query.Op]string{
	query.OpEq: "eq", query.OpNe: "ne", query.OpGt: "gt", query.OpGe: "ge", query.OpLt: "lt", query.OpLe: "le",
}

func (p *printer) cond(c query.Cond) string {
	if word := conditionWords[c.Op]; word != "" {
		return p.expr(c.Left) + " " + word + " " + p.expr(c.Args[0])
	}
	for name, op := range textConditions {
		if op == c.Op {
			return name + "(" + p.expr(c.Left) + "," + p.expr(c.Args[0]) + ")"
		}
	}
	switch c.Op {
	case query.OpNull:
		return p.expr(c.Left) + " eq null"
	case query.OpNotNull:
		return p.expr(c.Left) + " ne null"
	case query.OpIn:
		return p.expr(c.Left) + " in (" + p.list(c.Args) + ")"
	default:
		return p.queryFunc(c)
	}
}

func (p *printer) list(args []query.Expr) string {
	var parts []string
	for _, a := range args {
		parts = append(parts, p.expr(a))
	}
	return strings.Join(parts, ",")
}

// queryFunc prints an operator as the platform's function; its values are strings.
func (p *printer) queryFunc(c query.Cond) string {
	ref, ok := c.Left.(query.Ref)
	if !ok {
		return ""
	}
	facts := c.Op.Facts()
	base := strings.TrimSuffix(p.path(ref.Link, ""), "/")
	if base != "" {
		base += "/"
	}
	text := base + namespace + facts.Function + "(PropertyName='" + ref.Column.Name + "'"
	var quoted []string
	for _, a := range c.Args {
		quoted = append(quoted, "'"+strings.ReplaceAll(a.(query.Literal).Value.String(), "'", "''")+"'")
	}
	for i, name := range parameters(facts) {
		if name == "PropertyValues" {
			text += "," + name + "=[" + strings.Join(quoted, ",") + "]"
		} else {
			text += "," + name + "=" + quoted[i]
		}
	}
	return text + ")"
}

// expr prints a value.
func (p *printer) expr(e query.Expr) string {
	switch e := e.(type) {
	case query.Ref:
		return p.ref(e)
	case query.Literal:
		return literal(e.Value)
	case query.Call:
		return p.call(e)
	default:
		return ""
	}
}

func (p *printer) call(c query.Call) string {
	for word, fn := range arithmetic {
		if fn == c.Fn {
			return "(" + p.expr(c.Args[0]) + " " + word + " " + p.expr(c.Args[1]) + ")"
		}
	}
	if c.Fn == query.FnNeg {
		return "(- " + p.expr(c.Args[0]) + ")"
	}
	for name, s := range signatures {
		if s.fn == c.Fn {
			return name + "(" + p.list(c.Args) + ")"
		}
	}
	return ""
}

func (p *printer) ref(r query.Ref) string { return p.path(r.Link, r.Column.Wire) }

// path prints the walk from the row bare names belong to, or from a range variable, to a property of a link.
func (p *printer) path(l *query.Link, name string) string {
	if l == p.root {
		return name
	}
	if v, ok := p.vars[l]; ok {
		return v + "/" + name
	}
	for _, nav := range l.Parent.Table.Navs() {
		if !nav.Many && nav.To == l.Table && nav.Column == l.To {
			return p.path(l.Parent, nav.Name) + "/" + name
		}
	}
	return name
}
