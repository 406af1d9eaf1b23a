// Package sqlgen renders what is asked of a store as SQL: the bound query tree, the writes of a transaction and the
// tables of the model. Texts differ between the stores only through a Dialect; every value a client sent travels as a
// parameter.
package sqlgen

import (
	"strconv"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Dialect is one database's way of saying things: names of types and functions, and small printers. Everything else is
// SQL both databases read alike.
type Dialect struct {
	types     [schema.TypeLookup + 1]string // column type by platform type
	text      string                        // type of a text column, shadow columns included
	code      string                        // type of the type code beside a polymorphic lookup
	bigint    string                        // type of a 64-bit integer
	tableTail string                        // what follows the columns of CREATE TABLE
	nullsIn   string                        // in an index, after a column that may be null
	nullsLast string                        // in an index, after a descending column that may be null
	lateKeys  bool                          // foreign keys are added when all tables are there
	locked    string                        // what makes a SELECT lock its row
	noLimit   string                        // LIMIT of an OFFSET without one

	param  func(b []byte, n int, kind value.Kind) []byte // the n-th parameter, of a known type
	setter func(b []byte, n int) []byte                  // the n-th parameter, of the type of the column it is stored in

	double   string  // the type of a floating-point number
	position string  // function: place of a text within a text, from 1
	year     wrap    // of a number of days: the calendar year
	month    wrap    // of a number of days: the month
	day      wrap    // of a number of days: the day of the month
	yearDay  wrap    // of a number of days: days since 1 January
	sum      wrap    // of integers, as a 64-bit integer
	average  average // of integers
	minID    wrap    // least GUID of a group
	maxID    wrap    // greatest GUID of a group

	classSign string                               // operator of a pattern with character classes
	classText func(query.Pattern) string           // such a pattern as the operator reads it
	greatest  func(p *printer, args []func())      // greatest of numbers; null when one is null
	round     func(p *printer, x func())           // a floating-point number, half away from zero
	idSet     func(p *printer, left func(), n int) // whether a GUID is among those of the n-th parameter
	fromBase  func(p *printer, money, rate func()) // money times a rate of rateScale decimals, exact
	toBase    func(p *printer, money, rate func()) // money divided by such a rate, exact
}

// wrap is what stands before and after an operand.
type wrap struct{ before, after string }

// average holds the two ways to take the mean of integers: cut to an integer, and rounded half away from zero.
type average struct{ cut, rounded func(p *printer, x func()) }

// Arg is one parameter of a statement. IDs, when not nil, is a list of GUIDs sent as one value: uuid[] on PostgreSQL,
// one blob of 16 bytes each on SQLite. Otherwise Value is bound by its kind: KindFloat as a double, KindText as text,
// KindID as uuid or blob, null as null, everything else as the 64-bit integer of Value.Int.
type Arg struct {
	Value value.Value
	IDs   []value.GUID
}

// Statement is SQL text with its parameters in order: $1 or ?1 is Args[0].
type Statement struct {
	SQL  string
	Args []Arg
	Rows *Rows // how the same is written for several rows at once; nil when it cannot be
}

// appendName appends a quoted identifier.
func appendName(b []byte, name string) []byte {
	if strings.IndexByte(name, '"') >= 0 {
		name = strings.ReplaceAll(name, `"`, `""`)
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"')
}

// appendNumbered appends a parameter as sign and number.
func appendNumbered(b []byte, sign byte, n int) []byte {
	return strconv.AppendInt(append(b, sign), int64(n), 10)
}
