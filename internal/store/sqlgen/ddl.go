package sqlgen

import (
	"encoding/hex"
	"hash/fnv"
	"strings"

	"almoner/internal/schema"
)

// ObjectKind says what an Object is.
type ObjectKind uint8

// The kinds of object, in the order in which they are made.
const (
	TableObject ObjectKind = iota + 1
	ColumnObject
	IndexObject
	KeyObject // a foreign key; SQLite has them inside its tables
)

// Object is one thing the database has to have for the model, with the statement that makes it. A ColumnObject is
// needed only when its table was there before: a TableObject makes a table with all of its columns.
type Object struct {
	Kind  ObjectKind
	Table string
	Name  string // of the column, index or constraint; the table's for a table
	SQL   string
}

// DDL lists the objects of a model in dependency order: tables, columns, indexes, foreign keys.
func DDL(d *Dialect, m *schema.Model) []Object {
	var tables, columns, indexes, keys []Object
	tables = append(tables, zoneTable(d))
	for _, t := range m.Tables {
		tables = append(tables, Object{TableObject, t.Name, t.Name, createTable(d, t)})
		for _, c := range t.StoredColumns() {
			columns = append(columns, addColumn(d, c)...)
			if d.lateKeys && hasForeignKey(c) {
				keys = append(keys, foreignKey(c))
			}
		}
		indexes = append(indexes, tableIndexes(d, t)...)
	}
	return append(append(append(tables, columns...), indexes...), keys...)
}

// AddColumn lists the statements that add a column, with its shadow or type code, to a table that is there.
func AddColumn(d *Dialect, c *schema.Column) []string {
	var out []string
	for _, o := range addColumn(d, c) {
		out = append(out, o.SQL)
	}
	return out
}

// Missing lists the statements that bring a database to its model; has tells whether an object is there already.
func Missing(objects []Object, has func(Object) bool) []string {
	made := map[string]bool{}
	var out []string
	for _, o := range objects {
		if o.Kind == ColumnObject && made[o.Table] || has(o) {
			continue
		}
		if o.Kind == TableObject {
			made[o.Table] = true
		}
		out = append(out, o.SQL)
	}
	return out
}

// zoneTable is the table of the time zone's shifts.
func zoneTable(d *Dialect) Object {
	sql := `CREATE TABLE ` + quoted(ZoneTable) + ` ("since" ` + d.bigint + ` NOT NULL PRIMARY KEY, "shift" ` + d.bigint + ` NOT NULL)` + d.tableTail
	return Object{TableObject, ZoneTable, ZoneTable, sql}
}

func createTable(d *Dialect, t *schema.Table) string {
	var b strings.Builder
	b.WriteString("CREATE TABLE " + quoted(t.Name) + " (")
	for _, c := range t.StoredColumns() {
		for _, def := range columnDefinitions(d, c) {
			b.WriteString("\n  " + def + ",")
		}
	}
	b.WriteString("\n  PRIMARY KEY (" + names(primaryKey(t)) + ")\n)" + d.tableTail)
	return b.String()
}

// addColumn lists the SQL columns of a column with the statement that adds each.
func addColumn(d *Dialect, c *schema.Column) []Object {
	var out []Object
	for i, def := range columnDefinitions(d, c) {
		out = append(out, Object{ColumnObject, c.Table.Name, cellNames(c)[i], "ALTER TABLE " + quoted(c.Table.Name) + " ADD COLUMN " + def})
	}
	return out
}

// columnDefinitions is how a column is declared, one line per SQL column.
func columnDefinitions(d *Dialect, c *schema.Column) []string {
	def := quoted(c.Name) + " " + d.types[c.Type]
	if inPrimaryKey(c.Table, c) {
		def += " NOT NULL"
	}
	if !d.lateKeys && hasForeignKey(c) {
		def += references(c)
	}
	defs := []string{def}
	switch {
	case c.Folded():
		defs = append(defs, quoted(shadowName(c))+" "+d.text)
	case c.Polymorphic():
		defs = append(defs, quoted(codeName(c))+" "+d.code)
	}
	return defs
}

// hasForeignKey tells whether the database checks a lookup: a declared one with a single target between tables that
// clients see. What the service fills in, or several tables share, is the service's to check. So is a lookup without an index: at
// every delete of a target the database would read the whole table.
func hasForeignKey(c *schema.Column) bool {
	return c.Type == schema.TypeLookup && len(c.Targets) == 1 && c.Indexed && !c.System && !c.Table.Hidden && !c.Targets[0].Hidden &&
		c.Targets[0].Key != nil
}

func references(c *schema.Column) string {
	return " REFERENCES " + quoted(c.Targets[0].Name) + " (" + quoted(c.Targets[0].Key.Name) + ")"
}

func foreignKey(c *schema.Column) Object {
	name := shortName("fk_" + c.Table.Name + "_" + c.Name)
	sql := "ALTER TABLE " + quoted(c.Table.Name) + " ADD CONSTRAINT " + quoted(name) + " FOREIGN KEY (" + quoted(c.Name) + ")" + references(c)
	return Object{KeyObject, c.Table.Name, name, sql}
}

