// Package fault is the one error type of the service and the table of Dataverse codes it raises. A fault is made where
// the fact is known; layers above may add a trace line but never change status, code or message.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a refusal the client may see. Err is its cause, for the log alone.
type Error struct {
	Status  int      // HTTP status
	Code    Code     // published code, printed in hex
	Message string   // for the client, verbatim
	Trace   []string // who refused, outermost first: "svc_gift create", "rule gift.splits", "column svc_fund1"
	Retry   int      // seconds for Retry-After; 0 sends none
	Err     error    // cause; logged with the request id, never sent
}

// Error returns message, code and cause, for logs and tests.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s (%s): %v", e.Message, e.Code, e.Err)
	}
	return fmt.Sprintf("%s (%s)", e.Message, e.Code)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// New makes a fault with the status its code is published with.
func New(code Code, format string, args ...any) *Error {
	return &Error{Status: code.Status(), Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes a fault with a cause that only the log will see.
func Wrap(err error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.Err = err
	return e
}

// WithStatus returns the fault with another HTTP status, for the few codes the platform uses with several.
func (e *Error) WithStatus(status int) *Error {
	e.Status = status
	return e
}

// At returns the fault with trace lines appended: the place where it was raised, outermost first.
func (e *Error) At(lines ...string) *Error {
	e.Trace = append(e.Trace, lines...)
	return e
}

// In puts a trace line in front of the fault inside err: a layer above names itself. Other errors pass unchanged.
func In(err error, line string) error {
	var e *Error
	if errors.As(err, &e) {
		e.Trace = append([]string{line}, e.Trace...)
	}
	return err
}

// As returns the fault inside err. Anything that is not one is a bug or an outage: it becomes a 500 with a fixed message.
func As(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Wrap(err, Unexpected, "An unexpected error occurred.")
}

// TraceText joins the trace lines as the wire shows them.
func (e *Error) TraceText() string { return strings.Join(e.Trace, " > ") }
