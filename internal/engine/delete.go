package engine

import (
	"slices"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// delete is Delete; system marks a write of the service itself.
func (x *Tx) delete(ch *query.Change, system bool) error {
	e, err := x.writable(ch, auth.Delete, system)
	if err != nil {
		return err
	}
	w := &rules.Write{Kind: query.Delete, Old: e.row, System: system}
	if err := x.books.Before(w); err != nil {
		return x.discreet(e.row, err)
	}
	if err := x.release(e.row); err != nil {
		return err
	}
	x.put(e, nil, true)
	if err := x.logLink(w.Old, actionDissociate); err != nil {
		return err
	}
	return x.books.After(w)
}

// release deals with the rows that point at one about to go: refuses, removes them too, or clears their lookups.
func (x *Tx) release(row *query.Row) error {
	for _, action := range []schema.OnDelete{schema.Restrict, schema.Cascade, schema.RemoveLink} {
		for _, r := range row.Table.Childs {
			if r.System || r.OnDelete != action || r.Child.Key == nil {
				continue
			}
			if err := x.releaseChildren(r, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// holders finds the rows that point at one through a relation. A lookup the rules keep is not indexed where it is set with every write:
// it only ever points at a row that points back, as a donor's latest gift is a gift of the donor.
func (x *Tx) holders(r *schema.Relation, row *query.Row) ([]*query.Row, error) {
	want := lookupValue(r.Column, r.Parent, row.ID)
	if !r.Column.Computed || r.Column.Indexed {
		return env{x}.Find(r.Child, []query.Assign{{Column: r.Column, Value: want}}, []*schema.Column{r.Column})
	}
	var out []*query.Row
	for _, c := range row.Table.Columns {
		if c.Type != schema.TypeLookup || !slices.Contains(c.Targets, r.Child) || row.Get(c).IsNull() {
			continue
		}
		holder, err := x.Row(r.Child, row.Get(c).ID(), false)
		if err != nil {
			return nil, err
		}
		if holder != nil && holder.Get(r.Column) == want && !slices.Contains(out, holder) {
			out = append(out, holder)
		}
	}
	return out, nil
}

func (x *Tx) releaseChildren(r *schema.Relation, row *query.Row) error {
	children, err := x.holders(r, row)
	if err != nil {
		return err
	}
	for _, child := range children {
		switch r.OnDelete {
		case schema.Restrict:
			return x.blocked(r, row.ID, child)
		case schema.Cascade:
			err = env{x}.Delete(r.Child, child.ID)
		case schema.RemoveLink:
			err = env{x}.Derive(r.Child, child.ID, []query.Assign{{Column: r.Column, Value: value.Null}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// blocked refuses a delete because of a row that points at the one to go. The row is named to who may read it.
func (x *Tx) blocked(r *schema.Relation, id value.GUID, child *query.Row) error {
	by := "a row of '" + r.Child.Name + "'"
	if x.allowed(x.ctx, child, auth.Read) == nil {
		by = "the '" + r.Child.Name + "' " + child.ID.String()
	}
	return fault.New(fault.CannotDeleteAssociated, "The '%s' %s cannot be deleted because %s refers to it through %s.", r.Parent.Name, id, by, r.Column.Name).
		At(r.Parent.Name, "relation "+r.Name)
}

// discreet takes out of a rule's refusal to delete what it says about rows the caller may not read.
func (x *Tx) discreet(row *query.Row, err error) error {
	if fault.As(err).Code != fault.CannotDeleteAssociated {
		return err
	}
	for _, r := range row.Table.Childs {
		if !r.System && x.caller.Depth(r.Child, auth.Read) != auth.Global {
			return fault.New(fault.CannotDeleteAssociated, "The '%s' %s cannot be deleted because other rows depend on it.", row.Table.Name, row.ID).At(row.Table.Name)
		}
	}
	return err
}
