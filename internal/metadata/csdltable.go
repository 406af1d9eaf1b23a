package metadata

import (
	"strconv"

	"almoner/internal/schema"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// table writes the entity type of a table.
func (d *csdl) table(t *schema.Table) {
	base := baseType
	if isPrincipal(t) {
		base = principalType
	}
	d.element("EntityType", []attribute{{"Name", t.Name}, {"BaseType", namespace + base}}, func() {
		if !isPrincipal(t) {
			d.key(t.Key.Name)
		}
		for _, c := range served(t) {
			if !isPrincipal(t) || c.Name != ownerKey { // principal declares it
				d.property(c)
			}
		}
		for _, n := range navsOf(t) {
			d.navigation(n)
		}
		d.describe(t.Doc)
	})
}

func (d *csdl) property(c *schema.Column) {
	length, nullable := "", ""
	if c.Max > 0 {
		length = itoa(int64(c.Max))
	}
	if c == c.Table.Key {
		nullable = "false"
	}
	attributes := []attribute{{"Name", c.Wire}, {"Type", c.Type.Edm()}, {"Nullable", nullable}, {"MaxLength", length}, {"Scale", scaleOf(c.Type.Edm())}}
	d.element("Property", attributes, func() { d.columnNotes(c) })
}

// navsOf lists the navigation properties clients may know of.
func navsOf(t *schema.Table) []*schema.Nav {
	var out []*schema.Nav
	for _, n := range t.Navs() {
		hidden := n.To != nil && n.To.Hidden || n.Column != nil && n.Column.Hidden
		if !hidden {
			out = append(out, n)
		}
	}
	return out
}

// navigation writes a navigation property. Every one that stands for a single relation names its partner and, on the
// side of the lookup, which property holds the key.
func (d *csdl) navigation(n *schema.Nav) {
	typ := namespace + navType(n)
	if n.Many {
		typ = "Collection(" + typ + ")"
	}
	d.element("NavigationProperty", []attribute{{"Name", n.Name}, {"Type", typ}, {"Partner", partnerOf(n)}}, func() {
		if key := referencedKey(n); key != "" {
			d.element("ReferentialConstraint", []attribute{{"Property", n.Column.Wire}, {"ReferencedProperty", key}}, nil)
		}
		d.describe(navDoc(n))
	})
}

// navType is the type at the end of a navigation property: for one with several targets their common base. The members of
// a list are declared as contacts; which table they are in is said by its createdfromcode.
func navType(n *schema.Nav) string {
	switch {
	case n.To != nil:
		return n.To.Name
	case n.Members:
		return membersType
	case allPrincipals(n.Column.Targets):
		return principalType
	default:
		return baseType
	}
}

// membersType is the table list members are declared to be in.
const membersType = "contact"

func allPrincipals(tables []*schema.Table) bool {
	for _, t := range tables {
		if !isPrincipal(t) {
			return false
		}
	}
	return true
}

// partnerOf is the navigation property that leads back; "" where no single one does.
func partnerOf(n *schema.Nav) string {
	switch {
	case n.Through != nil:
		_, there := n.Ends()
		return there.Nav
	case n.Relation == nil:
		return ""
	case !n.Many:
		return n.Relation.Collection
	case n.To.Nav(n.Relation.Nav) != nil && n.To.Nav(n.Relation.Nav).Relation == n.Relation:
		return n.Relation.Nav
	default: // the way back is shared by several tables, as ownerid is
		return ""
	}
}

// referencedKey is the property a lookup's value repeats; "" for a collection and for a lookup into tables without a
// common key.
func referencedKey(n *schema.Nav) string {
	switch {
	case n.Many:
		return ""
	case n.To != nil:
		return keyName(n.To)
	case navType(n) == principalType:
		return ownerKey
	default:
		return ""
	}
}

func navDoc(n *schema.Nav) string {
	switch {
	case n.Members:
		return "Members of the list, in the table its createdfromcode names; declared as contacts."
	case !n.Many:
		return n.Column.Doc
	default:
		return ""
	}
}
