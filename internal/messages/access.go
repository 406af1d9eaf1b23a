package messages

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

const (
	principalAccessType = "Microsoft.Dynamics.CRM.PrincipalAccess"
	rolePrivilegesType  = "Collection(Microsoft.Dynamics.CRM.RolePrivilege)"
)

var (
	shareParams   = []Param{{Name: "Target", Type: entityType}, {Name: "PrincipalAccess", Type: principalAccessType}}
	onPrincipal   = []string{"systemuser", "team"}
	memberEntries = []Param{{Name: "Members", Type: "Collection(Microsoft.Dynamics.CRM.systemuser)"}}
	privilegeList = []Param{{Name: "Privileges", Type: rolePrivilegesType}}
	heldFields    = []Param{{Name: "RolePrivileges", Type: rolePrivilegesType}}
)

// access holds the messages about who may do what: sharing, rights, team members and role privileges.
var access = []*Message{
	{Name: "GrantAccess", Params: shareParams, Doc: "Shares a row with a user or team.", Do: share(engine.Shared, (*auth.Sharing).Grant)},
	{Name: "ModifyAccess", Params: shareParams, Doc: "Replaces what a user or team was given on a row.", Do: share(engine.ShareModified, (*auth.Sharing).Modify)},
	{Name: "RevokeAccess", Params: []Param{{Name: "Target", Type: entityType}, {Name: "Revokee", Type: principalType}}, Doc: "Ends the sharing of a row with a user or team.", Do: revoke},
	{
		Name: "RetrievePrincipalAccess", Function: true, Binding: OnRow, Tables: onPrincipal, Params: []Param{{Name: "Target", Type: entityType}},
		Returns: "Microsoft.Dynamics.CRM.RetrievePrincipalAccessResponse", Fields: []Param{{Name: "AccessRights", Type: "Microsoft.Dynamics.CRM.AccessRights"}},
		Doc: "The rights a user or team has on a row.", Do: principalAccess,
	},
	{
		Name: "RetrieveSharedPrincipalsAndAccess", Function: true, Params: []Param{{Name: "Target", Type: entityType}},
		Returns: "Microsoft.Dynamics.CRM.RetrieveSharedPrincipalsAndAccessResponse", Fields: []Param{{Name: "PrincipalAccesses", Type: "Collection(" + principalAccessType + ")"}},
		Doc: "Whom a row is shared with.", Do: sharedWith,
	},
	{
		Name: "RetrieveUserPrivileges", Function: true, Binding: OnRow, Tables: []string{"systemuser"},
		Returns: "Microsoft.Dynamics.CRM.RetrieveUserPrivilegesResponse", Fields: heldFields, Doc: "Everything a user may do.", Do: userPrivileges,
	},
	{
		Name: "RetrieveUserPrivilegeByPrivilegeName", Function: true, Binding: OnRow, Tables: []string{"systemuser"}, Params: []Param{{Name: "PrivilegeName", Type: "Edm.String"}},
		Returns: "Microsoft.Dynamics.CRM.RetrieveUserPrivilegeByPrivilegeNameResponse", Fields: heldFields, Doc: "One privilege of a user.", Do: userPrivileges,
	},
	{Name: "AddMembersTeam", Binding: OnRow, Tables: []string{"team"}, Params: memberEntries, Doc: "Adds users to a team.", Do: teamMembers(true)},
	{Name: "RemoveMembersTeam", Binding: OnRow, Tables: []string{"team"}, Params: memberEntries, Doc: "Removes users from a team.", Do: teamMembers(false)},
	{Name: "AddPrivilegesRole", Binding: OnRow, Tables: []string{"role"}, Params: privilegeList, Doc: "Gives a role privileges.", Do: editRole((*auth.RoleEditor).Add)},
	{Name: "ReplacePrivilegesRole", Binding: OnRow, Tables: []string{"role"}, Params: privilegeList, Doc: "Makes these privileges all a role has.", Do: editRole((*auth.RoleEditor).Replace)},
	{Name: "RemovePrivilegeRole", Binding: OnRow, Tables: []string{"role"}, Params: []Param{{Name: "PrivilegeId", Type: "Edm.Guid"}}, Doc: "Takes a privilege from a role.", Do: removePrivilege},
}

// readable returns a row the caller may read, named by a parameter.
func readable(ctx context.Context, c *Call, param string) (*query.Row, error) {
	t, id, err := c.Params.Reference(c.Model(), param, nil)
	if err != nil {
		return nil, err
	}
	return c.Session.Find(ctx, t, id)
}

