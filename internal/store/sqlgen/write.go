package sqlgen

import (
	"encoding/binary"
	"slices"
	"sync"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Writer renders writes. It keeps the texts it has printed: the next write of the same columns only gives its parameters. Its methods
// take room for the parameters from their caller, who may use the same room again once the statement has run; nil makes new room.
type Writer struct {
	dialect *Dialect
	mu      sync.RWMutex
	texts   map[textKey]*Rows
}

// textKey is what decides the text of a write: its kind, its table and its columns in order.
type textKey struct {
	kind    writeKind
	table   *schema.Table
	columns string // two bytes each
}

type writeKind uint8

const (
	insertText writeKind = iota
	updateText
	putText
	addText
)

// keptTexts bounds how many texts are kept; clients choose which columns they write.
const keptTexts = 4000

// NewWriter makes a writer for a dialect.
func NewWriter(d *Dialect) *Writer { return &Writer{dialect: d, texts: map[textKey]*Rows{}} }

// text returns the text of a write, printed at its first use.
func (w *Writer) text(kind writeKind, t *schema.Table, set []query.Assign, print func() *Rows) *Rows {
	var room [256]byte
	columns := room[:0]
	for i := range set {
		columns = binary.LittleEndian.AppendUint16(columns, uint16(set[i].Column.Index))
	}
	w.mu.RLock()
	text, ok := w.texts[textKey{kind, t, string(columns)}]
	w.mu.RUnlock()
	if ok {
		return text
	}
	text = print()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.texts) >= keptTexts {
		clear(w.texts)
	}
	w.texts[textKey{kind, t, string(columns)}] = text
	return text
}

// Insert adds a row. An assignment of the key itself gives way to id.
func (w *Writer) Insert(room []Arg, t *schema.Table, id value.GUID, set []query.Assign) Statement {
	set = withoutKey(t, set)
	rows := w.text(insertText, t, set, func() *Rows { return insertRows(w.dialect, t, append([]string{t.Key.Name}, namesOf(set)...), "") })
	args := append(slices.Grow(room[:0], argCount(set)+1), Arg{Value: value.ID(id)})
	return Statement{rows.one, appendArgs(args, set), rows}
}

// Update changes columns of the row with a key; an assignment of the key itself is left out.
func (w *Writer) Update(room []Arg, t *schema.Table, id value.GUID, set []query.Assign) Statement {
	set = withoutKey(t, set)
	rows := w.text(updateText, t, set, func() *Rows { return updateRows(w.dialect, t, set) })
	args := appendArgs(slices.Grow(room[:0], argCount(set)+1), set)
	return Statement{rows.one, append(args, Arg{Value: value.ID(id)}), rows}
}

// Put inserts a row or replaces the one with the same primary key, whose columns are among set; columns not in set
// become null.
func (w *Writer) Put(room []Arg, t *schema.Table, set []query.Assign) Statement {
	rows := w.text(putText, t, set, func() *Rows { return insertRows(w.dialect, t, namesOf(set), replaceClause(t)) })
	return Statement{SQL: rows.one, Args: appendArgs(slices.Grow(room[:0], argCount(set)), set)}
}

// Add adds integers to the row with a primary key, making it when there is none; null counts as nothing.
func (w *Writer) Add(room []Arg, t *schema.Table, key, sums []query.Assign) Statement {
	set := append(key[:len(key):len(key)], sums...)
	rows := w.text(addText, t, set, func() *Rows { return insertRows(w.dialect, t, namesOf(set), addClause(t, namesOf(sums))) })
	return Statement{rows.one, appendArgs(slices.Grow(room[:0], argCount(set)), set), rows}
}

// Delete removes the row with a key.
func (w *Writer) Delete(t *schema.Table, id value.GUID) Statement {
	return w.Remove(t, []query.Assign{{Column: t.Key, Value: value.ID(id)}})
}

// Remove deletes the rows whose columns hold exactly the given values; without any value it deletes none.
func (w *Writer) Remove(t *schema.Table, where []query.Assign) Statement {
	b := appendName(append(make([]byte, 0, 96), "DELETE FROM "...), t.Name)
	b = append(b, " WHERE "...)
	if len(where) == 0 {
		b = append(b, "1=0"...)
	}
	var args []Arg
	for i, is := range where {
		if i > 0 {
			b = append(b, " AND "...)
		}
		b = appendColumn(b, t, is.Column.Name)
		if is.Value.IsNull() {
			b = append(b, " IS NULL"...)
			continue
		}
		args = append(args, Arg{Value: storedValue(is.Column, is.Value)})
		b = w.dialect.setter(append(b, '='), len(args))
	}
	return Statement{SQL: string(b), Args: args}
}

