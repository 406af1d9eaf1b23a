package fault

import "fmt"

// NotFound says that no row of a table has this id.
func NotFound(table, id string) *Error {
	return New(ObjectDoesNotExist, "Entity '%s' With Id = %s Does Not Exist", table, id).At(table, "id "+id)
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
