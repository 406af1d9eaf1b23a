package schema

import "almoner/internal/value"

// Type is the platform type of a column.
type Type uint8

// The column types.
const (
	TypeID      Type = iota + 1 // the table's own GUID key
	TypeGUID                    // a GUID that is neither key nor lookup
	TypeString                  // one line of text
	TypeMemo                    // many lines of text
	TypeName                    // logical name of a table, stored as text
	TypeInteger                 // 32 bits
	TypeBigInt                  // 64 bits
	TypeMoney                   // integer minor units, two decimals
	TypeDecimal                 // exact, Column.Scale decimals
	TypeFloat                   // binary floating point
	TypeBool
	TypeChoice
	TypeMultiChoice // comma-separated integers in ascending order, stored as text
	TypeState
	TypeStatus
	TypeDate     // calendar date
	TypeDateTime // moment, whole seconds, UTC
	TypeLookup
)

// FloatScale is how many decimals a value of TypeFloat keeps.
const FloatScale = 5

// typeFacts is the one table of what follows from a type: its name in YAML, the kind of its values, its EDM type, and
// its AttributeType in the metadata API.
var typeFacts = [...]struct {
	yaml      string
	kind      value.Kind
	edm       string
	attribute string
}{
	TypeID:          {"id", value.KindID, "Edm.Guid", "Uniqueidentifier"},
	TypeGUID:        {"guid", value.KindID, "Edm.Guid", "Uniqueidentifier"},
	TypeString:      {"string", value.KindText, "Edm.String", "String"},
	TypeMemo:        {"memo", value.KindText, "Edm.String", "Memo"},
	TypeName:        {"entityname", value.KindText, "Edm.String", "EntityName"},
	TypeInteger:     {"integer", value.KindInt, "Edm.Int32", "Integer"},
	TypeBigInt:      {"bigint", value.KindInt, "Edm.Int64", "BigInt"},
	TypeMoney:       {"money", value.KindMoney, "Edm.Decimal", "Money"},
	TypeDecimal:     {"decimal", value.KindDecimal, "Edm.Decimal", "Decimal"},
	TypeFloat:       {"float", value.KindFloat, "Edm.Double", "Double"},
	TypeBool:        {"boolean", value.KindBool, "Edm.Boolean", "Boolean"},
	TypeChoice:      {"choice", value.KindInt, "Edm.Int32", "Picklist"},
	TypeMultiChoice: {"multichoice", value.KindText, "Edm.String", "MultiSelectPicklist"},
	TypeState:       {"state", value.KindInt, "Edm.Int32", "State"},
	TypeStatus:      {"status", value.KindInt, "Edm.Int32", "Status"},
	TypeDate:        {"date", value.KindDate, "Edm.Date", "DateTime"},
	TypeDateTime:    {"datetime", value.KindTime, "Edm.DateTimeOffset", "DateTime"},
	TypeLookup:      {"lookup", value.KindID, "Edm.Guid", "Lookup"},
}

// String is the type's name in a declaration.
func (t Type) String() string { return typeFacts[t].yaml }

// Kind is the kind of value a column of this type holds.
func (t Type) Kind() value.Kind { return typeFacts[t].kind }

// Edm is the type's name in CSDL.
func (t Type) Edm() string { return typeFacts[t].edm }

// Attribute is the type's AttributeType in the metadata API.
func (t Type) Attribute() string { return typeFacts[t].attribute }
