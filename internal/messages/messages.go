// Package messages holds the operations of the Web API that are not plain reads and writes of rows: functions and actions, bound
// and unbound, one file per family. A message acts through the engine; it knows no HTTP.
package messages

import (
	"context"
	"encoding/json"

	"almoner/internal/engine"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Binding says what a message is called on.
type Binding uint8

// The bindings.
const (
	Unbound Binding = iota
	OnRow
	OnSet
)

// Param declares one parameter. Type is its CSDL type; the full namespace is written out.
type Param struct {
	Name     string
	Type     string
	Optional bool
}

// Message is one function or action, as it is declared in $metadata and run by a request.
type Message struct {
	Name     string
	Function bool // called by GET, changes nothing
	Binding  Binding
	Tables   []string // tables a bound message may be called on; nil: every table
	Params   []Param
	Returns  string // CSDL type of the result; "" for none. "Microsoft.Dynamics.CRM.XResponse" names a complex type of Fields
	Fields   []Param
	Doc      string
	Do       func(context.Context, *Call) (*Result, error)
}

// Call is one invocation.
type Call struct {
	Session *engine.Session
	// Write runs fn in the call's transaction: the change set's, or one of its own. fn may be run again from the start.
	Write  func(fn func(*engine.Tx) error) error
	Table  *schema.Table // bound: the table
	ID     value.GUID    // bound to a row: its key
	Params Params
	Base   string // address of the service, for links
}

// Model returns the schema.
func (c *Call) Model() *schema.Model { return c.Session.Engine().Model() }

// Params are the parameters of a call as JSON: an action's body, or a function's literals turned into JSON.
type Params map[string]json.RawMessage

// Result is what a message answers. Exactly one of Body and Row is set; neither means no content.
type Result struct {
	Body any  // marshalled as the members of the complex result; a struct, so that members keep their order
	Row  *Row // a row, encoded as a single answer
	List *List
	// Context is the fragment of the answer's context; "" for the message's own result type.
	Context string
}

// Row names a row to be read back and sent.
type Row struct {
	Table *schema.Table
	ID    value.GUID
}

// List is a collection result: each entry is marshalled into value.
type List struct{ Values []any }

// All lists every message, family by family.
func All() []*Message {
	var all []*Message
	for _, family := range [][]*Message{identity, bulk, members, state, access, history, books, merging, initializing} {
		all = append(all, family...)
	}
	return all
}
