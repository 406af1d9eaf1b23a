package auth

import (
	"slices"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// keyQuery selects the keys of a table.
func keyQuery(t *schema.Table) *query.Query {
	root := &query.Link{Table: t}
	return &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}}
}

// lookup joins the target of a lookup.
func lookup(from *query.Link, column string, kind query.JoinKind) *query.Link {
	c := from.Table.MustColumn(column)
	return &query.Link{Table: c.Targets[0], Parent: from, From: c.Targets[0].Key, To: c, Kind: kind}
}

// TestUnreadableTablesAreRefusedEverywhere puts an unreadable table (donor) into every place a request can reach it from.
func TestUnreadableTablesAreRefusedEverywhere(t *testing.T) {
	m := testModel(t)
	gift, donor := m.Table("svc_gift"), m.Table("svc_donor")
	c := person(t, guid(7), grants(t, true, RootUnit, "prvReadsvc_gift:global", "prvReadsvc_fund:global", "prvReadcontact:global"))
	scalar := func(q *query.Query) *query.Scalar {
		source := lookup(q.Root, "svc_donor", query.Inner)
		return &query.Scalar{Source: source, Pick: query.Ref{Link: source, Column: donor.MustColumn("svc_sortby")}}
	}
	exists := func(q *query.Query) *query.Exists {
		return &query.Exists{Link: lookup(q.Root, "svc_donor", query.Inner)}
	}
	for name, build := range map[string]func(*query.Query){
		"root":           func(q *query.Query) { *q = *keyQuery(donor) },
		"inner join":     func(q *query.Query) { q.Links = []*query.Link{lookup(q.Root, "svc_donor", query.Inner)} },
		"outer join":     func(q *query.Query) { q.Links = []*query.Link{lookup(q.Root, "svc_donor", query.Outer)} },
		"filter":         func(q *query.Query) { q.Where = exists(q) },
		"negated filter": func(q *query.Query) { q.Where = query.Or{query.Not{Filter: exists(q)}} },
		"join in a filter": func(q *query.Query) {
			payee := lookup(q.Root, "svc_payor", query.Inner)
			q.Where = &query.Exists{Link: payee, Links: []*query.Link{lookup(q.Root, "svc_donor", query.Inner)}}
		},
		"compared value": func(q *query.Query) {
			q.Where = query.Cond{Left: scalar(q), Op: query.OpNotNull}
		},
		"argument of a function": func(q *query.Query) {
			q.Where = query.Cond{Left: query.Call{Fn: query.FnToLower, Args: []query.Expr{scalar(q)}}, Op: query.OpNotNull}
		},
		"condition of a join": func(q *query.Query) {
			link := lookup(q.Root, "svc_fund1", query.Outer)
			link.On = exists(q)
			q.Links = []*query.Link{link}
		},
		"order":  func(q *query.Query) { q.Order = []query.Order{{Expr: scalar(q)}} },
		"output": func(q *query.Query) { q.Select.Outputs = []query.Output{{Expr: scalar(q)}} },
		"sub-query": func(q *query.Query) {
			q.Where = &query.InQuery{Left: query.Ref{Link: q.Root, Column: gift.Key}, Query: keyQuery(donor)}
		},
		"collection": func(q *query.Query) { q.Select.Expands = []*query.Expand{{Many: keyQuery(donor)}} },
		"deep in a collection": func(q *query.Query) {
			many := keyQuery(m.Table("svc_fund"))
			many.Where = &query.InQuery{Left: query.Ref{Link: many.Root, Column: many.Root.Table.Key}, Query: keyQuery(donor)}
			q.Select.Expands = []*query.Expand{{Many: many}}
		},
		"condition": func(q *query.Query) {
			q.Select.Outputs = []query.Output{{Expr: query.Call{Fn: query.FnIf, Args: []query.Expr{query.Test{Filter: exists(q)}, query.Literal{Value: value.Int(1)}, query.Literal{Value: value.Int(0)}}}}}
		},
	} {
		q := keyQuery(gift)
		build(q)
		f := fault.As(Secure(c, q))
		if f.Status != 403 || f.Code != fault.PrivilegeDenied || !strings.Contains(f.Message, "prvReadsvc_donor") {
			t.Errorf("%s: %v", name, f)
		}
	}
	if err := Secure(c, keyQuery(gift)); err != nil {
		t.Errorf("readable table: %v", err)
	}
}

