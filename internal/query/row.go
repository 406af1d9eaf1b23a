package query

import (
	"slices"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// Key names a row.
type Key struct {
	Table *schema.Table
	ID    value.GUID
}

// Row is one table row in memory: what the rules read and write. It may hold only some of its columns. Most columns of a wide table
// are null, so only the values that are there take room.
type Row struct {
	Table  *schema.Table
	ID     value.GUID
	places []uint16 // by column index: missing, empty, or the value's place in values plus firstPlace
	values []value.Value
}

// What a place says of a column that has no value.
const (
	missing    = iota // the row does not hold the column
	empty             // it is null and has no room
	firstPlace        // from here on: values[place-firstPlace]
)

// usualValues is room for the columns that are usually set.
const usualValues = 48

// NewRow makes a row of a table with no column loaded.
func NewRow(t *schema.Table, id value.GUID) *Row {
	return &Row{Table: t, ID: id, places: make([]uint16, len(t.Columns)), values: make([]value.Value, 0, min(len(t.Columns), usualValues))}
}

// Get returns a column's value; null when it is null or not loaded.
func (r *Row) Get(c *schema.Column) value.Value { return r.at(c.Index) }

func (r *Row) at(i int) value.Value {
	if place := r.places[i]; place >= firstPlace {
		return r.values[place-firstPlace]
	}
	return value.Null
}

// Value is Get by logical name, for the rules' readability; the name must exist.
func (r *Row) Value(name string) value.Value { return r.at(r.Table.MustColumn(name).Index) }

// Loaded tells whether the row holds the column at all.
func (r *Row) Loaded(c *schema.Column) bool { return r.places[c.Index] != missing }

// Set gives a column a value.
func (r *Row) Set(c *schema.Column, v value.Value) {
	place := &r.places[c.Index]
	switch {
	case *place >= firstPlace:
		r.values[*place-firstPlace] = v
	case v.IsNull():
		*place = empty
	default:
		r.values = append(r.values, v)
		*place = uint16(len(r.values)-1) + firstPlace
	}
}

// Put is Set by logical name; the name must exist.
func (r *Row) Put(name string, v value.Value) { r.Set(r.Table.MustColumn(name), v) }

// Clone returns an independent copy.
func (r *Row) Clone() *Row {
	values := make([]value.Value, len(r.values), len(r.values)+spareValues)
	copy(values, r.values)
	return &Row{Table: r.Table, ID: r.ID, places: slices.Clone(r.places), values: values}
}

// spareValues is how many columns are usually set on a copy that the original has as null.
const spareValues = 4

// usualChanges is room for the columns a write usually changes.
const usualChanges = 16

// Diff lists the stored columns loaded in r whose values differ from old's; all loaded ones when old is nil.
func (r *Row) Diff(old *Row) []Assign {
	out := make([]Assign, 0, usualChanges)
	for i, c := range r.Table.Columns {
		if r.places[i] == missing || !c.Stored() {
			continue
		}
		if v := r.at(i); old == nil || v != old.at(i) {
			out = append(out, Assign{c, v})
		}
	}
	return out
}

// Held lists the stored columns that are not null.
func (r *Row) Held() []Assign {
	out := make([]Assign, 0, len(r.values)+spareValues)
	for i, c := range r.Table.Columns {
		if v := r.at(i); !v.IsNull() && c.Stored() {
			out = append(out, Assign{c, v})
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

// ScanRows reads all rows of a query whose root outputs are the key and cols, and closes the cursor.
func ScanRows(t *schema.Table, cols []*schema.Column, rows Rows) ([]*Row, error) {
	defer rows.Close()
	var out []*Row
	for rows.Next() {
		out = append(out, ScanRow(t, value.GUID(rows.Bytes(0)), cols, rows, 1))
	}
	return out, rows.Err()
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
