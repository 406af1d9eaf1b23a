package schema

import "slices"

// Where column numbers begin. Declared columns count from 1 in the order of their file and an overlay's from its own
// start, so appending a column renumbers none; a _base sibling sits a fixed distance above its money column, and each
// system column has a fixed number.
const (
	baseNumbers    = 1000
	systemNumbers  = 2000
	overlayNumbers = 3000
)

// Lengths of texts that declare none (decision 36), and the longest there is.
const (
	defaultString = 250
	defaultMemo   = 2000
	defaultName   = 64
	maxLength     = 1 << 20
)

// needs are the words of need:.
var needs = map[string]Need{
	"": Optional, "optional": Optional, "recommended": Recommended, "application": ApplicationRequired, "system": SystemRequired,
}

// typeNames finds a type by its word in a declaration.
var typeNames = func() map[string]Type {
	m := map[string]Type{}
	for t := TypeID; int(t) < len(typeFacts); t++ {
		m[typeFacts[t].yaml] = t
	}
	return m
}()

// typeKeys are the keys that make sense for some types only.
var typeKeys = map[string][]Type{
	"max":          {TypeString, TypeMemo, TypeName},
	"scale":        {TypeDecimal},
	"low":          {TypeInteger, TypeBigInt, TypeMoney, TypeDecimal},
	"high":         {TypeInteger, TypeBigInt, TypeMoney, TypeDecimal},
	"options":      {TypeChoice, TypeMultiChoice},
	"labels":       {TypeBool},
	"to":           {TypeLookup},
	"nav":          {TypeLookup},
	"relation":     {TypeLookup},
	"on_delete":    {TypeLookup},
	"hierarchical": {TypeLookup},
}

// length is the longest text of a declared column.
func (d *columnDecl) length() int {
	switch {
	case d.max != 0:
		return d.max
	case d.kind == TypeString.String():
		return defaultString
	case d.kind == TypeMemo.String():
		return defaultMemo
	case d.kind == TypeName.String():
		return defaultName
	}
	return 0
}

// columns gives every table its key, its declared columns with their _base siblings, and its system columns.
func (c *compiler) columns() {
	for _, t := range c.model.Tables {
		d := c.table[t]
		c.addKey(t, d)
		next, nextOverlay := 1, overlayNumbers
		for _, col := range d.columns {
			number := &next
			if col.overlay {
				number = &nextOverlay
			}
			c.addDeclared(t, col, *number)
			*number++
		}
		for _, col := range systemColumns(t, d) {
			c.addColumn(t, &col, col.number)
		}
	}
}

func (c *compiler) addKey(t *Table, d *tableDecl) {
	if d.key == "none" {
		return
	}
	name := d.key
	if name == "" {
		name = t.Name + "id"
	}
	t.Key = c.addColumn(t, &columnDecl{
		at: d.at, name: name, kind: TypeID.String(), need: "system", schema: keySchema(name, t.Schema), label: t.Label,
		doc: "Unique identifier of the row.", createOnly: true, system: true,
	}, systemNumbers)
}

func (c *compiler) addDeclared(t *Table, d *columnDecl, number int) {
	c.checkColumn(t, d)
	col := c.addColumn(t, d, number)
	if col == nil || col.Type != TypeMoney || col.Hidden {
		return
	}
	base := &columnDecl{
		at: d.at, name: d.name + "_base", kind: d.kind, schema: col.Schema + "_Base", label: col.Label + " (Base)",
		doc: "Value of " + d.name + " in the organization's base currency.", computed: true, system: true,
	}
	if d.virtual != "" {
		base.virtual = d.virtual + "_base"
	}
	if sibling := c.addColumn(t, base, baseNumbers+number); sibling != nil {
		sibling.BaseOf, col.Base = col, sibling
		t.props[d.name+"_Base"] = sibling // the specification's spelling is taken too
	}
}

