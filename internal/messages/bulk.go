package messages

import (
	"context"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/odata"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

var targets = []Param{{Name: "Targets", Type: "Collection(Microsoft.Dynamics.CRM.crmbaseentity)"}}

// bulk holds the messages that write many rows of one table at once, all or none.
var bulk = []*Message{
	{
		Name: "CreateMultiple", Binding: OnSet, Params: targets, Doc: "Creates many rows in one transaction.",
		Returns: "Microsoft.Dynamics.CRM.CreateMultipleResponse", Fields: []Param{{Name: "Ids", Type: "Collection(Edm.Guid)"}},
		Do: createMultiple,
	},
	{Name: "UpdateMultiple", Binding: OnSet, Params: targets, Doc: "Updates many rows in one transaction.", Do: updateMultiple},
	{Name: "UpsertMultiple", Binding: OnSet, Params: targets, Doc: "Creates or updates many rows where the table allows upserts.", Do: upsertMultiple},
	{Name: "DeleteMultiple", Binding: OnSet, Params: targets, Doc: "Deletes many rows in one transaction.", Do: deleteMultiple},
}

// bindTargets binds every target of a bulk message as a change of one kind.
func bindTargets(c *Call, kind query.ChangeKind) ([]*query.Change, error) {
	items, err := c.Params.Items("Targets")
	if err != nil {
		return nil, err
	}
	if c.Table.ReadOnly {
		return nil, fault.New(fault.BadRequest, "The table '%s' is read only.", c.Table.Name).WithStatus(405).At(c.Table.Name)
	}
	changes := make([]*query.Change, len(items))
	for i, item := range items {
		j, err := odata.ParseJSON(item)
		if err != nil {
			return nil, err
		}
		if changes[i], err = bindTarget(c, j, kind); err != nil {
			return nil, fault.In(err, "target "+value.Int(int64(i)).String())
		}
	}
	return changes, nil
}

func bindTarget(c *Call, j odata.JSON, kind query.ChangeKind) (*query.Change, error) {
	if text := j.Member("@odata.type"); text.IsString() && !sameType(text.Text(), c.Table.Name) {
		return nil, fault.New(fault.BadPayload, "All targets must be of '%s'; '%s' is not.", c.Table.Name, text.Text()).At(c.Table.Name)
	}
	ch, err := odata.BindObject(c.Model(), c.Table, j, odata.BodyOptions{
		Kind: kind, RejectExcess: c.Session.Engine().Settings().ExcessDecimals == settings.DecimalsReject,
	})
	if err != nil {
		return nil, err
	}
	if ref := j.Member("@odata.id"); ref.IsString() {
		if err := nameTarget(c, ch, ref.Text()); err != nil {
			return nil, err
		}
	}
	if kind != query.Create && ch.ID.IsZero() {
		return nil, fault.New(fault.BadPayload, "EdmEntityObject passed should have the key property value set.").At(c.Table.Name, "column "+c.Table.Key.Name)
	}
	return ch, nil
}

// nameTarget takes the row of a change from the address a target carries. It must be a row of the message's table, and the one that the
// target's key names if there is a key too.
func nameTarget(c *Call, ch *query.Change, address string) error {
	t, id, err := odata.ParseReference(c.Model(), address)
	switch {
	case err != nil:
		return err
	case t != c.Table:
		return fault.New(fault.BadPayload, "All targets must be of '%s'; '%s' is of '%s'.", c.Table.Name, address, t.Name).At(c.Table.Name)
	case !ch.ID.IsZero() && ch.ID != id:
		return fault.New(fault.BadPayload, "The key %s of a target is not the key %s of its address '%s'.", ch.ID, id, address).
			At(c.Table.Name, "column "+c.Table.Key.Name)
	}
	ch.ID = id
	return nil
}

func sameType(text, table string) bool {
	for _, prefix := range []string{"#Microsoft.Dynamics.CRM.", "Microsoft.Dynamics.CRM.", "#mscrm.", "mscrm."} {
		if text == prefix+table {
			return true
		}
	}
	return false
}

// foresee tells a transaction which rows its changes will write and refer to; only is the table they all add rows to, if they do.
func foresee(tx *engine.Tx, changes []*query.Change, only *schema.Table) error {
	f := engine.Foresight{Only: only}
	for _, ch := range changes {
		f.Note(tx, ch)
	}
	return tx.Foresee(f)
}

func createMultiple(_ context.Context, c *Call) (*Result, error) {
	changes, err := bindTargets(c, query.Create)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = c.Write(func(tx *engine.Tx) error {
		ids = make([]string, len(changes))
		if err := foresee(tx, changes, c.Table); err != nil {
			return err
		}
		for i, ch := range changes {
			id, err := tx.Create(ch)
			if err != nil {
				return fault.In(err, "target "+value.Int(int64(i)).String())
			}
			ids[i] = id.String()
		}
		return nil
	})
	return &Result{Body: struct{ Ids []string }{ids}}, err
}

// updateMultiple updates each row once: of targets with the same key only the first takes effect.
func updateMultiple(_ context.Context, c *Call) (*Result, error) {
	if !c.Table.Updatable() {
		return nil, fault.New(fault.BadRequest, "Rows of '%s' cannot be updated.", c.Table.Name).WithStatus(405).At(c.Table.Name)
	}
	changes, err := bindTargets(c, query.Update)
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		if err := foresee(tx, changes, nil); err != nil {
			return err
		}
		seen := map[value.GUID]bool{}
		for i, ch := range changes {
			if seen[ch.ID] {
				continue
			}
			seen[ch.ID] = true
			if err := tx.Update(ch); err != nil {
				return fault.In(err, "target "+value.Int(int64(i)).String())
			}
		}
		return nil
	})
}

