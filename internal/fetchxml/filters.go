package fetchxml

import (
	"almoner/internal/query"
)

// filters binds the conditions: those of the entity keep or drop rows, those of a link apply at its join.
func (b *binder) filters() error {
	for _, j := range b.joined {
		scope := b.root
		if j.link.Parent != nil {
			scope = b.root.at(j.link)
		}
		f, err := b.conditions(scope, j.syntax)
		if err != nil {
			return err
		}
		if j.link.Parent == nil {
			b.bound.Query.Where = f
		} else {
			j.link.On = f
		}
	}
	return nil
}

// conditions binds everything a source says about its rows: filters, and links that test rows instead of joining.
func (b *binder) conditions(s *scope, source *Source) (query.Filter, error) {
	var parts []query.Filter
	for _, f := range source.Filters {
		part, err := b.filter(s, f)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	for _, l := range source.Links {
		if l.joins() {
			continue
		}
		part, err := b.rowTest(s, l)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return query.AllOf(parts...), nil
}

// filter binds one filter; nil when it says nothing.
func (b *binder) filter(s *scope, f *Filter) (query.Filter, error) {
	var parts []query.Filter
	take := func(part query.Filter, err error) error {
		if part != nil {
			parts = append(parts, part)
		}
		return err
	}
	for _, c := range f.Conditions {
		if err := take(b.condition(s, c)); err != nil {
			return nil, err
		}
	}
	for _, inner := range f.Filters {
		if err := take(b.filter(s, inner)); err != nil {
			return nil, err
		}
	}
	for _, l := range f.Links {
		if l.joins() {
			return nil, malformed("link-type '%s' is not allowed inside a filter.", l.Type)
		}
		if err := take(b.rowTest(s, l)); err != nil {
			return nil, err
		}
	}
	if f.Or && len(parts) > 1 {
		return query.Or(parts), nil
	}
	return query.AllOf(parts...), nil
}

// rowTest binds a link that tests rows: some linked row satisfies its filter, none does, or (all) there are linked rows but
// none satisfies it.
func (b *binder) rowTest(s *scope, l *Link) (query.Filter, error) {
	match, err := b.exists(s, l)
	if err != nil {
		return nil, err
	}
	switch l.Type {
	case "not any":
		return query.Not{Filter: match}, nil
	case "all":
		bare, err := b.exists(s, &Link{Source: Source{Name: l.Name}, From: l.From, To: l.To})
		return query.AllOf(bare, query.Not{Filter: match}), err
	default: // any, not all, exists, in
		return match, nil
	}
}

// exists binds the linked rows of a row test: its own filter, and the joins and tests below it.
func (b *binder) exists(outer *scope, l *Link) (*query.Exists, error) {
	chain, err := b.join(outer.home, l, query.Inner)
	if err != nil {
		return nil, err
	}
	link := chain[len(chain)-1]
	link.Alias = l.Alias
	e := &query.Exists{Link: chain[0], Links: chain[1:]}
	inner := newScope(outer, link)
	if e.Where, err = b.existsBelow(e, inner, link, &l.Source); err != nil {
		return nil, err
	}
	return e, nil
}

// existsBelow joins what is linked below a source of a row test and returns the source's own conditions. Columns asked for
// there are checked, but no row test puts any out.
func (b *binder) existsBelow(e *query.Exists, s *scope, link *query.Link, source *Source) (query.Filter, error) {
	for _, a := range source.Attributes {
		if _, err := column(link.Table, a.Name); err != nil {
			return nil, err
		}
	}
	for _, l := range source.Links {
		if !l.joins() {
			continue
		}
		chain, err := b.join(link, l, joinKinds[l.Type])
		if err != nil {
			return nil, err
		}
		child := chain[len(chain)-1]
		e.Links = append(e.Links, chain...)
		if err := s.name(child, l, len(s.links)); err != nil {
			return nil, err
		}
		if child.On, err = b.existsBelow(e, s.at(child), child, &l.Source); err != nil {
			return nil, err
		}
	}
	return b.conditions(s, source)
}
