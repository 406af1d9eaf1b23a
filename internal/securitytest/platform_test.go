package securitytest

import (
	"net/http"
	"strings"
	"testing"

	"almoner/internal/auth"
)

// administered are the platform's tables that administrators write like any other (decision 43).
var administered = []string{"transactioncurrency", "team", "businessunit", "savedquery", "role", "systemuser"}

// Administrators write the platform's tables; for others that is forbidden, whatever they try.
func TestPlatformTablesAreAdministered(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		desk, _ := w.newApp("Desk", auth.RoleIntegration)
		reader, _ := w.newApp("Reader", auth.RoleReader)
		for _, name := range administered {
			table := w.model.Table(name)
			id := w.row(name)
			path := table.Set + "(" + id + ")"
			for _, c := range []caller{desk, reader} {
				w.denied(c.post(table.Set, text(w.sample(name))), "Create", name)
				w.denied(c.patch(path, w.change(table)), "Write", name)
				w.denied(c.delete(path), "Delete", name)
				w.denied(c.post(table.Set+"/Microsoft.Dynamics.CRM.CreateMultiple", text(map[string]any{"Targets": []any{w.sample(name)}})), "Create", name)
			}
			w.admin.patch(path, w.change(table)).must(t, http.StatusNoContent)
			w.admin.delete(path).must(t, http.StatusNoContent)
		}
	})
}

// What clients may only read is answered 405 to an administrator, too.
func TestReadOnlyTables(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	w.row("contact")
	desk, _ := w.newApp("Desk", auth.RoleIntegration)
	for _, set := range []string{"privileges", "organizations", "audits"} {
		table := w.model.Set(set)
		id := w.admin.get(set+"?$top=1").must(t, http.StatusOK).rows(t)[0][table.Key.Name].(string)
		path := set + "(" + id + ")"
		for name, a := range map[string]answer{
			"POST": w.admin.post(set, "{}"), "PATCH": w.admin.patch(path, "{}"), "DELETE": w.admin.delete(path),
			"bulk": w.admin.post(set+"/Microsoft.Dynamics.CRM.CreateMultiple", `{"Targets":[{}]}`),
		} {
			if a.must(t, http.StatusMethodNotAllowed); a.header.Get("Allow") == "" {
				t.Errorf("%s %s: no Allow", name, set)
			}
		}
		if a := desk.patch(path, "{}"); a.status != http.StatusMethodNotAllowed && a.status != http.StatusForbidden {
			t.Errorf("%s: %d", a.asked, a.status)
		}
	}
	for _, set := range []string{"clientsecrets", "signingkeys", "counters", "settings", "repeatabilities", "clientsecret", "signingkey"} {
		w.admin.get(set).must(t, http.StatusNotFound)
		w.admin.get(`contacts?fetchXml=`+escape(`<fetch><entity name="contact"><link-entity name="`+strings.TrimSuffix(set, "s")+`" from="applicationid" to="contactid"/></entity></fetch>`)).must(t, http.StatusBadRequest)
	}
}

// A stored query of one's own is nobody else's.
func TestUserQueriesAreOnesOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		ann, _ := w.newApp("Ann", auth.RoleIntegration)
		bob, _ := w.newApp("Bob", auth.RoleIntegration)
		id := ann.create("userqueries", text(w.sample("userquery")))
		path := "userqueries(" + id + ")"
		ann.get(path).must(t, http.StatusOK)
		ann.get("contacts?userQuery="+id).must(t, http.StatusOK)
		for _, a := range []answer{bob.get(path), bob.patch(path, `{"name":"Mine"}`), bob.delete(path), bob.get("contacts?userQuery=" + id)} {
			a.refused(t, http.StatusForbidden, "0x80048306", id)
		}
		if n := len(bob.get("userqueries").rows(t)); n != 0 {
			t.Errorf("Bob sees %d queries of others", n)
		}
		ann.delete(path).must(t, http.StatusNoContent)
	})
}

