package engine

import (
	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/value"
)

// placeInUnit gives a row its place among the business units where it names none: a new user, team or role is in the caller's unit, and
// a unit is below the root, of which there is one. A role that is no copy is its own root role.
func (x *Tx) placeInUnit(w *rules.Write) {
	switch w.New.Table.Name {
	case "systemuser", "team":
		x.joinUnit(w)
	case "role":
		x.joinUnit(w)
		fill(w.New, "parentrootroleid", w.New.ID)
	case "businessunit":
		if w.New.ID != auth.RootUnit {
			fill(w.New, "parentbusinessunitid", auth.RootUnit)
		}
	}
}

// joinUnit puts a row that was in no unit before into the caller's.
func (x *Tx) joinUnit(w *rules.Write) {
	if w.Old == nil || w.Old.Value("businessunitid").IsNull() {
		fill(w.New, "businessunitid", x.ownUnit())
	}
}

// ownUnit is the caller's business unit; the root for a caller who is in none.
func (x *Tx) ownUnit() value.GUID {
	if x.caller.Unit.IsZero() {
		return auth.RootUnit
	}
	return x.caller.Unit
}

// fill sets a lookup that holds nothing.
func fill(r *query.Row, lookup string, id value.GUID) {
	if r.Value(lookup).IsNull() {
		r.Put(lookup, value.ID(id))
	}
}
