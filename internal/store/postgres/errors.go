package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"almoner/internal/fault"
)

// SQLSTATEs this package acts upon.
const (
	stateSerialization         = "40001"
	stateDeadlock              = "40P01"
	stateInsufficientPrivilege = "42501"
	stateUnique                = "23505"
	stateForeignKey            = "23503"
	stateLockNotAvailable      = "55P03"
	stateQueryCanceled         = "57014"
	stateNumericRange          = "22003"
	stateBadCharacter          = "22021"
	stateReadOnly              = "25006"
)

// retrySeconds is what a client is told to wait when the server is away.
const retrySeconds = 5

// errStatementTimeout is the cause of a context that ended because a read took too long.
var errStatementTimeout = errors.New("postgres: the statement took too long")

// errWriteLimit is the cause of a context that ended because the server did not answer a write in time.
var errWriteLimit = errors.New("postgres: the server did not answer a write in time; its outcome is unknown")

// translate turns an error of the driver into a fault, where it is one: the statement ran too long, the server is away, a
// constraint refused. The context is the one the statement ran under. Faults pass unchanged.
func translate(ctx context.Context, err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errStatementTimeout):
		return fault.Wrap(err, fault.QueryTimeout, "SQL timeout expired: the query took too long.")
	case errors.Is(cause, errWriteLimit):
		return fault.Unavailable(errors.Join(cause, err), retrySeconds)
	case ctx.Err() != nil:
		return errors.Join(ctx.Err(), err)
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refusal(refused)
	}
	if isConnectionLoss(err) {
		return fault.Unavailable(err, retrySeconds)
	}
	return err
}

// refusal maps what the server itself said.
func refusal(e *pgconn.PgError) error {
	switch e.Code {
	case stateQueryCanceled:
		return fault.Wrap(e, fault.QueryTimeout, "SQL timeout expired: the database stopped the query.")
	case stateLockNotAvailable:
		return busy(e)
	case stateNumericRange:
		return fault.Wrap(e, fault.IntegerRange, "The result of a calculation is outside the range of 64-bit integers.")
	case stateBadCharacter:
		return fault.Wrap(e, fault.BadCharacters, "A text holds a character that cannot be stored.")
	}
	if isServerAway(e.Code) {
		return fault.Unavailable(e, retrySeconds)
	}
	return fault.Wrap(e, fault.GenericSQL, "Sql error: the database refused a statement.")
}

// busy says that others held the rows for too long.
func busy(err error) *fault.Error {
	e := fault.Wrap(err, fault.ConcurrentOperation, "Other operations are changing the same rows. Try again later.")
	e.Retry = 1
	return e
}

// isServerAway tells whether a SQLSTATE speaks of the server's condition and not of the statement: connection exceptions,
// lack of resources, shutdown, and a primary that has become a standby.
func isServerAway(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P") ||
		strings.HasPrefix(code, "58") || code == stateReadOnly
}

// isConnectionLoss tells whether an error means that the server could not be reached or the connection broke.
func isConnectionLoss(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err)
}

// stateOf returns the SQLSTATE inside an error; "" if the server did not raise it.
func stateOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}
