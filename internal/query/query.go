// Package query is what is asked of the store: the bound tree of a read, the bound change of a write, and the passes that
// rewrite a tree before it is printed as SQL. OData and FetchXML both lower into it; after binding it holds pointers into
// the schema and values, never a name or a text from a client.
package query

import (
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Query is one read: a tree of joined sources, what to put out, which rows, in which order, and which page of them.
type Query struct {
	Root     *Link   // the source everything hangs on; its Parent is nil
	Links    []*Link // joined sources, parents before children
	Select   Node    // the shape of one result row
	Where    Filter  // nil keeps all rows
	Order    []Order // the engine appends the key as the last order, so that pages are stable
	Page     Page
	Distinct bool // rows that look the same come once
	Grouped  bool // outputs are group keys, aggregates, or follow from the keys; Order then holds OutputRefs
}

// Link is one occurrence of a table in a query: the root, or a source joined by From (its own column) = To (the parent's).
// A lookup with several targets is matched together with its type code.
type Link struct {
	Table  *schema.Table
	Parent *Link
	From   *schema.Column
	To     *schema.Column
	Kind   JoinKind
	On     Filter // further condition of the join; may refer to this link and to links before it
	Alias  string // the alias FetchXML gave it; "" if none
}

// JoinKind says how a Link is joined.
type JoinKind uint8

// The kinds of join. First takes the first matching row by key only.
const (
	Inner JoinKind = iota
	Outer
	First
)

// Node is the shape of one JSON object: columns of one link, then related objects.
type Node struct {
	Link    *Link // the source whose key tells whether the object is there at all
	Outputs []Output
	Expands []*Expand
}

// Output is one result cell. Its cells in a statement are, in order: Expr; the type code, when Column is a polymorphic
// lookup and Agg is AggNone; Label, when given. An Output without a Name is read but not encoded as a property of its own.
type Output struct {
	Name     string         // key on the wire, as it is to be written
	Expr     Expr           // what is read
	Column   *schema.Column // the column that gives type, labels and formatting; nil for counts and computed values
	Agg      Agg
	Distinct bool // count distinct values
	Follows  bool // of a grouped query: follows from the group keys and is not one itself, so that it is found once per group
	Label    Expr // text to read beside the cell: the primary name of a lookup's target; nil if not wanted
}

// Cells returns the number of cells the output takes in a statement.
func (o *Output) Cells() int {
	n := 1
	if o.HasTypeCell() {
		n++
	}
	if o.Label != nil {
		n++
	}
	return n
}

// GroupKey tells whether the output is one of those that tell the groups of a grouped query apart.
func (o *Output) GroupKey() bool { return o.Agg == AggNone && !o.Follows }

// HasTypeCell tells whether the output's cell is followed by a type code.
func (o *Output) HasTypeCell() bool {
	return o.Agg == AggNone && o.Column != nil && o.Column.Polymorphic()
}

// Agg is an aggregate function over a group.
type Agg uint8

// The aggregates. AggCount counts rows, AggCountColumn non-null values.
const (
	AggNone Agg = iota
	AggSum
	AggAvg
	AggMin
	AggMax
	AggCount
	AggCountColumn
)

// Expand is a navigation property asked for along with a row.
type Expand struct {
	Nav *schema.Nav
	One []*Node // single-valued: joined in the main statement; several nodes when the property has several targets, the first one present is shown
	// Many is the query of a collection-valued property. It is run once for all parents of a page: Parent is the
	// expression inside it that yields the parent's key, and is put out as cell 0 before Many.Select's cells.
	Many   *Query
	Parent Expr
	Top    int  // most rows per parent; 0: the page cap
	Ref    bool // only @odata.id of the related row
	Show   int  // of the rows read, most to put out per parent; 0: all of them
	// Text is the property's own options as OData writes them, for a link that asks for the collection alone.
	Text string
}

// Order is one sort key: nulls first ascending, last descending, on every store.
type Order struct {
	Expr Expr
	Desc bool
}

// Page says which rows of the ordered result are wanted.
type Page struct {
	Size   int       // most rows; 0: all
	After  *Position // rows after this position; nil: from the start
	Offset int       // rows to pass over (FetchXML paging without a cookie)
}

// Position is a place between two rows: the values of every Order expression of the row before it. Text is the text as
// read; the store folds it.
type Position struct{ Values []value.Value }

// Rows is a cursor over result cells in one canonical form per type, so that the encoder is written once. Booleans,
// integers, choices, money (minor units), decimals (scaled), dates (days) and times (seconds) are Int; Float is Float;
// GUIDs are 16 bytes and text is UTF-8 in Bytes, valid until Next.
type Rows interface {
	Next() bool // false at the end and on error; then Err tells which
	Null(i int) bool
	Int(i int) int64
	Float(i int) float64
	Bytes(i int) []byte
	Err() error
	Close() // idempotent; frees the statement at once
}
