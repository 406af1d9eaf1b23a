package metadata

import (
	"almoner/internal/messages"
	"almoner/internal/schema"
)

// container writes the sets with what their navigation properties lead into, and the unbound operations.
func (d *csdl) container() {
	d.element("EntityContainer", []attribute{{"Name", "System"}}, func() {
		for _, t := range d.tables {
			d.set(t)
		}
		for _, root := range []string{rootTables, rootRelations, rootOptionSets, rootManaged, rootMessages, rootFilters} {
			d.definitionSet(d.root(root))
		}
		d.imports()
	})
}

func (d *csdl) set(t *schema.Table) {
	d.element("EntitySet", []attribute{{"Name", t.Set}, {"EntityType", namespace + t.Name}}, func() {
		for _, n := range navsOf(t) {
			if target := d.targetOf(n); target != "" {
				d.element("NavigationPropertyBinding", []attribute{{"Path", n.Name}, {"Target", target}}, nil)
			}
		}
		d.setNotes(t)
	})
}

// targetOf is the set a navigation property leads into; "" when it may lead into several.
func (d *csdl) targetOf(n *schema.Nav) string {
	switch {
	case n.To != nil:
		return n.To.Set
	case n.Members:
		return d.tableOf(namespace + membersType)
	default:
		return ""
	}
}

// definitionSet writes a set of the metadata API. The service document lists tables alone.
func (d *csdl) definitionSet(p *place) {
	d.element("EntitySet", []attribute{{"Name", p.path}, {"EntityType", p.shape.qualified()}, {"IncludeInServiceDocument", "false"}}, func() {
		for _, m := range p.shape.all {
			if m.nav && m.set != "" {
				d.element("NavigationPropertyBinding", []attribute{{"Path", m.name}, {"Target", m.set}}, nil)
			}
		}
	})
}

// imports writes the unbound operations as clients call them.
func (d *csdl) imports() {
	for _, m := range d.messages {
		if m.Binding != messages.Unbound {
			continue
		}
		kind := "Action"
		if m.Function {
			kind = "Function"
		}
		d.element(kind+"Import", []attribute{{"Name", m.Name}, {kind, namespace + m.Name}, {"EntitySet", d.tableOf(m.Returns)}}, nil)
	}
}
