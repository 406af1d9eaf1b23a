package auth

import (
	"context"
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// What an operation asks of its caller on the table it works on. A lookup that the request sets asks for BindRights on
// the target; Append on the table that refers is implied by creating or writing its rows.
var (
	CreateRights = []Right{Create, Read}
	UpdateRights = []Right{Write, Read}
	DeleteRights = []Right{Delete, Read}
	AssignRights = []Right{Assign, Write, Read}
	ShareRights  = []Right{Share, Read}
	BindRights   = []Right{AppendTo, Read}
)

// Require refuses with 403 a caller who lacks one of some rights on a table at any depth. The first one missing is named.
func Require(c *Caller, t *schema.Table, rights ...Right) error {
	for _, r := range rights {
		if c.Depth(t, r) == None {
			return Denied(c, t, r)
		}
	}
	return nil
}

// RequireMisc refuses with 403 a caller without a privilege that belongs to no table.
func RequireMisc(c *Caller, name string) error {
	if c.Misc(name) > None {
		return nil
	}
	gap := c.own
	if c.own.miscDepth(name) > None {
		gap = c.behalf
	}
	return gap.missing(name, "").At("privilege " + name)
}

// Denied is the refusal of a right on a table. It names the user whose gap it is: the impersonated one, unless only the
// real caller lacks the right.
func Denied(c *Caller, t *schema.Table, r Right) *fault.Error {
	table, right := governing(c.model, t, r)
	gap := c.own
	if c.behalf != nil && c.own.depth(table, right) > c.behalf.depth(table, right) {
		gap = c.behalf
	}
	name := privilegeName(table, right)
	where := " on OTC=" + value.Int(int64(table.TypeCode)).String() + " for entity '" + table.Name + "' (LocalizedName='" + table.Label + "')"
	return gap.missing(name, where).At(t.Name, "privilege "+name)
}

func (r *rights) missing(privilege, where string) *fault.Error {
	return fault.New(fault.PrivilegeDenied,
		"Principal user (Id=%s, type=8, roleCount=%d, privilegeCount=%d, accessMode=%d), is missing %s privilege (Id=%s)%s. context.Caller=%s. Consider adding missing privilege to one of the principal (user/team) roles.",
		r.user, r.roles, r.privileges, r.accessMode, privilege, schema.PrivilegeID(privilege), where, r.user)
}

// RowAccess refuses with 403 a right that the caller does not hold, or not for this row: the row belongs to somebody out of
// reach and is not shared with the caller.
func RowAccess(ctx context.Context, src store.Reader, m *schema.Model, c *Caller, row *query.Row, r Right) error {
	if c.Admin {
		return nil
	}
	if side := joinedSide(m, row.Table); side != nil {
		return sideAccess(ctx, src, m, c, row, side, r)
	}
	switch c.Depth(row.Table, r) {
	case None:
		return Denied(c, row.Table, r)
	case Global:
		return nil
	}
	row, err := withOwner(ctx, src, row)
	if err != nil {
		return err
	}
	if c.owns(row, r) {
		return nil
	}
	shared, err := sharedMask(ctx, src, m, row, c.principals())
	if err != nil {
		return err
	}
	if shared.Has(r) {
		return nil
	}
	return refused(c, row, r)
}

// sideAccess asks for the right on a joining row where it is governed: at the row of its first side. Reading needs both.
func sideAccess(ctx context.Context, src store.Reader, m *schema.Model, c *Caller, row *query.Row, side *schema.Side, r Right) error {
	_, right := governing(m, row.Table, r)
	if err := endAccess(ctx, src, m, c, side.Table, row.Get(side.Column).ID(), right); err != nil || r != Read {
		return err
	}
	for _, e := range endsOf(m, row.Table) {
		v := row.Get(e.column)
		for _, t := range e.tables {
			if e.column.Polymorphic() && v.TypeCode() != t.TypeCode {
				continue
			}
			if err := endAccess(ctx, src, m, c, t, v.ID(), Read); err != nil {
				return err
			}
		}
	}
	return nil
}

// endAccess asks for a right on a row by its id; one that is gone is nobody's.
func endAccess(ctx context.Context, src store.Reader, m *schema.Model, c *Caller, t *schema.Table, id value.GUID, r Right) error {
	if d := c.Depth(t, r); d == Global || d == None {
		return Require(c, t, r)
	}
	row, err := src.Get(ctx, t, id, ownerColumns(t))
	if err != nil || row == nil {
		return err
	}
	return RowAccess(ctx, src, m, c, row, r)
}

// owns tells whether a row lies within the depth of the caller's right without regard to shares.
func (c *Caller) owns(row *query.Row, r Right) bool {
	if slices.Contains(c.principals(), row.Value("ownerid").ID()) {
		return true
	}
	return slices.Contains(c.unitsFor(row.Table, r), row.Value("owningbusinessunit").ID())
}

// unitsFor lists the business units whose rows a right of the caller reaches at depths Local and Deep.
func (c *Caller) unitsFor(t *schema.Table, r Right) []value.GUID {
	return c.own.units(t, r, c.Depth(t, r))
}

func refused(c *Caller, row *query.Row, r Right) *fault.Error {
	level := Global
	switch unit := row.Value("owningbusinessunit").ID(); {
	case unit == c.Unit:
		level = Local
	case slices.Contains(c.Units, unit):
		level = Deep
	}
	return fault.New(fault.AccessDenied,
		"Principal with id %s does not have %sAccess right(s) for record with id %s of entity %s. Consider assigning a role with the %s level to the user or team.",
		c.User, r, row.ID, row.Table.Name, level).At(row.Table.Name, "id "+row.ID.String())
}

func ownerColumns(t *schema.Table) []*schema.Column {
	if t.Owner != schema.UserOwned {
		return []*schema.Column{t.Key}
	}
	return []*schema.Column{t.MustColumn("ownerid"), t.MustColumn("owningbusinessunit")}
}

// withOwner returns a row that holds its owner, reading it when the given one does not.
func withOwner(ctx context.Context, src store.Reader, row *query.Row) (*query.Row, error) {
	cols := ownerColumns(row.Table)
	if !slices.ContainsFunc(cols, func(c *schema.Column) bool { return !row.Loaded(c) }) {
		return row, nil
	}
	full, err := src.Get(ctx, row.Table, row.ID, cols)
	if err == nil && full == nil {
		err = fault.NotFound(row.Table.Name, row.ID.String())
	}
	return full, err
}

// RequireOf refuses with 403 a user or team who is to own a row but lacks a right on its table.
func RequireOf(ctx context.Context, src store.Reader, m *schema.Model, principal *query.Row, t *schema.Table, r Right) error {
	c, err := callerOf(ctx, src, m, principal)
	if err != nil {
		return err
	}
	if c.Depth(t, r) > None {
		return nil
	}
	return fault.New(fault.AssigneeLacksPrivileges,
		"The %s with id %s lacks the privilege %s and cannot be given rows of entity %s.",
		principal.Table.Name, principal.ID, privilegeName(t, r), t.Name).At(t.Name, "privilege "+privilegeName(t, r))
}
