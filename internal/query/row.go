package query

import (
	"slices"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// Row is one table row in memory: what the rules read and write. It may hold only some of its columns.
type Row struct {
	Table  *schema.Table
	ID     value.GUID
	values []value.Value
	loaded []bool
}

// NewRow makes a row of a table with no column loaded.
func NewRow(t *schema.Table, id value.GUID) *Row {
	return &Row{Table: t, ID: id, values: make([]value.Value, len(t.Columns)), loaded: make([]bool, len(t.Columns))}
}

// Get returns a column's value; null when it is null or not loaded.
func (r *Row) Get(c *schema.Column) value.Value { return r.values[c.Index] }

// Value is Get by logical name, for the rules' readability; the name must exist.
func (r *Row) Value(name string) value.Value { return r.values[r.Table.MustColumn(name).Index] }

// Loaded tells whether the row holds the column at all.
func (r *Row) Loaded(c *schema.Column) bool { return r.loaded[c.Index] }

// Set gives a column a value.
func (r *Row) Set(c *schema.Column, v value.Value) {
	r.values[c.Index] = v
	r.loaded[c.Index] = true
}

// Put is Set by logical name; the name must exist.
func (r *Row) Put(name string, v value.Value) { r.Set(r.Table.MustColumn(name), v) }

// Clone returns an independent copy.
func (r *Row) Clone() *Row {
	return &Row{Table: r.Table, ID: r.ID, values: slices.Clone(r.values), loaded: slices.Clone(r.loaded)}
}

// Diff lists the stored columns loaded in r whose values differ from old's; all loaded ones when old is nil.
func (r *Row) Diff(old *Row) []Assign {
	var out []Assign
	for i, c := range r.Table.Columns {
		if r.loaded[i] && c.Stored() && (old == nil || r.values[i] != old.values[i]) {
			out = append(out, Assign{c, r.values[i]})
		}
	}
	return out
}

// ScanRow reads one row of a query whose root outputs are exactly cols, from the cursor's cell at on.
func ScanRow(t *schema.Table, id value.GUID, cols []*schema.Column, rows Rows, at int) *Row {
	r := NewRow(t, id)
	for _, c := range cols {
		r.Set(c, Cell(rows, at, c))
		at++
		if c.Polymorphic() {
			at++
		}
	}
	return r
}

// Cell returns the value in cell i for a column; a polymorphic lookup takes its type code from the next cell.
func Cell(rows Rows, i int, c *schema.Column) value.Value {
	if rows.Null(i) {
		return value.Null
	}
	if c.Polymorphic() {
		return value.Ref(value.GUID(rows.Bytes(i)), int(rows.Int(i+1)))
	}
	return KindCell(rows, i, c.Type.Kind(), c.Scale)
}

// KindCell returns the value in cell i as a kind; scale matters for decimals only.
func KindCell(rows Rows, i int, kind value.Kind, scale int) value.Value {
	if rows.Null(i) {
		return value.Null
	}
	switch kind {
	case value.KindBool:
		return value.Bool(rows.Int(i) != 0)
	case value.KindInt:
		return value.Int(rows.Int(i))
	case value.KindMoney:
		return value.Money(rows.Int(i))
	case value.KindDecimal:
		return value.Decimal(rows.Int(i), scale)
	case value.KindFloat:
		return value.Float(rows.Float(i))
	case value.KindID:
		return value.ID(value.GUID(rows.Bytes(i)))
	case value.KindDate:
		return value.Date(rows.Int(i))
	case value.KindTime:
		return value.Time(rows.Int(i))
	default:
		return value.Text(string(rows.Bytes(i)))
	}
}
