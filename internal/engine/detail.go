package engine

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// The detail of a log line is stored in a short form and shown in the platform's JSON, which is three times as long. In the short form
// each changed column is a line: its name, its old and its new value, with a tab before each value. Values are escaped as inside a JSON
// string, so they hold neither tabs nor line ends; an empty one is null. The line of a row that was not there has no old value.

// appendChange appends a changed column in the short form; was tells whether there was a row before.
func (x *Tx) appendChange(b []byte, c *schema.Column, was bool, old, now value.Value) []byte {
	b = append(append(b, c.Name...), '\t')
	if was {
		b = append(x.appendDetail(b, c, old), '\t')
	}
	return append(x.appendDetail(b, c, now), '\n')
}

// appendDetail appends a value: lookups as "table,id", everything else as on the wire.
func (x *Tx) appendDetail(b []byte, c *schema.Column, v value.Value) []byte {
	switch {
	case v.IsNull():
		return b
	case c.Type == schema.TypeLookup:
		table := c.Targets[0]
		if target := x.e.model.ByCode(v.TypeCode()); c.Polymorphic() && target != nil {
			table = target
		}
		return v.AppendText(append(append(b, table.Name...), ','))
	case v.Kind() == value.KindText:
		return value.AppendJSONText(b, shortened(v.Text()))
	default:
		return v.AppendText(b)
	}
}

// maxDetail is the longest value kept in a line's detail, in bytes.
const maxDetail = 5 << 10

// shortened cuts a text to what a line keeps of it.
func shortened(s string) string {
	if len(s) <= maxDetail {
		return s
	}
	return strings.ToValidUTF8(s[:maxDetail], "") // the cut may have split a character
}

// ChangedColumn is one column of a detail; a value is nil where there was none.
type ChangedColumn struct {
	Name     string
	Old, New *string
}

// ChangedColumns reads the stored detail of a log line.
func ChangedColumns(stored string) []ChangedColumn {
	var out []ChangedColumn
	for name, values := range changes([]byte(stored)) {
		out = append(out, ChangedColumn{string(name), unescaped(values[0]), unescaped(values[1])})
	}
	return out
}

// unescaped undoes the escapes of a value; an empty one is nil.
func unescaped(escaped []byte) *string {
	if len(escaped) == 0 {
		return nil
	}
	var s string
	if err := json.Unmarshal(appendShown(nil, escaped), &s); err != nil {
		s = string(escaped) // the log wrote it: it has only escapes of JSON
	}
	return &s
}

// changes walks through the lines of a stored detail: names with their old and new values, still escaped.
func changes(stored []byte) iter.Seq2[[]byte, [2][]byte] {
	return func(yield func([]byte, [2][]byte) bool) {
		for line := range bytes.Lines(stored) {
			name, values, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
			old, now, both := bytes.Cut(values, []byte("\t"))
			if !both {
				old, now = nil, values
			}
			if !yield(name, [2][]byte{old, now}) {
				return
			}
		}
	}
}

// showDetail returns a stored detail in the platform's form.
func showDetail(stored []byte) []byte {
	b := append(make([]byte, 0, 4*len(stored)), `{"changedAttributes":[`...)
	for name, values := range changes(stored) {
		b = append(append(append(b, `{"logicalName":"`...), name...), `","oldValue":`...)
		b = appendShown(b, values[0])
		b = appendShown(append(b, `,"newValue":`...), values[1])
		b = append(b, "},"...)
	}
	return append(bytes.TrimSuffix(b, []byte(",")), "]}"...)
}

func appendShown(b, escaped []byte) []byte {
	if len(escaped) == 0 {
		return append(b, "null"...)
	}
	return append(append(append(b, '"'), escaped...), '"')
}

// isDetail tells whether an output is the detail of a log line, as it is.
func isDetail(o *query.Output) bool {
	return o.Column != nil && o.Agg == query.AggNone && o.Column.Name == "changedata" && o.Column.Table.Name == "audit"
}

// shown wraps the rows of a plan so that details among their cells read in the platform's form.
func (p *Plan) shown(rows query.Rows) query.Rows {
	if p.details == nil {
		return rows
	}
	return &detailRows{rows, p.details}
}

// detailRows are rows of which some cells hold details.
type detailRows struct {
	query.Rows
	cells []int
}

// Bytes returns a cell, a detail in the platform's form.
func (r *detailRows) Bytes(i int) []byte {
	b := r.Rows.Bytes(i)
	if slices.Contains(r.cells, i) && !r.Null(i) {
		return showDetail(b)
	}
	return b
}
