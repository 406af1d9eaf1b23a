package engine

import (
	"slices"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// createParents makes the rows a create carries in single-valued navigation properties and returns its assignments with the
// lookups to them.
func (x *Tx) createParents(ch *query.Change) ([]query.Assign, error) {
	set := ch.Set
	for _, n := range ch.Nested {
		if n.Nav.Many {
			continue
		}
		for _, c := range n.Creates {
			id, err := x.create(c, false)
			if err != nil {
				return nil, fault.In(err, "navigation "+n.Nav.Name)
			}
			set = append(slices.Clip(set), query.Assign{Column: n.Nav.Column, Value: lookupValue(n.Nav.Column, c.Table, id)})
		}
	}
	return set, nil
}

// createChildren makes and binds the rows a create carries in collection-valued navigation properties.
func (x *Tx) createChildren(ch *query.Change, id value.GUID) error {
	for _, n := range ch.Nested {
		if !n.Nav.Many {
			continue
		}
		for _, c := range n.Creates {
			if err := x.createChild(n.Nav, ch.Table, id, c); err != nil {
				return fault.In(err, "navigation "+n.Nav.Name)
			}
		}
		for _, other := range n.Binds {
			if err := x.Associate(n.Nav, ch.Table, id, n.Nav.To, other); err != nil {
				return err
			}
		}
	}
	return nil
}

// createChild makes a row of a collection. The change itself stays as it is, because the transaction may have to run again.
func (x *Tx) createChild(nav *schema.Nav, parent *schema.Table, id value.GUID, c *query.Change) error {
	if nav.Relation != nil {
		child := *c
		child.Set = append(slices.Clip(c.Set), query.Assign{Column: nav.Column, Value: lookupValue(nav.Column, parent, id)})
		_, err := x.create(&child, false)
		return err
	}
	child, err := x.create(c, false)
	if err != nil {
		return err
	}
	return x.Associate(nav, parent, id, c.Table, child)
}

// lookupValue is the value of a lookup that points at a row of a table.
func lookupValue(c *schema.Column, t *schema.Table, id value.GUID) value.Value {
	if c.Polymorphic() {
		return value.Ref(id, t.TypeCode)
	}
	return value.ID(id)
}

// Associate links a row to another one through a collection-valued navigation property. Linking what is linked is a duplicate,
// except for list members (decision 21).
func (x *Tx) Associate(nav *schema.Nav, t *schema.Table, id value.GUID, other *schema.Table, otherID value.GUID) error {
	if nav.Relation != nil {
		set := []query.Assign{{Column: nav.Column, Value: lookupValue(nav.Column, t, id)}}
		return x.Update(&query.Change{Kind: query.Update, Table: nav.Relation.Child, ID: otherID, Set: set})
	}
	here, there := nav.Ends()
	if err := x.mayLink(here.Table, id, there.Table, otherID); err != nil {
		return err
	}
	found, err := x.pair(nav, id, otherID)
	if err != nil {
		return err
	}
	if found != nil {
		return fault.New(fault.DuplicateRecord, "A record with matching key values already exists.").At(nav.Name)
	}
	set := []query.Assign{
		{Column: here.Column, Value: lookupValue(here.Column, here.Table, id)},
		{Column: there.Column, Value: lookupValue(there.Column, there.Table, otherID)},
	}
	_, err = x.create(&query.Change{Kind: query.Create, Table: nav.Through.Intersect, Set: set}, true)
	return err
}

// Dissociate undoes Associate; a pair that is not there is 404.
func (x *Tx) Dissociate(nav *schema.Nav, t *schema.Table, id, otherID value.GUID) error {
	if nav.Relation != nil {
		return x.unlink(nav, id, otherID)
	}
	here, there := nav.Ends()
	if err := x.mayLink(here.Table, id, there.Table, otherID); err != nil {
		return err
	}
	found, err := x.pair(nav, id, otherID)
	if err != nil {
		return err
	}
	if found == nil {
		return notLinked(nav, otherID)
	}
	return x.delete(&query.Change{Kind: query.Delete, Table: nav.Through.Intersect, ID: found.ID}, true)
}

func notLinked(nav *schema.Nav, other value.GUID) error {
	return fault.New(fault.ObjectDoesNotExist, "The row %s is not linked through '%s'.", other, nav.Name).At(nav.From.Name, "navigation "+nav.Name)
}

// MayClear refuses to empty a single-valued navigation property that points at a row the caller could not have set it to.
func (x *Tx) MayClear(nav *schema.Nav, id value.GUID) error {
	row, err := x.permitted(nav.From, id, false, auth.UpdateRights...)
	if err != nil || row.Get(nav.Column).IsNull() {
		return err
	}
	return fault.In(x.checkTarget(query.Assign{Column: nav.Column, Value: row.Get(nav.Column)}, false), "navigation "+nav.Name)
}

func (x *Tx) unlink(nav *schema.Nav, id, otherID value.GUID) error {
	if _, err := x.permitted(nav.From, id, false, auth.BindRights...); err != nil {
		return err
	}
	child, err := x.permitted(nav.Relation.Child, otherID, false, auth.UpdateRights...)
	if err != nil {
		return err
	}
	if child.Get(nav.Column).ID() != id {
		return notLinked(nav, otherID)
	}
	set := []query.Assign{{Column: nav.Column, Value: value.Null}}
	return x.Update(&query.Change{Kind: query.Update, Table: nav.Relation.Child, ID: otherID, Set: set})
}

// mayLink checks that both rows are there and that the caller may append one to the other, or take it off.
func (x *Tx) mayLink(t *schema.Table, id value.GUID, other *schema.Table, otherID value.GUID) error {
	if err := x.require(other, auth.BindRights...); err != nil {
		return err
	}
	if _, err := x.permitted(t, id, true, auth.UpdateRights...); err != nil {
		return err
	}
	_, err := x.permitted(other, otherID, false, auth.BindRights...)
	return err
}

// pair finds the intersect row that joins two rows; nil when there is none.
func (x *Tx) pair(nav *schema.Nav, id, otherID value.GUID) (*query.Row, error) {
	here, there := nav.Ends()
	rows, err := env{x}.Find(nav.Through.Intersect, []query.Assign{
		{Column: here.Column, Value: value.ID(id)}, {Column: there.Column, Value: value.ID(otherID)},
	}, nil)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}
