// Package schema is the model as data: tables, columns, option sets and the relations between them, loaded from the YAML
// files of tables/ and a deployment's overlay folder, checked, completed with what follows from a declaration (keys,
// owners, states, _base siblings, relation names) and then frozen.
//
// Everything above binds names to the pointers found here once; after binding no name from a client is looked at again.
package schema

import (
	"almoner/internal/value"
)

// Model is the whole frozen schema. It is replaced as a whole, never changed.
type Model struct {
	Tables     []*Table      // in order of logical name
	OptionSets []*OptionSet  // global sets, in order of name
	Relations  []*Relation   // one per (lookup, target), in order of name
	ManyToMany []*ManyToMany // in order of name
	Version    string        // short hash of all declarations; changes with any schema change

	byName map[string]*Table
	bySet  map[string]*Table
	byCode map[int]*Table
}

// Table returns the table of a logical name, or nil.
func (m *Model) Table(name string) *Table { return m.byName[name] }

// Set returns the table served under an entity set name, or nil. Hidden tables have no set.
func (m *Model) Set(set string) *Table { return m.bySet[set] }

// ByCode returns the table with an object type code, or nil.
func (m *Model) ByCode(code int) *Table { return m.byCode[code] }

// Ownership says who owns a table's rows.
type Ownership uint8

// The kinds of ownership. Unowned tables (platform tables such as currency or listmember) are governed like
// organization-owned ones: their privileges have depth global only.
const (
	Unowned Ownership = iota
	UserOwned
	OrganizationOwned
)

// Table is one kind of row.
type Table struct {
	Name     string // logical name, svc_gift
	Schema   string // schema name, svc_Gift
	Set      string // entity set name, svc_gifts; "" for a hidden table
	Label    string // display name
	Plural   string // display name of many
	Doc      string
	TypeCode int // object type code; custom tables from 10000 up, never reused
	Owner    Ownership
	Track    bool // change tracking
	Audit    bool
	Hidden   bool // a side table of the store's own: no set, not in metadata, not tracked
	Platform bool // belongs to the platform (users, roles, currencies ...): not a business table of the foundation
	ReadOnly bool // clients may only read it
	Link     bool // the intersect of a many-to-many relation

	Key     *Column // the GUID primary key; nil for a hidden table with a composite key
	Title   *Column // primary name; nil if it has none
	Columns []*Column
	Unique  [][]*Column // composite unique constraints; the first is the primary key of a table without Key
	Indexes []Index     // compound indexes
	Parents []*Relation // lookups of this table, one per target
	Childs  []*Relation // lookups of other tables that point here

	columns map[string]*Column // by logical name, hidden ones included
	props   map[string]*Column // by wire name: svc_giftnum, _svc_donor_value
	navs    map[string]*Nav
	navList []*Nav
}

// Index is an index of several columns; a column with Virtual typename:x stands for the type code kept beside lookup x.
type Index struct {
	Columns []*Column
	Unless  *Column // a Boolean: rows for which it is not false have no place in the index; nil: all have
}

// Column returns the column of a logical name, or nil. Hidden columns are found too: rules use them.
func (t *Table) Column(name string) *Column { return t.columns[name] }

// Updatable tells whether clients may change rows of the table. A row that joins two others is made and removed, not changed.
func (t *Table) Updatable() bool { return !t.ReadOnly && !t.Link }

// StoredColumns lists the columns the table has in a database.
func (t *Table) StoredColumns() []*Column {
	out := make([]*Column, 0, len(t.Columns))
	for _, c := range t.Columns {
		if c.Stored() {
			out = append(out, c)
		}
	}
	return out
}

// MustColumn is Column for names the program itself relies on; a missing one is a programming error.
func (t *Table) MustColumn(name string) *Column {
	if c := t.columns[name]; c != nil {
		return c
	}
	panic("schema: table " + t.Name + " has no column " + name)
}

// Property returns the column served under a wire name (_svc_donor_value for lookups), or nil.
func (t *Table) Property(wire string) *Column { return t.props[wire] }

// Nav returns the navigation property of exactly this name, or nil.
func (t *Table) Nav(name string) *Nav { return t.navs[name] }

// Navs lists all navigation properties in order of name.
func (t *Table) Navs() []*Nav { return t.navList }

// Need is the requirement level of a column. Only SystemRequired is enforced for every caller; what else a row cannot
// live without is said by the rules (decision 4).
type Need uint8

// The requirement levels.
const (
	Optional Need = iota
	Recommended
	ApplicationRequired
	SystemRequired
)

