package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"almoner/internal/query"
)

// cursor reads the rows of one or more statements, one after the other, as the driver's raw cells: big-endian integers and
// floats, 16 bytes of uuid, UTF-8 text. Nothing is copied while it reads from the connection.
type cursor struct {
	session *session
	owner   bool // the session was opened for this cursor and ends with it
	ctx     context.Context
	rest    []statement // statements not run yet
	left    int         // rows still to be given; below 0: all
	classes []query.CellClass

	exchange *exchange
	rows     pgx.Rows
	primed   bool     // rows stands on a row that Next has not given yet
	cells    [][]byte // the current row
	oids     []uint32 // type of each cell

	spool   *query.Spool // the rest of the rows, once they had to make way
	spooled bool         // the current row is one of the spool
	err     error
	closed  bool
}

var _ query.Rows = (*cursor)(nil)

// openCursor runs the first statement and waits for its first row, so that what the server refuses is refused here. size is
// the most rows wanted, 0 for all.
func openCursor(ctx context.Context, x *session, owner bool, statements []statement, size int, classes []query.CellClass) (*cursor, error) {
	c := &cursor{session: x, owner: owner, ctx: ctx, rest: statements, left: size, classes: classes}
	if size == 0 {
		c.left = -1
	}
	c.primed = c.advance()
	if c.err != nil {
		return nil, c.err
	}
	return c, nil
}

// Next moves to the next row. At the end the connection is free at once.
func (c *cursor) Next() bool {
	switch {
	case c.spool != nil:
		c.spooled = true
		return c.spool.Next()
	case c.primed:
		c.primed = false
		return true
	case c.closed:
		return false
	default:
		return c.advance()
	}
}

// advance reads the next row, running the next statement where one has no more.
func (c *cursor) advance() bool {
	for c.left != 0 {
		if c.rows == nil && !c.open() {
			break
		}
		if c.rows.Next() {
			c.cells = c.rows.RawValues()
			c.left--
			return true
		}
		if !c.finish() {
			break
		}
	}
	c.Close()
	return false
}

// open runs the next statement; false when there is none left or it failed.
func (c *cursor) open() bool {
	if len(c.rest) == 0 {
		return false
	}
	st := c.rest[0]
	c.rest = c.rest[1:]
	var err error
	if c.exchange, err = c.session.send(c.ctx, st); err == nil {
		if c.rows, err = c.exchange.next(); err != nil {
			err = c.exchange.close()
		}
	}
	if err != nil {
		c.err, c.exchange = err, nil
		return false
	}
	c.session.active = c
	c.describe()
	return true
}

func (c *cursor) describe() {
	fields := c.rows.FieldDescriptions()
	c.oids = c.oids[:0]
	for i := range fields {
		c.oids = append(c.oids, fields[i].DataTypeOID)
	}
}

// finish ends the statement under way; false when it failed.
func (c *cursor) finish() bool {
	if c.rows == nil {
		return true
	}
	c.rows.Close()
	c.exchange.fail(c.rows.Err(), nil)
	if err := c.exchange.close(); err != nil && c.err == nil {
		c.err = err
	}
	c.rows, c.exchange, c.session.active = nil, nil, nil
	return c.err == nil
}

// Close ends the cursor and frees its connection. A statement that has not come to its end is given a moment to do so, then
// cancelled together with its connection, unless the connection is needed further.
func (c *cursor) Close() {
	if c.closed {
		return
	}
	c.closed, c.rest = true, nil
	if c.spool != nil {
		c.spool.Close()
	}
	if c.rows != nil {
		c.stop()
	}
	if c.owner {
		c.session.end()
	}
}

// stop ends a statement before its end. Its error, that of its own cancellation, is of no interest any more.
func (c *cursor) stop() {
	before := c.err
	if c.owner && c.left != 0 {
		timer := time.AfterFunc(drainLimit, c.exchange.cancel)
		defer timer.Stop()
	}
	c.finish()
	if c.owner {
		c.err = before
	}
}

// detach copies the current row and all that are left, so that the connection can be used by another cursor.
func (c *cursor) detach() error {
	var current [][]byte
	if !c.primed {
		current = cloneCells(c.cells)
	}
	spool := query.NewSpool(c.classes)
	_, err := spool.Fill(c, 0)
	if err != nil {
		return err
	}
	c.cells, c.spool, c.closed = current, spool, false
	return nil
}

func cloneCells(cells [][]byte) [][]byte {
	out := make([][]byte, len(cells))
	for i, cell := range cells {
		out[i] = bytes.Clone(cell)
	}
	return out
}

// abandon ends a cursor whose transaction ends before it. Nobody needs the connection: rows that do not come at once are
// cancelled.
func (c *cursor) abandon(err error) {
	timer := time.AfterFunc(drainLimit, c.exchange.cancel)
	defer timer.Stop()
	c.finish()
	c.closed, c.rest, c.primed = true, nil, false
	if c.err == nil {
		c.err = err
	}
}

// Err returns the error that ended the rows, nil after the last one.
func (c *cursor) Err() error { return c.err }

// Null tells whether cell i is null.
func (c *cursor) Null(i int) bool {
	if c.spooled {
		return c.spool.Null(i)
	}
	return c.cells[i] == nil
}

// Int returns cell i as an integer: int2, int4, int8 or bool.
func (c *cursor) Int(i int) int64 {
	if c.spooled {
		return c.spool.Int(i)
	}
	return integer(c.cells[i])
}

// Float returns cell i as a floating-point number, whatever numeric type it has.
func (c *cursor) Float(i int) float64 {
	if c.spooled {
		return c.spool.Float(i)
	}
	cell := c.cells[i]
	if c.oids[i] == pgtype.Float8OID && len(cell) == 8 {
		return math.Float64frombits(binary.BigEndian.Uint64(cell))
	}
	return float64(integer(cell))
}

// Bytes returns the text or the GUID in cell i, valid until Next.
func (c *cursor) Bytes(i int) []byte {
	if c.spooled {
		return c.spool.Bytes(i)
	}
	return c.cells[i]
}

// integer reads a big-endian integer by its width; a Boolean has one byte.
func integer(cell []byte) int64 {
	switch len(cell) {
	case 8:
		return int64(binary.BigEndian.Uint64(cell))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(cell)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(cell)))
	case 1:
		return int64(cell[0])
	default:
		return 0
	}
}
