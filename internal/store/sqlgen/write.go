package sqlgen

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Get is the text of a point read by key, its one parameter. It yields cols in order (all stored columns when nil), a
// polymorphic lookup followed by its type code. With lock the row stays locked until the transaction ends.
func Get(d *Dialect, t *schema.Table, cols []*schema.Column, lock bool) string {
	if cols == nil {
		cols = storedColumns(t)
	}
	b := append(make([]byte, 0, 64+24*len(cols)), "SELECT "...)
	if len(cols) == 0 {
		b = append(b, '1')
	}
	for i, c := range cols {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendName(append(b, "t."...), c.Name)
		if c.Polymorphic() {
			b = appendName(append(b, ",t."...), codeName(c))
		}
	}
	b = appendName(append(b, " FROM "...), t.Name)
	b = appendName(append(b, " AS t WHERE t."...), t.Key.Name)
	b = d.setter(append(b, '='), 1)
	if lock {
		b = append(b, d.locked...)
	}
	return string(b)
}

// Insert adds a row. An assignment of the key itself gives way to id.
func Insert(d *Dialect, t *schema.Table, id value.GUID, set []query.Assign) Statement {
	cells := append(make([]cell, 0, len(set)+8), cell{t.Key.Name, value.ID(id)})
	return insert(d, t, appendCells(cells, withoutKey(t, set)))
}

// Update changes columns of the row with a key; an assignment of the key itself is left out.
func Update(d *Dialect, t *schema.Table, id value.GUID, set []query.Assign) Statement {
	cells := appendCells(nil, withoutKey(t, set))
	b := appendName(append(make([]byte, 0, 64+24*len(cells)), "UPDATE "...), t.Name)
	b = append(b, " SET "...)
	if len(cells) == 0 { // nothing to change, yet a statement that can be run
		b = appendName(append(appendName(b, t.Key.Name), '='), t.Key.Name)
	}
	args := make([]Arg, 0, len(cells)+1)
	for i, c := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		args = append(args, Arg{Value: c.value})
		b = d.setter(append(appendName(b, c.name), '='), len(args))
	}
	args = append(args, Arg{Value: value.ID(id)})
	b = appendColumn(append(b, " WHERE "...), t, t.Key.Name)
	b = d.setter(append(b, '='), len(args))
	return Statement{string(b), args}
}

// Delete removes the row with a key.
func Delete(d *Dialect, t *schema.Table, id value.GUID) Statement {
	return Remove(d, t, []query.Assign{{Column: t.Key, Value: value.ID(id)}})
}

// Put inserts a row or replaces the one with the same primary key, whose columns are among set; columns not in set
// become null.
func Put(d *Dialect, t *schema.Table, set []query.Assign) Statement {
	st := insert(d, t, appendCells(nil, set))
	b := onConflict([]byte(st.SQL), t)
	n := 0
	for _, c := range storedColumns(t) {
		if !inPrimaryKey(t, c) {
			for _, name := range cellNames(c) {
				b = appendSet(b, n, name)
				b = appendName(append(b, "excluded."...), name)
				n++
			}
		}
	}
	if n == 0 {
		b = append(b, " DO NOTHING"...)
	}
	return Statement{string(b), st.Args}
}

// Add adds integers to the row with a primary key, making it when there is none; null counts as nothing.
func Add(d *Dialect, t *schema.Table, key, add []query.Assign) Statement {
	sums := appendCells(nil, add)
	st := insert(d, t, append(appendCells(nil, key), sums...))
	b := onConflict([]byte(st.SQL), t)
	for i, c := range sums {
		b = appendSet(b, i, c.name)
		b = appendColumn(append(b, "coalesce("...), t, c.name)
		b = appendName(append(b, ",0)+excluded."...), c.name)
	}
	if len(sums) == 0 {
		b = append(b, " DO NOTHING"...)
	}
	return Statement{string(b), st.Args}
}

// Remove deletes the rows whose columns hold exactly the given values; without any value it deletes none.
func Remove(d *Dialect, t *schema.Table, where []query.Assign) Statement {
	b := appendName(append(make([]byte, 0, 96), "DELETE FROM "...), t.Name)
	b = append(b, " WHERE "...)
	if len(where) == 0 {
		b = append(b, "1=0"...)
	}
	var args []Arg
	for i, w := range where {
		if i > 0 {
			b = append(b, " AND "...)
		}
		b = appendColumn(b, t, w.Column.Name)
		if w.Value.IsNull() {
			b = append(b, " IS NULL"...)
			continue
		}
		args = append(args, Arg{Value: storedValue(w.Column, w.Value)})
		b = d.setter(append(b, '='), len(args))
	}
	return Statement{string(b), args}
}

// insert prints INSERT INTO t (names) VALUES (parameters).
func insert(d *Dialect, t *schema.Table, cells []cell) Statement {
	b := appendName(append(make([]byte, 0, 64+32*len(cells)), "INSERT INTO "...), t.Name)
	b = append(b, " ("...)
	for i, c := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendName(b, c.name)
	}
	b = append(b, ") VALUES ("...)
	args := make([]Arg, len(cells))
	for i, c := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = d.setter(b, i+1)
		args[i].Value = c.value
	}
	return Statement{string(append(b, ')')), args}
}

// onConflict appends the clause that catches a taken primary key.
func onConflict(b []byte, t *schema.Table) []byte {
	b = append(b, " ON CONFLICT ("...)
	for i, c := range primaryKey(t) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendName(b, c.Name)
	}
	return append(b, ')')
}

// appendSet begins the i-th assignment of DO UPDATE SET.
func appendSet(b []byte, i int, name string) []byte {
	if i == 0 {
		b = append(b, " DO UPDATE SET "...)
	} else {
		b = append(b, ',')
	}
	return append(appendName(b, name), '=')
}

// appendColumn appends a column with its table: SQLite takes an unknown name that stands alone for a text.
func appendColumn(b []byte, t *schema.Table, name string) []byte {
	return appendName(append(appendName(b, t.Name), '.'), name)
}

// withoutKey leaves out assignments of the table's key.
func withoutKey(t *schema.Table, set []query.Assign) []query.Assign {
	for i := range set {
		if set[i].Column == t.Key {
			rest := append(make([]query.Assign, 0, len(set)-1), set[:i]...)
			return append(rest, set[i+1:]...)
		}
	}
	return set
}
