package odata

import (
	"maps"

	"almoner/internal/query"
	"almoner/internal/schema"
)

// lambda binds any and all over a collection of the row. All holds when no related row fails the condition.
func (e *env) lambda(n Lambda) (query.Filter, error) {
	s, names := e.start(n.Path)
	nav, err := s.collection(names)
	if err != nil {
		return nil, err
	}
	if err := e.b.join(); err != nil {
		return nil, err
	}
	exists, row := related(s.link, nav)
	if n.Body == nil {
		return exists, nil
	}
	if _, taken := e.vars[n.Var]; taken {
		return nil, badRequest("The range variable '%s' has already been declared.", n.Var)
	}
	inner := &env{b: e.b, it: e.it, vars: maps.Clone(e.vars)}
	if inner.vars == nil {
		inner.vars = map[string]scope{}
	}
	inner.vars[n.Var] = scope{row, newSource(e.b, &exists.Links)}
	if exists.Where, err = inner.filter(n.Body); err != nil {
		return nil, err
	}
	if !n.All {
		return exists, nil
	}
	exists.Where = query.Not{Filter: exists.Where}
	return query.Not{Filter: exists}, nil
}

// collection finds the collection a lambda runs over; it must belong to the row itself.
func (s scope) collection(names []string) (*schema.Nav, error) {
	t := s.link.Table
	if len(names) == 0 {
		return nil, badRequest("any and all need a collection in front of them.")
	}
	if len(names) > 1 {
		return nil, badRequest("The collection '%s' is reached through another navigation property; any and all take collections of the row itself only.", names[len(names)-1]).
			At(t.Name, "column "+names[0])
	}
	nav := t.Nav(names[0])
	switch {
	case nav == nil:
		return nil, noProperty(t, names[0])
	case !nav.Many:
		return nil, badRequest("'%s' of '%s' is not a collection; any and all need one.", nav.Name, t.Name).At(t.Name, "column "+nav.Name)
	case nav.To == nil:
		return nil, badRequest("The members of '%s' can be read, but not used in any or all.", nav.Name).At(t.Name, "column "+nav.Name)
	}
	return nav, nil
}

// related is the condition that a row has a related one through a collection, and the link of that related row.
func related(parent *query.Link, nav *schema.Nav) (*query.Exists, *query.Link) {
	if nav.Through == nil {
		row := &query.Link{Table: nav.To, Parent: parent, From: nav.Column, To: parent.Table.Key}
		return &query.Exists{Link: row}, row
	}
	here, there := nav.Ends()
	pair := &query.Link{Table: nav.Through.Intersect, Parent: parent, From: here.Column, To: parent.Table.Key}
	row := &query.Link{Table: nav.To, Parent: pair, From: nav.To.Key, To: there.Column}
	return &query.Exists{Link: pair, Links: []*query.Link{row}}, row
}
