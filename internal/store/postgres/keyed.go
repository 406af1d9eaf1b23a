package postgres

import (
	"bytes"
	"iter"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// wholeRow is how all stored columns of rows are read by key.
type wholeRow struct {
	columns    []*schema.Column
	key        int    // the cell of the key
	one, many  string // of one row, and of the rows in an array of keys
	lockedOne  string
	lockedMany string
}

func wholeRows(d *sqlgen.Dialect, m *schema.Model) map[*schema.Table]wholeRow {
	out := make(map[*schema.Table]wholeRow, len(m.Tables))
	for _, t := range m.Tables {
		if t.Key != nil {
			cols := t.StoredColumns()
			out[t] = wholeRow{
				columns: cols, key: cellOf(t.Key, cols),
				one: sqlgen.Get(d, t, cols, false), lockedOne: sqlgen.Get(d, t, cols, true),
				many: sqlgen.GetMany(d, t, cols, false), lockedMany: sqlgen.GetMany(d, t, cols, true),
			}
		}
	}
	return out
}

// cellOf returns the cell of a column among those read.
func cellOf(c *schema.Column, cols []*schema.Column) int {
	at := 0
	for _, other := range cols {
		if other == c {
			break
		}
		at++
		if other.Polymorphic() {
			at++
		}
	}
	return at
}

// pointRead returns the statement that reads a row by its key, and the columns it yields: those asked for, or all stored
// ones when cols is nil.
func (s *Store) pointRead(t *schema.Table, id value.GUID, cols []*schema.Column, lock bool) (statement, []*schema.Column) {
	if cols != nil {
		return statement{sqlgen.Get(s.dialect, t, cols, lock), []any{[16]byte(id)}}, cols
	}
	return s.keyedRead([]query.Key{{Table: t, ID: id}}, lock), s.whole[t].columns
}

// runs divides keys, of which the first ones are to be locked, into runs that one statement can read in their order: of one
// table, with ascending ids, all to be locked or none.
func runs(keys []query.Key, locked int) iter.Seq2[[]query.Key, bool] {
	return func(yield func([]query.Key, bool) bool) {
		for start := 0; start < len(keys); {
			end := start + 1
			for end < len(keys) && end != locked && keys[end].Table == keys[start].Table && bytes.Compare(keys[end-1].ID[:], keys[end].ID[:]) < 0 {
				end++
			}
			if !yield(keys[start:end], start < locked) {
				return
			}
			start = end
		}
	}
}

// keyedRead returns the statement that reads the whole rows of a run.
func (s *Store) keyedRead(run []query.Key, lock bool) statement {
	whole := s.whole[run[0].Table]
	if len(run) == 1 {
		return statement{pick(lock, whole.lockedOne, whole.one), []any{[16]byte(run[0].ID)}}
	}
	ids := make(guids, len(run))
	for i, k := range run {
		ids[i] = k.ID
	}
	return statement{pick(lock, whole.lockedMany, whole.many), []any{ids}}
}

func pick(lock bool, locked, plain string) string {
	if lock {
		return locked
	}
	return plain
}

// readKeyed reads the rows of a run from an exchange's next result; nil where there is none.
func readKeyed(e *exchange, run []query.Key, whole wholeRow) []*query.Row {
	out := make([]*query.Row, len(run))
	next := 0
	readEach(e, func(c *cursor) {
		id := value.GUID(c.Bytes(whole.key))
		for next < len(run) && run[next].ID != id {
			next++
		}
		if next < len(run) {
			out[next] = query.ScanRow(run[next].Table, id, whole.columns, c, 0)
		}
	})
	return out
}
