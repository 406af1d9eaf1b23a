package securitytest

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"almoner/internal/auth"
	"almoner/internal/schema"
)

// Every table, every operation, each right missing in turn: what needs the right is refused with 403 naming its privilege, and
// everything else works.
func TestEveryRightIsAsked(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		m := newMatrix(w)
		for _, table := range w.model.Tables {
			if table.Hidden || table.Link {
				continue
			}
			ops := m.operations(table)
			for _, right := range table.Rights() {
				m.without(right, table, func() { m.run(table, ops, right) })
			}
		}
		t.Logf("%d requests judged", m.judged)
	})
}

// operation is one way of using a table, with the rights on that table it needs.
type operation struct {
	name  string
	needs []string
	few   bool // one of many alike: run only where the missing right could matter
	run   func() answer
}

// matrix holds one user with one role, from which rights are taken one at a time.
type matrix struct {
	w      *world
	role   string
	user   caller
	other  string               // a user who may own and be given any row
	rows   map[string][2]string // two rows of every table
	judged int
}

func newMatrix(w *world) *matrix {
	m := &matrix{w: w, rows: map[string][2]string{}}
	var grants []string
	for _, p := range auth.CatalogOf(w.model).All() {
		grants = append(grants, p.Name+":global")
	}
	m.role = w.newRole("Everything", grants...)
	m.user = w.newUser("Matrix User", "Everything")
	m.other = w.newUser("Other User", auth.RoleAdministrator).user
	for _, t := range w.model.Tables {
		if !t.Hidden {
			m.rows[t.Name] = m.rowsOf(t)
		}
	}
	return m
}

// rowsOf makes two rows of a table, or finds them where clients may only read.
func (m *matrix) rowsOf(t *schema.Table) (ids [2]string) {
	for i := range ids {
		if !t.ReadOnly && !t.Link {
			ids[i] = m.w.row(t.Name)
		}
	}
	if !t.ReadOnly {
		return ids
	}
	if t.Name == "principalobjectaccess" {
		m.share(m.w.admin, m.w.model.Table("contact"), m.w.row("contact"), "GrantAccess", "ReadAccess").must(m.w.t, http.StatusNoContent)
	}
	for i, row := range m.w.admin.get(t.Set + "?$top=2").rows(m.w.t) {
		ids[i] = row[t.Key.Name].(string)
	}
	return ids
}

// without runs do while the role lacks a right on a table.
func (m *matrix) without(right string, t *schema.Table, do func()) {
	name := privilegeOf(right, t.Name)
	entry := map[string]any{"PrivilegeId": schema.PrivilegeID(name).String()}
	path := "roles(" + m.role + ")/Microsoft.Dynamics.CRM."
	m.w.admin.post(path+"RemovePrivilegeRole", text(entry)).must(m.w.t, http.StatusNoContent)
	m.w.poll()
	do()
	entry["Depth"] = "Global"
	m.w.admin.post(path+"AddPrivilegesRole", text(map[string]any{"Privileges": []any{entry}})).must(m.w.t, http.StatusNoContent)
}

// run runs the operations on a table while a right on it is missing.
func (m *matrix) run(t *schema.Table, ops []operation, missing string) {
	for _, op := range ops {
		if op.few && missing != "Read" && missing != "AppendTo" && !slices.Contains(op.needs, missing) {
			continue
		}
		m.judged++
		a := op.run()
		switch {
		case auth.AffectsSecurity(t) && changesRows(op.needs):
			a.refused(m.w.t, http.StatusForbidden, "0x80040220", "for entity '"+t.Name+"'")
		case slices.Contains(op.needs, missing):
			m.w.denied(a, missing, t.Name)
		case !a.ok():
			m.w.t.Errorf("%s of %s without %s: %d %s", op.name, t.Name, missing, a.status, a.body)
		}
	}
}

// changesRows tells whether an operation alters rows of the table: on tables that decide about rights only administrators may.
func changesRows(needs []string) bool {
	return slices.ContainsFunc(needs, func(r string) bool { return r == "Create" || r == "Write" || r == "Delete" })
}

// operations lists everything that can be done with a table.
func (m *matrix) operations(t *schema.Table) []operation {
	ops := m.reads(t)
	if !t.ReadOnly {
		ops = append(ops, m.writes(t)...)
	}
	if t.Owner == schema.UserOwned {
		ops = append(ops, m.ownership(t)...)
	}
	ops = append(ops, m.membership(t)...)
	ops = append(ops, m.asParent(t)...)
	return append(ops, m.asChild(t)...)
}

var read = []string{"Read"}

