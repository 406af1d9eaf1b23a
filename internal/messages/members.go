package messages

import (
	"context"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/value"
)

const (
	entityType   = "Microsoft.Dynamics.CRM.crmbaseentity"
	listType     = "Microsoft.Dynamics.CRM.list"
	entitiesType = "Collection(" + entityType + ")"
)

// memberParams are the three ways of naming members: as entities, as ids, as one id.
var memberParams = []Param{
	{Name: "Members", Type: entitiesType, Optional: true},
	{Name: "MemberIds", Type: "Collection(Edm.Guid)", Optional: true},
	{Name: "EntityId", Type: "Edm.Guid", Optional: true},
}

// listParams name the list of an unbound call.
var listParams = append([]Param{{Name: "List", Type: listType, Optional: true}, {Name: "ListId", Type: "Edm.Guid", Optional: true}}, memberParams...)

var onList = []string{"list"}

// members holds the messages of marketing lists, under the specification's names and the platform's.
var members = []*Message{
	{Name: "AddMembersList", Binding: OnRow, Tables: onList, Params: memberParams, Doc: "Adds members to a static list.", Do: addMembers},
	{Name: "AddMembersList", Params: listParams, Doc: "Adds members to a static list.", Do: addMembers},
	{Name: "AddListMembersList", Params: listParams, Doc: "Adds members to a static list.", Do: addMembers},
	{
		Name: "AddMemberList", Binding: OnRow, Tables: onList, Params: []Param{{Name: "EntityId", Type: "Edm.Guid"}}, Doc: "Adds one member to a static list.",
		Returns: "Microsoft.Dynamics.CRM.AddMemberListResponse", Fields: []Param{{Name: "Id", Type: "Edm.Guid"}}, Do: addMember,
	},
	{Name: "RemoveMembersList", Binding: OnRow, Tables: onList, Params: memberParams, Doc: "Removes members from a static list.", Do: removeMembers},
	{Name: "RemoveMembersList", Params: listParams, Doc: "Removes members from a static list.", Do: removeMembers},
	{Name: "RemoveListMembersList", Params: listParams, Doc: "Removes members from a static list.", Do: removeMembers},
	{Name: "RemoveMemberList", Binding: OnRow, Tables: onList, Params: []Param{{Name: "EntityId", Type: "Edm.Guid"}}, Doc: "Removes one member from a static list.", Do: removeMembers},
	{Name: "CopyDynamicListToStatic", Binding: OnRow, Tables: onList, Returns: listType, Doc: "Makes a locked static list of the members a dynamic list has now.", Do: copyToStatic},
	{Name: "CopyMembersList", Binding: OnRow, Tables: onList, Params: []Param{{Name: "TargetList", Type: listType}}, Doc: "Adds the members of a list to another one.", Do: copyMembers},
}

// member is one row named by a call.
type member struct {
	table *schema.Table
	id    value.GUID
}

// list reads which list a call is about: the bound one, List or ListId.
func list(c *Call) (value.GUID, error) {
	switch {
	case !c.ID.IsZero():
		return c.ID, nil
	case c.Params.Has("ListId"):
		return c.Params.ID("ListId")
	default:
		_, id, err := c.Params.Reference(c.Model(), "List", c.Model().Table("list"))
		return id, err
	}
}

// named reads the members a call names. Ids alone are of the list's member table.
func named(c *Call, own *schema.Table) ([]member, error) {
	var out []member
	entities, err := c.Params.Items("Members")
	if err != nil {
		return nil, err
	}
	for _, raw := range entities {
		t, id, err := reference(c.Model(), raw, nil)
		if err != nil {
			return nil, fault.In(err, "parameter Members")
		}
		out = append(out, member{t, id})
	}
	texts, err := c.Params.Texts("MemberIds")
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		id, err := value.ParseGUID(text)
		if err != nil {
			return nil, badParameter("MemberIds", "a list of GUIDs")
		}
		out = append(out, member{own, id})
	}
	if c.Params.Has("EntityId") {
		id, err := c.Params.ID("EntityId")
		if err != nil {
			return nil, err
		}
		out = append(out, member{own, id})
	}
	if len(out) == 0 {
		return nil, fault.New(fault.BadPayload, "No members are given: send Members, MemberIds or EntityId.")
	}
	return out, nil
}

// eachMember runs do for every member a call names, in its transaction.
func eachMember(c *Call, do func(tx *engine.Tx, list value.GUID, m member) error) (*Result, error) {
	id, err := list(c)
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		row, err := tx.Find(context.Background(), c.Model().Table("list"), id)
		if err != nil {
			return err
		}
		own, err := c.Session.Engine().MemberTable(row)
		if err != nil {
			return err
		}
		all, err := named(c, own)
		if err != nil {
			return err
		}
		for _, m := range all {
			if err := do(tx, id, m); err != nil {
				return err
			}
		}
		return nil
	})
}

func addMembers(_ context.Context, c *Call) (*Result, error) {
	return eachMember(c, func(tx *engine.Tx, list value.GUID, m member) error {
		_, err := tx.AddMember(list, m.table, m.id)
		return err
	})
}

func addMember(_ context.Context, c *Call) (*Result, error) {
	var added value.GUID
	_, err := eachMember(c, func(tx *engine.Tx, list value.GUID, m member) error {
		var err error
		added, err = tx.AddMember(list, m.table, m.id)
		return err
	})
	return &Result{Body: struct{ Id string }{added.String()}}, err
}

func removeMembers(_ context.Context, c *Call) (*Result, error) {
	return eachMember(c, func(tx *engine.Tx, list value.GUID, m member) error { return tx.RemoveMember(list, m.id) })
}

// copyToStatic makes a static, locked list with the members a dynamic list has now.
func copyToStatic(ctx context.Context, c *Call) (*Result, error) {
	var made value.GUID
	err := c.Write(func(tx *engine.Tx) error {
		source, err := tx.Find(ctx, c.Table, c.ID)
		if err != nil {
			return err
		}
		if err := auth.Require(c.Session.Caller(), c.Table, auth.Create); err != nil {
			return err
		}
		if made, err = rules.CopyToStatic(tx.Env(), source); err != nil {
			return err
		}
		ids, table, err := tx.MemberIDs(source)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := tx.AddMember(made, table, id); err != nil {
				return err
			}
		}
		return rules.LockList(tx.Env(), made)
	})
	return &Result{Row: &Row{c.Table, made}}, err
}

func copyMembers(ctx context.Context, c *Call) (*Result, error) {
	_, target, err := c.Params.Reference(c.Model(), "TargetList", c.Table)
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		source, err := tx.Find(ctx, c.Table, c.ID)
		if err != nil {
			return err
		}
		ids, table, err := tx.MemberIDs(source)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := tx.AddMember(target, table, id); err != nil {
				return err
			}
		}
		return nil
	})
}
