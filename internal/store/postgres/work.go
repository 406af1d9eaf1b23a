package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// work is what a queued write does, kept to say what went wrong when its result arrives much later.
type work struct {
	table   *schema.Table
	id      value.GUID
	set     []query.Assign
	removes bool
}

// explain turns the refusal of a constraint into the fault a client understands. Other errors pass unchanged, and so does
// everything when nothing is known about the statement.
func (w *work) explain(err error) error {
	var refused *pgconn.PgError
	if w == nil || !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case stateUnique:
		return fault.Wrap(refused, fault.DuplicateRecord, "A record with matching key values already exists.").At(w.table.Name, "id "+w.id.String())
	case stateForeignKey:
		if w.removes {
			return fault.Wrap(refused, fault.CannotDeleteAssociated,
				"The object you tried to delete is associated with another object and cannot be deleted.").At(w.table.Name, "id "+w.id.String())
		}
		return w.dangling(refused)
	default:
		return err
	}
}

// dangling says that a lookup points at a row that is not there. The server names the column in its detail, "Key (x)=(…)",
// whatever language the rest of it is in.
func (w *work) dangling(refused *pgconn.PgError) error {
	for _, a := range w.set {
		if len(a.Column.Targets) == 1 && strings.Contains(refused.Detail, "("+a.Column.Name+")=(") {
			e := fault.NotFound(a.Column.Targets[0].Name, a.Value.String()).At(w.table.Name, "column "+a.Column.Name)
			e.Err = refused
			return e
		}
	}
	return fault.Wrap(refused, fault.ObjectDoesNotExist, "A row that a row of '%s' refers to does not exist.", w.table.Name).At(w.table.Name)
}