func (m *matrix) reads(t *schema.Table) []operation {
	get := func(name, path string, headers ...string) operation {
		return operation{name: name, needs: read, run: func() answer { return m.user.get(path, headers...) }}
	}
	id := m.rows[t.Name][0]
	fetch := `<fetch top="1"><entity name="` + t.Name + `"><attribute name="` + t.Key.Name + `"/></entity></fetch>`
	sum := `<fetch aggregate="true"><entity name="` + t.Name + `"><attribute name="` + t.Key.Name + `" alias="n" aggregate="count"/></entity></fetch>`
	ops := []operation{
		get("row", t.Set+"("+id+")"),
		get("row of some columns", t.Set+"("+id+")?$select="+t.Key.Name),
		get("column", t.Set+"("+id+")/"+t.Key.Name),
		get("list", t.Set+"?$top=1"),
		get("list with count", t.Set+"?$top=1&$count=true"),
		get("count", t.Set+"/$count"),
		get("filter", t.Set+"?$top=1&$filter="+t.Key.Name+" ne null"),
		get("apply", t.Set+"?$apply=aggregate($count as n)"),
		get("FetchXML", t.Set+"?fetchXml="+escape(fetch)),
		get("FetchXML aggregate", t.Set+"?fetchXml="+escape(sum)),
		get("total", "RetrieveTotalRecordCount(EntityNames=['"+t.Name+"'])"),
		get("history", "RetrieveRecordChangeHistory(Target=@t)?@t={'@odata.id':'"+t.Set+"("+id+")'}"),
		{name: "batch", needs: read, run: func() answer { return m.user.batch("GET " + t.Set + "?$top=1") }},
	}
	if t.Track {
		ops = append(ops, get("delta", t.Set+"?$select="+t.Key.Name, "Prefer", "odata.track-changes"))
	}
	return ops
}

func (m *matrix) writes(t *schema.Table) []operation {
	w, id := m.w, m.rows[t.Name][0]
	path := t.Set + "(" + id + ")"
	bulk := func(name string, target map[string]any) answer {
		return m.user.post(t.Set+"/Microsoft.Dynamics.CRM."+name, text(map[string]any{"Targets": []any{target}}))
	}
	changed := func() map[string]any {
		out := map[string]any{t.Key.Name: id}
		mergeJSON(out, w.change(t))
		return out
	}
	create, update, remove := []string{"Create", "Read"}, []string{"Write", "Read"}, []string{"Delete", "Read"}
	ops := []operation{
		{name: "POST", needs: create, run: func() answer { return m.user.post(t.Set, text(w.sample(t.Name))) }},
		{name: "POST with the row back", needs: create, run: func() answer {
			return m.user.post(t.Set, text(w.sample(t.Name)), "Prefer", "return=representation")
		}},
		{name: "CreateMultiple", needs: create, run: func() answer { return bulk("CreateMultiple", w.sample(t.Name)) }},
		{name: "POST in a change set", needs: create, run: func() answer { return m.user.batch("POST " + t.Set + "\n" + text(w.sample(t.Name))) }},
		{name: "PATCH", needs: update, run: func() answer { return m.user.patch(path, w.change(t)) }},
		{name: "PATCH of nothing", needs: update, run: func() answer { return m.user.patch(path, "{}") }},
		{name: "UpdateMultiple", needs: update, run: func() answer { return bulk("UpdateMultiple", changed()) }},
		{name: "PATCH in a change set", needs: update, run: func() answer { return m.user.batch("PATCH " + path + "\n" + w.change(t)) }},
		{name: "DELETE", needs: remove, run: func() answer { return m.user.delete(t.Set + "(" + w.row(t.Name) + ")") }},
		{name: "DeleteMultiple", needs: remove, run: func() answer {
			return bulk("DeleteMultiple", map[string]any{t.Key.Name: w.row(t.Name)})
		}},
	}
	if t.Column("statecode") != nil {
		ops = append(ops, operation{name: "SetState", needs: update, run: func() answer {
			return m.user.post(path+"/Microsoft.Dynamics.CRM.SetState", `{"State":0,"Status":-1}`)
		}})
	}
	if t.Name == "contact" || t.Name == "account" {
		ops = append(ops,
			operation{name: "upsert", needs: create, run: func() answer { return m.user.patch(t.Set+"("+newID()+")", text(w.sample(t.Name))) }},
			operation{name: "UpsertMultiple", needs: create, run: func() answer {
				target := w.sample(t.Name)
				target[t.Key.Name] = newID()
				return bulk("UpsertMultiple", target)
			}})
	}
	return ops
}

