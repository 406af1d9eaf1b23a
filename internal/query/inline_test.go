package query

import (
	"testing"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// TestInline puts queries as conditions on their own table, and leaves those alone that cannot be put so.
func TestInline(t *testing.T) {
	contact, donor, gift := &schema.Table{Name: "contact"}, &schema.Table{Name: "donor"}, &schema.Table{Name: "gift"}
	name, total := &schema.Column{Name: "name"}, &schema.Column{Name: "total"}
	is := func(l *Link, c *schema.Column) Filter {
		return Cond{Left: Ref{Link: l, Column: c}, Op: OpEq, Args: []Expr{Literal{value.Int(1)}}}
	}
	build := func(change func(q *Query, d, g *Link)) *Query {
		root := &Link{Table: contact}
		d := &Link{Table: donor, Parent: root}
		g := &Link{Table: gift, Parent: d}
		g.On = is(g, total)
		q := &Query{Root: root, Links: []*Link{d, g}, Where: is(root, name)}
		if change != nil {
			change(q, d, g)
		}
		return q
	}
	outer := &Link{Table: contact}
	all, ok := Inline(build(nil), outer).(And)
	if !ok || len(all) != 2 {
		t.Fatalf("a chain of inner joins becomes %#v", all)
	}
	if c, ok := all[0].(Cond); !ok || c.Left.(Ref).Link != outer {
		t.Errorf("the condition of the table itself becomes %#v", all[0])
	}
	if e, ok := all[1].(*Exists); !ok || e.Link.Parent != outer || len(e.Links) != 1 || e.Links[0].Parent != e.Link {
		t.Errorf("the joins become %#v", all[1])
	}
	for name, q := range map[string]*Query{
		"an outer join":            build(func(_ *Query, d, _ *Link) { d.Kind = Outer }),
		"a condition across joins": build(func(q *Query, _, g *Link) { q.Where = is(g, total) }),
		"a join to another branch": build(func(q *Query, d, _ *Link) {
			other := &Link{Table: gift, Parent: q.Root}
			other.On = is(d, name)
			q.Links = append(q.Links, other)
		}),
		"groups":        build(func(q *Query, _, _ *Link) { q.Grouped = true }),
		"another table": {Root: &Link{Table: gift}},
	} {
		if f := Inline(q, outer); f != nil {
			t.Errorf("%s becomes %#v", name, f)
		}
	}
}
