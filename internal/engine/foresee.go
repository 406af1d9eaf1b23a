package engine

import (
	"bytes"
	"cmp"
	"maps"
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

// Foresight is what is known of the writes of a transaction before the first of them. A wrong guess costs time and nothing else.
type Foresight struct {
	Written []query.Key   // rows that will be changed or deleted
	Targets []query.Key   // rows that lookups will be set to
	Only    *schema.Table // the one table that rows are added to, where that is all the transaction does
}

// Note adds what a change will write and refer to.
func (f *Foresight) Note(x *Tx, ch *query.Change) {
	if ch.Kind != query.Create {
		f.Written = append(f.Written, query.Key{Table: ch.Table, ID: ch.ID})
	}
	f.Targets = x.targets(f.Targets, ch.Set)
}

// Foresee reads the rows that the writes to come need, all at once instead of with each write, and locks those that will be changed or
// settled in the order in which everybody locks them: transactions that change the same rows then wait for each other instead of
// blocking each other.
func (x *Tx) Foresee(f Foresight) error {
	switch {
	case x.store.Serial():
		return nil // reading with each write costs the same, and nobody else writes
	case x.books.Deferred:
		return x.fetch(divide(f.Targets, nil))
	case f.Only != nil && settledWith[f.Only.Name] != nil:
		return x.fetch(divide(f.Targets, settledWith[f.Only.Name]))
	default:
		return x.lockAhead(f)
	}
}

// heads and parents are the tables whose rows settling locks, in its order: rows that have details, and what their totals move.
var (
	heads   = []string{"svc_gift", "svc_request"}
	parents = []string{"svc_donor", "svc_fund", "svc_fundgroup"}
)

// lockAhead locks the rows that writes will lock: first those that have details, then the donors and funds they belong to, then the rest.
func (x *Tx) lockAhead(f Foresight) error {
	details, _ := divide(f.Written, slices.Sorted(maps.Keys(masters)))
	_, others := divide(f.Targets, slices.Concat(heads, parents))
	if err := x.fetch(nil, slices.Concat(details, others)); err != nil {
		return err
	}
	known := slices.Concat(f.Written, f.Targets)
	for _, k := range details {
		known = append(known, x.masterOf(k)...)
	}
	first, _ := divide(known, heads)
	if err := x.fetch(first, nil); err != nil {
		return err
	}
	for _, k := range slices.Concat(first, details) {
		known = append(known, x.settledBy(k)...)
	}
	second, _ := divide(known, parents)
	if err := x.fetch(second, nil); err != nil {
		return err
	}
	_, rest := divide(f.Written, slices.Concat(heads, parents))
	return x.fetch(rest, nil)
}

// masterOf names the row a detail belongs to; none when the detail is not there.
func (x *Tx) masterOf(k query.Key) []query.Key {
	e := x.rows[rowKey{k.Table, k.ID}]
	if e == nil || e.row == nil {
		return nil
	}
	c := k.Table.MustColumn(masters[k.Table.Name])
	return x.targets(nil, []query.Assign{{Column: c, Value: e.row.Get(c)}})
}

// settledBy names the donors and funds a row points at.
func (x *Tx) settledBy(k query.Key) []query.Key {
	e := x.rows[rowKey{k.Table, k.ID}]
	if e == nil || e.row == nil {
		return nil
	}
	var set []query.Assign
	for _, rel := range k.Table.Parents {
		if slices.Contains(parents, rel.Parent.Name) {
			set = append(set, query.Assign{Column: rel.Column, Value: e.row.Get(rel.Column)})
		}
	}
	return x.targets(nil, set)
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
	targets = slices.Clone(targets)
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
