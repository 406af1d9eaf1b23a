package sqlite

import (
	"slices"

	"zombiezen.com/go/sqlite"

	"almoner/internal/store/sqlgen"
)

// keptCells is the most memory for cells that stays with a statement between two runs.
const keptCells = 64 << 10

// rows is a cursor over one or more statements run in turn: together they are one result.
type rows struct {
	on   *session
	rest []sqlgen.Statement // not begun yet
	left int                // rows still wanted; below zero: all there are
	cur  *prepared          // nil before the first row and after the last
	err  error
	end  bool
}

// Next steps to the next row. At the end the connection is free at once, whether or not Close is called.
func (r *rows) Next() bool {
	if r.end {
		return false
	}
	for r.left != 0 && r.begin() {
		more, err := r.cur.Step()
		if err != nil {
			r.err = r.on.owner.note(err)
			break
		}
		if more {
			r.cur.buf = r.cur.buf[:0]
			r.left--
			return true
		}
		r.release()
	}
	r.Close()
	return false
}

// begin makes sure that a statement is under way; false when none is left.
func (r *rows) begin() bool {
	if r.cur != nil {
		return true
	}
	if len(r.rest) == 0 {
		return false
	}
	r.err = r.start()
	return r.err == nil
}

// start prepares and binds the first of the statements left.
func (r *rows) start() error {
	p, err := r.on.prepare(r.rest[0])
	r.rest = r.rest[1:]
	r.cur = p
	return err
}

// release gives the statement under way back.
func (r *rows) release() {
	if r.cur == nil {
		return
	}
	if cap(r.cur.buf) > keptCells {
		r.cur.buf = nil
	}
	r.cur.release()
	r.cur = nil
}

// Null tells whether cell i is null.
func (r *rows) Null(i int) bool { return r.cur.ColumnType(i) == sqlite.TypeNull }

// Int returns cell i as an integer.
func (r *rows) Int(i int) int64 { return r.cur.ColumnInt64(i) }

// Float returns cell i as a floating-point number.
func (r *rows) Float(i int) float64 { return r.cur.ColumnFloat(i) }

// Bytes returns the text or GUID of cell i. The cells of a row lie behind each other in one buffer; when it must grow, the
// slices given out before keep the old one.
func (r *rows) Bytes(i int) []byte {
	n, at := r.cur.ColumnLen(i), len(r.cur.buf)
	buf := slices.Grow(r.cur.buf, n)[:at+n]
	r.cur.buf = buf
	r.cur.ColumnBytes(i, buf[at:])
	return buf[at : at+n : at+n]
}

// Err returns the error that ended the rows early.
func (r *rows) Err() error { return r.err }

// Close frees the statement, and the connection when it was lent for these rows alone.
func (r *rows) Close() {
	if r.end {
		return
	}
	r.end = true
	r.release()
	r.rest = nil
	r.on.forget(r)
}
