package query

import (
	"almoner/internal/schema"
	"almoner/internal/value"
)

// ChangeKind says what a Change does.
type ChangeKind uint8

// The kinds of change.
const (
	Create ChangeKind = iota + 1
	Update
	Delete
)

// Change is one bound write of one row. Set holds only columns a client may send, already of the right kind, length and
// option; targets of lookups have not been looked at yet.
type Change struct {
	Kind    ChangeKind
	Table   *schema.Table
	ID      value.GUID // zero on Create: the service makes one
	Set     []Assign
	Nested  []Nested // deep inserts and collection binds of a create
	IfMatch Versions // versions the row must have one of; nil for no condition
}

// Assign gives a column a value; null clears it. A polymorphic lookup's value is a value.Ref.
type Assign struct {
	Column *schema.Column
	Value  value.Value
}

// Nested is what a create brings along through a navigation property: rows to create with it, or existing rows to bind.
// A single-valued property has exactly one Create; it is made first and the lookup set to it.
type Nested struct {
	Nav     *schema.Nav
	Creates []*Change
	Binds   []value.GUID
}

// Versions is a list of acceptable row versions (ETags).
type Versions []int64

// Has tells whether v is among them.
func (vs Versions) Has(v int64) bool {
	for _, w := range vs {
		if w == v {
			return true
		}
	}
	return false
}