// insertRows prints INSERT INTO t (names) VALUES rows, and a clause for rows whose key is taken.
func insertRows(d *Dialect, t *schema.Table, names []string, taken string) *Rows {
	b := appendName(append(make([]byte, 0, 64+24*len(names)), "INSERT INTO "...), t.Name)
	b = append(appendNames(append(b, " ("...), names), ") VALUES "...)
	r := &Rows{dialect: d, head: string(b), tail: taken, types: make([]string, len(names))}
	r.one = r.print(1)
	return r
}

// updateRows prints UPDATE t SET columns WHERE key; the key is the last parameter of a row. Several rows are joined to their new values.
func updateRows(d *Dialect, t *schema.Table, set []query.Assign) *Rows {
	names := namesOf(set)
	update := string(appendName([]byte("UPDATE "), t.Name)) + " SET "
	key := string(appendColumn([]byte(" WHERE "), t, t.Key.Name)) + "="
	var one, many []byte
	for i, name := range names {
		if i > 0 {
			one, many = append(one, ','), append(many, ',')
		}
		one = d.setter(append(appendName(one, name), '='), i+1)
		many = appendName(append(appendName(many, name), "=v."...), name)
	}
	if len(names) == 0 { // nothing to change, yet a statement that can be run
		one = appendName(append(appendName(one, t.Key.Name), '='), t.Key.Name)
		many = one
	}
	return &Rows{
		dialect: d,
		one:     update + string(one) + key + string(d.setter(nil, len(names)+1)),
		head:    update + string(many) + " FROM (VALUES ",
		tail:    ") AS v(" + string(appendNames(nil, append(names, t.Key.Name))) + ")" + key + "v." + quoted(t.Key.Name),
		types:   append(typesOf(d, set), d.types[t.Key.Type]),
	}
}

// replaceClause is what an insert does to the row whose primary key is taken: it replaces it.
func replaceClause(t *schema.Table) string {
	b := onConflict(nil, t)
	n := 0
	for _, c := range t.StoredColumns() {
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
	return string(b)
}

// addClause is what an insert does to the row whose primary key is taken: it adds to it.
func addClause(t *schema.Table, sums []string) string {
	b := onConflict(nil, t)
	for i, name := range sums {
		b = appendSet(b, i, name)
		b = appendColumn(append(b, "coalesce("...), t, name)
		b = appendName(append(b, ",0)+excluded."...), name)
	}
	if len(sums) == 0 {
		b = append(b, " DO NOTHING"...)
	}
	return string(b)
}

// Get is the text of a point read by key, its one parameter. It yields cols in order (all stored columns when nil), a
// polymorphic lookup followed by its type code. With lock the row stays locked until the transaction ends.
func Get(d *Dialect, t *schema.Table, cols []*schema.Column, lock bool) string {
	b := appendName(append(selectCells(t, cols), " WHERE t."...), t.Key.Name)
	b = d.setter(append(b, '='), 1)
	if lock {
		b = append(b, d.locked...)
	}
	return string(b)
}

// GetMany is Get for the rows whose keys are in an array, its one parameter; they come and are locked in the order of their keys.
func GetMany(d *Dialect, t *schema.Table, cols []*schema.Column, lock bool) string {
	b := appendName(append(selectCells(t, cols), " WHERE t."...), t.Key.Name)
	b = append(d.setter(append(b, "=ANY("...), 1), ") ORDER BY t."...)
	b = appendName(b, t.Key.Name)
	if lock {
		b = append(b, d.locked...)
	}
	return string(b)
}

// selectCells begins a read of columns of a table, called t.
func selectCells(t *schema.Table, cols []*schema.Column) []byte {
	if cols == nil {
		cols = t.StoredColumns()
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
	return append(appendName(append(b, " FROM "...), t.Name), " AS t"...)
}

// appendNames appends quoted identifiers with commas between them.
func appendNames(b []byte, names []string) []byte {
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendName(b, name)
	}
	return b
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
