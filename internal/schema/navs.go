package schema

import "slices"

// navs gives every table its navigation properties: for each lookup one per target and, where there are several, one for
// the lookup as a whole; for each relation the collection on its parent; for each many-to-many relation one on both
// sides; and the members of a list.
func (c *compiler) navs() {
	for _, t := range c.model.Tables {
		for _, col := range t.Columns {
			if col.Polymorphic() && col.Nav != "" {
				c.addNav(&Nav{Name: col.Nav, From: t, Column: col}, c.made[col].at)
			}
		}
	}
	for _, rel := range c.model.Relations {
		at := c.made[rel.Column].at
		if rel.Nav != rel.Column.Nav || !rel.Column.Polymorphic() {
			c.addNav(&Nav{Name: rel.Nav, From: rel.Child, To: rel.Parent, Column: rel.Column, Relation: rel}, at)
		}
		c.addNav(&Nav{Name: rel.Collection, From: rel.Parent, To: rel.Child, Many: true, Column: rel.Column, Relation: rel}, at)
	}
	for _, m := range c.model.ManyToMany {
		at := c.table[m.Intersect].at
		c.addNav(&Nav{Name: m.A.Nav, From: m.A.Table, To: m.B.Table, Many: true, Through: m}, at)
		c.addNav(&Nav{Name: m.B.Nav, From: m.B.Table, To: m.A.Table, Many: true, Through: m}, at)
	}
	c.memberNavs()
}

// memberNavs adds the property that leads to a list's members whatever table they are in. It is declared on the
// intersect table and belongs to the first side of its links.
func (c *compiler) memberNavs() {
	for _, t := range c.model.Tables {
		d := c.table[t]
		if d.members == "" {
			continue
		}
		i := slices.IndexFunc(c.model.ManyToMany, func(m *ManyToMany) bool { return m.Intersect == t })
		if i < 0 {
			c.problems.add(d.at, "table %s has members: but no links:", t.Name)
			continue
		}
		c.addNav(&Nav{Name: d.members, From: c.model.ManyToMany[i].A.Table, Many: true, Members: true}, d.at)
	}
}

func (c *compiler) addNav(n *Nav, at Position) {
	if n.From.navs[n.Name] != nil || n.From.props[n.Name] != nil {
		c.problems.add(at, "%s already has a property %s", n.From.Name, n.Name)
		return
	}
	n.From.navs[n.Name] = n
	n.From.navList = append(n.From.navList, n)
}
