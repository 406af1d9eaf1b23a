package engine

import (
	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/fetchxml"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// MemberTable is the table whose rows a marketing list groups, by its createdfromcode.
func (e *Engine) MemberTable(list *query.Row) (*schema.Table, error) {
	if t := rules.MemberTable(e.model, e.Settings(), list); t != nil {
		return t, nil
	}
	return nil, fault.New(fault.ListWrongMember, "The list %s has no member table: createdfromcode is %s.", list.ID, list.Value("createdfromcode")).At("list", "column createdfromcode")
}

// FromList tells whether a navigation property leads from a list to its members.
func FromList(nav *schema.Nav) bool {
	return nav.Members || IsMembership(nav) && nav.From.Name == "list"
}

// IsMembership tells whether a navigation property joins lists and their members of one table, from either end.
func IsMembership(nav *schema.Nav) bool {
	return nav.Through != nil && nav.Through.Intersect.Name == "listmember"
}

// Members is the condition that a row is a member of a list: it has a member row, or the list's own query selects it. Rows of another
// table than the list's are none. The caller's rights apply to that query like to any other.
func (r *reader) Members(list *query.Row, root *query.Link) (query.Filter, error) {
	if own, err := r.e.MemberTable(list); err != nil || own != root.Table {
		return query.Const(false), err
	}
	if !list.Value("type").Bool() {
		t := r.e.model.Table("listmember")
		link := &query.Link{Table: t, Parent: root, From: t.MustColumn("entityid"), To: root.Table.Key}
		return &query.Exists{Link: link, Where: query.Equal(link, t.MustColumn("listid"), value.ID(list.ID))}, nil
	}
	text := list.Value("query").Text()
	if text == "" {
		return query.Const(false), nil
	}
	members, err := fetchxml.Members(r.e.model, text, root.Table)
	if err != nil {
		return nil, err
	}
	return amongRows(members, root), nil
}

// amongRows is the condition that a row is among those of a query. Where nothing in the query leads to few rows, it is put so that the
// first of many are found without finding all.
func amongRows(q *query.Query, root *query.Link) query.Filter {
	if !leadsToFew(q) {
		if inline := query.Inline(q, root); inline != nil {
			return inline
		}
	}
	return &query.InQuery{Left: query.Ref{Link: root, Column: root.Table.Key}, Query: q}
}

// leadsToFew tells whether a joined table is asked for certain values of an indexed column: the database does well to begin there.
func leadsToFew(q *query.Query) bool {
	few := false
	query.Visit(q, query.Visitor{Filter: func(f query.Filter) {
		c, ok := f.(query.Cond)
		if !ok || c.Op != query.OpEq && c.Op != query.OpIn {
			return
		}
		ref, ok := c.Left.(query.Ref)
		few = few || ok && ref.Link != q.Root && (ref.Column.Indexed || ref.Column == ref.Link.Table.Key || ref.Column.Type == schema.TypeLookup)
	}})
	return few
}

// AddMember puts a row on a static list and returns the id of its member row; a row that is on it stays once. The rules refuse locked
// and dynamic lists and rows of the wrong table.
func (x *Tx) AddMember(list value.GUID, t *schema.Table, id value.GUID) (value.GUID, error) {
	lists := x.e.model.Table("list")
	if err := x.mayLink(lists, list, t, id); err != nil {
		return value.GUID{}, err
	}
	row, err := x.mustRow(lists, list, true)
	if err != nil {
		return value.GUID{}, err
	}
	if err := rules.MayChangeMembers(row); err != nil {
		return value.GUID{}, err
	}
	if found, err := x.member(list, id); err != nil || found != nil {
		if err != nil {
			return value.GUID{}, err
		}
		return found.ID, x.store.Touch(x.ctx)
	}
	m := x.e.model.Table("listmember")
	return x.create(&query.Change{Kind: query.Create, Table: m, Set: []query.Assign{
		assign(m, "listid", value.ID(list)), assign(m, "entityid", value.Ref(id, t.TypeCode)),
	}}, true)
}

// RemoveMember takes a row off a static list; one that is not on it is no error (decision 21).
func (x *Tx) RemoveMember(list, id value.GUID) error {
	t := x.e.model.Table("list")
	row, err := x.permitted(t, list, true, auth.UpdateRights...)
	if err != nil {
		return err
	}
	member, err := x.e.MemberTable(row)
	if err != nil {
		return err
	}
	if err := x.require(member, auth.BindRights...); err != nil {
		return err
	}
	if err := rules.MayChangeMembers(row); err != nil {
		return err
	}
	found, err := x.member(list, id)
	if err != nil {
		return err
	}
	if found == nil {
		return x.store.Touch(x.ctx)
	}
	if _, err := x.permitted(member, id, false, auth.BindRights...); err != nil {
		return err
	}
	return x.delete(&query.Change{Kind: query.Delete, Table: found.Table, ID: found.ID}, true)
}

// member finds the member row of a row on a list; nil when it is not on it.
func (x *Tx) member(list, id value.GUID) (*query.Row, error) {
	m := x.e.model.Table("listmember")
	rows, err := env{x}.Find(m, []query.Assign{assign(m, "listid", value.ID(list)), assign(m, "entityid", value.ID(id))}, nil)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// MemberIDs returns the members of a list as the caller may see them, in key order, with their table.
func (x *Tx) MemberIDs(list *query.Row) ([]value.GUID, *schema.Table, error) {
	t, err := x.e.MemberTable(list)
	if err != nil {
		return nil, nil, err
	}
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
	if q.Where, err = x.Members(list, root); err != nil {
		return nil, nil, err
	}
	plan, err := x.Prepare(q)
	if err != nil {
		return nil, nil, err
	}
	var ids []value.GUID
	err = x.Read(x.ctx, plan, 0, func(p *Page) error {
		for p.Rows.Next() {
			ids = append(ids, value.GUID(p.Rows.Bytes(plan.Root.Key)))
		}
		return p.Rows.Err()
	})
	return ids, t, err
}
