package sqlgen

import (
	"almoner/internal/query"
	"almoner/internal/schema"
)

// reach brings a source and those joined to it into reach and returns the mark that leave takes.
func (p *printer) reach(root *query.Link, links []*query.Link) int {
	mark := len(p.bound)
	p.bind(root)
	for _, l := range links {
		p.bind(l)
	}
	return mark
}

// leave puts the sources brought into reach since a mark out of it again.
func (p *printer) leave(mark int) { p.bound = p.bound[:mark] }

// from prints FROM with the root of a query and the sources joined to it, all of them in reach.
func (p *printer) from(root *query.Link, links []*query.Link) {
	p.put(" FROM ")
	p.source(root)
	for _, l := range links {
		p.join(l)
	}
}

// source prints a table with its alias.
func (p *printer) source(l *query.Link) {
	p.name(l.Table.Name)
	p.put(" AS ")
	p.alias(p.aliasOf(l))
}

// join prints one joined source.
func (p *printer) join(l *query.Link) {
	if l.Kind == query.Outer {
		p.put(" LEFT")
	}
	p.put(" JOIN ")
	p.source(l)
	p.put(" ON ")
	if l.Kind == query.First {
		p.firstMatch(l)
		return
	}
	p.match(l)
}

// firstMatch prints the condition that a source's row is the first, by key, of those that match.
func (p *printer) firstMatch(l *query.Link) {
	if l.Table.Key == nil {
		p.fail("table %s has no key to take the first row by", l.Table.Name)
		return
	}
	p.column(l, l.Table.Key)
	p.put("=(SELECT ")
	mark := p.reach(l, nil)
	p.column(l, l.Table.Key)
	p.from(l, nil)
	p.put(" WHERE ")
	p.match(l)
	p.put(" ORDER BY ")
	p.column(l, l.Table.Key)
	p.put(" LIMIT 1)")
	p.leave(mark)
}

// match prints the condition that joins a source to its parent: From = To with type codes, and On.
func (p *printer) match(l *query.Link) {
	if l.From == nil || l.To == nil {
		p.all(l.On)
		return
	}
	p.compare(query.Ref{Link: l, Column: l.From}, query.OpEq, query.Ref{Link: l.Parent, Column: l.To})
	p.matchCodes(l)
	if l.On != nil {
		p.put(" AND ")
		p.all(l.On)
	}
}

// matchCodes prints the condition that a polymorphic lookup on either side means the table of the other.
func (p *printer) matchCodes(l *query.Link) {
	from, to := l.From.Polymorphic(), l.To.Polymorphic()
	switch {
	case from && to:
		p.put(" AND ")
		p.sqlColumn(l, codeName(l.From))
		p.put("=")
		p.sqlColumn(l.Parent, codeName(l.To))
	case from:
		p.matchCode(l, l.From, l.To)
	case to:
		p.matchCode(l.Parent, l.To, l.From)
	}
}

// matchCode prints the condition that a polymorphic lookup points at the table a plain column identifies rows of.
func (p *printer) matchCode(l *query.Link, lookup, other *schema.Column) {
	target := identifies(other)
	if target == nil {
		return
	}
	p.put(" AND ")
	p.sqlColumn(l, codeName(lookup))
	p.put("=")
	p.int(int64(target.TypeCode))
}

// identifies is the table whose rows a key or a single-target lookup names; nil for any other column.
func identifies(c *schema.Column) *schema.Table {
	switch {
	case c == c.Table.Key:
		return c.Table
	case c.Type == schema.TypeLookup && len(c.Targets) == 1:
		return c.Targets[0]
	default:
		return nil
	}
}

// correlated prints FROM and WHERE of a sub-select on a source in reach and what is joined to it.
func (p *printer) correlated(l *query.Link, links []*query.Link, where query.Filter) {
	p.from(l, links)
	p.put(" WHERE ")
	p.match(l)
	if where != nil {
		p.put(" AND ")
		p.all(where)
	}
}