// Column is one typed slot of a table's rows.
type Column struct {
	Table  *Table
	Index  int    // position in Table.Columns
	Number int    // stable column number, from 1; used by audit masks and metadata
	Name   string // logical name
	Wire   string // name on the wire: Name, or _name_value for a lookup
	Schema string // schema name: svc_GiftNum
	Label  string
	Doc    string
	Type   Type
	Max    int   // longest text in UTF-16 units
	Scale  int   // decimals of Money (2) and Decimal
	Low    int64 // least and greatest stored integer of a number (in scaled units); both 0: the type's own range
	High   int64
	Need   Need

	Options *OptionSet  // choice, state, status; for Bool its two labels
	Default value.Value // taken on create when the client sends nothing
	Targets []*Table    // lookup: tables it may point at
	Nav     string      // lookup: the navigation property that stands for the lookup as a whole (svc_Payee)

	Base   *Column // money: its _base sibling
	BaseOf *Column // _base column: the money column it restates

	Indexed    bool   // has an index; text then always has its folded shadow
	Computed   bool   // kept by the service: a client's value is ignored (a _base column's refused)
	CreateOnly bool   // taken on create, ignored on update
	Ruled      bool   // choice: which values are taken is for the rules to say, not for the option set
	Virtual    string // not stored: the name of the read-time derivation that yields it; "" for a stored column
	Hidden     bool   // stored, never on the wire
	System     bool   // added by compilation, not declared
	Custom     bool   // declared by a deployment's overlay or carrying a custom prefix
}

// Polymorphic tells whether a lookup may point at several tables; its cell then comes with a type code.
func (c *Column) Polymorphic() bool { return len(c.Targets) > 1 }

// Stored tells whether the store has a column of this name.
func (c *Column) Stored() bool { return c.Virtual == "" }

// IsText tells whether values are compared by folded text.
func (c *Column) IsText() bool { return c.Type.Kind() == value.KindText }

// Folded tells whether a column has its fold stored beside it. A multi-choice column holds digits and commas, which are their own fold.
func (c *Column) Folded() bool { return c.IsText() && c.Type != TypeMultiChoice }

// OnDelete says what becomes of a child row when its parent is deleted.
type OnDelete uint8

// The delete behaviours.
const (
	RemoveLink OnDelete = iota // the lookup becomes null
	Restrict                   // the delete is refused
	Cascade                    // the child goes too
)

// Relation is one lookup seen together with one of its targets: child rows point at a parent row.
type Relation struct {
	Name         string  // schema name and collection navigation property: svc_svc_donor_svc_gift_Donor
	Child        *Table  // the referencing table
	Column       *Column // the lookup on Child
	Parent       *Table  // the referenced table
	Nav          string  // single-valued navigation property on Child for this target: svc_Donor, svc_Payee_contact
	Collection   string  // collection navigation property on Parent; equals Name
	OnDelete     OnDelete
	Hierarchical bool // Under, Above and friends walk it
	System       bool // added by compilation (createdby and the like)
}

// ManyToMany joins two tables through the rows of a third.
type ManyToMany struct {
	Name      string // schema name and navigation property on both sides: listcontact_association
	Intersect *Table
	A, B      Side
}

// Side is one end of a ManyToMany.
type Side struct {
	Table  *Table
	Column *Column // lookup on the intersect table that points at Table
	Nav    string  // navigation property on Table that leads to the other side
}

// Nav is a navigation property: the name by which a URL walks from a row to related ones.
type Nav struct {
	Name     string
	From     *Table
	To       *Table      // nil when the property leads to one of several tables (svc_Payee, ownerid) or to a list's members
	Many     bool        // collection-valued
	Column   *Column     // single: the lookup on From. Collection of a Relation: the lookup on To. N:N: nil
	Relation *Relation   // nil for N:N and for a property with several targets
	Through  *ManyToMany // N:N
	Members  bool        // listmember_association: the member table is chosen by the list's createdfromcode
}

// Ends returns the two sides of an N:N navigation property as seen from its row: the row's own side, then the other.
func (n *Nav) Ends() (here, there Side) {
	if n.Through.A.Table == n.From && n.Through.A.Nav == n.Name {
		return n.Through.A, n.Through.B
	}
	return n.Through.B, n.Through.A
}

// OptionSet is the closed or open set of integers a choice column may hold, with their labels.
type OptionSet struct {
	Name    string
	Label   string
	Doc     string
	Global  bool // shared under its own name, listed in GlobalOptionSetDefinitions
	Open    bool // values of the two platform prefixes are taken without being listed (decision 6)
	Options []Option

	labels map[int64]string
}

// Option is one value of a set. State is the statecode a status value belongs to; Status the default statuscode of a
// state value.
type Option struct {
	Value  int64
	Label  string
	Doc    string
	State  int64
	Status int64
}

// LabelOf returns the label of a value; ok is false for a value without one.
func (s *OptionSet) LabelOf(v int64) (label string, ok bool) {
	label, ok = s.labels[v]
	return label, ok
}

// Accepts tells whether a value may be stored: it is listed, or the set is open and the value carries a platform prefix.
func (s *OptionSet) Accepts(v int64) bool {
	if _, ok := s.labels[v]; ok {
		return true
	}
	return s.Open && (v >= 730850000 && v <= 730850999 || v >= 100000000 && v <= 100000999)
}
