package query

import "slices"

// Inline says that a row of root is among the rows of q as a condition on root itself: the conditions of q's own table, and for each of
// its joins that there is such a row. The database then finds a first page without finding all rows. It returns nil where q has no such
// form: it is grouped or paged, joins in other ways, or has a condition across joins. q is used up.
func Inline(q *Query, root *Link) Filter {
	if q.Grouped || q.Page.Size > 0 || q.Page.Offset > 0 || q.Root.Table != root.Table {
		return nil
	}
	all := And{}
	if q.Where != nil {
		if !within(q.Where, q.Root) {
			return nil
		}
		all = append(all, q.Where)
	}
	for _, top := range q.Links {
		if top.Parent != q.Root {
			continue
		}
		below := under(q.Links, top)
		if top.Kind != Inner || !closed(append([]*Link{q.Root, top}, below...)) {
			return nil
		}
		all = append(all, &Exists{Link: top, Links: below})
	}
	move(all, q.Root, root)
	return all
}

// under lists the links joined to a link, directly or through others, in their order.
func under(links []*Link, top *Link) []*Link {
	inside := []*Link{top}
	for _, l := range links {
		if slices.Contains(inside, l.Parent) {
			inside = append(inside, l)
		}
	}
	return inside[1:]
}

// closed tells whether the conditions of links refer to none but those links.
func closed(links []*Link) bool {
	for _, l := range links[1:] {
		if l.On != nil && !within(l.On, links...) {
			return false
		}
	}
	return true
}

// within tells whether a filter refers to no links but the given ones and those it brings along.
func within(f Filter, links ...*Link) bool {
	known := slices.Clone(links)
	var used []*Link
	r := Rewriter{
		Link: func(l *Link) error { known = append(known, l); return nil },
		Expr: func(e Expr) (Expr, error) {
			if l := linkOf(e); l != nil {
				used = append(used, l)
			}
			return e, nil
		},
	}
	_ = r.filter(&f) // its hooks never fail
	return !slices.ContainsFunc(used, func(l *Link) bool { return !slices.Contains(known, l) })
}

// linkOf returns the link an expression itself refers to; nil for one that refers to none.
func linkOf(e Expr) *Link {
	switch e := e.(type) {
	case Ref:
		return e.Link
	case TypeCode:
		return e.Ref.Link
	default:
		return nil
	}
}

// move makes everything in a filter that speaks of one link speak of another.
func move(f Filter, from, to *Link) {
	r := Rewriter{
		Link: func(l *Link) error {
			if l.Parent == from {
				l.Parent = to
			}
			return nil
		},
		Expr: func(e Expr) (Expr, error) {
			if linkOf(e) != from {
				return e, nil
			}
			switch e := e.(type) {
			case Ref:
				e.Link = to
				return e, nil
			case TypeCode:
				e.Ref.Link = to
				return e, nil
			default:
				return e, nil
			}
		},
	}
	_ = r.filter(&f) // its hooks never fail
}
