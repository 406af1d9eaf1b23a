// Package rules is the foundation's business logic: what a row may hold, what follows from a write, and the books (paid,
// balance, giving history, fund totals) that must be right in the same transaction. One file per table, each rule named.
// Rules reach the database only through Env.
package rules

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// Env is the transaction as the rules see it. Reads see the transaction's own writes.
type Env interface {
	Now() int64 // the service's clock in seconds since 1970, fixed for the transaction
	Model() *schema.Model
	Settings() *settings.Settings
	// Row returns all stored columns of a row; nil when there is none.
	Row(t *schema.Table, id value.GUID) (*query.Row, error)
	// Lock is Row that keeps others from changing the row until the transaction ends. A row that the transaction has seen and that
	// others have deleted since is an error.
	Lock(t *schema.Table, id value.GUID) (*query.Row, error)
	// LockAll is Lock of many rows at once, in the order given; Lock and Row then find them without asking the database.
	LockAll(keys []query.Key) error
	// BaseCurrency returns the row of the base currency; nil when there is none.
	BaseCurrency() (*query.Row, error)
	// Find returns the rows whose columns hold the given values, in key order, with the columns asked for (nil: all stored).
	Find(t *schema.Table, where []query.Assign, cols []*schema.Column) ([]*query.Row, error)
	// Read runs a query of the rules' own; the caller's privileges do not apply to it.
	Read(q *query.Query) (query.Rows, error)
	// Derive changes columns the service keeps: version and change log move, modifiedon and modifiedby do not. Values equal
	// to the stored ones write nothing. Hidden columns alone move nothing but themselves.
	Derive(t *schema.Table, id value.GUID, set []query.Assign) error
	// Touch moves version and change log of a row whose stored columns stay as they are, because a value made at read time
	// has changed. A row that is not there is passed over.
	Touch(t *schema.Table, id value.GUID) error
	// Create, Update and Delete are full writes with all rules, as the service itself: for actions and cascades.
	Create(t *schema.Table, set []query.Assign) (value.GUID, error)
	Update(t *schema.Table, id value.GUID, set []query.Assign) error
	Delete(t *schema.Table, id value.GUID) error
	// Add adds to the sums of a hidden table; Put replaces a row of one.
	Add(t *schema.Table, key, add []query.Assign) error
	Put(t *schema.Table, set []query.Assign) error
	// NextNumber draws the next number of a counter, starting at 1.
	NextNumber(counter string) (int64, error)
	// ParseListQuery checks the FetchXML of a dynamic list: valid, and on the given member table.
	ParseListQuery(fetch string, member *schema.Table) error
	// Warn adds a warning to the answer.
	Warn(text string)
}

// Write is one row's write as it passes the rules.
type Write struct {
	Kind query.ChangeKind
	Old  *query.Row // nil on create
	New  *query.Row // nil on delete; the row as it will be stored, all columns loaded; rules set columns here
	Sent map[*schema.Column]bool
	// System marks a write the service makes itself (Env.Create and the like): computed columns may be set by it.
	System bool
}

// Has tells whether the client itself sent a column.
func (w *Write) Has(name string) bool { return w.Sent[w.Row().Table.MustColumn(name)] }

// Row returns the row in question: New, or Old on delete.
func (w *Write) Row() *query.Row {
	if w.New != nil {
		return w.New
	}
	return w.Old
}

// Changed tells whether a column differs between Old and New; on create, whether it is set.
func (w *Write) Changed(name string) bool {
	c := w.Row().Table.MustColumn(name)
	switch {
	case w.New == nil:
		return true
	case w.Old == nil:
		return !w.New.Get(c).IsNull()
	default:
		return w.Old.Get(c) != w.New.Get(c)
	}
}