func TestNamesOfUnreadableLookupsAreLeftOut(t *testing.T) {
	m := testModel(t)
	c := person(t, guid(7), grants(t, true, RootUnit, "prvReadsvc_requestpayment:global", "prvReadsvc_gift:global", "prvReadcontact:global"))
	payment := m.Table("svc_requestpayment")
	q := keyQuery(payment)
	for _, column := range []string{"svc_fund", "svc_payee", "svc_requestapplicant"} {
		ref := query.Ref{Link: q.Root, Column: payment.MustColumn(column)}
		q.Select.Outputs = append(q.Select.Outputs, query.Output{Name: column, Expr: ref, Column: ref.Column, Label: query.TitleOf(ref)})
	}
	gifts := keyQuery(m.Table("svc_gift"))
	ref := query.Ref{Link: gifts.Root, Column: gifts.Root.Table.MustColumn("svc_donor")}
	gifts.Select.Outputs = append(gifts.Select.Outputs, query.Output{Expr: ref, Column: ref.Column, Label: query.TitleOf(ref)})
	q.Select.Expands = []*query.Expand{{Many: gifts}}
	if err := Secure(c, q); err != nil {
		t.Fatal(err)
	}
	if q.Select.Outputs[1].Label != nil {
		t.Error("the name of an unreadable fund is still asked for")
	}
	payee, ok := q.Select.Outputs[2].Label.(*query.Scalar)
	if !ok || payee.Source.Table.Name != "contact" {
		t.Errorf("of a payee the contact's name must be left: %#v", q.Select.Outputs[2].Label)
	}
	if gifts.Select.Outputs[1].Label != nil {
		t.Error("the name of an unreadable donor is still asked for in an expanded collection")
	}
}

func TestFullReadersAreNotNarrowed(t *testing.T) {
	m := testModel(t)
	q := keyQuery(m.Table("svc_gift"))
	link := lookup(q.Root, "svc_payor", query.Outer)
	q.Links = []*query.Link{link}
	c := person(t, guid(7), grants(t, true, RootUnit, "prvReadsvc_gift:global", "prvReadcontact:basic"))
	if err := Secure(c, q); err != nil {
		t.Fatal(err)
	}
	if q.Where != nil {
		t.Errorf("all gifts may be read, yet there is a filter %v", q.Where)
	}
	if link.On == nil {
		t.Error("an outer join must be narrowed in its condition")
	}
}

// offices is a database with two business units one below the other, people in them and contacts they own.
type offices struct {
	*database
	head, branch       value.GUID // business units: root and one below
	boss, clerk, guest value.GUID // users: in the root, in the branch, in the root
	team               value.GUID // of the branch; guest is a member
	contacts           map[string]value.GUID
}

func newOffices(t *testing.T) *offices {
	o := &offices{database: openDatabase(t), head: RootUnit, contacts: map[string]value.GUID{}}
	o.branch = o.add("businessunit", values{"name": value.Text("Branch"), "parentbusinessunitid": value.ID(o.head)})
	user := func(name string, unit value.GUID) value.GUID {
		return o.add("systemuser", values{"fullname": value.Text(name), "businessunitid": value.ID(unit), "isdisabled": value.Bool(false)})
	}
	o.boss, o.clerk, o.guest = user("Boss", o.head), user("Clerk", o.branch), user("Guest", o.head)
	o.team = o.add("team", values{"name": value.Text("Branch team"), "businessunitid": value.ID(o.branch)})
	o.add("teammembership", values{"teamid": value.ID(o.team), "systemuserid": value.ID(o.guest)})
	o.contact("boss", o.boss, "systemuser", o.head)
	o.contact("clerk", o.clerk, "systemuser", o.branch)
	o.contact("guest", o.guest, "systemuser", o.head)
	o.contact("team", o.team, "team", o.branch)
	return o
}

func (o *offices) contact(name string, owner value.GUID, table string, unit value.GUID) {
	o.contacts[name] = o.add("contact", values{
		"lastname": value.Text(name), "ownerid": value.Ref(owner, o.model.Table(table).TypeCode), "owningbusinessunit": value.ID(unit),
	})
}

// role gives a user or team a role of grants.
func (o *offices) role(to value.GUID, texts ...string) {
	o.t.Helper()
	id, err := o.CreateRole(o.t.Context(), "role "+value.NewGUID(o.clock).String(), texts)
	if err != nil {
		o.t.Fatal(err)
	}
	if to == o.team {
		o.add("teamroles", values{"teamid": value.ID(to), "roleid": value.ID(id)})
		return
	}
	o.add("systemuserroles", values{"systemuserid": value.ID(to), "roleid": value.ID(id)})
}

