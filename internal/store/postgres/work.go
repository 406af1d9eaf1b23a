package postgres

import (
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// work is a write that waits in the queue. It is kept until its result is there, to say what went wrong.
type work struct {
	kind  workKind
	table *schema.Table
	id    value.GUID
	set   []query.Assign // for an addition its key
	sums  []query.Assign // of an addition
}

type workKind uint8

const (
	inserts workKind = iota
	updates
	adds
	puts
	removes
)

// joins tells whether two writes can be made by one statement: they insert into the same table, or do the same to the same columns.
func (w *work) joins(other *work) bool {
	if w.kind != other.kind || w.table != other.table {
		return false
	}
	switch w.kind {
	case inserts:
		return true // columns that one of them lacks are null
	case updates, adds:
		return sameColumns(w.set, other.set) && sameColumns(w.sums, other.sums)
	default:
		return false
	}
}

func sameColumns(a, b []query.Assign) bool {
	return slices.EqualFunc(a, b, func(a, b query.Assign) bool { return a.Column == b.Column })
}

// sameRow tells whether two writes that join are of the same row.
func (w *work) sameRow(other *work) bool {
	if w.kind == adds {
		return slices.Equal(w.set, other.set)
	}
	return w.id == other.id
}

// print renders a write of set.
func (w *work) print(writer *sqlgen.Writer, room []sqlgen.Arg, set []query.Assign) sqlgen.Statement {
	switch w.kind {
	case inserts:
		return writer.Insert(room, w.table, w.id, set)
	case updates:
		return writer.Update(room, w.table, w.id, set)
	case adds:
		return writer.Add(room, w.table, set, w.sums)
	case puts:
		return writer.Put(room, w.table, set)
	default:
		return writer.Remove(w.table, set)
	}
}

// unitedColumns lists the columns that some of the writes set; nil when all of them set the same.
func unitedColumns(works []*work) []*schema.Column {
	same := func(w *work) bool { return sameColumns(w.set, works[0].set) }
	if !slices.ContainsFunc(works[1:], func(w *work) bool { return !same(w) }) {
		return nil
	}
	seen := make([]bool, len(works[0].table.Columns))
	var out []*schema.Column
	for _, w := range works {
		for _, a := range w.set {
			if !seen[a.Column.Index] {
				seen[a.Column.Index] = true
				out = append(out, a.Column)
			}
		}
	}
	slices.SortFunc(out, func(a, b *schema.Column) int { return a.Index - b.Index })
	return out
}

// explain turns the refusal of a constraint into the fault a client understands. Other errors pass unchanged, and so does
// everything when nothing is known about the statement.
func explain(err error, works []*work) error {
	var refused *pgconn.PgError
	if len(works) == 0 || !errors.As(err, &refused) {
		return err
	}
	w := blamed(works, refused.Detail)
	switch refused.Code {
	case stateUnique:
		return fault.Wrap(refused, fault.DuplicateRecord, "A record with matching key values already exists.").At(w.table.Name, "id "+w.id.String())
	case stateForeignKey:
		if w.kind == removes {
			return fault.Wrap(refused, fault.CannotDeleteAssociated,
				"The object you tried to delete is associated with another object and cannot be deleted.").At(w.table.Name, "id "+w.id.String())
		}
		return w.dangling(refused)
	default:
		return err
	}
}

// blamed returns the work the server's detail speaks of, "Key (x)=(…)", whatever language the rest of it is in; the first when
// it speaks of none.
func blamed(works []*work, detail string) *work {
	for _, w := range works {
		if strings.Contains(detail, "("+w.id.String()+")") || w.lookup(detail) != nil {
			return w
		}
	}
	return works[0]
}

// lookup returns the assignment of a lookup that a detail speaks of; nil when there is none.
func (w *work) lookup(detail string) *query.Assign {
	for i, a := range w.set {
		if len(a.Column.Targets) == 1 && strings.Contains(detail, "("+a.Column.Name+")=("+a.Value.String()+")") {
			return &w.set[i]
		}
	}
	return nil
}

// dangling says that a lookup points at a row that is not there.
func (w *work) dangling(refused *pgconn.PgError) error {
	if a := w.lookup(refused.Detail); a != nil {
		e := fault.NotFound(a.Column.Targets[0].Name, a.Value.String()).At(w.table.Name, "column "+a.Column.Name)
		e.Err = refused
		return e
	}
	return fault.Wrap(refused, fault.ObjectDoesNotExist, "A row that a row of '%s' refers to does not exist.", w.table.Name).At(w.table.Name)
}