// sharing opens the sharing of the call's transaction.
func sharing(c *Call, tx *engine.Tx) (*auth.Sharing, error) {
	st, err := tx.Store()
	return &auth.Sharing{Tx: st, Model: c.Model(), Caller: c.Session.Caller(), Now: time.Unix(c.Session.Now(), 0)}, err
}

// reshare runs a change of what a user or team was given on a row, and logs it if it did change that.
func reshare(ctx context.Context, c *Call, tx *engine.Tx, event engine.ShareEvent, row, principal *query.Row, change func(*auth.Sharing) error) error {
	s, err := sharing(c, tx)
	if err != nil {
		return err
	}
	was, err := s.Given(ctx, row, principal)
	if err != nil {
		return err
	}
	if err := change(s); err != nil {
		return err
	}
	now, err := s.Given(ctx, row, principal)
	if err != nil || now == was {
		return err
	}
	return tx.LogShare(event, row, principal, was, now)
}

func share(event engine.ShareEvent, do func(*auth.Sharing, context.Context, *query.Row, *query.Row, auth.Mask) error) func(context.Context, *Call) (*Result, error) {
	return func(ctx context.Context, c *Call) (*Result, error) {
		row, err := readable(ctx, c, "Target")
		if err != nil {
			return nil, err
		}
		var given struct {
			AccessMask string
			Principal  json.RawMessage
		}
		if err := json.Unmarshal(c.Params["PrincipalAccess"], &given); err != nil {
			return nil, badParameter("PrincipalAccess", "an object with AccessMask and Principal")
		}
		mask, err := auth.ParseMask(given.AccessMask)
		if err != nil {
			return nil, err
		}
		t, id, err := reference(c.Model(), given.Principal, nil)
		if err != nil {
			return nil, fault.In(err, "parameter PrincipalAccess")
		}
		return nil, c.Write(func(tx *engine.Tx) error {
			principal, err := principalRow(tx, t, id)
			if err != nil {
				return err
			}
			return reshare(ctx, c, tx, event, row, principal, func(s *auth.Sharing) error { return do(s, ctx, row, principal, mask) })
		})
	}
}

func principalRow(tx *engine.Tx, t *schema.Table, id value.GUID) (*query.Row, error) {
	if t.Name != "systemuser" && t.Name != "team" {
		return nil, fault.New(fault.BadPayload, "A principal is a systemuser or a team, not a '%s'.", t.Name)
	}
	row, err := tx.Row(t, id, false)
	if err == nil && row == nil {
		err = fault.NotFound(t.Name, id.String())
	}
	return row, err
}

func revoke(ctx context.Context, c *Call) (*Result, error) {
	row, err := readable(ctx, c, "Target")
	if err != nil {
		return nil, err
	}
	t, id, err := c.Params.Reference(c.Model(), "Revokee", nil)
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		principal, err := principalRow(tx, t, id)
		if err != nil {
			return err
		}
		return reshare(ctx, c, tx, engine.Unshared, row, principal, func(s *auth.Sharing) error { return s.Revoke(ctx, row, principal) })
	})
}

func principalAccess(ctx context.Context, c *Call) (*Result, error) {
	principal, err := c.Session.Find(ctx, c.Table, c.ID)
	if err != nil {
		return nil, err
	}
	row, err := readable(ctx, c, "Target")
	if err != nil {
		return nil, err
	}
	mask, err := auth.PrincipalAccess(ctx, c.Session.Engine().Store(), c.Model(), principal, row)
	return &Result{Body: struct{ AccessRights string }{mask.String()}}, err
}

// principalEntry is one entry of a row's shares.
type principalEntry struct {
	AccessMask string
	Principal  map[string]string
}

func sharedWith(ctx context.Context, c *Call) (*Result, error) {
	row, err := readable(ctx, c, "Target")
	if err != nil {
		return nil, err
	}
	shares, err := auth.SharedWith(ctx, c.Session.Engine().Store(), c.Model(), row)
	if err != nil {
		return nil, err
	}
	entries := []principalEntry{}
	for _, s := range shares {
		kind := "#Microsoft.Dynamics.CRM." + c.Model().ByCode(s.Principal.TypeCode()).Name
		entries = append(entries, principalEntry{s.Mask.String(), map[string]string{"@odata.type": kind, "ownerid": s.Principal.ID().String()}})
	}
	return &Result{Body: struct{ PrincipalAccesses []principalEntry }{entries}}, nil
}

// heldPrivilege is one entry of a user's privileges.
type heldPrivilege struct {
	Depth          string
	PrivilegeId    string
	BusinessUnitId string
	PrivilegeName  string
}

