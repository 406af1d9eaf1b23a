package schema

import "slices"

// anyTable is the word of to: for a lookup that may point at a row of any table. Such a lookup has no navigation
// properties and no relations: deleting what it points at leaves it alone.
const anyTable = "any"

// deletes are the words of on_delete:.
var deletes = map[string]OnDelete{"": RemoveLink, "remove": RemoveLink, "restrict": Restrict, "cascade": Cascade}

// targets resolves the tables lookups point at.
func (c *compiler) targets() {
	for _, t := range c.model.Tables {
		for _, col := range t.Columns {
			if col.Type == TypeLookup {
				col.Targets = c.targetsOf(col, c.made[col])
			}
		}
	}
}

func (c *compiler) targetsOf(col *Column, d *columnDecl) []*Table {
	if len(d.to) == 0 {
		c.problems.add(d.at, "lookup %s.%s has no to:", col.Table.Name, col.Name)
	}
	var out []*Table
	for _, name := range d.to {
		target := c.model.byName[name]
		switch {
		case name == anyTable:
			col.Nav = ""
			return c.allTables(col.Table)
		case target == nil || target.Hidden:
			c.problems.add(d.at, "lookup %s.%s: there is no table %q", col.Table.Name, col.Name, name)
		case slices.Contains(out, target):
			c.problems.add(d.at, "lookup %s.%s names %s twice", col.Table.Name, col.Name, name)
		default:
			out = append(out, target)
		}
	}
	return out
}

func (c *compiler) allTables(except *Table) []*Table {
	var out []*Table
	for _, t := range c.model.Tables {
		if !t.Hidden && t != except {
			out = append(out, t)
		}
	}
	return out
}

// relations makes one relation per lookup and target.
func (c *compiler) relations() {
	taken := map[string]*Column{}
	for _, t := range c.model.Tables {
		for _, col := range t.Columns {
			d := c.made[col]
			if col.Type != TypeLookup || slices.Contains(d.to, anyTable) {
				continue
			}
			c.checkLookup(col, d)
			for _, parent := range col.Targets {
				c.relate(col, d, parent, taken)
			}
		}
	}
}

func (c *compiler) checkLookup(col *Column, d *columnDecl) {
	if _, ok := deletes[d.onDelete]; !ok {
		c.problems.add(d.at, "lookup %s.%s: on_delete %q is none of remove, restrict, cascade", col.Table.Name, col.Name, d.onDelete)
	}
	if !navPattern.MatchString(col.Nav) {
		c.problems.add(d.at, "lookup %s.%s: %q is not a navigation property", col.Table.Name, col.Name, col.Nav)
	}
	if d.hierarchical && (len(col.Targets) != 1 || col.Targets[0] != col.Table) {
		c.problems.add(d.at, "lookup %s.%s is hierarchical but does not point at its own table alone", col.Table.Name, col.Name)
	}
}

func (c *compiler) relate(col *Column, d *columnDecl, parent *Table, taken map[string]*Column) {
	name := d.relation[parent.Name]
	if name == "" && len(col.Targets) == 1 {
		name = d.relation[""]
	}
	if name == "" {
		name = relationName(parent, col.Table, col)
	}
	if !navPattern.MatchString(name) {
		c.problems.add(d.at, "lookup %s.%s: %q is not a name for a relation", col.Table.Name, col.Name, name)
		return
	}
	if other := taken[name]; other != nil {
		c.problems.add(d.at, "relation %s of %s.%s is taken by %s.%s (%s)", name, col.Table.Name, col.Name,
			other.Table.Name, other.Name, c.made[other].at)
		return
	}
	taken[name] = col
	rel := &Relation{
		Name: name, Child: col.Table, Column: col, Parent: parent, Nav: typedNav(col, d, parent), Collection: name,
		OnDelete: deletes[d.onDelete], Hierarchical: d.hierarchical, System: col.System,
	}
	c.model.Relations = append(c.model.Relations, rel)
	col.Table.Parents = append(col.Table.Parents, rel)
	parent.Childs = append(parent.Childs, rel)
}

// typedNav is the navigation property for one target: svc_Payee_contact beside svc_Payee. A lookup with one target, and
// the owner, have only the one.
func typedNav(col *Column, d *columnDecl, parent *Table) string {
	if len(col.Targets) == 1 || d.untyped {
		return col.Nav
	}
	return col.Nav + "_" + parent.Name
}

// links makes the many-to-many relations out of the intersect tables that declare them.
func (c *compiler) links() {
	for _, t := range c.model.Tables {
		for _, l := range c.table[t].links {
			a, okA := c.side(t, l, l.a, "")
			b, okB := c.side(t, l, l.b, l.only)
			switch {
			case !okA || !okB:
			case a.Table == b.Table:
				c.problems.add(l.at, "link %s joins %s with itself", l.name, a.Table.Name)
			case !navPattern.MatchString(l.name):
				c.problems.add(l.at, "%q is not a name for a link", l.name)
			default:
				t.Link = true
				c.model.ManyToMany = append(c.model.ManyToMany, &ManyToMany{Name: l.name, Intersect: t, A: a, B: b})
			}
		}
	}
}

func (c *compiler) side(t *Table, l linkDecl, column, only string) (Side, bool) {
	col := t.columns[column]
	if col == nil || col.Type != TypeLookup || len(col.Targets) == 0 {
		c.problems.add(l.at, "link %s: %q is not a lookup of %s", l.name, column, t.Name)
		return Side{}, false
	}
	target := col.Targets[0]
	if only != "" {
		target = c.model.byName[only]
	}
	if !slices.Contains(col.Targets, target) || only == "" && col.Polymorphic() {
		c.problems.add(l.at, "link %s: say with only: which table of %s is meant", l.name, column)
		return Side{}, false
	}
	return Side{Table: target, Column: col, Nav: l.name}, true
}
