package securitytest

import (
	"net/http"
	"strings"
	"testing"

	"almoner/internal/auth"
)

// Acting for a user, by either header in any case: whose rights count, and who did it.
func TestImpersonation(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		app, c := w.newApp("Desk", auth.RoleIntegration)
		ann := w.newUser("Ann Lee", auth.RoleIntegration).user
		object := newID()
		w.admin.patch("systemusers("+ann+")", `{"azureactivedirectoryobjectid":"`+object+`"}`).must(t, http.StatusNoContent)
		w.poll()
		for _, header := range [][2]string{{"MSCRMCallerID", ann}, {"mscrmcallerid", strings.ToUpper(ann)}, {"MsCrmCallerId", "{" + ann + "}"}, {"CallerObjectId", object}, {"callerobjectid", object}} {
			a := app.post("contacts", `{"lastname":"Made"}`, header[0], header[1], "Prefer", "return=representation")
			row := a.must(t, http.StatusCreated).decode(t)
			for column, want := range map[string]any{
				"_createdby_value": ann, "_modifiedby_value": ann, "_ownerid_value": ann,
				"_createdonbehalfby_value": c.SystemUserID.String(), "_modifiedonbehalfby_value": c.SystemUserID.String(),
			} {
				if row[column] != want {
					t.Errorf("%s: %s is %v, want %v", header, column, row[column], want)
				}
			}
			who := app.get("WhoAmI", header[0], header[1]).decode(t)
			if who["UserId"] != ann {
				t.Errorf("%s: WhoAmI says %v", header, who["UserId"])
			}
			audit := w.admin.get("audits?$filter=_objectid_value eq " + row["contactid"].(string)).rows(t)
			if len(audit) != 1 || audit[0]["_userid_value"] != ann || audit[0]["_callinguserid_value"] != c.SystemUserID.String() {
				t.Errorf("%s: the audit says %v", header, audit)
			}
		}
		self := app.post("contacts", `{"lastname":"Mine"}`, "MSCRMCallerID", c.SystemUserID.String(), "Prefer", "return=representation").decode(t)
		if self["_createdby_value"] != c.SystemUserID.String() || self["_createdonbehalfby_value"] != nil {
			t.Errorf("acting for oneself: %v", self)
		}
	})
}

// A later change by somebody else clears or sets modifiedonbehalfby.
func TestBehalfFollowsTheLastChange(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	app, c := w.newApp("Desk", auth.RoleIntegration)
	ann := w.newUser("Ann", auth.RoleIntegration).user
	id := app.create("contacts", `{"lastname":"X"}`)
	app.as(ann).patch("contacts("+id+")", `{"lastname":"Y"}`).must(t, http.StatusNoContent)
	row := app.get("contacts(" + id + ")").decode(t)
	if row["_modifiedby_value"] != ann || row["_modifiedonbehalfby_value"] != c.SystemUserID.String() || row["_createdonbehalfby_value"] != nil {
		t.Errorf("after a change for Ann: %v", row)
	}
	app.patch("contacts("+id+")", `{"lastname":"Z"}`).must(t, http.StatusNoContent)
	row = app.get("contacts(" + id + ")").decode(t)
	if row["_modifiedby_value"] != c.SystemUserID.String() || row["_modifiedonbehalfby_value"] != nil {
		t.Errorf("after a change of its own: %v", row)
	}
}

