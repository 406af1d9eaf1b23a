package schema

import (
	"io/fs"
	"slices"
)

// Overlay merges a deployment's folder into the declarations and returns the result; base stays as it is. The files
// have the shape of the base ones. They may add tables, columns and option sets under a prefix of their own, add option
// values, lengthen a text, tighten a requirement level, change labels and descriptions, add indexes and close an open
// set. They may not drop, retype, shorten or loosen anything, nor give an existing option value a second meaning. The
// error, if any, is Problems; each cites the overlay's line and, where the two disagree, the base's.
func Overlay(base *Declarations, name string, fsys fs.FS) (*Declarations, error) {
	var problems Problems
	layer := load(name, fsys, &problems)
	m := merger{into: base.clone(), problems: &problems}
	for _, set := range layer.sets {
		m.set(set)
	}
	for _, table := range layer.tables {
		m.table(table)
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	return m.into, nil
}

// merger applies one layer to a copy of the declarations below it.
type merger struct {
	into     *Declarations
	problems *Problems
}

// The keys a layer may use on what a lower layer declared. Everything else would drop, retype or loosen it.
var (
	tableChanges  = []string{"table", "label", "plural", "doc", "columns", "indexes"}
	columnChanges = []string{"type", "max", "need", "label", "doc", "options", "labels", "index"}
	setChanges    = []string{"optionset", "label", "doc", "open", "values", "relabel"}
)

// reserved are the keys only the product's own files may use: they promise behaviour that is code.
var (
	reservedTable  = []string{"platform", "hidden", "read_only", "system", "members", "key"}
	reservedColumn = []string{"virtual", "computed", "hidden", "wire"}
)

// refuse reports every given key that is not allowed.
func (m merger) refuse(at Position, keys given, allowed func(string) bool, format string, args ...any) {
	for key, line := range keys {
		if !allowed(key) {
			m.problems.add(Position{at.File, line}, "key %q: "+format, append([]any{key}, args...)...)
		}
	}
}

func (m merger) table(over *tableDecl) {
	base := m.into.table(over.name)
	if base == nil {
		m.addTable(over)
		return
	}
	m.refuse(over.at, over.given, func(k string) bool { return slices.Contains(tableChanges, k) },
		"an overlay may not change this of table %s (declared at %s)", base.name, base.at)
	override(&base.label, over.label)
	override(&base.plural, over.plural)
	override(&base.doc, over.doc)
	base.indexes = append(base.indexes, over.indexes...)
	for _, column := range over.columns {
		m.column(base, column)
	}
}

func (m merger) addTable(over *tableDecl) {
	m.ownPrefix(over.at, "table", over.name)
	m.refuse(over.at, over.given, func(k string) bool { return !slices.Contains(reservedTable, k) },
		"this is reserved to the product's own tables")
	over.overlay = true
	for _, column := range over.columns {
		m.ownColumn(column)
	}
	m.into.tables = append(m.into.tables, over)
}

func (m merger) column(table *tableDecl, over *columnDecl) {
	base := table.column(over.name)
	if base == nil {
		m.ownColumn(over)
		over.overlay = true
		table.columns = append(table.columns, over)
		return
	}
	m.refuse(over.at, over.given, func(k string) bool { return slices.Contains(columnChanges, k) },
		"an overlay may not change this of column %s.%s (declared at %s)", table.name, base.name, base.at)
	m.problems.misplaced("column "+table.name+"."+base.name, over, base.kind)
	m.tighten(table, base, over)
	override(&base.label, over.label)
	override(&base.doc, over.doc)
	m.columnOptions(table, base, over)
	base.index = base.index || over.index
	if over.index {
		base.given["index"] = over.at.Line
	}
}

// ownColumn checks a column that a layer adds.
func (m merger) ownColumn(over *columnDecl) {
	m.ownPrefix(over.at, "column", over.name)
	m.refuse(over.at, over.given, func(k string) bool { return !slices.Contains(reservedColumn, k) },
		"this is reserved to the product's own columns")
}

// tighten lengthens a text or raises a requirement level; the other way round is refused, as is another type.
func (m merger) tighten(table *tableDecl, base, over *columnDecl) {
	if over.kind != "" && over.kind != base.kind {
		m.problems.add(over.at, "column %s.%s cannot become %s: it is %s (declared at %s)",
			table.name, base.name, over.kind, base.kind, base.at)
	}
	if over.max != 0 {
		if old := base.length(); over.max < old {
			m.problems.add(over.at, "column %s.%s cannot be shortened to %d: it holds %d (declared at %s)",
				table.name, base.name, over.max, old, base.at)
		}
		base.max = over.max
	}
	if over.need != "" {
		if needs[over.need] < needs[base.need] {
			m.problems.add(over.at, "column %s.%s cannot be loosened to need %s: it is %s (declared at %s)",
				table.name, base.name, over.need, base.need, base.at)
		}
		base.need = over.need
	}
}

// columnOptions adds values to a column's own set and relabels a Boolean.
func (m merger) columnOptions(table *tableDecl, base, over *columnDecl) {
	if len(over.labels) > 0 {
		base.labels = over.labels
	}
	switch {
	case over.set != "" && over.set != base.set:
		m.problems.add(over.at, "column %s.%s cannot take another option set (declared at %s)", table.name, base.name, base.at)
	case len(over.options) > 0 && base.set != "":
		m.problems.add(over.at, "column %s.%s uses the global option set %s: add values there (declared at %s)",
			table.name, base.name, base.set, base.at)
	default:
		base.options = m.addOptions(base.options, over.options)
	}
}

func (m merger) set(over *setDecl) {
	base := m.into.optionSet(over.name)
	if base == nil {
		m.ownPrefix(over.at, "option set", over.name)
		over.overlay = true
		m.into.sets = append(m.into.sets, over)
		return
	}
	m.refuse(over.at, over.given, func(k string) bool { return slices.Contains(setChanges, k) },
		"an overlay may not change this of option set %s (declared at %s)", base.name, base.at)
	override(&base.label, over.label)
	override(&base.doc, over.doc)
	if line, ok := over.given["open"]; ok {
		if over.open && !base.open {
			m.problems.add(Position{over.at.File, line}, "option set %s is closed and stays so (declared at %s)", base.name, base.at)
		}
		base.open = over.open
	}
	base.options = m.addOptions(base.options, over.options)
	m.relabel(base, over.relabel)
}

// addOptions appends values; one that is there already is refused.
func (m merger) addOptions(base, over []optionDecl) []optionDecl {
	for _, o := range over {
		i := slices.IndexFunc(base, func(b optionDecl) bool { return b.value == o.value })
		if i >= 0 {
			m.problems.add(o.at, "option value %d is taken by %q (declared at %s); relabel: changes a label",
				o.value, base[i].label, base[i].at)
			continue
		}
		base = append(base, o)
	}
	return base
}

func (m merger) relabel(base *setDecl, over []optionDecl) {
	for _, o := range over {
		i := slices.IndexFunc(base.options, func(b optionDecl) bool { return b.value == o.value })
		if i < 0 {
			m.problems.add(o.at, "option set %s has no value %d to relabel (declared at %s)", base.name, o.value, base.at)
			continue
		}
		override(&base.options[i].label, o.label)
		override(&base.options[i].doc, o.doc)
	}
}

// ownPrefix demands a name like acme_sponsor: the part before the first underscore belongs to the deployment.
func (m merger) ownPrefix(at Position, what, name string) {
	prefix := prefixOf(name)
	if prefix == "" || prefix == productPrefix {
		m.problems.add(at, "%s %s is not in the base; a new one needs a prefix of its own, like acme_%s", what, name, bare(name))
	}
}

func override(dst *string, text string) {
	if text != "" {
		*dst = text
	}
}
