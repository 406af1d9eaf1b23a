package schema

import "slices"

// optionSets makes the global sets.
func (c *compiler) optionSets() {
	for _, d := range c.decls.sets {
		if c.sets[d.name] != nil {
			c.problems.add(d.at, "option set %s is declared twice, also at %s", d.name, c.decls.optionSet(d.name).at)
			continue
		}
		if !namePattern.MatchString(d.name) {
			c.problems.add(d.at, "%q is not the name of an option set", d.name)
		}
		if len(d.options) == 0 {
			c.problems.add(d.at, "option set %s has no values", d.name)
		}
		if len(d.relabel) > 0 && d.overlay {
			c.problems.add(d.at, "option set %s is new: there is nothing to relabel", d.name)
		}
		label := d.label
		if label == "" {
			label = labelOf(schemaName(d.name, ""))
		}
		set := c.newSet(d.name, label, d.options)
		set.Doc, set.Global, set.Open = d.doc, true, d.open
		c.sets[d.name] = set
		c.model.OptionSets = append(c.model.OptionSets, set)
	}
}

func (c *compiler) newSet(name, label string, decls []optionDecl) *OptionSet {
	set := &OptionSet{Name: name, Label: label}
	for _, o := range decls {
		if o.label == "" {
			c.problems.add(o.at, "value %d of option set %s has no label", o.value, name)
		}
		set.Options = append(set.Options, Option{Value: o.value, Label: o.label, Doc: o.doc})
	}
	set.index()
	return set
}

// index fills the map behind LabelOf and Accepts.
func (s *OptionSet) index() {
	s.labels = make(map[int64]string, len(s.Options))
	for _, o := range s.Options {
		s.labels[o.Value] = o.Label
	}
}

// Find returns the option of a value, or nil.
func (s *OptionSet) Find(v int64) *Option {
	i := slices.IndexFunc(s.Options, func(o Option) bool { return o.Value == v })
	if i < 0 {
		return nil
	}
	return &s.Options[i]
}

// columnSet finds or makes the option set of a choice column.
func (c *compiler) columnSet(col *Column, d *columnDecl) *OptionSet {
	if d.set != "" {
		set := c.sets[d.set]
		if set == nil {
			c.problems.add(d.at, "column %s.%s: there is no option set %q", col.Table.Name, col.Name, d.set)
		}
		return set
	}
	if len(d.options) == 0 {
		c.problems.add(d.at, "column %s.%s is a choice without options", col.Table.Name, col.Name)
		return nil
	}
	return c.newSet(localSetName(col), col.Label, d.options)
}

// boolSet holds the two labels of a Boolean: No and Yes unless declared (decision 26).
func (c *compiler) boolSet(col *Column, d *columnDecl) *OptionSet {
	labels := d.labels
	if len(labels) == 0 {
		labels = []string{"No", "Yes"}
	}
	if len(labels) != 2 {
		c.problems.add(d.at, "column %s.%s: labels are two, for false and for true", col.Table.Name, col.Name)
		return nil
	}
	set := &OptionSet{Name: localSetName(col), Label: col.Label, Options: []Option{{Value: 0, Label: labels[0]}, {Value: 1, Label: labels[1]}}}
	set.index()
	return set
}

func localSetName(col *Column) string { return col.Table.Name + "_" + col.Name }

// standardStates are those of every table that declares none: Active with status 1, Inactive with status 2.
var standardStates = []stateDecl{
	{value: 0, label: "Active", statuses: []optionDecl{{value: 1, label: "Active"}}},
	{value: 1, label: "Inactive", statuses: []optionDecl{{value: 2, label: "Inactive"}}},
}

// stateSet and statusSet turn the states of a table into the option sets of statecode and statuscode. The first status
// of a state is the one taken when only the state is given.
func stateSet(col *Column, states []stateDecl) *OptionSet {
	set := &OptionSet{Name: localSetName(col), Label: col.Label}
	for _, s := range states {
		set.Options = append(set.Options, Option{Value: s.value, Label: s.label, State: s.value, Status: s.statuses[0].value})
	}
	set.index()
	return set
}

func statusSet(col *Column, states []stateDecl) *OptionSet {
	set := &OptionSet{Name: localSetName(col), Label: col.Label}
	for _, s := range states {
		for _, o := range s.statuses {
			set.Options = append(set.Options, Option{Value: o.value, Label: o.label, Doc: o.doc, State: s.value, Status: o.value})
		}
	}
	set.index()
	return set
}
