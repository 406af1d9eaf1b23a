package odata

import (
	"strings"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
)

// env is where the names of an expression are looked up: the row the query is about, and the range variables of the
// lambdas around the expression.
type env struct {
	b    *binder
	it   scope
	vars map[string]scope
}

// scope is one row a name may belong to.
type scope struct {
	link   *query.Link
	source *source
}

// source collects the joins that hang on one root, one per navigation path.
type source struct {
	b      *binder
	links  *[]*query.Link
	joined map[joinKey]*query.Link
	closed bool // no further joins: the condition of a join itself
}

type joinKey struct {
	parent *query.Link
	nav    *schema.Nav
}

func newSource(b *binder, links *[]*query.Link) *source {
	return &source{b: b, links: links, joined: map[joinKey]*query.Link{}}
}

// join returns the link a single-valued navigation property leads to, joined once however often it is walked.
func (s *source) join(parent *query.Link, nav *schema.Nav) (*query.Link, error) {
	key := joinKey{parent, nav}
	if l := s.joined[key]; l != nil {
		return l, nil
	}
	if s.closed {
		return nil, badRequest("The $filter of the expanded property cannot walk to '%s'.", nav.Name)
	}
	if err := s.b.join(); err != nil {
		return nil, err
	}
	l := s.add(parent, nav, nav.To)
	s.joined[key] = l
	return l, nil
}

// add joins one target table of a navigation property without sharing or counting it.
func (s *source) add(parent *query.Link, nav *schema.Nav, to *schema.Table) *query.Link {
	l := &query.Link{Table: to, Parent: parent, From: to.Key, To: nav.Column, Kind: query.Outer}
	*s.links = append(*s.links, l)
	return l
}

// start takes a leading $it or range variable off a path and returns the row the rest belongs to.
func (e *env) start(names []string) (scope, []string) {
	if names[0] == "$it" {
		return e.it, names[1:]
	}
	if s, ok := e.vars[names[0]]; ok {
		return s, names[1:]
	}
	return e.it, names
}

// walk follows the navigation properties of a path up to its last name.
func (s scope) walk(names []string) (*query.Link, error) {
	l := s.link
	for _, name := range names {
		nav := l.Table.Nav(name)
		if nav == nil {
			return nil, noProperty(l.Table, name)
		}
		if nav.Many || nav.To == nil {
			return nil, badRequest("The navigation property '%s' of '%s' cannot be walked in a path: it does not lead to one row of one table.", name, l.Table.Name).
				At(l.Table.Name, "column "+name)
		}
		next, err := s.source.join(l, nav)
		if err != nil {
			return nil, err
		}
		l = next
	}
	return l, nil
}

// member binds a path to a column, or to the lookup behind a navigation property at its end.
func (e *env) member(m Member) (operand, error) {
	s, names := e.start(m.Names)
	if len(names) == 0 {
		return operand{}, badRequest("'%s' stands for a row and cannot be compared.", m)
	}
	last := len(names) - 1
	if op, ok, err := s.lookupKey(names); ok || err != nil {
		return op, err
	}
	l, err := s.walk(names[:last])
	if err != nil {
		return operand{}, err
	}
	if c := property(l.Table, names[last]); c != nil {
		return operand{expr: query.Ref{Link: l, Column: c}}, nil
	}
	nav := l.Table.Nav(names[last])
	if nav == nil {
		return operand{}, noProperty(l.Table, names[last])
	}
	return s.navOperand(l, nav)
}

// lookupKey binds nav/key to the lookup itself, which spares the join.
func (s scope) lookupKey(names []string) (operand, bool, error) {
	if len(names) < 2 {
		return operand{}, false, nil
	}
	last := len(names) - 1
	l, err := s.walk(names[:last-1])
	if err != nil {
		return operand{}, false, err
	}
	nav := l.Table.Nav(names[last-1])
	if nav == nil || nav.Many || nav.To == nil || nav.Column.Polymorphic() || nav.To.Key.Wire != names[last] {
		return operand{}, false, nil
	}
	return operand{expr: query.Ref{Link: l, Column: nav.Column}}, true, nil
}

// navOperand stands for the row a navigation property leads to; it can only be compared with null.
func (s scope) navOperand(l *query.Link, nav *schema.Nav) (operand, error) {
	if nav.Many {
		return operand{}, badRequest("The collection '%s' of '%s' can only be used with any or all.", nav.Name, l.Table.Name).At(l.Table.Name, "column "+nav.Name)
	}
	if nav.To == nil || !nav.Column.Polymorphic() {
		return operand{expr: query.Ref{Link: l, Column: nav.Column}, nav: nav}, nil
	}
	target, err := s.source.join(l, nav)
	if err != nil {
		return operand{}, err
	}
	return operand{expr: query.Ref{Link: target, Column: nav.To.Key}, nav: nav}, nil
}

// property finds a column by its wire name; the _Base spelling of the specification is taken for _base.
func property(t *schema.Table, name string) *schema.Column {
	c := t.Property(name)
	if c == nil && strings.HasSuffix(name, "_Base") {
		c = t.Property(strings.TrimSuffix(name, "_Base") + "_base")
	}
	if c == nil || c.Hidden {
		return nil
	}
	return c
}

// noProperty says that a table has no such property, with the spelling that exists if one is near.
func noProperty(t *schema.Table, name string) error {
	return fault.Property(name, t.Name, t.Near(name))
}
