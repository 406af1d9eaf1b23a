package metadata

import (
	"slices"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/value"
)

// place is where a path has led: to a collection, to one element, or to a primitive property of one.
type place struct {
	shape *shape // declared type of the elements
	many  bool
	items []element // of a single place the one; none when it is null

	leaf      *member // the primitive property the path ends in, if it does
	leafValue any

	path, key, cast string // the pieces of the context URL
}

// root is the place of a set of the metadata API.
func (s *Service) root(name string) *place {
	p := &place{many: true, path: name}
	switch name {
	case rootTables:
		p.shape = tableShape
		for _, t := range s.tables {
			p.items = append(p.items, element{tableShape, t})
		}
	case rootRelations:
		p.shape = relationBaseShape
		p.items = relationsOf(s.model.Relations)
		for _, m := range s.model.ManyToMany {
			p.items = append(p.items, element{manyToManyShape, manyToMany{m}})
		}
	case rootOptionSets:
		p.shape = setBaseShape
		for _, set := range s.model.OptionSets {
			p.items = append(p.items, element{optionSetShape, optionSet{set, rolePicklist}})
		}
	case rootManaged, rootManagedShorter:
		p.shape = managedPropertyShape
	case rootMessages:
		p.shape, p.items = messageShape, s.messageElements()
	case rootFilters:
		p.shape, p.items = filterShape, s.filterElements()
	default:
		return nil
	}
	return p
}

// resolve walks a whole path from its set; a trailing $count is left to the caller.
func (s *Service) resolve(segments []odata.Segment) (*place, error) {
	p := s.root(segments[0].Name)
	if p == nil {
		return nil, fault.NoSegment(segments[0].Name)
	}
	if err := p.at(segments[0]); err != nil {
		return nil, err
	}
	for _, seg := range segments[1:] {
		if err := p.step(seg); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// step follows one segment: a cast, a navigation property, or a property.
func (p *place) step(seg odata.Segment) error {
	if p.leaf != nil {
		return fault.NoSegment(seg.Name)
	}
	var err error
	if strings.Contains(seg.Name, ".") {
		err = p.narrow(seg.Name)
	} else {
		err = p.enter(seg.Name)
	}
	if err != nil {
		return err
	}
	return p.at(seg)
}

// narrow casts to a derived type: a collection keeps the elements of it, an element must be one.
func (p *place) narrow(name string) error {
	to := shapeNamed(name)
	if to == nil || !to.is(p.shape) && !p.shape.is(to) {
		return fault.NoSegment(name)
	}
	kept := slices.DeleteFunc(slices.Clone(p.items), func(e element) bool { return !e.shape.is(to) })
	if !p.many && len(kept) < len(p.items) {
		return fault.NoSegment(name)
	}
	p.shape, p.items, p.cast = to, kept, "/"+to.qualified()
	return nil
}

// enter follows a property of the one element the path has led to.
func (p *place) enter(name string) error {
	m := p.shape.byName[name]
	if m == nil || p.many || len(p.items) == 0 {
		return fault.NoSegment(name)
	}
	v := m.get(p.items[0].of)
	path := p.path + p.key + p.cast + "/" + name
	if m.shape == nil {
		*p = place{shape: p.shape, items: p.items, leaf: m, leafValue: v, path: path}
		return nil
	}
	*p = place{shape: m.shape, many: m.many, path: path}
	switch v := v.(type) {
	case element:
		p.items = []element{v}
	case []element:
		p.items = v
	}
	return nil
}

// at picks the element a segment's key names, if it has one.
func (p *place) at(seg odata.Segment) error {
	if !seg.Parens {
		return nil
	}
	if !p.many || len(seg.Args) != 1 {
		return p.badKey(seg)
	}
	name, text, err := p.keyOf(seg)
	if err != nil {
		return err
	}
	key := p.shape.byName[name]
	i := slices.IndexFunc(p.items, func(e element) bool { return textOf(key.get(e.of)) == text })
	if i < 0 {
		return fault.New(fault.BadRequest, "Could not find a definition of type '%s' with %s = '%s'.", p.shape.qualified(), name, text).
			WithStatus(404).At(p.path, name+" "+text)
	}
	p.many, p.items = false, p.items[i:i+1]
	p.key = "('" + strings.ReplaceAll(text, "'", "''") + "')"
	if name == metadataID {
		p.key = "(" + text + ")"
	}
	return nil
}

// keyOf reads a key: a MetadataId, bare or named, or the alternate key of the set.
func (p *place) keyOf(seg odata.Segment) (name, text string, err error) {
	arg := seg.Args[0]
	if id, err := value.ParseGUID(unquoted(arg.Value)); err == nil && (arg.Name == "" || arg.Name == metadataID) && p.shape.byName[metadataID] != nil {
		return metadataID, id.String(), nil
	}
	quoted := unquoted(arg.Value) != arg.Value
	if p.shape.other == "" || !quoted || arg.Name != "" && arg.Name != p.shape.other {
		return "", "", p.badKey(seg)
	}
	return p.shape.other, unquoted(arg.Value), nil
}

func (p *place) badKey(seg odata.Segment) error {
	return refused("The key in the request URI is not valid for resource '%s'. Ensure that the names and number of key properties match.", p.shape.qualified()).
		At(p.path, "key "+seg.Name)
}

// unquoted takes the quotes off a text literal; anything else stays as it is.
func unquoted(text string) string {
	if n := len(text); n >= 2 && text[0] == '\'' && text[n-1] == '\'' {
		return strings.ReplaceAll(text[1:n-1], "''", "'")
	}
	return text
}

// textOf is a key's value as text.
func textOf(v any) string {
	switch v := v.(type) {
	case value.GUID:
		return v.String()
	case string:
		return v
	default:
		return ""
	}
}
