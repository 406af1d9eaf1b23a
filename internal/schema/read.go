package schema

import (
	"strconv"

	"gopkg.in/yaml.v3"
)

// table reads a table file.
func (s *source) table(root *yaml.Node) *tableDecl {
	t := &tableDecl{at: s.at(root)}
	t.given = s.record(root, "a table", fields{
		"table":         s.text(&t.name),
		"schema":        s.text(&t.schema),
		"set":           s.text(&t.set),
		"label":         s.text(&t.label),
		"plural":        s.text(&t.plural),
		"doc":           s.text(&t.doc),
		"code":          s.integer(&t.code),
		"owner":         s.text(&t.owner),
		"system":        s.text(&t.system),
		"title":         s.text(&t.title),
		"key":           s.text(&t.key),
		"track_changes": s.flag(&t.track),
		"audit":         s.flag(&t.audit),
		"hidden":        s.flag(&t.hidden),
		"platform":      s.flag(&t.platform),
		"read_only":     s.flag(&t.readOnly),
		"migration":     s.flag(&t.migration),
		"members":       s.text(&t.members),
		"unique":        s.wordLists(&t.unique),
		"indexes":       s.wordLists(&t.indexes),
		"states":        func(n *yaml.Node) { t.states = s.states(n) },
		"links":         func(n *yaml.Node) { t.links = s.links(n) },
		"columns":       func(n *yaml.Node) { t.columns = s.columns(n) },
	})
	return t
}

// columns reads the columns of a table and unfolds ranges such as svc_amount[1..12].
func (s *source) columns(n *yaml.Node) []*columnDecl {
	var out []*columnDecl
	s.each(n, "columns", func(key, val *yaml.Node) {
		decl := s.column(key, val)
		many, err := decl.unfold()
		if err != nil {
			s.fail(key, "%v", err)
			return
		}
		out = append(out, many...)
	})
	return out
}

func (s *source) column(key, val *yaml.Node) *columnDecl {
	c := &columnDecl{at: s.at(key), name: key.Value}
	c.given = s.record(val, "column "+key.Value, fields{
		"type":         s.text(&c.kind),
		"need":         s.text(&c.need),
		"schema":       s.text(&c.schema),
		"label":        s.text(&c.label),
		"doc":          s.text(&c.doc),
		"nav":          s.text(&c.nav),
		"to":           s.words(&c.to),
		"max":          s.integer(&c.max),
		"scale":        s.integer(&c.scale),
		"low":          s.literal(&c.low),
		"high":         s.literal(&c.high),
		"default":      s.literal(&c.def),
		"options":      func(n *yaml.Node) { s.columnOptions(n, c) },
		"labels":       s.words(&c.labels),
		"relation":     func(n *yaml.Node) { c.relation = s.relation(n) },
		"on_delete":    s.text(&c.onDelete),
		"hierarchical": s.flag(&c.hierarchical),
		"computed":     s.flag(&c.computed),
		"create_only":  s.flag(&c.createOnly),
		"ruled":        s.flag(&c.ruled),
		"virtual":      s.text(&c.virtual),
		"wire":         s.text(&c.wire),
		"hidden":       s.flag(&c.hidden),
		"index":        s.flag(&c.index),
	})
	return c
}

// columnOptions takes the name of a global set, or the values of a set of the column's own.
func (s *source) columnOptions(n *yaml.Node, c *columnDecl) {
	if n.Kind == yaml.ScalarNode {
		s.text(&c.set)(n)
		return
	}
	c.options = s.options(n)
}

// options reads values with their labels: "730850000: Gift" or "730850000: {label: Gift, doc: …}".
func (s *source) options(n *yaml.Node) []optionDecl {
	var out []optionDecl
	s.each(n, "options", func(key, val *yaml.Node) {
		v, ok := s.number(key)
		if !ok {
			return
		}
		o := optionDecl{at: s.at(key), value: v}
		if val.Kind == yaml.MappingNode {
			s.record(val, "option "+key.Value, fields{"label": s.text(&o.label), "doc": s.text(&o.doc)})
		} else {
			s.text(&o.label)(val)
		}
		out = append(out, o)
	})
	return out
}

func (s *source) relation(n *yaml.Node) relationNames {
	names := relationNames{}
	if n.Kind == yaml.ScalarNode {
		names[""] = n.Value
		return names
	}
	s.each(n, "relation", func(key, val *yaml.Node) {
		var name string
		s.text(&name)(val)
		names[key.Value] = name
	})
	return names
}

func (s *source) states(n *yaml.Node) []stateDecl {
	var out []stateDecl
	s.each(n, "states", func(key, val *yaml.Node) {
		v, err := strconv.ParseInt(key.Value, 10, 32)
		if err != nil {
			s.fail(key, "%q is not a state value", key.Value)
			return
		}
		state := stateDecl{value: v}
		s.record(val, "state "+key.Value, fields{
			"label":    s.text(&state.label),
			"statuses": func(n *yaml.Node) { state.statuses = s.options(n) },
		})
		if len(state.statuses) == 0 {
			s.fail(key, "state %s has no statuses", key.Value)
			return
		}
		out = append(out, state)
	})
	return out
}

func (s *source) links(n *yaml.Node) []linkDecl {
	if n.Kind != yaml.SequenceNode {
		s.fail(n, "links must be a list")
		return nil
	}
	var out []linkDecl
	for _, item := range n.Content {
		l := linkDecl{at: s.at(item)}
		s.record(item, "a link", fields{
			"name": s.text(&l.name), "a": s.text(&l.a), "b": s.text(&l.b), "only": s.text(&l.only),
		})
		out = append(out, l)
	}
	return out
}

// optionSet reads a file of a global option set.
func (s *source) optionSet(root *yaml.Node) *setDecl {
	d := &setDecl{at: s.at(root)}
	d.given = s.record(root, "an option set", fields{
		"optionset": s.text(&d.name),
		"label":     s.text(&d.label),
		"doc":       s.text(&d.doc),
		"open":      s.flag(&d.open),
		"values":    func(n *yaml.Node) { d.options = s.options(n) },
		"relabel":   func(n *yaml.Node) { d.relabel = s.options(n) },
	})
	return d
}
