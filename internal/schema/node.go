package schema

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// source reads the nodes of one YAML file strictly: unknown and repeated keys, aliases and values of the wrong type are
// problems, each with its line, and reading goes on after every one of them.
type source struct {
	file     string
	problems *Problems
}

// fields says what to do with each key a mapping may have.
type fields map[string]func(*yaml.Node)

// given remembers which keys a mapping had, and on which line.
type given map[string]int

func (s *source) at(n *yaml.Node) Position { return Position{File: s.file, Line: n.Line} }

func (s *source) fail(n *yaml.Node, format string, args ...any) {
	s.problems.add(s.at(n), format, args...)
}

// each visits the entries of a mapping in the order written.
func (s *source) each(n *yaml.Node, what string, visit func(key, val *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		s.fail(n, "%s must be a mapping", what)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, val := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			s.fail(key, "a key of %s must be a plain word", what)
			continue
		}
		if line, twice := seen[key.Value]; twice {
			s.fail(key, "%s names %q twice, first on line %d", what, key.Value, line)
			continue
		}
		seen[key.Value] = key.Line
		visit(key, val)
	}
}

// record reads a mapping with a fixed set of keys and tells which of them were there.
func (s *source) record(n *yaml.Node, what string, known fields) given {
	found := given{}
	s.each(n, what, func(key, val *yaml.Node) {
		read, ok := known[key.Value]
		if !ok {
			s.fail(key, "%s has no key %q", what, key.Value)
			return
		}
		found[key.Value] = key.Line
		read(val)
	})
	return found
}

// scalar tells whether a node is a plain value of one of the given YAML tags, and reports it when it is not.
func (s *source) scalar(n *yaml.Node, want string, tags ...string) bool {
	if n.Kind == yaml.ScalarNode {
		for _, tag := range tags {
			if n.ShortTag() == tag {
				return true
			}
		}
	}
	s.fail(n, "%q is not %s", describe(n), want)
	return false
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "an alias"
	}
}

func (s *source) text(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if s.scalar(n, "text (quote it if it looks like a number)", "!!str") {
			*dst = n.Value
		}
	}
}

func (s *source) flag(dst *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if s.scalar(n, "true or false", "!!bool") {
			*dst = strings.EqualFold(n.Value, "true")
		}
	}
}

func (s *source) integer(dst *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if v, ok := s.number(n); ok {
			*dst = int(v)
		}
	}
}

// literal takes any plain value as its text; what it means depends on the column's type.
func (s *source) literal(dst *string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if s.scalar(n, "a plain value", "!!str", "!!int", "!!float", "!!bool") {
			*dst = n.Value
		}
	}
}

func (s *source) number(n *yaml.Node) (int64, bool) {
	if !s.scalar(n, "a whole number", "!!int") {
		return 0, false
	}
	v, err := strconv.ParseInt(n.Value, 10, 32)
	if err != nil {
		s.fail(n, "%q is not a whole number of 32 bits", n.Value)
		return 0, false
	}
	return v, true
}

// words takes one word or a list of words.
func (s *source) words(dst *[]string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		items := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			items = n.Content
		}
		for _, item := range items {
			if s.scalar(item, "text", "!!str") {
				*dst = append(*dst, item.Value)
			}
		}
	}
}

// wordLists takes a list of lists of words.
func (s *source) wordLists(dst *[]columnList) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			s.fail(n, "a list of column lists is wanted, like [[a, b], [c]]")
			return
		}
		for _, item := range n.Content {
			list := columnList{at: s.at(item)}
			s.words(&list.names)(item)
			*dst = append(*dst, list)
		}
	}
}
