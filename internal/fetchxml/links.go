package fetchxml

import (
	"strconv"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
)

// joinKinds are the link types that join; the others test rows.
var joinKinds = map[string]query.JoinKind{"inner": query.Inner, "outer": query.Outer, "matchfirstrowusingcrossapply": query.First}

func (l *Link) joins() bool {
	_, ok := joinKinds[l.Type]
	return ok
}

// sources makes the root and the joined links, in document order, and gives each its alias.
func (b *binder) sources() error {
	entity := b.fetch.Entity
	t, err := b.table(entity.Name)
	if err != nil {
		return err
	}
	q := &query.Query{Root: &query.Link{Table: t}, Distinct: b.fetch.Distinct && !b.fetch.Aggregate, Grouped: b.fetch.Aggregate}
	b.bound.Query = q
	b.root = newScope(nil, q.Root)
	b.joined = []joined{{q.Root, entity}}
	return b.joinAll(q.Root, entity)
}

// joinAll joins the link-entities directly below a source, and theirs.
func (b *binder) joinAll(parent *query.Link, s *Source) error {
	for _, l := range s.Links {
		if !l.joins() {
			continue
		}
		chain, err := b.join(parent, l, joinKinds[l.Type])
		if err != nil {
			return err
		}
		b.bound.Query.Links = append(b.bound.Query.Links, chain...)
		link := chain[len(chain)-1]
		b.joined = append(b.joined, joined{link, &l.Source})
		if err := b.root.name(link, l, len(b.joined)-1); err != nil {
			return err
		}
		if err := b.joinAll(link, &l.Source); err != nil {
			return err
		}
	}
	return nil
}

// join makes the link of a link-entity: one source, or two when it leads through the intersect table of a many-to-many
// relation; the last one is the table named.
func (b *binder) join(parent *query.Link, l *Link, kind query.JoinKind) ([]*query.Link, error) {
	t, err := b.table(l.Name)
	if err != nil {
		return nil, err
	}
	if l.From == "" {
		if kind == query.First {
			return nil, malformed("link-type '%s' of '%s' needs 'from' and 'to'.", l.Type, l.Name)
		}
		return b.joinThrough(parent, t, kind)
	}
	from, err := joinColumn(t, l.From)
	if err != nil {
		return nil, err
	}
	to, err := joinColumn(parent.Table, l.To)
	if err != nil {
		return nil, err
	}
	if from.Type.Kind() != to.Type.Kind() {
		return nil, fault.New(fault.FetchLinkTypeMismatch, "The columns '%s' of '%s' and '%s' of '%s' are not of the same type.",
			from.Name, t.Name, to.Name, parent.Table.Name).At(t.Name, "column "+from.Name)
	}
	return []*query.Link{{Table: t, Parent: parent, From: from, To: to, Kind: kind}}, nil
}

// joinThrough joins two tables by the one many-to-many relation between them.
func (b *binder) joinThrough(parent *query.Link, t *schema.Table, kind query.JoinKind) ([]*query.Link, error) {
	var near, far schema.Side
	found := 0
	for _, m := range b.model.ManyToMany {
		switch {
		case m.A.Table == parent.Table && m.B.Table == t:
			near, far = m.A, m.B
			found++
		case m.B.Table == parent.Table && m.A.Table == t:
			near, far = m.B, m.A
			found++
		}
	}
	if found != 1 {
		return nil, fault.New(fault.FetchUnknownEntity,
			"'link-entity' of '%s' needs 'from' and 'to': there is not exactly one many-to-many relationship between it and '%s'.", t.Name, parent.Table.Name).At(t.Name)
	}
	middle := &query.Link{Table: near.Column.Table, Parent: parent, From: near.Column, To: parent.Table.Key, Kind: kind}
	end := &query.Link{Table: t, Parent: middle, From: t.Key, To: far.Column, Kind: kind}
	return []*query.Link{middle, end}, nil
}

// table finds a table by logical name.
func (b *binder) table(name string) (*schema.Table, error) {
	t := b.model.Table(name)
	if t == nil || t.Hidden {
		return nil, fault.New(fault.FetchUnknownEntity, "The entity with a name = '%s' was not found.", name).At("entity " + name)
	}
	return t, nil
}

// column finds a column by logical name.
func column(t *schema.Table, name string) (*schema.Column, error) {
	c := t.Column(name)
	if c == nil || c.Hidden {
		return nil, fault.New(fault.FetchUnknownAttribute, "'%s' entity doesn't contain attribute with Name = '%s'.", t.Name, name).
			At(t.Name, "column "+name)
	}
	return c, nil
}

// joinColumn finds a column to join by: it must be stored. A column that repeats the key stands for it.
func joinColumn(t *schema.Table, name string) (*schema.Column, error) {
	c, err := column(t, name)
	switch {
	case err != nil:
		return nil, err
	case c.Virtual == "self":
		return t.Key, nil
	case !c.Stored():
		return nil, fault.New(fault.FetchLinkTypeMismatch, "Tables cannot be linked by the calculated column '%s' of '%s'.", name, t.Name).
			At(t.Name, "column "+name)
	default:
		return c, nil
	}
}

// scope is the set of sources a filter may speak of: those joined to its home, and those of the scopes around it.
type scope struct {
	outer   *scope
	home    *query.Link // where a condition without entityname looks
	links   []*query.Link
	visible int // how many of links may be spoken of; those after are joined later
}

func newScope(outer *scope, home *query.Link) *scope {
	return &scope{outer: outer, home: home, links: []*query.Link{home}, visible: 1}
}

// name adds a joined link under its alias. Without one it is called by its table and its number.
func (s *scope) name(link *query.Link, l *Link, number int) error {
	link.Alias = l.Alias
	if link.Alias == "" {
		link.Alias = link.Table.Name + strconv.Itoa(number)
	}
	for _, other := range s.links {
		if other.Alias == link.Alias {
			return fault.New(fault.FetchDuplicateAlias, "The alias '%s' is used for more than one link-entity.", link.Alias).At(link.Table.Name)
		}
	}
	s.links = append(s.links, link)
	s.visible = len(s.links)
	return nil
}

// at returns the scope as seen from one of its links: only that one and those joined before it.
func (s *scope) at(home *query.Link) *scope {
	for i, l := range s.links {
		if l == home {
			return &scope{outer: s.outer, home: home, links: s.links, visible: i + 1}
		}
	}
	return s
}

// find returns the source an entityname means: an alias, or a table that occurs once.
func (s *scope) find(name string) (*query.Link, error) {
	for at := s; at != nil; at = at.outer {
		seen := at.links[:at.visible]
		for _, l := range seen {
			if l.Alias == name {
				return l, nil
			}
		}
		var found *query.Link
		count := 0
		for _, l := range seen {
			if l.Table.Name == name {
				found = l
				count++
			}
		}
		if count == 1 {
			return found, nil
		}
	}
	return nil, fault.New(fault.FetchUnknownEntity, "No entity or link-entity with the alias '%s' can be referred to here.", name)
}
