package sqlgen

import "almoner/internal/schema"

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
	return nil
}

// AddColumn lists the statements that add a column, with its shadow or type code, to a table that is there.
func AddColumn(d *Dialect, c *schema.Column) []string {
	return nil
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
