package auth

import (
	"context"
	"slices"
	"time"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// shareTable holds the shares; its column shareReads says that a share includes reading.
const (
	shareTable = "principalobjectaccess"
	shareReads = "canread"
)

// Shared is what one user or team was given on a row.
type Shared struct {
	Principal value.Value // a value.Ref: id and type code of a user or team
	Mask      Mask
}

// Sharing changes who a row is shared with, in one transaction, for one caller.
type Sharing struct {
	Tx     store.Tx
	Model  *schema.Model
	Caller *Caller
	Now    time.Time
}

// Grant adds rights on a row to what a user or team was given before.
func (s *Sharing) Grant(ctx context.Context, row, principal *query.Row, mask Mask) error {
	return s.set(ctx, row, principal, func(old Mask) Mask { return old | mask }, mask)
}

// Modify replaces what a user or team was given on a row.
func (s *Sharing) Modify(ctx context.Context, row, principal *query.Row, mask Mask) error {
	return s.set(ctx, row, principal, func(Mask) Mask { return mask }, mask)
}

// Revoke takes away everything a user or team was given on a row; nothing happens when it was given nothing.
func (s *Sharing) Revoke(ctx context.Context, row, principal *query.Row) error {
	if err := s.mayShare(ctx, row, principal, 0); err != nil {
		return err
	}
	share, err := s.find(ctx, row, principal)
	if err != nil || share == nil {
		return err
	}
	return s.Tx.Delete(ctx, share.Table, share.ID)
}

func (s *Sharing) set(ctx context.Context, row, principal *query.Row, change func(Mask) Mask, asked Mask) error {
	if err := s.mayShare(ctx, row, principal, asked); err != nil {
		return err
	}
	if err := RequireOf(ctx, s.Tx, s.Model, principal, row.Table, Read); err != nil {
		return err
	}
	share, err := s.find(ctx, row, principal)
	if err != nil {
		return err
	}
	var old Mask
	if share != nil {
		old = Mask(share.Value("accessrightsmask").Int())
	}
	return s.store(ctx, row, principal, share, change(old))
}

// Given is what a user or team was given on a row.
func (s *Sharing) Given(ctx context.Context, row, principal *query.Row) (Mask, error) {
	return sharedMask(ctx, s.Tx, s.Model, row, []value.GUID{principal.ID})
}

// mayShare checks that the row can be shared, that the caller may share it and holds every right they give away.
func (s *Sharing) mayShare(ctx context.Context, row, principal *query.Row, given Mask) error {
	t := row.Table
	if t.Owner != schema.UserOwned {
		return fault.New(fault.ShareOrganizationOwned, "Rows of entity %s belong to the organization and cannot be shared.", t.Name).At(t.Name)
	}
	if given&^rowRights != 0 {
		return fault.New(fault.BadPayload, "'%s' cannot be shared; a row can be shared for %s.", given&^rowRights, rowRights).At(t.Name)
	}
	row, err := withOwner(ctx, s.Tx, row)
	if err != nil {
		return err
	}
	if given != 0 && row.Value("ownerid").ID() == principal.ID {
		return fault.New(fault.ShareWithOwner, "The row %s of entity %s belongs to the principal %s and cannot be shared with it.", row.ID, t.Name, principal.ID).At(t.Name)
	}
	rights := slices.Clone(ShareRights)
	for r := range rightCount {
		if given.Has(r) {
			rights = append(rights, r)
		}
	}
	for _, r := range rights {
		if err := RowAccess(ctx, s.Tx, s.Model, s.Caller, row, r); err != nil {
			return err
		}
	}
	return nil
}

func (s *Sharing) find(ctx context.Context, row, principal *query.Row) (*query.Row, error) {
	shares, err := sharesOf(ctx, s.Tx, s.Model, row, []value.GUID{principal.ID})
	if err != nil || len(shares) == 0 {
		return nil, err
	}
	return shares[0], nil
}

func (s *Sharing) store(ctx context.Context, row, principal, share *query.Row, mask Mask) error {
	w, err := newWriter(ctx, s.Tx, s.Model, s.Now, s.Caller.User)
	if err != nil {
		return err
	}
	vs := values{
		"accessrightsmask": value.Int(int64(mask)),
		shareReads:         value.Bool(mask.Has(Read)),
		"changedon":        value.Time(s.Now.Unix()),
	}
	switch {
	case share != nil && mask == 0:
		return s.Tx.Delete(ctx, share.Table, share.ID)
	case share != nil:
		return w.update(ctx, shareTable, share.ID, vs)
	case mask == 0:
		return nil
	}
	vs["principalid"] = value.Ref(principal.ID, principal.Table.TypeCode)
	vs["objectid"] = value.ID(row.ID)
	vs["objecttypecode"] = value.Text(row.Table.Name)
	return w.insert(ctx, shareTable, value.NewGUID(s.Now), vs)
}

// sharesOf reads the shares of a row with some principals; with all when principals is nil.
func sharesOf(ctx context.Context, src store.Reader, m *schema.Model, row *query.Row, principals []value.GUID) ([]*query.Row, error) {
	t := m.Table(shareTable)
	root := &query.Link{Table: t}
	where := query.And{
		query.Equal(root, t.MustColumn("objectid"), value.ID(row.ID)),
		query.Equal(root, t.MustColumn("objecttypecode"), value.Text(row.Table.Name)),
	}
	if principals != nil {
		where = append(where, among(root, "principalid", principals))
	}
	return find(ctx, src, root, where, "principalid", "accessrightsmask")
}

// sharedMask is what was given on a row to any of some principals.
func sharedMask(ctx context.Context, src store.Reader, m *schema.Model, row *query.Row, principals []value.GUID) (Mask, error) {
	shares, err := sharesOf(ctx, src, m, row, principals)
	var mask Mask
	for _, s := range shares {
		mask |= Mask(s.Value("accessrightsmask").Int())
	}
	return mask, err
}

// SharedWith lists with whom a row is shared.
func SharedWith(ctx context.Context, src store.Reader, m *schema.Model, row *query.Row) ([]Shared, error) {
	shares, err := sharesOf(ctx, src, m, row, nil)
	var out []Shared
	for _, s := range shares {
		out = append(out, Shared{s.Value("principalid"), Mask(s.Value("accessrightsmask").Int())})
	}
	return out, err
}

// PrincipalAccess returns the rights a user or team has on a row, by roles, ownership and shares together.
func PrincipalAccess(ctx context.Context, src store.Reader, m *schema.Model, principal, row *query.Row) (Mask, error) {
	c, err := callerOf(ctx, src, m, principal)
	if err != nil {
		return 0, err
	}
	if row, err = withOwner(ctx, src, row); err != nil {
		return 0, err
	}
	var shared, out Mask
	if row.Table.Owner == schema.UserOwned {
		if shared, err = sharedMask(ctx, src, m, row, c.principals()); err != nil {
			return 0, err
		}
	}
	for r := range rightCount {
		d := c.Depth(row.Table, r)
		if rowRights.Has(r) && (d == Global || d > None && (shared.Has(r) || c.owns(row, r))) {
			out |= r.Bit()
		}
	}
	return out, nil
}