// upsertMultiple works on the tables that take upserts by id (decision 3) and is refused on the others.
func upsertMultiple(_ context.Context, c *Call) (*Result, error) {
	if !c.Session.Engine().Upserts(c.Table) {
		return nil, fault.New(fault.BadRequest, "Upsert is not supported on '%s'.", c.Table.Name).At(c.Table.Name)
	}
	// Which rows are there is told only to who may read the table.
	if err := auth.Require(c.Session.Caller(), c.Table, auth.Read); err != nil {
		return nil, err
	}
	updates, err := bindTargets(c, query.Update)
	if err != nil {
		return nil, err
	}
	creates, err := bindTargets(c, query.Create)
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		if err := foresee(tx, updates, nil); err != nil {
			return err
		}
		seen := map[value.GUID]bool{}
		for i, ch := range updates {
			if seen[ch.ID] {
				return fault.New(fault.DuplicateRecord, "The key %s is given twice.", ch.ID).At(c.Table.Name)
			}
			seen[ch.ID] = true
			creates[i].ID = ch.ID
			if err := upsert(tx, ch, creates[i]); err != nil {
				return fault.In(err, "target "+value.Int(int64(i)).String())
			}
		}
		return nil
	})
}

func upsert(tx *engine.Tx, update, create *query.Change) error {
	row, err := tx.Row(update.Table, update.ID, false)
	if err != nil {
		return err
	}
	if row != nil {
		return tx.Update(update)
	}
	_, err = tx.Create(create)
	return err
}

func deleteMultiple(_ context.Context, c *Call) (*Result, error) {
	changes, err := bindTargets(c, query.Update)
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		if err := foresee(tx, changes, nil); err != nil {
			return err
		}
		for i, ch := range changes {
			if err := tx.Delete(&query.Change{Kind: query.Delete, Table: ch.Table, ID: ch.ID}); err != nil {
				return fault.In(err, "target "+value.Int(int64(i)).String())
			}
		}
		return nil
	})
}
