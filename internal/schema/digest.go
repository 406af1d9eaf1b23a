package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// digest is a short hash of everything the model says, so that any change of the schema changes it.
func (m *Model) digest() string {
	h := sha256.New()
	for _, s := range m.OptionSets {
		s.describe(h)
	}
	for _, t := range m.Tables {
		fmt.Fprintln(h, "table", t.Name, t.Schema, t.Set, t.Label, t.Plural, t.Doc, t.TypeCode, t.Owner, t.Track, t.Audit, t.Hidden, t.Platform, t.ReadOnly)
		for _, c := range t.Columns {
			c.describe(h)
		}
		describeLists(h, "unique", t.Unique)
		describeIndexes(h, t.Indexes)
	}
	for _, r := range m.Relations {
		fmt.Fprintln(h, "relation", r.Name, r.Nav, r.OnDelete, r.Hierarchical)
	}
	for _, n := range m.ManyToMany {
		fmt.Fprintln(h, "link", n.Name, n.Intersect.Name)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func (c *Column) describe(w io.Writer) {
	fmt.Fprintln(w, "column", c.Number, c.Name, c.Wire, c.Schema, c.Label, c.Doc, c.Type, c.Max, c.Scale, c.Low, c.High, c.Need,
		c.Default.Kind(), c.Default, c.Indexed, c.Computed, c.CreateOnly, c.Ruled, c.Virtual, c.Hidden)
	for _, t := range c.Targets {
		fmt.Fprintln(w, "target", t.Name)
	}
	if c.Options != nil {
		c.Options.describe(w)
	}
}

func (s *OptionSet) describe(w io.Writer) {
	fmt.Fprintln(w, "options", s.Name, s.Label, s.Doc, s.Global, s.Open)
	for _, o := range s.Options {
		fmt.Fprintln(w, "option", o.Value, o.Label, o.Doc, o.State, o.Status)
	}
}

func describeIndexes(w io.Writer, indexes []Index) {
	for _, index := range indexes {
		describeLists(w, "index", [][]*Column{index.Columns})
		if index.Unless != nil {
			fmt.Fprintln(w, "unless", index.Unless.Name)
		}
	}
}

func describeLists(w io.Writer, what string, lists [][]*Column) {
	for _, list := range lists {
		fmt.Fprint(w, what)
		for _, c := range list {
			fmt.Fprint(w, " ", c.Name)
		}
		fmt.Fprintln(w)
	}
}
