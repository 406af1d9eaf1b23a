package webapi

import (
	"context"
	"strings"

	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// target is what a URL names: the rows of a table, some of them reached from another row, one row, or a part of it.
type target struct {
	table   *schema.Table
	id      value.GUID     // the row; zero for a collection
	nav     *schema.Nav    // the navigation property the path went through last; nil for a plain set
	parent  value.GUID     // the row the navigation started from
	column  *schema.Column // a single column of the row
	suffix  string         // $count, $value, $ref or ""
	message string         // a bound operation
	args    []odata.Arg    // its inline parameters
	missing bool           // a single-valued navigation property that leads nowhere
}

// isRow tells whether the target is one row.
func (t *target) isRow() bool { return !t.id.IsZero() || t.missing }

// namespace is the prefix of bound operation and type names.
const namespace = "Microsoft.Dynamics.CRM."

// resolve walks a path from its entity set. Single-valued navigation properties in the middle are followed in the database, with
// the caller's rights.
func (r *Request) resolve(ctx context.Context, path *odata.Path) (*target, error) {
	first := path.Segments[0]
	table := r.Session.Engine().Model().Set(first.Name)
	if table == nil {
		return nil, fault.NoSegment(first.Name)
	}
	t := &target{table: table}
	if first.Parens {
		id, err := first.Key(table)
		if err != nil {
			return nil, err
		}
		t.id = id
	}
	rest := path.Segments[1:]
	for i := range rest {
		if err := r.step(ctx, t, &rest[i], i == len(rest)-1 || rest[i+1].Name == "$ref"); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// step follows one more segment. last tells that only $ref or nothing follows, so that a navigation property is the target itself.
func (r *Request) step(ctx context.Context, t *target, s *odata.Segment, last bool) error {
	switch {
	case t.message != "" || t.suffix != "":
		return fault.NoSegment(s.Name)
	case strings.HasPrefix(s.Name, "$"):
		return t.suffixed(s)
	case strings.HasPrefix(s.Name, namespace):
		t.message, t.args = strings.TrimPrefix(s.Name, namespace), s.Args
		return nil
	case !t.isRow():
		return shortMessage(t, s)
	case t.column != nil:
		return fault.NoSegment(s.Name)
	}
	if c := t.table.Property(s.Name); c != nil && !s.Parens {
		t.column = c
		return nil
	}
	if nav := t.table.Nav(s.Name); nav != nil {
		return r.follow(ctx, t, nav, s, last)
	}
	return shortMessage(t, s)
}

// shortMessage takes a bound operation without its namespace; anything else names nothing.
func shortMessage(t *target, s *odata.Segment) error {
	if s.Name != "" && s.Name[0] >= 'A' && s.Name[0] <= 'Z' {
		t.message, t.args = s.Name, s.Args
		return nil
	}
	return fault.NoSegment(s.Name)
}

func (t *target) suffixed(s *odata.Segment) error {
	ok := false
	switch s.Name {
	case "$count":
		ok = !t.isRow()
	case "$value":
		ok = t.column != nil
	case "$ref":
		ok = t.nav != nil && t.column == nil
	}
	if !ok {
		return fault.NoSegment(s.Name)
	}
	t.suffix = s.Name
	return nil
}

// follow goes through a navigation property.
func (r *Request) follow(ctx context.Context, t *target, nav *schema.Nav, s *odata.Segment, last bool) error {
	t.nav, t.parent = nav, t.id
	if nav.Many && !t.missing {
		return r.followMany(ctx, t, s)
	}
	if s.Parens && !nav.Many {
		return fault.NoSegment(s.Name)
	}
	if t.missing {
		return t.leadNowhere()
	}
	if last && r.Method != "GET" && r.Method != "HEAD" {
		return nil // a write of the link itself: the lookup need not be read
	}
	row, err := r.Session.Find(ctx, t.table, t.id)
	if err != nil {
		return err
	}
	lookup := row.Get(nav.Column)
	if lookup.IsNull() || nav.To != nil && nav.Column.Polymorphic() && lookup.TypeCode() != nav.To.TypeCode {
		return t.leadNowhere()
	}
	t.table, t.id = nav.Column.Targets[0], lookup.ID()
	if nav.Column.Polymorphic() {
		t.table = r.Session.Engine().Model().ByCode(lookup.TypeCode())
	}
	return nil
}

// leadNowhere makes the target the row an empty lookup would lead to: it has a table, and nothing in it.
func (t *target) leadNowhere() error {
	t.missing, t.id = true, value.GUID{}
	switch {
	case t.nav.To != nil:
		t.table = t.nav.To
	case t.nav.Column != nil:
		t.table = t.nav.Column.Targets[0]
	}
	return nil
}

func (r *Request) followMany(ctx context.Context, t *target, s *odata.Segment) error {
	to := t.nav.To
	if t.nav.Members {
		var err error
		if to, err = r.memberTable(ctx, t.table, t.id); err != nil {
			return err
		}
	}
	t.table, t.id = to, value.GUID{}
	if !s.Parens {
		return nil
	}
	id, err := s.Key(to)
	if err != nil {
		return err
	}
	t.id = id
	return nil
}

// scope narrows a query on the target's table to the rows the path reaches; nil for a plain set.
func (r *Request) scope(ctx context.Context, t *target, root *query.Link) (query.Filter, error) {
	if t.nav == nil || !t.nav.Many {
		return nil, nil
	}
	if _, err := r.Session.Find(ctx, t.nav.From, t.parent); err != nil {
		return nil, err
	}
	switch {
	case engine.FromList(t.nav):
		return r.memberFilter(ctx, t, root)
	case t.nav.Relation != nil:
		return query.Equal(root, t.nav.Column, value.ID(t.parent)), nil
	default:
		here, there := t.nav.Ends()
		link := &query.Link{Table: t.nav.Through.Intersect, Parent: root, From: there.Column, To: root.Table.Key}
		return &query.Exists{Link: link, Where: query.Equal(link, here.Column, value.ID(t.parent))}, nil
	}
}