// No way leads from an application's own rights to more.
func TestNobodyPromotesThemselves(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		var grants []string
		for _, p := range auth.CatalogOf(w.model).All() {
			grants = append(grants, p.Name+":global")
		}
		role := w.newRole("Everything", grants...)
		app, c := w.newApp("Climber", "Everything")
		me := "systemusers(" + c.SystemUserID.String() + ")"
		admins := w.admin.get("roles?$filter=name eq 'System Administrator'").rows(t)[0]["roleid"].(string)
		team := w.row("team")
		link := func(address string) string { return `{"@odata.id":"/` + address + `"}` }
		for name, a := range map[string]answer{
			"take a role":             app.post(me+"/systemuserroles_association/$ref", link("roles("+admins+")")),
			"take it from its side":   app.post("roles("+admins+")/systemuserroles_association/$ref", link(me)),
			"give it to a team":       app.post("teams("+team+")/teamroles_association/$ref", link("roles("+admins+")")),
			"join a team":             app.post("teams("+team+")/teammembership_association/$ref", link(me)),
			"join by message":         app.post("teams("+team+")/Microsoft.Dynamics.CRM.AddMembersTeam", `{"Members":[{"systemuserid":"`+c.SystemUserID.String()+`"}]}`),
			"extend a role":           app.post("roles("+role+")/Microsoft.Dynamics.CRM.AddPrivilegesRole", `{"Privileges":[]}`),
			"replace a role":          app.post("roles("+role+")/Microsoft.Dynamics.CRM.ReplacePrivilegesRole", `{"Privileges":[]}`),
			"shrink a role":           app.post("roles("+role+")/Microsoft.Dynamics.CRM.RemovePrivilegeRole", `{"PrivilegeId":"`+newID()+`"}`),
			"create a user":           app.post("systemusers", `{"lastname":"New"}`),
			"move to another unit":    app.patch(me, `{"businessunitid@odata.bind":"/businessunits(`+auth.RootUnit.String()+`)"}`),
			"take another's client":   app.patch(me, `{"applicationid":"`+newID()+`"}`),
			"in a batch":              app.batch("POST " + me + "/systemuserroles_association/$ref\n" + link("roles("+admins+")")),
			"nested in a new team":    app.post("teams", `{"name":"T","teamroles_association@odata.bind":["/roles(`+admins+`)"]}`),
			"write the joining table": app.post("systemuserrolescollection", `{}`),
			"write the grants":        app.post("roleprivilegescollection", `{}`),
		} {
			if a.status != http.StatusForbidden && a.status != http.StatusMethodNotAllowed {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		w.poll()
		if held := app.get(me + "/systemuserroles_association").rows(t); len(held) != 1 {
			t.Errorf("the application holds %d roles", len(held))
		}
		w.admin.post("roles("+admins+")/Microsoft.Dynamics.CRM.ReplacePrivilegesRole", `{"Privileges":[]}`).must(t, http.StatusBadRequest)
	})
}

// Secrets come from the command line and the token endpoint alone.
func TestNoSecretInTheApi(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	_, c := w.newApp("Desk", auth.RoleIntegration)
	for _, path := range []string{"systemusers", "systemusers(" + c.SystemUserID.String() + ")", "$metadata", "EntityDefinitions(LogicalName='systemuser')?$expand=Attributes", "audits"} {
		body := strings.ToLower(w.admin.get(path).must(t, http.StatusOK).body)
		for _, word := range []string{"client_secret", "clientsecret", "argon2", "private key", strings.ToLower(c.ClientSecret)} {
			if strings.Contains(body, word) {
				t.Errorf("%s speaks of %q", path, word)
			}
		}
	}
}

// Commands work while the service runs: what is new counts from the next request, what is taken away is noticed by itself.
func TestCommandsReachTheRunningService(t *testing.T) {
	for kind := range stores {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w, registry := withCommands(t, kind)
			role, err := registry.CreateRole(t.Context(), "Fresh", []string{"prvReadcontact:global"})
			if err != nil {
				t.Fatal(err)
			}
			c, err := registry.CreateApp(t.Context(), "Fresh App", []string{"Fresh"})
			if err != nil {
				t.Fatal(err)
			}
			app := w.app("Fresh App")
			app.get("contacts").must(t, http.StatusOK)
			user, err := registry.CreateUser(t.Context(), "Fresh User", []string{"Fresh"})
			if err != nil {
				t.Fatal(err)
			}
			w.admin.as(user.String()).get("contacts").must(t, http.StatusOK)
			w.denied(app.get("accounts"), "Read", "account")
			w.admin.post("roles("+role.String()+")/Microsoft.Dynamics.CRM.AddPrivilegesRole", `{"Privileges":[{"PrivilegeName":"prvReadaccount","Depth":"Global"}]}`).must(t, http.StatusNoContent)
			eventually(t, "a new grant counts", func() bool { return app.get("accounts").ok() })
			rotated, err := registry.RotateApp(t.Context(), "Fresh App")
			if err != nil {
				t.Fatal(err)
			}
			address := w.listen() + "/oauth2/v2.0/token"
			if status, _, body := tokenDoor(t, address, grantForm(rotated), nil); status != http.StatusOK {
				t.Errorf("the new secret: %d %v", status, body)
			}
			eventually(t, "the old secret is refused", func() bool {
				status, _, _ := tokenDoor(t, address, grantForm(c), nil)
				return status == http.StatusUnauthorized
			})
			if err := registry.DisableApp(t.Context(), "Fresh App"); err != nil {
				t.Fatal(err)
			}
			eventually(t, "a disabled application is refused", func() bool { return app.get("contacts").fault().Code == "0x80040225" })
		})
	}
}

