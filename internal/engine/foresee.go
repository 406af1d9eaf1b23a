package engine

import (
	"bytes"
	"cmp"
	"slices"

	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
)

// settledWith names the tables whose totals move with a new row of a table, in the order in which their rows are locked.
var settledWith = map[string][]string{"svc_gift": {"svc_donor", "svc_fund"}}

// Sole says that the transaction is the one write that follows. What it will settle may then be locked when it is first read: no other
// write of the transaction has locked anything that would come later in the order.
func (x *Tx) Sole() { x.sole = true }

// Foresee reads the rows that the writes to come will refer to, all at once instead of with each write. Where all that the transaction
// does is to add rows to one table, only, what it will settle is locked along. A wrong guess costs time and nothing else.
func (x *Tx) Foresee(targets []query.Key, only *schema.Table) error {
	if x.store.Serial() {
		return nil // reading with each write costs the same
	}
	var settled []string
	if only != nil && !x.books.Deferred {
		settled = settledWith[only.Name]
	}
	return x.fetch(divide(targets, settled))
}

// ForeseeCreates is Foresee for rows to be added to one table, which is all that the transaction does.
func (x *Tx) ForeseeCreates(changes []*query.Change) error {
	var targets []query.Key
	var only *schema.Table
	for _, ch := range changes {
		targets = x.targets(targets, ch.Set)
		only = ch.Table
	}
	return x.Foresee(targets, only)
}

// fetchTargets reads the rows that assignments of a write point at.
func (x *Tx) fetchTargets(w *rules.Write, set []query.Assign) error {
	var settled []string
	if x.sole && w.Kind == query.Create {
		settled = settledWith[w.New.Table.Name]
	}
	return x.fetch(divide(x.targets(nil, set), settled))
}

// targets appends the rows that assignments point at.
func (x *Tx) targets(to []query.Key, set []query.Assign) []query.Key {
	for _, a := range set {
		if a.Column.Type != schema.TypeLookup || a.Value.IsNull() {
			continue
		}
		if t := x.targetOf(a); t != nil {
			to = append(to, query.Key{Table: t, ID: a.Value.ID()})
		}
	}
	return to
}

// divide parts rows into those to be locked, in the order of their tables and ids, and those to be read. None is in either twice.
func divide(targets []query.Key, settled []string) (lock, read []query.Key) {
	slices.SortFunc(targets, func(a, b query.Key) int {
		return cmp.Or(cmp.Compare(slices.Index(settled, a.Table.Name), slices.Index(settled, b.Table.Name)),
			cmp.Compare(a.Table.Name, b.Table.Name), bytes.Compare(a.ID[:], b.ID[:]))
	})
	targets = slices.Compact(targets)
	first := slices.IndexFunc(targets, func(k query.Key) bool { return slices.Contains(settled, k.Table.Name) })
	if first < 0 {
		return nil, targets
	}
	return targets[first:], targets[:first]
}

// targetOf returns the table a lookup is set to.
func (x *Tx) targetOf(a query.Assign) *schema.Table {
	if a.Column.Polymorphic() {
		return x.e.model.ByCode(a.Value.TypeCode())
	}
	return a.Column.Targets[0]
}
