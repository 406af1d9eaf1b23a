package engine

import (
	"cmp"
	"slices"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Create makes a row and what it brings along, and returns its id.
func (x *Tx) Create(ch *query.Change) (value.GUID, error) {
	id, err := x.create(ch, false)
	return id, fault.In(err, ch.Table.Name+" create")
}

// Update changes a row: 404 when it is not there, 412 when its version is not one of ch.IfMatch.
func (x *Tx) Update(ch *query.Change) error {
	return fault.In(x.update(ch, false), ch.Table.Name+" update")
}

// Delete removes a row with what goes along, or refuses when other rows stand in the way.
func (x *Tx) Delete(ch *query.Change) error {
	return fault.In(x.delete(ch, false), ch.Table.Name+" delete")
}

// create is Create; system marks a write of the service itself, for which the caller needs no privilege.
func (x *Tx) create(ch *query.Change, system bool) (value.GUID, error) {
	t := ch.Table
	if !system {
		if err := x.require(t, auth.Create, auth.Read); err != nil {
			return value.GUID{}, err
		}
	}
	set, err := x.createParents(ch)
	if err != nil {
		return value.GUID{}, err
	}
	e, err := x.fresh(t, ch.ID)
	if err != nil {
		return value.GUID{}, err
	}
	w := &rules.Write{Kind: query.Create, New: x.newRow(t, e.id), System: system, Sent: map[*schema.Column]bool{}}
	if err := x.apply(w, set, system); err != nil {
		return value.GUID{}, err
	}
	if err := x.books.Before(w); err != nil {
		return value.GUID{}, err
	}
	if err := x.noteReach(w); err != nil {
		return value.GUID{}, err
	}
	x.put(e, w.New, true)
	if err := x.logLink(w.New, actionAssociate); err != nil {
		return value.GUID{}, err
	}
	if err := x.books.After(w); err != nil {
		return value.GUID{}, err
	}
	return e.id, x.createChildren(ch, e.id)
}

// fresh returns the entry of a row to be made; a key the client chose must be free.
func (x *Tx) fresh(t *schema.Table, id value.GUID) (*entry, error) {
	if id.IsZero() {
		k := rowKey{t, value.NewGUID(x.e.clock())}
		e := &entry{rowKey: k, locked: true}
		x.rows[k] = e
		return e, nil
	}
	e, err := x.load(t, id, false)
	if err != nil {
		return nil, err
	}
	if e.row != nil {
		return nil, fault.New(fault.DuplicateRecord, "A record with matching key values already exists.").At(t.Name, "id "+id.String())
	}
	e.locked = true
	if e.pending {
		err = x.flush() // it was deleted in this transaction: that is a change of its own
	}
	return e, err
}

// newRow is an empty row with defaults and system columns filled.
func (x *Tx) newRow(t *schema.Table, id value.GUID) *query.Row {
	r := query.NewRow(t, id)
	for _, c := range t.Columns {
		r.Set(c, c.Default)
	}
	r.Set(t.Key, value.ID(id))
	x.setIf(r, "createdon", value.Time(x.now))
	x.setIf(r, "createdby", value.ID(x.caller.User))
	if x.caller.Impersonating() {
		x.setIf(r, "createdonbehalfby", value.ID(x.caller.Real))
	}
	x.stampModified(r)
	switch t.Owner {
	case schema.UserOwned:
		x.setOwner(r, value.Ref(x.caller.User, x.e.columns.user.TypeCode), value.ID(x.ownUnit()))
	case schema.OrganizationOwned:
		x.setIf(r, "organizationid", value.ID(x.caller.Organization))
	}
	return r
}

func (x *Tx) stampModified(r *query.Row) {
	x.setIf(r, "modifiedon", value.Time(x.now))
	x.setIf(r, "modifiedby", value.ID(x.caller.User))
	behalf := value.Null
	if x.caller.Impersonating() {
		behalf = value.ID(x.caller.Real)
	}
	x.setIf(r, "modifiedonbehalfby", behalf)
}

func (x *Tx) setIf(r *query.Row, name string, v value.Value) {
	if c := r.Table.Column(name); c != nil {
		r.Set(c, v)
	}
}

// apply sets what the client sent on the row, after looking at every lookup's target.
func (x *Tx) apply(w *rules.Write, set []query.Assign, system bool) error {
	if err := x.fetchTargets(w, set); err != nil {
		return err
	}
	for _, a := range set {
		w.Sent[a.Column] = true
		if a.Column.Type == schema.TypeLookup && !a.Value.IsNull() {
			if err := x.checkTarget(a, system); err != nil {
				return fault.In(err, "column "+a.Column.Name)
			}
		}
		switch a.Column.Name {
		case "ownerid":
			if w.New.Table.Owner == schema.UserOwned {
				if err := x.assignOwner(w, a.Value, system); err != nil {
					return err
				}
				continue
			}
		case "overriddencreatedon":
			if err := x.overrideCreatedOn(w.New, a.Value, system); err != nil {
				return err
			}
			continue
		}
		w.New.Set(a.Column, a.Value)
	}
	x.placeInUnit(w)
	return nil
}

// overrideCreatedOn gives a migrated row its old date: createdon takes it, overriddencreatedon keeps the real moment.
func (x *Tx) overrideCreatedOn(r *query.Row, v value.Value, system bool) error {
	if v.IsNull() {
		return nil
	}
	if !system {
		if err := auth.RequireMisc(x.caller, auth.OverrideCreated); err != nil {
			return err
		}
	}
	r.Put("createdon", v)
	r.Put("overriddencreatedon", value.Time(x.now))
	return nil
}

// checkTarget refuses a lookup to a row that is not there (decision 20) or that the caller may not append to.
func (x *Tx) checkTarget(a query.Assign, system bool) error {
	target := x.targetOf(a)
	rights := auth.BindRights
	if system || target.Platform && a.Column.System {
		rights = nil // owners are checked as such; to currencies and the like everybody may refer
	}
	_, err := x.permitted(target, a.Value.ID(), false, rights...)
	return err
}

// permitted returns a row that is there and on which the caller holds some rights. The table is asked first, so that nobody learns
// which rows a table holds that they may not use.
func (x *Tx) permitted(t *schema.Table, id value.GUID, lock bool, rights ...auth.Right) (*query.Row, error) {
	if err := x.require(t, rights...); err != nil {
		return nil, err
	}
	row, err := x.mustRow(t, id, lock)
	if err != nil {
		return nil, err
	}
	for _, r := range rights {
		if err := x.allowed(x.ctx, row, r); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// update is Update; system marks a write of the service itself.
func (x *Tx) update(ch *query.Change, system bool) error {
	e, err := x.writable(ch, auth.Write, system)
	if err != nil {
		return err
	}
	w := &rules.Write{Kind: query.Update, Old: e.row, New: e.row.Clone(), System: system, Sent: map[*schema.Column]bool{}}
	if err := x.apply(w, ch.Set, system); err != nil {
		return err
	}
	if err := x.books.Before(w); err != nil {
		return err
	}
	if err := x.noteReach(w); err != nil {
		return err
	}
	if len(w.New.Diff(w.Old)) == 0 {
		return x.store.Touch(x.ctx)
	}
	x.stampModified(w.New)
	x.put(e, w.New, true)
	if err := x.books.After(w); err != nil {
		return err
	}
	if e.table.Name == "list" && w.New.Value("type").Bool() && w.Changed("query") {
		return x.countMembers(w.New)
	}
	return nil
}

// writable loads and locks the row of a change and checks privileges and version.
func (x *Tx) writable(ch *query.Change, right auth.Right, system bool) (*entry, error) {
	if !system {
		if err := x.require(ch.Table, right, auth.Read); err != nil {
			return nil, err
		}
	}
	if err := x.lockMasters(ch); err != nil {
		return nil, err
	}
	e, err := x.load(ch.Table, ch.ID, true)
	if err != nil {
		return nil, err
	}
	if e.row == nil {
		return nil, fault.NotFound(ch.Table.Name, ch.ID.String())
	}
	if !system {
		for _, r := range []auth.Right{auth.Read, right} {
			if err := x.allowed(x.ctx, e.row, r); err != nil {
				return nil, err
			}
		}
	}
	return e, x.checkVersion(e, ch.IfMatch)
}

// CheckVersion refuses a row whose version is not one of those wanted; nil wants any. The row must be one the caller may read.
func (x *Tx) CheckVersion(t *schema.Table, id value.GUID, want query.Versions) error {
	if want == nil {
		return nil
	}
	if _, err := x.Find(x.ctx, t, id); err != nil {
		return err
	}
	e, err := x.load(t, id, true)
	if err != nil || e.row == nil {
		return err
	}
	return x.checkVersion(e, want)
}

func (x *Tx) checkVersion(e *entry, want query.Versions) error {
	if want == nil {
		return nil
	}
	c := e.table.Column("versionnumber")
	if c == nil {
		return fault.New(fault.NoConcurrency, "Optimistic concurrency is not enabled for '%s'.", e.table.Name)
	}
	if !want.Has(e.row.Get(c).Int()) {
		return fault.New(fault.VersionMismatch, "The version of the existing record doesn't match the RowVersion property provided.").At(e.table.Name, "id "+e.id.String())
	}
	return nil
}

// masters names the lookup of a detail table to the row whose books it belongs to. That row is locked first, so that all writers
// of one gift or request queue up in the same order.
var masters = map[string]string{"svc_giftpayment": "svc_giftnumber", "svc_requestpayment": "svc_requestlookup", "svc_giftfee": "svc_gift"}

// lockMasters locks the row a detail belongs to and the one it is moved to, in order of id.
func (x *Tx) lockMasters(ch *query.Change) error {
	name, ok := masters[ch.Table.Name]
	if !ok {
		return nil
	}
	row, err := x.Row(ch.Table, ch.ID, false)
	if err != nil || row == nil {
		return err
	}
	lookup := ch.Table.MustColumn(name)
	values := []value.Value{row.Get(lookup)}
	for _, a := range ch.Set {
		if a.Column == lookup {
			values = append(values, a.Value)
		}
	}
	slices.SortFunc(values, func(a, b value.Value) int { return cmp.Compare(a.String(), b.String()) })
	for _, v := range slices.Compact(values) {
		if v.IsNull() {
			continue
		}
		if _, err := x.Row(lookup.Targets[0], v.ID(), true); err != nil {
			return err
		}
	}
	return nil
}

// require refuses a caller who lacks one of the rights on a table.
func (x *Tx) require(t *schema.Table, rights ...auth.Right) error {
	for _, r := range rights {
		if err := auth.Require(x.caller, t, r); err != nil {
			return err
		}
	}
	return nil
}
