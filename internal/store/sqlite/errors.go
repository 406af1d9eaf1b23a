package sqlite

import (
	"context"
	"errors"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// retryAfter is how many seconds a client is told to wait when the store cannot answer.
const retryAfter = 5

// errClosed is returned by a store that has been closed.
var errClosed = errors.New("the store is closed")

// primary returns SQLite's result code of an error, without its refinement.
func primary(err error) sqlite.ResultCode { return sqlite.ErrCode(err).ToPrimary() }

// interrupted tells whether a statement was stopped from outside.
func interrupted(err error) bool { return primary(err) == sqlite.ResultInterrupt }

// unsound tells whether an error puts the connection itself in doubt: the disk, the file or its pages.
func unsound(err error) bool {
	switch primary(err) {
	case sqlite.ResultIOErr, sqlite.ResultCorrupt, sqlite.ResultNotADB, sqlite.ResultCantOpen, sqlite.ResultReadOnly,
		sqlite.ResultProtocol, sqlite.ResultMisuse:
		return true
	default:
		return false
	}
}

// sqlFault is what a caller is told of an error of SQLite's.
func sqlFault(err error) error {
	switch primary(err) {
	case sqlite.ResultError:
		return statementFault(err)
	case sqlite.ResultTooBig:
		return fault.Wrap(err, fault.BodyTooLarge, "A value is too large to be stored.")
	case sqlite.ResultConstraint, sqlite.ResultMismatch, sqlite.ResultInternal, sqlite.ResultMisuse, sqlite.ResultRange:
		return fault.Wrap(err, fault.GenericSQL, "Sql error: the database refused a statement.")
	default:
		return fault.Unavailable(err, retryAfter)
	}
}

// statementFault tells a client's overflow from a statement that is wrong. SQLite has no code of its own for the first.
func statementFault(err error) error {
	if strings.Contains(err.Error(), "integer overflow") {
		return fault.Wrap(err, fault.IntegerRange, "The result of a calculation is outside the range of 64-bit integers.")
	}
	return fault.Wrap(err, fault.GenericSQL, "Sql error: the database refused a statement.")
}

// unavailable is what a caller is told when no connection can be had: the end of its own context, or an outage.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fault.Unavailable(err, retryAfter)
}

// timeoutFault says that a statement took longer than it may.
func timeoutFault(limit time.Duration) error {
	return fault.Wrap(context.DeadlineExceeded, fault.QueryTimeout, "SQL timeout expired: the query took longer than %s.", limit)
}

// duplicateFault says that a key is taken.
func duplicateFault(err error, t *schema.Table, id value.GUID) error {
	return fault.Wrap(err, fault.DuplicateRecord, "A record with matching key values already exists.").
		At(t.Name, "id "+value.ID(id).String())
}

// associatedFault says that other rows keep a row from being deleted.
func associatedFault(err error, t *schema.Table) *fault.Error {
	return fault.Wrap(err, fault.CannotDeleteAssociated,
		"The object you tried to delete is associated with another object and cannot be deleted.").At(t.Name)
}

// duplicate tells whether a constraint on keys was hurt.
func duplicate(err error) bool {
	switch sqlite.ErrCode(err) {
	case sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintUnique, sqlite.ResultConstraintRowID:
		return true
	default:
		return false
	}
}

// dangling tells whether a foreign key was hurt.
func dangling(err error) bool { return sqlite.ErrCode(err) == sqlite.ResultConstraintForeignKey }
