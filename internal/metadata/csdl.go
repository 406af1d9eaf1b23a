package metadata

import (
	"almoner/internal/schema"
)

// The types every client of the platform knows.
const (
	baseType      = "crmbaseentity" // abstract and without key: a row of any table
	principalType = "principal"     // abstract, keyed by ownerid: a user or a team
	expandoType   = "expando"       // open: properties nobody declared
	ownerKey      = "ownerid"
)

const (
	edmxNamespace = "http://docs.oasis-open.org/odata/ns/edmx"
	edmNamespace  = "http://docs.oasis-open.org/odata/ns/edm"
)

// csdl writes one CSDL document.
type csdl struct {
	xmlWriter
	*Service
	annotations bool
}

// document writes the whole of $metadata.
func (s *Service) document(annotations bool) []byte {
	d := &csdl{Service: s, annotations: annotations}
	d.b = append(d.b, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"...)
	d.element("edmx:Edmx", []attribute{{"Version", "4.0"}, {"xmlns:edmx", edmxNamespace}}, func() {
		d.references()
		d.element("edmx:DataServices", nil, func() {
			d.element("Schema", []attribute{{"Namespace", "Microsoft.Dynamics.CRM"}, {"Alias", "mscrm"}, {"xmlns", edmNamespace}}, d.schema)
		})
	})
	return d.b
}

// schema writes the one schema: types, operations, container. The alias is declared and never used: one generator of
// client code fails on it.
func (d *csdl) schema() {
	for _, e := range enumerations {
		d.enumeration(e)
	}
	d.commonTypes()
	for _, t := range d.tables {
		d.table(t)
	}
	for _, s := range entityShapes {
		d.shape(s)
	}
	for _, s := range complexShapes {
		d.shape(s)
	}
	d.results()
	d.operations()
	d.container()
}

func (d *csdl) commonTypes() {
	d.element("EntityType", []attribute{{"Name", baseType}, {"Abstract", "true"}}, nil)
	d.element("EntityType", []attribute{{"Name", expandoType}, {"BaseType", namespace + baseType}, {"Abstract", "true"}, {"OpenType", "true"}}, nil)
	d.element("EntityType", []attribute{{"Name", principalType}, {"BaseType", namespace + baseType}, {"Abstract", "true"}}, func() {
		d.key(ownerKey)
		d.element("Property", []attribute{{"Name", ownerKey}, {"Type", edmGuid}, {"Nullable", "false"}}, nil)
	})
}

func (d *csdl) key(name string) {
	d.element("Key", nil, func() { d.element("PropertyRef", []attribute{{"Name", name}}, nil) })
}

// isPrincipal tells whether a table's rows are users or teams, which derive from principal.
func isPrincipal(t *schema.Table) bool {
	c := t.Column(ownerKey)
	return c != nil && c.Virtual == "self"
}

// keyName is the property that is a row's key in $metadata: ownerid for users and teams.
func keyName(t *schema.Table) string {
	if isPrincipal(t) {
		return ownerKey
	}
	return t.Key.Name
}

// enumeration writes an enumeration type.
func (d *csdl) enumeration(e *enumeration) {
	flags := ""
	if e.flags {
		flags = "true"
	}
	d.element("EnumType", []attribute{{"Name", e.name}, {"IsFlags", flags}}, func() {
		for _, m := range e.members {
			d.element("Member", []attribute{{"Name", m.name}, {"Value", itoa(m.value)}}, nil)
		}
	})
}

// shape writes a type of the metadata API or of a message.
func (d *csdl) shape(s *shape) {
	kind, base, abstract := "ComplexType", "", ""
	if s.entity {
		kind = "EntityType"
	}
	if s.base != nil {
		base = s.base.qualified()
	}
	if s.abstract {
		abstract = "true"
	}
	d.element(kind, []attribute{{"Name", s.name}, {"BaseType", base}, {"Abstract", abstract}}, func() {
		if s.key != "" {
			d.key(s.key)
		}
		for i := range s.own {
			d.member(s, &s.own[i])
		}
	})
}

func (d *csdl) member(s *shape, m *member) {
	switch {
	case m.nav && m.get != nil && m.set == "":
		d.element("NavigationProperty", []attribute{{"Name", m.name}, {"Type", m.typ}, {"ContainsTarget", "true"}}, nil)
	case m.nav:
		d.element("NavigationProperty", []attribute{{"Name", m.name}, {"Type", m.typ}}, nil)
	default:
		nullable := ""
		if m.name == s.key {
			nullable = "false"
		}
		d.element("Property", []attribute{{"Name", m.name}, {"Type", m.typ}, {"Nullable", nullable}, {"Scale", scaleOf(m.typ)}}, nil)
	}
}

// scaleOf is the Scale facet of a type: decimals say how many places they have value by value.
func scaleOf(edm string) string {
	if edm == edmDecimal {
		return "variable"
	}
	return ""
}
