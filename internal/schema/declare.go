package schema

import (
	"maps"
	"slices"
)

// Declarations is what the files say, read and merged but not yet checked against each other. Compile turns it into a
// Model.
type Declarations struct {
	tables []*tableDecl
	sets   []*setDecl
}

// tableDecl is one table file. Names of other things are still text.
type tableDecl struct {
	at    Position
	given given

	name, schema, set, label, plural, doc string
	title, key, owner, system, members    string
	code                                  int
	track, audit, hidden, platform        bool
	readOnly, migration                   bool
	states                                []stateDecl
	columns                               []*columnDecl
	unique, indexes                       []columnList
	links                                 []linkDecl
	overlay                               bool // the table was added by a deployment
}

// columnDecl is one column of a table file, or one that compilation adds.
type columnDecl struct {
	at    Position
	given given

	name, kind, need, schema, label, doc string
	nav, virtual, wire, onDelete         string
	to                                   []string
	max, scale                           int
	low, high, def                       string
	set                                  string       // name of a global option set
	options                              []optionDecl // an option set of the column's own
	labels                               []string     // of a Boolean: false, true
	relation                             relationNames
	computed, createOnly, ruled          bool
	hidden, index, hierarchical          bool

	number  int  // 0: by order of declaration
	untyped bool // a lookup with several targets and one navigation property for all
	system  bool // added by compilation
	overlay bool // added by a deployment
}

// relationNames gives the relation of each target table a name; the entry "" stands for all of them.
type relationNames map[string]string

// columnList names columns of an index or a unique constraint.
type columnList struct {
	at    Position
	names []string
}

// linkDecl makes a table the intersect of a many-to-many relation: columns a and b are its two lookups.
type linkDecl struct {
	at               Position
	name, a, b, only string // only: the one table meant when b has several targets
}

// stateDecl is a state with its statuses; the first status is its default.
type stateDecl struct {
	value    int64
	label    string
	statuses []optionDecl
}

// setDecl is a global option set file.
type setDecl struct {
	at               Position
	given            given
	name, label, doc string
	open             bool
	options          []optionDecl
	relabel          []optionDecl
	overlay          bool
}

// optionDecl is one value of an option set.
type optionDecl struct {
	at         Position
	value      int64
	label, doc string
}

func (d *Declarations) table(name string) *tableDecl {
	for _, t := range d.tables {
		if t.name == name {
			return t
		}
	}
	return nil
}

func (d *Declarations) optionSet(name string) *setDecl {
	for _, s := range d.sets {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (t *tableDecl) column(name string) *columnDecl {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// clone copies everything an overlay may change.
func (d *Declarations) clone() *Declarations {
	out := &Declarations{}
	for _, t := range d.tables {
		table := *t
		table.indexes = slices.Clone(t.indexes)
		table.columns = make([]*columnDecl, len(t.columns))
		for i, c := range t.columns {
			column := *c
			column.given = maps.Clone(c.given)
			column.options = slices.Clone(c.options)
			table.columns[i] = &column
		}
		out.tables = append(out.tables, &table)
	}
	for _, s := range d.sets {
		set := *s
		set.options = slices.Clone(s.options)
		out.sets = append(out.sets, &set)
	}
	return out
}
