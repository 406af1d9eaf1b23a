package auth

import (
	"context"
	"slices"
	"strings"
	"time"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// RoleEditor changes what a role grants, in one transaction.
type RoleEditor struct {
	Tx    store.Tx
	Model *schema.Model
	Now   time.Time
}

// Add gives a role privileges; one it has already takes the new depth.
func (e *RoleEditor) Add(ctx context.Context, role value.GUID, grants []Grant) error {
	if err := e.check(ctx, role, grants); err != nil {
		return err
	}
	w, err := newWriter(ctx, e.Tx, e.Model, e.Now, value.GUID{})
	if err != nil {
		return err
	}
	held, err := roleGrants(ctx, e.Tx, e.Model, role)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if err := grantPrivilege(ctx, w, role, held[g.Privilege], g); err != nil {
			return err
		}
	}
	return BumpSecurity(ctx, e.Tx, e.Model)
}

// Remove takes one privilege from a role; nothing happens when the role does not have it.
func (e *RoleEditor) Remove(ctx context.Context, role, privilege value.GUID) error {
	if err := e.check(ctx, role, []Grant{{privilege, Global}}); err != nil {
		return err
	}
	held, err := roleGrants(ctx, e.Tx, e.Model, role)
	if err != nil || held[privilege] == nil {
		return err
	}
	if err := e.Tx.Delete(ctx, held[privilege].Table, held[privilege].ID); err != nil {
		return err
	}
	return BumpSecurity(ctx, e.Tx, e.Model)
}

// Replace makes the given privileges all that a role grants.
func (e *RoleEditor) Replace(ctx context.Context, role value.GUID, grants []Grant) error {
	if err := e.check(ctx, role, grants); err != nil {
		return err
	}
	held, err := roleGrants(ctx, e.Tx, e.Model, role)
	if err != nil {
		return err
	}
	for id, link := range held {
		if slices.ContainsFunc(grants, func(g Grant) bool { return g.Privilege == id }) {
			continue
		}
		if err := e.Tx.Delete(ctx, link.Table, link.ID); err != nil {
			return err
		}
	}
	return e.Add(ctx, role, grants)
}

// check refuses unknown roles and privileges, impossible depths, and any change of System Administrator.
func (e *RoleEditor) check(ctx context.Context, role value.GUID, grants []Grant) error {
	t := e.Model.Table("role")
	row, err := e.Tx.Get(ctx, t, role, []*schema.Column{t.MustColumn("roletemplateid")})
	if err != nil {
		return err
	}
	if row == nil {
		return fault.NotFound(t.Name, role.String())
	}
	if row.Value("roletemplateid").ID() == administratorTemplate {
		return fault.New(fault.InvalidArgument, "The System Administrator role holds every privilege and cannot be changed.").At(t.Name, "id "+role.String())
	}
	for _, g := range grants {
		p := CatalogOf(e.Model).ByID(g.Privilege)
		if p == nil {
			return fault.NotFound("privilege", g.Privilege.String())
		}
		if !p.Allows(g.Depth) {
			return fault.New(fault.InvalidArgument, "The privilege %s cannot be granted at depth %s; only %s.", p.Name, g.Depth, p.depths()).At(t.Name, "privilege "+p.Name)
		}
	}
	return nil
}

// depths prints the depths at which the privilege can be granted.
func (p *Privilege) depths() string {
	var names []string
	for d := Basic; d <= Global; d++ {
		if p.Allows(d) {
			names = append(names, d.String())
		}
	}
	return strings.Join(names, ", ")
}

// roleGrants reads the rows that join a role to its privileges, by privilege.
func roleGrants(ctx context.Context, src store.Reader, m *schema.Model, role value.GUID) (map[value.GUID]*query.Row, error) {
	links, err := findBy(ctx, src, m.Table("roleprivileges"), "roleid", value.ID(role), "privilegeid", "privilegedepthmask")
	held := map[value.GUID]*query.Row{}
	for _, l := range links {
		held[l.Value("privilegeid").ID()] = l
	}
	return held, err
}

func grantPrivilege(ctx context.Context, w *writer, role value.GUID, held *query.Row, g Grant) error {
	mask := value.Int(g.Depth.Mask())
	if held == nil {
		return w.insert(ctx, "roleprivileges", value.NewGUID(w.now), values{
			"roleid": value.ID(role), "privilegeid": value.ID(g.Privilege), "privilegedepthmask": mask,
		})
	}
	if held.Value("privilegedepthmask") == mask {
		return nil
	}
	return w.update(ctx, "roleprivileges", held.ID, values{"privilegedepthmask": mask})
}

// HeldPrivilege is a privilege a user has, at its greatest depth, and the business unit that depth is measured from.
type HeldPrivilege struct {
	Privilege *Privilege
	Depth     Depth
	Unit      value.GUID
}

// PrivilegesOf lists what a user or team may do, in order of privilege name. A System Administrator has everything.
func PrivilegesOf(ctx context.Context, src store.Reader, m *schema.Model, principal *query.Row) ([]HeldPrivilege, error) {
	c, err := callerOf(ctx, src, m, principal)
	if err != nil {
		return nil, err
	}
	var out []HeldPrivilege
	for _, p := range CatalogOf(m).All() {
		if d := c.heldDepth(p); d > None {
			out = append(out, HeldPrivilege{p, d, c.Unit})
		}
	}
	return out, nil
}

func (c *Caller) heldDepth(p *Privilege) Depth {
	if p.Table == nil {
		return c.Misc(p.Name)
	}
	return c.Depth(p.Table, p.Right)
}