// checkColumn reports what is wrong with a declared column taken by itself.
func (c *compiler) checkColumn(t *Table, d *columnDecl) {
	where := "column " + t.Name + "." + d.name
	if !namePattern.MatchString(d.name) {
		c.problems.add(d.at, "%s: a name is lower-case letters, digits and underscores", where)
	}
	typ := typeNames[d.kind]
	c.problems.misplaced(where, d, d.kind)
	if _, ok := needs[d.need]; !ok {
		c.problems.add(d.at, "%s: need %q is none of optional, recommended, application, system", where, d.need)
	}
	if d.max < 0 || d.max > maxLength {
		c.problems.add(d.at, "%s: max must lie between 1 and %d", where, maxLength)
	}
	if typ == TypeDecimal && (d.scale < 1 || d.scale > maxScale) {
		c.problems.add(d.at, "%s: a decimal has a scale of 1 to %d", where, maxScale)
	}
	if typ == TypeID || typ == TypeState || typ == TypeStatus {
		c.problems.add(d.at, "%s: type %s is not declared, it is added", where, d.kind)
	}
}

// misplaced reports the keys of a declaration that do not go with a type.
func (p *Problems) misplaced(where string, d *columnDecl, kind string) {
	typ, known := typeNames[kind]
	for key, line := range d.given {
		if types, special := typeKeys[key]; special && known && !slices.Contains(types, typ) {
			p.add(Position{d.at.File, line}, "%s: key %q does not go with type %s", where, key, kind)
		}
	}
}

// addColumn makes one column and enters it; it returns nil after a problem that leaves nothing to enter.
func (c *compiler) addColumn(t *Table, d *columnDecl, number int) *Column {
	typ, ok := typeNames[d.kind]
	if !ok {
		c.problems.add(d.at, "column %s.%s has no type %q", t.Name, d.name, d.kind)
		return nil
	}
	if other := t.columns[d.name]; other != nil {
		c.problems.add(d.at, "column %s.%s is declared twice, first at %s", t.Name, d.name, c.made[other].at)
		return nil
	}
	col := &Column{
		Table: t, Index: len(t.Columns), Number: number, Name: d.name, Wire: wireName(d, typ), Doc: d.doc, Type: typ,
		Max: d.length(), Need: needs[d.need], Indexed: d.indexed(typ), Computed: d.computed, CreateOnly: d.createOnly, Ruled: d.ruled,
		Virtual: d.virtual, Hidden: d.hidden || t.Hidden, System: d.system, Custom: d.overlay || prefixOf(d.name) != "",
	}
	nameColumn(col, d)
	c.setRange(col, d)
	c.setOptions(col, d)
	c.setDefault(col, d)
	c.made[col] = d
	t.Columns = append(t.Columns, col)
	t.columns[col.Name] = col
	if !col.Hidden {
		t.props[col.Wire] = col
	}
	return col
}

func wireName(d *columnDecl, typ Type) string {
	switch {
	case d.wire != "":
		return d.wire
	case typ == TypeLookup:
		return "_" + d.name + "_value"
	}
	return d.name
}

// indexed says whether a column has an index of its own: a lookup unless told otherwise, another column when told so.
func (d *columnDecl) indexed(typ Type) bool {
	if _, told := d.given["index"]; told || d.system || typ != TypeLookup {
		return d.index
	}
	return true
}

// nameColumn completes schema name, label and navigation property from whichever of them is given.
func nameColumn(col *Column, d *columnDecl) {
	col.Schema, col.Label, col.Nav = d.schema, d.label, d.nav
	if col.Schema == "" && prefixOf(d.nav) != "" {
		col.Schema = d.nav
	}
	if col.Schema == "" {
		col.Schema = schemaName(d.name, d.label)
	}
	if col.Label == "" {
		col.Label = labelOf(col.Schema)
	}
	if col.Type == TypeLookup && col.Nav == "" {
		col.Nav = col.Name
		if col.Custom {
			col.Nav = col.Schema
		}
	}
}

func (c *compiler) setOptions(col *Column, d *columnDecl) {
	switch col.Type {
	case TypeBool:
		col.Options = c.boolSet(col, d)
	case TypeChoice, TypeMultiChoice:
		col.Options = c.columnSet(col, d)
	case TypeState:
		col.Options = stateSet(col, c.statesOf(col.Table))
	case TypeStatus:
		col.Options = statusSet(col, c.statesOf(col.Table))
	}
}

func (c *compiler) statesOf(t *Table) []stateDecl {
	if states := c.table[t].states; len(states) > 0 {
		return states
	}
	return standardStates
}