// What no table's rights cover has a privilege of its own.
func TestPrivilegesOfNoTable(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	w.newRole("Contacts", "prvReadcontact:global", "prvCreatecontact:global", "prvWritecontact:global")
	app, _ := w.newApp("Desk", "Contacts")
	id := app.create("contacts", `{"lastname":"Plain"}`)
	missing := func(name string) string { return "is missing " + name + " privilege" }
	app.post("contacts", `{"lastname":"Old","overriddencreatedon":"2001-01-01T00:00:00Z"}`).refused(t, http.StatusForbidden, "0x80040220", missing(auth.OverrideCreated))
	app.get("RetrieveRecordChangeHistory(Target=@t)?@t={'@odata.id':'contacts("+id+")'}").refused(t, http.StatusForbidden, "0x80040220", missing(auth.ReadRecordHistory))
	app.get("audits").refused(t, http.StatusForbidden, "0x80040220", missing(auth.ReadAuditSummary))
	desk, _ := w.newApp("Integration", auth.RoleIntegration)
	made := desk.post("contacts", `{"lastname":"Old","overriddencreatedon":"2001-01-01T00:00:00Z"}`, "Prefer", "return=representation").must(t, http.StatusCreated).decode(t)
	if made["createdon"] != "2001-01-01T00:00:00Z" {
		t.Errorf("createdon is %v", made["createdon"])
	}
}

// Who may not use a table does not learn which rows it holds.
func TestRefusalsTellNothing(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	w.newRole("Gifts", "prvReadsvc_gift:global", "prvCreatesvc_gift:global", "prvWritesvc_gift:global", "prvReadlist:global", "prvWritelist:global")
	app, _ := w.newApp("Desk", "Gifts")
	gift, list := w.row("svc_gift"), w.row("list")
	ask := func(table, id string) []answer {
		set := w.model.Table(table).Set
		address := "/" + set + "(" + id + ")"
		return []answer{
			app.get(address[1:]), app.patch(address[1:], "{}"), app.patch(address[1:], "{}", "If-None-Match", "*"), app.patch(address[1:], "{}", "If-Match", `W/"1"`), app.delete(address[1:]),
			app.patch("svc_gifts("+gift+")", `{"svc_Donor@odata.bind":"`+address+`","svc_Payor@odata.bind":"`+address+`"}`),
			app.send(http.MethodPut, "svc_gifts("+gift+")/svc_Donor/$ref", `{"@odata.id":"`+address+`"}`),
			app.post("lists("+list+")/Microsoft.Dynamics.CRM.AddMemberList", `{"EntityId":"`+id+`"}`),
			app.get("RetrieveSharedPrincipalsAndAccess(Target=@t)?@t={'@odata.id':'" + address[1:] + "'}"),
		}
	}
	for _, table := range []string{"svc_donor", "contact"} {
		there, absent := w.row(table), newID()
		known, unknown := ask(table, there), ask(table, absent)
		for i := range known {
			same := known[i].status == unknown[i].status && strings.ReplaceAll(known[i].body, there, absent) == unknown[i].body
			if !same || known[i].ok() {
				t.Errorf("%s: %d %s\nfor a row that is not there: %d %s", known[i].asked, known[i].status, known[i].body, unknown[i].status, unknown[i].body)
			}
		}
	}
}
