package metadata

import "almoner/internal/value"

// namespace is the prefix of every type name.
const namespace = "Microsoft.Dynamics.CRM."

// The primitive types the metadata API speaks of.
const (
	edmString   = "Edm.String"
	edmBoolean  = "Edm.Boolean"
	edmInt32    = "Edm.Int32"
	edmInt64    = "Edm.Int64"
	edmDecimal  = "Edm.Decimal"
	edmDouble   = "Edm.Double"
	edmGuid     = "Edm.Guid"
	edmDate     = "Edm.Date"
	edmDateTime = "Edm.DateTimeOffset"
)

// shape is one structured type: its place in the type tree and its members in the order they are written. Shapes are
// both the declaration in $metadata and the encoder of what the metadata API answers, so the two cannot differ.
type shape struct {
	name     string // without namespace
	base     *shape // nil for none
	entity   bool   // an entity type, else a complex one
	abstract bool
	key      string   // the key it declares; "" when it inherits one or has none
	other    string   // alternate key by which a path may name an element; "" for none
	own      []member // declared here
	all      []*member
	byName   map[string]*member
}

// member is one property or navigation property of a shape.
type member struct {
	name  string
	typ   string       // CSDL type
	shape *shape       // what a structured member leads to; nil for a primitive or an enumeration
	enum  *enumeration // nil unless it is one
	many  bool
	nav   bool   // a navigation property: written only when expanded
	set   string // set a navigation property leads into; "" for one that contains its targets
	get   func(of any) any
}

// element is a piece of the model seen through a shape. What it shows is made when it is asked for; nothing is kept.
type element struct {
	shape *shape
	of    any
}

// number is a JSON number already in text.
type number string

// entityShape makes an entity type of the metadata API; its base gives it a key.
func entityShape(name string, base *shape, own ...member) *shape {
	return complete(&shape{name: name, base: base, entity: true, own: own})
}

// complexShape makes a complex type.
func complexShape(name string, base *shape, own ...member) *shape {
	return complete(&shape{name: name, base: base, own: own})
}

// complete fills what follows from a shape's base and members.
func complete(s *shape) *shape {
	if s.base != nil {
		s.all = append(s.all, s.base.all...)
		if s.other == "" {
			s.other = s.base.other
		}
	}
	for i := range s.own {
		s.all = append(s.all, &s.own[i])
	}
	s.byName = make(map[string]*member, len(s.all))
	for _, m := range s.all {
		s.byName[m.name] = m
	}
	return s
}

// keyed returns the shape with an alternate key; made abstract when no element has exactly this shape.
func (s *shape) keyed(other string, abstract bool) *shape {
	s.other, s.abstract = other, abstract
	return s
}

// keyMember is the property an element is known by, which a base may declare; nil for a type without a key.
func (s *shape) keyMember() *member {
	for at := s; at != nil; at = at.base {
		if at.key != "" {
			return s.byName[at.key]
		}
	}
	return nil
}

// qualified is the type's name with its namespace.
func (s *shape) qualified() string { return namespace + s.name }

// is tells whether the shape is another one or derives from it.
func (s *shape) is(other *shape) bool {
	for ; s != nil; s = s.base {
		if s == other {
			return true
		}
	}
	return false
}

// get makes a property that is read from an element of kind T.
func get[T any](name, typ string, f func(T) any) member {
	return member{name: name, typ: typ, get: func(of any) any { return f(of.(T)) }}
}

// fixed makes a property with the same value everywhere.
func fixed(name, typ string, v any) member {
	return member{name: name, typ: typ, get: func(any) any { return v }}
}

// choice makes a property of an enumeration; its values are member names.
func choice[T any](name string, e *enumeration, f func(T) string) member {
	return member{name: name, typ: namespace + e.name, enum: e, get: func(of any) any { return f(of.(T)) }}
}

// one makes a property of a complex type.
func one[T any](name string, s *shape, f func(T) any) member {
	m := get(name, s.qualified(), f)
	m.shape = s
	return m
}

// each makes a property that is a collection of a complex type.
func each[T any](name string, s *shape, f func(T) []element) member {
	m := get(name, "Collection("+s.qualified()+")", func(of T) any { return f(of) })
	m.shape, m.many = s, true
	return m
}

// leading turns a structured property into a navigation property into a set; "" means that the targets are contained.
func (m member) leading(set string) member {
	m.nav, m.set = true, set
	return m
}

// identified is every piece of the model with a MetadataId.
type identified interface{ MetadataID() value.GUID }

var (
	modelBase = complete(&shape{name: "crmmodelbaseentity", entity: true, abstract: true})

	// metadataBase is the root of everything with a MetadataId.
	metadataBase = complete(&shape{name: "MetadataBase", base: modelBase, entity: true, abstract: true, key: metadataID, own: []member{
		get(metadataID, edmGuid, func(i identified) any { return i.MetadataID() }),
		fixed("HasChanged", edmBoolean, nil),
	}})
)

// metadataID is the key of every definition; answers carry it even when it was not selected.
const metadataID = "MetadataId"
