package schema

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
)

// Compile checks the declarations against each other, adds what follows from them (keys, owners, states, system columns,
// _base siblings, relations, navigation properties) and freezes the result. The error, if any, is Problems and holds
// all mistakes at once.
func Compile(decls *Declarations) (*Model, error) {
	c := &compiler{
		decls: decls,
		model: &Model{byName: map[string]*Table{}, bySet: map[string]*Table{}, byCode: map[int]*Table{}},
		sets:  map[string]*OptionSet{},
		table: map[*Table]*tableDecl{},
		made:  map[*Column]*columnDecl{},
	}
	for _, pass := range []func(){
		c.optionSets, c.tables, c.columns, c.targets, c.virtuals, c.titles, c.relations, c.links, c.navs, c.constraints, c.sort,
	} {
		pass()
	}
	if err := c.problems.err(); err != nil {
		return nil, err
	}
	c.model.Version = c.model.digest()
	return c.model, nil
}

// compiler builds one model. Each pass leaves the model valid for the next one, dropping what it could not make sense of.
type compiler struct {
	decls    *Declarations
	model    *Model
	sets     map[string]*OptionSet
	table    map[*Table]*tableDecl
	made     map[*Column]*columnDecl
	problems Problems
}

// owners are the words of owner:.
var owners = map[string]Ownership{"": Unowned, "none": Unowned, "user": UserOwned, "organization": OrganizationOwned}

// tables makes the tables without their columns.
func (c *compiler) tables() {
	for _, d := range c.decls.tables {
		c.checkTable(d)
		t := &Table{
			Name: d.name, Schema: d.schema, Set: d.set, Label: d.label, Plural: d.plural, Doc: d.doc, TypeCode: d.code,
			Owner: owners[d.owner], Track: d.track, Audit: d.audit, Hidden: d.hidden, Platform: d.platform, ReadOnly: d.readOnly,
			columns: map[string]*Column{}, props: map[string]*Column{}, navs: map[string]*Nav{},
		}
		nameTable(t, d)
		if t.TypeCode == 0 && d.overlay {
			t.TypeCode = overlayCode(t.Name)
		}
		if !c.register(t, d) {
			continue
		}
		c.table[t] = d
		c.model.Tables = append(c.model.Tables, t)
	}
}

func (c *compiler) checkTable(d *tableDecl) {
	if !namePattern.MatchString(d.name) {
		c.problems.add(d.at, "%q is not a table name: lower-case letters, digits and underscores", d.name)
	}
	if _, ok := owners[d.owner]; !ok {
		c.problems.add(d.at, "owner %q is none of user, organization, none", d.owner)
	}
	if _, ok := systemKinds[d.system]; !ok {
		c.problems.add(d.at, "system %q is none of full, platform, link, none", d.system)
	}
	if d.set != "" && !namePattern.MatchString(d.set) {
		c.problems.add(d.at, "%q is not the name of a set", d.set)
	}
	if systemKinds[d.system].record && owners[d.owner] == Unowned {
		c.problems.add(d.at, "table %s needs owner: user or organization", d.name)
	}
	if d.hidden != (d.set == "") {
		c.problems.add(d.at, "table %s: a hidden table has no set, every other table has one", d.name)
	}
	if d.key != "" && !namePattern.MatchString(d.key) || d.key == "none" && !d.hidden {
		c.problems.add(d.at, "%q is not a key for table %s", d.key, d.name)
	}
	if d.code == 0 && !d.hidden && !d.overlay {
		c.problems.add(d.at, "table %s has no code", d.name)
	}
}

func nameTable(t *Table, d *tableDecl) {
	if t.Schema == "" {
		t.Schema = schemaName(t.Name, d.label)
	}
	if t.Label == "" {
		t.Label = labelOf(t.Schema)
	}
	if t.Plural == "" {
		t.Plural = t.Label + "s"
	}
}

// overlayCode gives an overlay's table a type code that depends on its name alone, in 20000..29999.
func overlayCode(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return 20000 + int(h.Sum32()%10000)
}

// register enters a table under its name, set and code, each of which must be free.
func (c *compiler) register(t *Table, d *tableDecl) bool {
	if other := c.model.byName[t.Name]; other != nil {
		c.problems.add(d.at, "table %s is declared twice, first at %s", t.Name, c.table[other].at)
		return false
	}
	c.model.byName[t.Name] = t
	if other := c.model.bySet[t.Set]; other != nil && t.Set != "" {
		c.problems.add(d.at, "set %s is taken by table %s (%s)", t.Set, other.Name, c.table[other].at)
	}
	if t.Set != "" {
		c.model.bySet[t.Set] = t
	}
	if other := c.model.byCode[t.TypeCode]; other != nil && t.TypeCode != 0 {
		c.problems.add(d.at, "code %d of table %s is taken by table %s (%s); give another with code:",
			t.TypeCode, t.Name, other.Name, c.table[other].at)
	}
	if t.TypeCode != 0 {
		c.model.byCode[t.TypeCode] = t
	}
	return true
}

// titles finds each table's primary name.
func (c *compiler) titles() {
	for _, t := range c.model.Tables {
		d := c.table[t]
		if d.title == "" {
			continue
		}
		t.Title = t.columns[d.title]
		if t.Title == nil || !t.Title.IsText() || t.Title.Hidden {
			c.problems.add(d.at, "title %q of table %s is not one of its text columns", d.title, t.Name)
		}
	}
}

// constraints resolves the columns of unique: and indexes:.
func (c *compiler) constraints() {
	for _, t := range c.model.Tables {
		d := c.table[t]
		t.Unique = c.columnLists(t, d.unique)
		t.Indexes = c.indexes(t, d.indexes)
		if t.Key == nil && len(t.Unique) == 0 {
			c.problems.add(d.at, "table %s has neither a key nor a unique list to stand for one", t.Name)
		}
	}
}

// indexes resolves indexes; a last name with an exclamation mark tells which rows they leave out.
func (c *compiler) indexes(t *Table, lists []columnList) []Index {
	var out []Index
	for _, list := range lists {
		index := Index{}
		if last := len(list.names) - 1; last > 0 && strings.HasPrefix(list.names[last], "!") {
			index.Unless = t.columns[list.names[last][1:]]
			if index.Unless == nil || index.Unless.Type != TypeBool {
				c.problems.add(list.at, "table %s has no Boolean column %q", t.Name, list.names[last][1:])
			}
			list.names = list.names[:last]
		}
		index.Columns = c.columnLists(t, []columnList{list})[0]
		out = append(out, index)
	}
	return out
}

func (c *compiler) columnLists(t *Table, lists []columnList) [][]*Column {
	var out [][]*Column
	for _, list := range lists {
		var columns []*Column
		for _, name := range list.names {
			if col := t.columns[name]; col != nil {
				columns = append(columns, col)
			} else {
				c.problems.add(list.at, "table %s has no column %q", t.Name, name)
			}
		}
		out = append(out, columns)
	}
	return out
}

// sort puts everything in the order the model promises.
func (c *compiler) sort() {
	m := c.model
	slices.SortFunc(m.Tables, func(a, b *Table) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.OptionSets, func(a, b *OptionSet) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(m.Relations, byRelationName)
	slices.SortFunc(m.ManyToMany, func(a, b *ManyToMany) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range m.Tables {
		slices.SortFunc(t.Childs, byRelationName)
		slices.SortFunc(t.navList, func(a, b *Nav) int { return cmp.Compare(a.Name, b.Name) })
	}
}

func byRelationName(a, b *Relation) int { return cmp.Compare(a.Name, b.Name) }