func userPrivileges(ctx context.Context, c *Call) (*Result, error) {
	user, err := c.Session.Find(ctx, c.Table, c.ID)
	if err != nil {
		return nil, err
	}
	only, err := c.Params.Text("PrivilegeName")
	if err != nil {
		return nil, err
	}
	held, err := auth.PrivilegesOf(ctx, c.Session.Engine().Store(), c.Model(), user)
	if err != nil {
		return nil, err
	}
	out := []heldPrivilege{}
	for _, h := range held {
		if only == "" || strings.EqualFold(only, h.Privilege.Name) {
			out = append(out, heldPrivilege{title(h.Depth.String()), h.Privilege.ID.String(), h.Unit.String(), h.Privilege.Name})
		}
	}
	return &Result{Body: struct{ RolePrivileges []heldPrivilege }{out}}, nil
}

// title writes a depth as the platform does: Global.
func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// teamMembers adds or removes users; one who is (not) a member already is passed over.
func teamMembers(add bool) func(context.Context, *Call) (*Result, error) {
	return func(_ context.Context, c *Call) (*Result, error) {
		items, err := c.Params.Items("Members")
		if err != nil {
			return nil, err
		}
		nav := c.Table.Nav("teammembership_association")
		users := c.Model().Table("systemuser")
		return nil, c.Write(func(tx *engine.Tx) error {
			for _, raw := range items {
				_, id, err := reference(c.Model(), raw, users)
				if err != nil {
					return fault.In(err, "parameter Members")
				}
				if add {
					err = ignore(tx.Associate(nav, c.Table, c.ID, users, id), fault.DuplicateRecord)
				} else {
					err = ignore(tx.Dissociate(nav, c.Table, c.ID, id), fault.ObjectDoesNotExist)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// ignore passes over one kind of refusal.
func ignore(err error, code fault.Code) error {
	if err != nil && fault.As(err).Code == code {
		return nil
	}
	return err
}

// editor opens a role for change in the call's transaction.
func editor(c *Call, tx *engine.Tx) (*auth.RoleEditor, error) {
	if err := auth.Require(c.Session.Caller(), c.Table, auth.Write); err != nil {
		return nil, err
	}
	tx.Secured()
	st, err := tx.Store()
	return &auth.RoleEditor{Tx: st, Model: c.Model(), Now: time.Unix(c.Session.Now(), 0)}, err
}

func editRole(do func(*auth.RoleEditor, context.Context, value.GUID, []auth.Grant) error) func(context.Context, *Call) (*Result, error) {
	return func(ctx context.Context, c *Call) (*Result, error) {
		grants, err := grantsOf(c)
		if err != nil {
			return nil, err
		}
		return nil, c.Write(func(tx *engine.Tx) error {
			e, err := editor(c, tx)
			if err != nil {
				return err
			}
			return do(e, ctx, c.ID, grants)
		})
	}
}

// grantsOf reads the Privileges parameter: entries of PrivilegeId (or PrivilegeName) and Depth.
func grantsOf(c *Call) ([]auth.Grant, error) {
	var entries []struct{ PrivilegeId, PrivilegeName, Depth string }
	if err := json.Unmarshal(c.Params["Privileges"], &entries); err != nil {
		return nil, badParameter("Privileges", "a list of PrivilegeId and Depth")
	}
	catalog := auth.CatalogOf(c.Model())
	var out []auth.Grant
	for _, e := range entries {
		p := catalog.ByName(e.PrivilegeName)
		if id, err := value.ParseGUID(e.PrivilegeId); err == nil {
			p = catalog.ByID(id)
		}
		if p == nil {
			return nil, fault.New(fault.BadPayload, "The privilege '%s%s' does not exist.", e.PrivilegeId, e.PrivilegeName).At("parameter Privileges")
		}
		grant, err := auth.ParseGrant(catalog, p.Name+":"+strings.ToLower(e.Depth))
		if err != nil {
			return nil, fault.New(fault.BadPayload, "%s", err.Error()).At("parameter Privileges")
		}
		out = append(out, grant)
	}
	return out, nil
}

func removePrivilege(ctx context.Context, c *Call) (*Result, error) {
	id, err := c.Params.ID("PrivilegeId")
	if err != nil {
		return nil, err
	}
	return nil, c.Write(func(tx *engine.Tx) error {
		e, err := editor(c, tx)
		if err != nil {
			return err
		}
		return e.Remove(ctx, c.ID, id)
	})
}