func (m *matrix) ownership(t *schema.Table) []operation {
	w, id := m.w, m.rows[t.Name][0]
	assign := []string{"Assign", "Write", "Read"}
	principal := map[string]any{"@odata.type": "Microsoft.Dynamics.CRM.systemuser", "systemuserid": m.other}
	share := func(message, mask string, needs ...string) operation {
		return operation{name: message + " " + mask, needs: needs, run: func() answer { return m.share(m.user, t, id, message, mask) }}
	}
	return []operation{
		{name: "assign", needs: assign, run: func() answer {
			return m.user.patch(t.Set+"("+w.row(t.Name)+")", `{"ownerid@odata.bind":"/systemusers(`+m.other+`)"}`)
		}},
		{name: "Assign", needs: assign, run: func() answer {
			return m.user.post(t.Set+"("+w.row(t.Name)+")/Microsoft.Dynamics.CRM.Assign", text(map[string]any{"Assignee": principal}))
		}},
		{name: "create for another", needs: []string{"Create", "Read", "Assign"}, run: func() answer {
			body := w.sample(t.Name)
			body["ownerid@odata.bind"] = "/systemusers(" + m.other + ")"
			return m.user.post(t.Set, text(body))
		}},
		share("GrantAccess", "ReadAccess", "Share", "Read"),
		share("GrantAccess", "ReadAccess, WriteAccess, DeleteAccess", "Share", "Read", "Write", "Delete"),
		share("ModifyAccess", "AppendToAccess, AssignAccess", "Share", "Read", "AppendTo", "Assign"),
		{name: "RevokeAccess", needs: []string{"Share", "Read"}, run: func() answer {
			return m.user.post("RevokeAccess", text(map[string]any{"Target": target(t, id), "Revokee": principal}))
		}},
		{name: "RetrieveSharedPrincipalsAndAccess", needs: read, run: func() answer {
			return m.user.get("RetrieveSharedPrincipalsAndAccess(Target=@t)?@t={'@odata.id':'" + t.Set + "(" + id + ")'}")
		}},
		{name: "RetrievePrincipalAccess", needs: read, run: func() answer {
			return m.user.get("systemusers(" + m.other + ")/Microsoft.Dynamics.CRM.RetrievePrincipalAccess(Target=@t)?@t={'@odata.id':'" + t.Set + "(" + id + ")'}")
		}},
	}
}

// share shares a row with the other user.
func (m *matrix) share(c caller, t *schema.Table, id, message, mask string) answer {
	return c.post(message, text(map[string]any{"Target": target(t, id), "PrincipalAccess": map[string]any{
		"AccessMask": mask, "Principal": map[string]any{"@odata.type": "Microsoft.Dynamics.CRM.systemuser", "systemuserid": m.other},
	}}))
}

// target is a row as messages name it.
func target(t *schema.Table, id string) map[string]any {
	return map[string]any{"@odata.type": "Microsoft.Dynamics.CRM." + t.Name, t.Key.Name: id}
}

// asParent lists what other tables do with a table they point at.
func (m *matrix) asParent(t *schema.Table) []operation {
	var ops []operation
	for _, r := range t.Childs {
		if r.Child.Hidden || r.System || r.Child.Link || r.Child.Name == "audit" || r.Child.Name == "listmember" {
			continue
		}
		ops = append(ops, m.through(t, r)...)
		if !r.Child.ReadOnly && !auth.AffectsSecurity(r.Child) && !r.Column.Computed && !r.Column.CreateOnly {
			ops = append(ops, m.binding(t, r)...)
		}
	}
	return ops
}

// through reads a table by way of a lookup that points at it.
func (m *matrix) through(t *schema.Table, r *schema.Relation) []operation {
	c := r.Child
	get := func(name, path string) operation {
		return operation{name: name + " " + c.Name + "." + r.Nav, needs: read, few: true, run: func() answer { return m.user.get(path) }}
	}
	column := anyColumn(t)
	link := fmt.Sprintf(`<fetch top="1"><entity name="%s"><link-entity name="%s" from="%s" to="%s" link-type="outer"/></entity></fetch>`, c.Name, t.Name, t.Key.Name, r.Column.Name)
	exists := fmt.Sprintf(`<fetch top="1"><entity name="%s"><filter><link-entity name="%s" from="%s" to="%s" link-type="any"/></filter></entity></fetch>`, c.Name, t.Name, t.Key.Name, r.Column.Name)
	return []operation{
		get("expand", c.Set+"?$top=1&$expand="+r.Nav),
		get("filter", c.Set+"?$top=1&$filter="+r.Nav+"/"+column+" ne null"),
		get("order", c.Set+"?$top=1&$orderby="+r.Nav+"/"+column),
		get("group", c.Set+"?$apply=groupby(("+r.Nav+"/"+column+"))"),
		get("count", c.Set+"/$count?$filter="+r.Nav+"/"+column+" eq null"),
		get("FetchXML link", c.Set+"?fetchXml="+escape(link)),
		get("FetchXML any", c.Set+"?fetchXml="+escape(exists)),
	}
}