// names lists which contacts a secured query returns.
func (o *offices) names(q *query.Query) []string {
	o.t.Helper()
	rows, err := o.Read(o.t.Context(), q)
	if err != nil {
		o.t.Fatal(err)
	}
	defer rows.Close()
	out := []string{}
	for rows.Next() {
		for name, id := range o.contacts {
			if id == value.GUID(rows.Bytes(0)) {
				out = append(out, name)
			}
		}
	}
	if err := rows.Err(); err != nil {
		o.t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func TestDepthsOnRealRows(t *testing.T) {
	for name, test := range map[string]struct {
		user  string
		depth string
		want  []string
	}{
		"own":                 {"boss", "basic", []string{"boss"}},
		"own and team's":      {"guest", "basic", []string{"guest", "team"}},
		"unit":                {"boss", "local", []string{"boss", "guest"}},
		"unit below":          {"clerk", "local", []string{"clerk", "team"}},
		"units":               {"boss", "deep", []string{"boss", "clerk", "guest", "team"}},
		"units of the branch": {"clerk", "deep", []string{"clerk", "team"}},
		"everything":          {"clerk", "global", []string{"boss", "clerk", "guest", "team"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffices(t)
			user := map[string]value.GUID{"boss": o.boss, "clerk": o.clerk, "guest": o.guest}[test.user]
			o.role(user, "prvReadcontact:"+test.depth)
			c := o.callerOf(user)
			contact := o.model.Table("contact")
			q := keyQuery(contact)
			if err := Secure(c, q); err != nil {
				t.Fatal(err)
			}
			if got := o.names(q); !slices.Equal(got, test.want) {
				t.Errorf("sees %v, want %v", got, test.want)
			}
			for name, id := range o.contacts {
				err := RowAccess(t.Context(), o.Store, o.model, c, o.row("contact", id), Read)
				if (err == nil) != slices.Contains(test.want, name) {
					t.Errorf("reading %s alone: %v", name, err)
				}
			}
		})
	}
}

func TestRoleOfATeamReachesTheTeamsUnit(t *testing.T) {
	o := newOffices(t)
	o.role(o.team, "prvReadcontact:local")
	q := keyQuery(o.model.Table("contact"))
	if err := Secure(o.callerOf(o.guest), q); err != nil {
		t.Fatal(err)
	}
	if got, want := o.names(q), []string{"clerk", "guest", "team"}; !slices.Equal(got, want) {
		t.Errorf("sees %v, want %v", got, want)
	}
}

func TestRowRefusalMessage(t *testing.T) {
	o := newOffices(t)
	o.role(o.boss, "prvReadcontact:basic", "prvWritecontact:basic")
	c := o.callerOf(o.boss)
	for name, level := range map[string]string{"guest": "Local", "clerk": "Deep"} {
		id := o.contacts[name]
		f := fault.As(RowAccess(t.Context(), o.Store, o.model, c, o.row("contact", id), Write))
		want := "Principal with id " + o.boss.String() + " does not have WriteAccess right(s) for record with id " + id.String() +
			" of entity contact. Consider assigning a role with the " + level + " level to the user or team."
		if f.Message != want || f.Code != fault.AccessDenied || f.Status != 403 {
			t.Errorf("%d %v %q\nwant %q", f.Status, f.Code, f.Message, want)
		}
	}
	if f := fault.As(RowAccess(t.Context(), o.Store, o.model, c, o.row("contact", o.contacts["boss"]), Delete)); f.Code != fault.PrivilegeDenied {
		t.Errorf("right not held at all: %v", f)
	}
}

func TestOuterJoinKeepsRowsOfUnreadableTargets(t *testing.T) {
	o := newOffices(t)
	o.role(o.boss, "prvReadcontact:basic", "prvReadaccount:global")
	account := o.add("account", values{
		"name": value.Text("A"), "primarycontactid": value.ID(o.contacts["clerk"]),
		"ownerid": value.Ref(o.boss, 8), "owningbusinessunit": value.ID(o.head),
	})
	for kind, want := range map[query.JoinKind]int{query.Outer: 1, query.Inner: 0} {
		q := keyQuery(o.model.Table("account"))
		link := lookup(q.Root, "primarycontactid", kind)
		q.Links = []*query.Link{link}
		q.Select.Outputs = append(q.Select.Outputs, query.Refs(link, []*schema.Column{link.Table.Key})...)
		if err := Secure(o.callerOf(o.boss), q); err != nil {
			t.Fatal(err)
		}
		rows, err := o.Read(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
			if value.GUID(rows.Bytes(0)) != account || !rows.Null(1) {
				t.Error("the row of somebody else's contact shows through the join")
			}
		}
		rows.Close()
		if n != want {
			t.Errorf("join kind %d gives %d rows, want %d", kind, n, want)
		}
	}
}

func TestMembersOfUnreadableListsAreHidden(t *testing.T) {
	o := newOffices(t)
	o.role(o.boss, "prvReadlist:basic", "prvReadcontact:global")
	for _, owner := range []value.GUID{o.boss, o.guest} {
		list := o.add("list", values{
			"listname": value.Text("L"), "ownerid": value.Ref(owner, 8), "owningbusinessunit": value.ID(o.head),
		})
		o.add("listmember", values{"listid": value.ID(list), "entityid": value.Ref(o.contacts["boss"], o.model.Table("contact").TypeCode)})
	}
	members := o.model.Table("listmember")
	q := keyQuery(members)
	c := o.callerOf(o.boss)
	if err := Secure(c, q); err != nil {
		t.Fatal(err)
	}
	if n, err := o.Count(t.Context(), q); err != nil || n != 1 {
		t.Errorf("%d members visible (%v), want those of one's own list", n, err)
	}
	rows, err := find(t.Context(), o.Store, &query.Link{Table: members}, nil, "listid")
	if err != nil {
		t.Fatal(err)
	}
	readable := 0
	for _, row := range rows {
		if RowAccess(t.Context(), o.Store, o.model, c, row, Read) == nil {
			readable++
		}
	}
	if readable != 1 {
		t.Errorf("%d member rows readable alone, want 1", readable)
	}
}