// tableIndexes lists the indexes of a table: of single columns, compound ones, unique ones.
func tableIndexes(d *Dialect, t *schema.Table) []Object {
	var out []Object
	for _, c := range t.StoredColumns() {
		switch {
		case !c.Indexed || c == t.Key:
		case c.Type == schema.TypeLookup:
			out = append(out, index(t, "", []*schema.Column{c}, lookupColumns(t, c), " WHERE "+quoted(c.Name)+" IS NOT NULL"))
		default:
			out = append(out, index(t, "", []*schema.Column{c}, sortedColumns(d, t, []*schema.Column{c}), ""))
			if t.Key != nil && (c.Type == schema.TypeDate || c.Type == schema.TypeDateTime) {
				out = append(out, latestFirst(d, t, c))
			}
		}
	}
	for _, i := range t.Indexes {
		out = append(out, index(t, "", i.Columns, sortedColumns(d, t, i.Columns), unless(i.Unless)))
	}
	for i, cols := range t.Unique {
		if i > 0 || t.Key != nil {
			out = append(out, index(t, "UNIQUE ", cols, foldedColumns(cols), ""))
		}
	}
	return out
}

// index is an index on what on prints, named after the columns it is for.
func index(t *schema.Table, unique string, cols []*schema.Column, on, where string) Object {
	name := "ix_" + t.Name
	if unique != "" {
		name = "ux_" + t.Name
	}
	for _, c := range cols {
		name += "_" + c.Name
	}
	name = shortName(name)
	sql := "CREATE " + unique + "INDEX " + quoted(name) + " ON " + quoted(t.Name) + " (" + on + ")" + where
	return Object{IndexObject, t.Name, name, sql}
}

// latestFirst is the index for rows in descending order of a date. Those of one date come by key, ascending, which the other index of
// the date cannot give: many rows are made at one moment, and sorting them all would cost more than the page.
func latestFirst(d *Dialect, t *schema.Table, c *schema.Column) Object {
	name := shortName("ix_" + t.Name + "_" + c.Name + "_down")
	sql := "CREATE INDEX " + quoted(name) + " ON " + quoted(t.Name) + " (" + quoted(c.Name) + " DESC" + d.nullsLast + ", " + quoted(t.Key.Name) + ")"
	return Object{IndexObject, t.Name, name, sql}
}

// unless is the condition of an index that leaves out the rows for which a Boolean is not false.
func unless(c *schema.Column) string {
	if c == nil {
		return ""
	}
	return " WHERE " + quoted(c.Name) + "=0"
}

// lookupColumns prints a lookup with the key after it, so that the rows that point at one row come in order of key.
func lookupColumns(t *schema.Table, c *schema.Column) string {
	if t.Key == nil {
		return quoted(c.Name)
	}
	return quoted(c.Name) + ", " + quoted(t.Key.Name)
}

// sortedColumns prints columns for an index that serves an order: nulls first, and the key last, as the order ends in it.
func sortedColumns(d *Dialect, t *schema.Table, cols []*schema.Column) string {
	var parts []string
	keyed := t.Key == nil
	for _, c := range cols {
		part := indexedName(c)
		if !inPrimaryKey(t, c) {
			part += d.nullsIn
		}
		keyed = keyed || c == t.Key
		parts = append(parts, part)
	}
	if !keyed {
		parts = append(parts, quoted(t.Key.Name))
	}
	return strings.Join(parts, ", ")
}

// foldedColumns prints columns for a unique index, which sees texts as comparisons do.
func foldedColumns(cols []*schema.Column) string {
	var parts []string
	for _, c := range cols {
		if c.Folded() && !c.Indexed {
			parts = append(parts, "coalesce("+quoted(shadowName(c))+", lower(rtrim("+quoted(c.Name)+", ' ')))")
			continue
		}
		parts = append(parts, indexedName(c))
	}
	return strings.Join(parts, ", ")
}

// indexedName is the SQL column by which a column is found: the fold of an indexed text, the type code for a column that
// names the table of a lookup, else the column itself.
func indexedName(c *schema.Column) string {
	if lookup, ok := strings.CutPrefix(c.Virtual, "typename:"); ok {
		return quoted(codeName(c.Table.MustColumn(lookup)))
	}
	if c.Folded() && c.Indexed {
		return quoted(shadowName(c))
	}
	return quoted(c.Name)
}

func names(cols []*schema.Column) string {
	var parts []string
	for _, c := range cols {
		parts = append(parts, quoted(c.Name))
	}
	return strings.Join(parts, ", ")
}

func quoted(name string) string { return string(appendName(nil, name)) }

// maxName is the longest name PostgreSQL keeps whole.
const maxName = 63

// shortName cuts a name that is too long and makes it unique again by a hash of the whole.
func shortName(name string) string {
	if len(name) <= maxName {
		return name
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return name[:maxName-9] + "_" + hex.EncodeToString(h.Sum(nil))
}
