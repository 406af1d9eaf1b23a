package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store/sqlgen"
)

// queue holds statements without a result until they are sent. Writes of one kind to rows of one table that follow each other become
// one statement.
type queue struct {
	pieces []piece
	length int // statements and writes
}

// piece is a statement, or writes that wait to become one.
type piece struct {
	statement
	works []*work
}

// mostJoined is how many writes a piece collects at most.
const mostJoined = 4 * sqlgen.MostRows

// add appends a statement that cannot fail for a reason of the caller's.
func (q *queue) add(st statement) {
	q.pieces = append(q.pieces, piece{statement: st})
	q.length++
}

// write appends a write, to those before it where they can be made together.
func (q *queue) write(w *work) {
	q.length++
	if last := len(q.pieces) - 1; last >= 0 && q.pieces[last].takes(w) {
		q.pieces[last].works = append(q.pieces[last].works, w)
		return
	}
	q.pieces = append(q.pieces, piece{works: []*work{w}})
}

// takes tells whether a write can join those of the piece. One statement may write a row only once.
func (p *piece) takes(w *work) bool {
	return len(p.works) > 0 && len(p.works) < mostJoined && p.works[0].joins(w) && !slices.ContainsFunc(p.works, w.sameRow)
}

// batch turns the queue into the driver's form, and tells what each statement of it writes.
func (q *queue) batch(writer *sqlgen.Writer) (*pgx.Batch, [][]*work) {
	batch := &pgx.Batch{}
	works := make([][]*work, 0, len(q.pieces))
	var p printer
	for _, piece := range q.pieces {
		if piece.works == nil {
			batch.Queue(piece.sql, piece.args...)
			works = append(works, nil)
		}
		for rest := piece.works; len(rest) > 0; {
			n := sqlgen.NextRows(len(rest))
			st := p.statement(writer, rest[:n])
			batch.Queue(st.sql, st.args...)
			works = append(works, rest[:n])
			rest = rest[n:]
		}
	}
	return batch, works
}

// printer turns writes into statements. It uses its room again from row to row.
type printer struct {
	room   []sqlgen.Arg
	padded []query.Assign
}

// statement is the statement that makes writes of one kind together.
func (p *printer) statement(writer *sqlgen.Writer, works []*work) statement {
	columns := unitedColumns(works)
	var out statement
	for _, w := range works {
		set := w.set
		if columns != nil {
			p.pad(set, columns)
			set = p.padded
		}
		g := w.print(writer, p.room, set)
		p.room = g.Args
		if out.args == nil {
			out = statement{g.SQL, make([]any, 0, len(works)*len(g.Args))}
			if len(works) > 1 {
				out.sql = g.Rows.Text(len(works))
			}
		}
		out.args = appendDriverArgs(out.args, g.Args)
	}
	return out
}

// pad leaves the assignments of set in p.padded, in the order of columns, with null for those it lacks.
func (p *printer) pad(set []query.Assign, columns []*schema.Column) {
	p.padded = p.padded[:0]
	for _, c := range columns {
		i := slices.IndexFunc(set, func(a query.Assign) bool { return a.Column == c })
		if i < 0 {
			p.padded = append(p.padded, query.Assign{Column: c})
			continue
		}
		p.padded = append(p.padded, set[i])
	}
}
