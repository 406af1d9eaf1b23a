package fault

import (
	"fmt"
	"strings"
)

// NotFound says that no row of a table has the id a write names: of the row itself, or of one it binds.
func NotFound(table, id string) *Error { return missing(table, table, id) }

// NothingToRead says that no row of a table has the id a read asks for. The platform puts it a little differently.
func NothingToRead(table, id string) *Error { return missing("Entity '"+table+"'", table, id) }

func missing(named, table, id string) *Error {
	return New(ObjectDoesNotExist, "%s With Id = %s Does Not Exist", named, id).At(table, "id "+id)
}

// NoSegment says that a URL segment names nothing.
func NoSegment(segment string) *Error {
	return New(BadRequest, "Resource not found for the segment '%s'.", segment).WithStatus(404)
}

// NoMethod says that a resource does not take the method.
func NoMethod(method string) *Error {
	return New(BadRequest, "The requested resource does not support http method '%s'.", method).WithStatus(405)
}

// Property says that a type has no such property; near names the spelling that exists, if one is close.
func Property(name, table, near string) *Error {
	e := New(BadRequest, "Could not find a property named '%s' on type 'Microsoft.Dynamics.CRM.%s'.", name, table)
	if near != "" {
		e.Message += fmt.Sprintf(" Did you mean '%s'?", near)
	}
	return e.At(table, "column "+name)
}

// Rule is the refusal of a business rule: table, the rule's name and the column it looked at go into the trace.
func Rule(table, rule, column, format string, args ...any) *Error {
	return New(RuleRefused, format, args...).At(table, "rule "+rule, "column "+column)
}

// Option says that a number is none of those a choice takes.
func Option(table, column string, n int64, accepted []int64) *Error {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(accepted), " ", ","), "[]")
	return New(BadOption, "A validation error occurred. The value %d of '%s' on record of type '%s' is outside the valid range. Accepted Values: %s", n, column, table, list)
}

// Missing says that a row cannot live without a column.
func Missing(table, rule, column string) *Error {
	return New(RequiredFieldMissing, "Required field '%s' is missing on '%s'.", column, table).At(table, "rule "+rule, "column "+column)
}

// Unavailable says that the store cannot answer now; the client should come back.
func Unavailable(err error, seconds int) *Error {
	e := Wrap(err, Unexpected, "The service is unavailable. Try again later.").WithStatus(503)
	e.Retry = seconds
	return e
}
