package odata

import (
	"almoner/internal/query"
	"almoner/internal/schema"
)

// expand binds one item of $expand on the current row, and its part of @odata.context.
func (e *env) expand(item ExpandItem) (*query.Expand, string, error) {
	t := e.it.link.Table
	nav := t.Nav(item.Name)
	if nav == nil {
		return nil, "", noProperty(t, item.Name)
	}
	if err := e.check(nav, item); err != nil {
		return nil, "", err
	}
	x := &query.Expand{Nav: nav, Ref: item.Ref, Text: item.Text}
	var context string
	var err error
	if nav.Many {
		context, err = e.expandMany(x, item)
	} else {
		context, err = e.expandOne(x, item)
	}
	if item.Ref {
		return x, item.Name + "/$ref", err
	}
	if context == "" {
		context = "()"
	}
	return x, item.Name + context, err
}

// check refuses the options the platform refuses: $orderby and $top on single-valued properties and wherever expands nest,
// anything nested in a many-to-many property, and references of a collection.
func (e *env) check(nav *schema.Nav, item ExpandItem) error {
	at := func(format string, args ...any) error {
		return badRequest(format, args...).At(nav.From.Name, "column "+nav.Name)
	}
	sorted := len(item.Order) > 0 || item.Top != nil
	switch {
	case nav.Many && item.Ref:
		return at("Expanding the references of the collection '%s' is not supported.", nav.Name)
	case nav.Members:
		return at("The members of '%s' can be read by its own URL, but not expanded.", nav.Name)
	case nav.Through != nil && len(item.Expand) > 0:
		return at("Only many-to-one relationships are supported for nested expansion: '%s' is many-to-many.", nav.Name)
	case sorted && (!nav.Many || e.b.nested):
		return at("Only $select and $filter clause can be provided while doing $expand on many-to-one relationship or nested one-to-many relationship ('%s').", nav.Name)
	}
	return nil
}

// expandOne joins a single-valued property, one node per table it may lead to.
func (e *env) expandOne(x *query.Expand, item ExpandItem) (context string, err error) {
	if x.Nav.To != nil {
		l, err := e.expandLink(x.Nav, item.Filter)
		if err != nil {
			return "", err
		}
		node, context, err := e.below(l, item)
		x.One = []*query.Node{node}
		return context, err
	}
	if item.Filter != nil || len(item.Expand) > 0 {
		return "", badRequest("'%s' leads to several tables; only $select may be given with it.", x.Nav.Name).At(x.Nav.From.Name, "column "+x.Nav.Name)
	}
	if err := e.b.join(); err != nil {
		return "", err
	}
	return e.expandAny(x, item)
}

// expandAny joins every target of a property with several. A selected name need only belong to one of them.
func (e *env) expandAny(x *query.Expand, item ExpandItem) (context string, err error) {
	known := map[string]bool{}
	for _, to := range x.Nav.Column.Targets {
		var has []string
		for _, name := range item.Select {
			if name == "*" || selectable(to, name) != nil {
				has = append(has, name)
				known[name] = true
			}
		}
		if len(item.Select) > 0 && len(has) == 0 {
			has = []string{to.Key.Wire}
		}
		sub := item
		sub.Select = has
		node, _, err := e.below(e.it.source.add(e.it.link, x.Nav, to), sub)
		if err != nil {
			return "", err
		}
		x.One = append(x.One, node)
	}
	for i, name := range item.Select {
		if !known[name] {
			return "", noProperty(x.Nav.Column.Targets[0], name)
		}
		context += "," + name
		if i == 0 {
			context = name
		}
	}
	return "(" + context + ")", nil
}

// expandLink returns the join of a single-valued property. With a filter it is a join of its own, and a row that fails the
// filter is shown as null.
func (e *env) expandLink(nav *schema.Nav, filter Node) (*query.Link, error) {
	if filter == nil {
		return e.it.source.join(e.it.link, nav)
	}
	if err := e.b.join(); err != nil {
		return nil, err
	}
	l := e.it.source.add(e.it.link, nav, nav.To)
	closed := newSource(e.b, e.it.source.links)
	closed.closed = true
	var err error
	l.On, err = (&env{b: e.b, it: scope{l, closed}}).filter(filter)
	return l, err
}

// below binds what is shown of a joined row; a reference shows its key alone.
func (e *env) below(l *query.Link, item ExpandItem) (*query.Node, string, error) {
	if item.Ref {
		return &query.Node{Link: l, Outputs: outputs(l, []*schema.Column{l.Table.Key})}, "", nil
	}
	return (&env{b: e.b, it: scope{l, e.it.source}}).node(item.Select, item.Expand)
}

// expandMany binds the query of a collection, run once for all parents of a page.
func (e *env) expandMany(x *query.Expand, item ExpandItem) (context string, err error) {
	if err := e.b.join(); err != nil {
		return "", err
	}
	q, inner := newQuery(e.b, x.Nav.To)
	x.Many = q
	if x.Nav.Through == nil {
		x.Parent = query.Ref{Link: q.Root, Column: x.Nav.Column}
	} else {
		here, there := x.Nav.Ends()
		pair := &query.Link{Table: x.Nav.Through.Intersect, Parent: q.Root, From: there.Column, To: q.Root.Table.Key}
		q.Links = append(q.Links, pair)
		x.Parent = query.Ref{Link: pair, Column: here.Column}
	}
	if item.Filter != nil {
		if q.Where, err = inner.filter(item.Filter); err != nil {
			return "", err
		}
	}
	if q.Order, err = inner.order(item.Order); err != nil {
		return "", err
	}
	switch {
	case item.Top == nil:
	case *item.Top == 0:
		q.Where = query.Const(false)
	default:
		x.Top = *item.Top
	}
	shape, context, err := inner.node(item.Select, item.Expand)
	if err != nil {
		return "", err
	}
	q.Select = *shape
	return context, nil
}