// anyColumn is a column other than the key, which a lookup to the table holds itself.
func anyColumn(t *schema.Table) string {
	if t.Title != nil {
		return t.Title.Name
	}
	return "createdon"
}

// binding sets a lookup that points at a table.
func (m *matrix) binding(t *schema.Table, r *schema.Relation) []operation {
	c, child, parent := r.Child, m.rows[r.Child.Name][0], m.rows[t.Name][1]
	needs := []string{"AppendTo", "Read"}
	if c == t {
		needs = append(needs, "Write")
	}
	path, address := c.Set+"("+child+")", "/"+t.Set+"("+parent+")"
	id := `{"@odata.id":"` + address + `"}`
	op := func(name string, run func() answer) operation {
		return operation{name: name + " " + c.Name + "." + r.Nav, needs: needs, few: true, run: run}
	}
	ops := []operation{
		op("bind", func() answer { return m.user.patch(path, text(map[string]any{r.Nav + "@odata.bind": address})) }),
		op("$ref", func() answer { return m.user.send(http.MethodPut, path+"/"+r.Nav+"/$ref", id) }),
		op("collection $ref", func() answer {
			return m.user.post(t.Set+"("+parent+")/"+r.Collection+"/$ref", `{"@odata.id":"/`+c.Set+"("+child+`)"}`)
		}),
	}
	if parents[c.Name][r.Nav] != "" {
		return ops // the row cannot live without it
	}
	set := func() {
		m.w.admin.patch(path, text(map[string]any{r.Nav + "@odata.bind": address})).must(m.w.t, http.StatusNoContent)
	}
	return append(ops,
		op("clear $ref", func() answer { set(); return m.user.delete(path + "/" + r.Nav + "/$ref") }),
		op("remove from collection", func() answer {
			set()
			return m.user.delete(t.Set + "(" + parent + ")/" + r.Collection + "(" + child + ")/$ref")
		}))
}

// membership changes who is on a list, from both ends and by every message.
func (m *matrix) membership(t *schema.Table) []operation {
	needs := map[string][]string{"list": {"Write", "Read"}, "contact": {"AppendTo", "Read"}}[t.Name]
	if needs == nil {
		return nil
	}
	list, contact := m.rows["list"][0], m.rows["contact"][0]
	path, member := "lists("+list+")/", `{"@odata.id":"/contacts(`+contact+`)"}`
	message := path + "Microsoft.Dynamics.CRM."
	post := func(name, path, body string) operation {
		return operation{name: name, needs: needs, run: func() answer { return m.user.post(path, body) }}
	}
	return []operation{
		post("add by $ref", path+"listcontact_association/$ref", member),
		post("add by member $ref", path+"listmember_association/$ref", member),
		post("add list to contact", "contacts("+contact+")/listcontact_association/$ref", `{"@odata.id":"/lists(`+list+`)"}`),
		post("AddMemberList", message+"AddMemberList", `{"EntityId":"`+contact+`"}`),
		post("AddMembersList", message+"AddMembersList", `{"MemberIds":["`+contact+`"]}`),
		post("RemoveMemberList", message+"RemoveMemberList", `{"EntityId":"`+contact+`"}`),
		{name: "remove by $ref", needs: needs, run: func() answer { return m.user.delete(path + "listcontact_association(" + contact + ")/$ref") }},
	}
}

// asChild reads a table through the collections it is part of.
func (m *matrix) asChild(t *schema.Table) []operation {
	var ops []operation
	for _, r := range t.Parents {
		p := r.Parent
		if p.Hidden || r.System || t.Name == "audit" || t.Link {
			continue
		}
		row := p.Set + "(" + m.rows[p.Name][0] + ")"
		for name, path := range map[string]string{
			"collection":        row + "/" + r.Collection + "?$top=1",
			"collection count":  row + "/" + r.Collection + "/$count",
			"collection $ref":   row + "/" + r.Collection + "/$ref",
			"expand collection": row + "?$expand=" + r.Collection + "($top=1)",
			"any":               p.Set + "?$top=1&$filter=" + r.Collection + "/any(x:x/" + t.Key.Name + " ne null)",
			"all":               p.Set + "/$count?$filter=" + r.Collection + "/all(x:x/" + t.Key.Name + " eq null)",
		} {
			ops = append(ops, operation{name: name + " " + r.Collection, needs: read, few: true, run: func() answer { return m.user.get(path) }})
		}
	}
	return ops
}
