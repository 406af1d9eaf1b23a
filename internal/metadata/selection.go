package metadata

import (
	"slices"
	"strings"

	"almoner/internal/fault"
	"almoner/internal/odata"
)

// selection says what is written of an element: the selected properties, or all of them, and what is expanded.
type selection struct {
	names  []string // as asked; nil for all
	picked []*member
	expand []*expansion
}

// expansion is one navigation property of $expand with its own options.
type expansion struct {
	member *member
	selection
	window window
}

// everything selects all properties and expands nothing.
var everything = &selection{}

// properties lists what is written of an element of a shape, in order. The key is always part of it.
func (s *selection) properties(of *shape) []*member {
	if s.names == nil {
		return of.all
	}
	return s.picked
}

// bindSelection binds $select and $expand to the type they speak of.
func bindSelection(of *shape, names []string, expand []odata.ExpandItem) (*selection, error) {
	s := &selection{}
	if err := s.pick(of, names); err != nil {
		return nil, err
	}
	for _, item := range expand {
		if slices.ContainsFunc(s.expand, func(x *expansion) bool { return x.member.name == item.Name }) {
			return nil, refused("The navigation property '%s' stands in $expand more than once.", item.Name)
		}
		x, err := bindExpansion(of, item)
		if err != nil {
			return nil, err
		}
		s.expand = append(s.expand, x)
	}
	return s, nil
}

// pick resolves the names of $select; the key of an entity is added when it was left out.
func (s *selection) pick(of *shape, names []string) error {
	for _, name := range names {
		if name == "*" {
			s.names, s.picked = nil, nil
			return nil
		}
		m := of.byName[name]
		if m == nil {
			return noProperty(name, of)
		}
		if !slices.Contains(s.names, name) {
			s.names = append(s.names, name)
			s.picked = append(s.picked, m)
		}
	}
	if key := of.keyMember(); len(names) > 0 && key != nil && !slices.Contains(names, key.name) {
		s.picked = append(s.picked, key)
	}
	return nil
}

func bindExpansion(of *shape, item odata.ExpandItem) (*expansion, error) {
	m := of.byName[item.Name]
	switch {
	case m == nil:
		return nil, noProperty(item.Name, of)
	case !m.nav || item.Ref:
		return nil, refused("The property '%s' of type '%s' is not a navigation property that can be expanded.", item.Name, of.qualified())
	case !m.many && (item.Filter != nil || item.Order != nil || item.Top != nil):
		return nil, refused("Only $select and $expand can be given for '%s', which leads to a single definition.", item.Name)
	}
	inner, err := bindSelection(m.shape, item.Select, item.Expand)
	if err != nil {
		return nil, err
	}
	w, err := bindWindow(m.shape, item.Filter, item.Order, item.Top)
	return &expansion{member: m, selection: *inner, window: w}, err
}

// context is the part of a context URL that tells what was selected: (LogicalName,OptionSet(Options)).
func (s *selection) context() string {
	parts := append([]string(nil), s.names...)
	for _, x := range s.expand {
		inner := x.context()
		if inner == "" {
			inner = "()"
		}
		parts = append(parts, x.member.name+inner)
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// refused is the fault of everything wrong with a URL of the metadata API.
func refused(format string, args ...any) *fault.Error {
	return fault.New(fault.BadRequest, format, args...)
}

// noProperty says that a type has no such member and names one that differs in case alone.
func noProperty(name string, of *shape) error {
	near := ""
	for _, m := range of.all {
		if strings.EqualFold(m.name, name) {
			near = m.name
		}
	}
	return fault.Property(name, of.name, near)
}
