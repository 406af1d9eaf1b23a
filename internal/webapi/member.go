package webapi

import (
	"context"

	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// memberTable is the table a list's members come from.
func (r *Request) memberTable(ctx context.Context, list *schema.Table, id value.GUID) (*schema.Table, error) {
	row, err := r.Session.Find(ctx, list, id)
	if err != nil {
		return nil, err
	}
	return r.Session.Engine().MemberTable(row)
}

// memberFilter narrows a query to the members of the list the path came from.
func (r *Request) memberFilter(ctx context.Context, t *target, root *query.Link) (query.Filter, error) {
	row, err := r.Session.Find(ctx, t.nav.From, t.parent)
	if err != nil {
		return nil, err
	}
	return r.Session.Members(row, root)
}

// allMembersOf is the dynamic list whose members a call reads without leaving any out; zero for any other read. Reaching the last of
// them is an occasion to count them (M26).
func (r *Request) allMembersOf(ctx context.Context, t *target) (value.GUID, error) {
	o := r.Options
	if t.nav == nil || !engine.FromList(t.nav) || o.Filter != "" || o.Apply != "" || o.Top != nil {
		return value.GUID{}, nil
	}
	row, err := r.Session.Find(ctx, t.nav.From, t.parent)
	if err != nil || !row.Value("type").Bool() {
		return value.GUID{}, err
	}
	return t.parent, nil
}

// countMembers keeps the number of a dynamic list's members. The client has its answer already, so that a failure is for the log alone.
func (s *Service) countMembers(ctx context.Context, list value.GUID) {
	if err := s.engine.CountMembers(ctx, list); err != nil {
		s.log.WarnContext(ctx, "members cannot be counted", "list", list, "error", err)
	}
}

// addMember puts a row on the list at either end of the path.
func (s *Service) addMember(tx *engine.Tx, t *target, other *schema.Table, id value.GUID) error {
	list, member, table := t.parent, id, other
	if t.nav.From.Name != "list" {
		list, member, table = id, t.parent, t.nav.From
	}
	_, err := tx.AddMember(list, table, member)
	return err
}

// removeMember takes a row off the list at either end of the path.
func (s *Service) removeMember(tx *engine.Tx, t *target, id value.GUID) error {
	if t.nav.From.Name != "list" {
		return tx.RemoveMember(id, t.parent)
	}
	return tx.RemoveMember(t.parent, id)
}
