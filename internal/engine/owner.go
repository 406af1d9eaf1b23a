package engine

import (
	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/value"
)

// assignOwner gives a row to a user or team: the caller needs Assign, also to create a row for somebody else; the new owner needs
// Read, and Create for a row that is new.
func (x *Tx) assignOwner(w *rules.Write, owner value.Value, system bool) error {
	t := w.New.Table
	if owner.IsNull() {
		return fault.New(fault.OwnerInvalid, "The owner of a row cannot be empty.").At(t.Name, "column ownerid")
	}
	if w.Old != nil && w.Old.Value("ownerid") == owner {
		return nil
	}
	if !system {
		if err := x.mayAssign(w, owner); err != nil {
			return err
		}
	}
	table := x.e.model.ByCode(owner.TypeCode())
	principal, err := x.mustRow(table, owner.ID(), false)
	if err != nil {
		return err
	}
	if err := x.checkOwner(t.Name, principal); err != nil {
		return err
	}
	if !system {
		if err := x.mayOwn(w, principal); err != nil {
			return err
		}
	}
	x.setOwner(w.New, owner, principal.Value("businessunitid"))
	return nil
}

// mayOwn refuses an owner who could not have made or could not read the row.
func (x *Tx) mayOwn(w *rules.Write, principal *query.Row) error {
	rights := []auth.Right{auth.Read}
	if w.Old == nil && principal.ID != x.caller.User {
		rights = auth.CreateRights
	}
	for _, r := range rights {
		if err := auth.RequireOf(x.ctx, x.source, x.e.model, principal, w.New.Table, r); err != nil {
			return err
		}
	}
	return nil
}

func (x *Tx) mayAssign(w *rules.Write, owner value.Value) error {
	if w.Old == nil && owner.ID() == x.caller.User {
		return nil // who creates a row may say that it is theirs
	}
	if err := x.require(w.New.Table, auth.Assign); err != nil {
		return err
	}
	if w.Old == nil {
		return nil
	}
	return x.allowed(x.ctx, w.Old, auth.Assign)
}

func (x *Tx) checkOwner(table string, principal *query.Row) error {
	switch principal.Table {
	case x.e.columns.user:
		if principal.Value("isdisabled").Bool() {
			return fault.New(fault.OwnerDisabled, "The user %s is disabled and cannot own rows.", principal.ID).At(table, "column ownerid")
		}
	case x.e.columns.team:
		if principal.Value("teamtype").Int() == 1 {
			return fault.New(fault.OwnerAccessTeam, "The team %s is an access team and cannot own rows.", principal.ID).At(table, "column ownerid")
		}
	}
	return nil
}

// setOwner fills ownerid and the columns that follow it.
func (x *Tx) setOwner(r *query.Row, owner, unit value.Value) {
	user, team := value.Null, value.Null
	if owner.TypeCode() == x.e.columns.team.TypeCode {
		team = value.ID(owner.ID())
	} else {
		user = value.ID(owner.ID())
	}
	r.Put("ownerid", owner)
	r.Put("owninguser", user)
	r.Put("owningteam", team)
	r.Put("owningbusinessunit", unit)
}