// Who may not act for others, and for whom nobody may act.
func TestImpersonationRefused(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	w.newRole("Reads", "prvReadcontact:global")
	w.newRole("Acts", "prvActOnBehalfOfAnotherUser:global")
	plain, _ := w.newApp("Plain", "Reads")
	desk, _ := w.newApp("Desk", auth.RoleIntegration)
	throughTeam, cred := w.newApp("Through Team", "Reads")
	team := w.admin.create("teams", `{"name":"Delegates"}`)
	acts := w.admin.get("roles?$filter=name eq 'Acts'").rows(t)[0]["roleid"].(string)
	w.admin.post("teams("+team+")/teamroles_association/$ref", `{"@odata.id":"/roles(`+acts+`)"}`).must(t, http.StatusNoContent)
	w.admin.post("teams("+team+")/teammembership_association/$ref", `{"@odata.id":"/systemusers(`+cred.SystemUserID.String()+`)"}`).must(t, http.StatusNoContent)
	ann, bob := w.newUser("Ann", auth.RoleReader).user, w.newUser("Bob", auth.RoleReader).user
	nobody := w.newUser("No Role").user
	w.admin.patch("systemusers("+bob+")", `{"isdisabled":true}`).must(t, http.StatusNoContent)
	object := newID()
	w.admin.patch("systemusers("+ann+")", `{"azureactivedirectoryobjectid":"`+object+`"}`).must(t, http.StatusNoContent)
	w.poll()
	const missing = "is missing prvActOnBehalfOfAnotherUser privilege"
	for name, try := range map[string]struct {
		c       caller
		headers []string
		status  int
		code    string
		message string
	}{
		"without the privilege":        {plain, []string{"MSCRMCallerID", ann}, 403, "0x80040220", missing},
		"of somebody unknown, without": {plain, []string{"MSCRMCallerID", newID()}, 403, "0x80040220", missing},
		"with the privilege by a team": {throughTeam, []string{"MSCRMCallerID", ann}, 403, "0x80040220", missing},
		"no GUID":                      {desk, []string{"MSCRMCallerID", "Ann"}, 400, "0x80048d1a", "MSCRMCallerID"},
		"empty":                        {desk, []string{"MSCRMCallerID", ""}, 400, "0x80048d1a", "MSCRMCallerID"},
		"no GUID as object id":         {desk, []string{"CallerObjectId", "x"}, 400, "0x80048d1a", "CallerObjectId"},
		"unknown user":                 {desk, []string{"MSCRMCallerID", newID()}, 403, "0x80040217", "systemuser"},
		"disabled user":                {desk, []string{"MSCRMCallerID", bob}, 403, "0x80040225", "disabled"},
		"user without roles":           {desk, []string{"MSCRMCallerID", nobody}, 403, "0x80042f09", "roles"},
		"headers that name two users":  {desk, []string{"MSCRMCallerID", cred.SystemUserID.String(), "CallerObjectId", object}, 400, "0x80048d1a", "different users"},
		"object id nobody has":         {desk, []string{"CallerObjectId", newID()}, 403, "0x80040217", "systemuser"},
		"before the path is looked at": {plain, []string{"MSCRMCallerID", ann}, 403, "0x80040220", missing},
	} {
		t.Run(name, func(t *testing.T) {
			try.c.get("nosuchset", try.headers...).refused(t, try.status, try.code, try.message)
		})
	}
	desk.get("WhoAmI", "MSCRMCallerID", ann, "CallerObjectId", object).must(t, http.StatusOK)
}

// Rights are those both have; the message names whose gap it is.
func TestImpersonationIntersects(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	w.newRole("Contacts", "prvReadcontact:global", "prvActOnBehalfOfAnotherUser:global")
	w.newRole("Accounts", "prvReadaccount:global", "prvReadcontact:basic")
	app, c := w.newApp("Desk", "Contacts")
	ann := w.newUser("Ann", "Accounts").user
	w.row("contact")
	app.get("contacts").must(t, http.StatusOK)
	if n := len(app.as(ann).get("contacts").must(t, http.StatusOK).rows(t)); n != 0 {
		t.Errorf("Ann owns no contact and is shown %d", n)
	}
	app.as(ann).get("accounts").refused(t, http.StatusForbidden, "0x80040220", "Principal user (Id="+c.SystemUserID.String())
	app.as(ann).get("leads").refused(t, http.StatusForbidden, "0x80040220", "Principal user (Id="+ann)
	w.admin.as(ann).get("accounts").must(t, http.StatusOK)
	w.admin.as(ann).get("leads").must(t, http.StatusForbidden)
}

// Each part of a batch may be sent for somebody else.
func TestBatchPartsHaveTheirOwnCaller(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		app, c := w.newApp("Desk", auth.RoleIntegration)
		ann, bob := w.newUser("Ann", auth.RoleIntegration).user, w.newUser("Bob", auth.RoleReader).user
		part := func(id, caller, name string) string {
			header := ""
			if caller != "" {
				header = "MSCRMCallerID: " + caller + "\r\n"
			}
			return "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: " + id + "\r\n\r\nPOST contacts HTTP/1.1\r\nContent-Type: application/json\r\n" + header + "\r\n{\"lastname\":\"" + name + "\"}\r\n"
		}
		send := func(parts ...string) answer {
			body := "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" + strings.Join(parts, "") + "--c--\r\n--b--\r\n"
			return app.send(http.MethodPost, "$batch", body, "Content-Type", "multipart/mixed; boundary=b")
		}
		send(part("1", "", "Own"), part("2", ann, "For Ann")).must(t, http.StatusOK)
		for name, by := range map[string]string{"Own": c.SystemUserID.String(), "For Ann": ann} {
			rows := w.admin.get("contacts?$filter=lastname eq '" + name + "'").rows(t)
			if len(rows) != 1 || rows[0]["_createdby_value"] != by {
				t.Errorf("%s: %v", name, rows)
			}
		}
		send(part("1", ann, "Undone"), part("2", bob, "Refused")).must(t, http.StatusForbidden).contains(t, "prvCreatecontact")
		send(part("1", "", "Undone"), part("2", "x", "Refused")).must(t, http.StatusBadRequest).contains(t, "0x80048d1a")
		if rows := w.admin.get("contacts?$filter=lastname eq 'Undone'").rows(t); len(rows) != 0 {
			t.Error("a refused change set left rows behind")
		}
	})
}
