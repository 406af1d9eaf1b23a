package securitytest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"almoner/internal/auth"
	"almoner/internal/schema"
)

// Every depth of every right on rows, against every way a row can stand to the caller, on every user-owned table.
func TestEveryDepthReachesItsRows(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		d := newDepths(w)
		for _, right := range []string{"Read", "Write", "Delete", "Assign", "AppendTo", "Share"} {
			d.withhold(right)
			for _, depth := range []auth.Depth{auth.Basic, auth.Local, auth.Deep, auth.Global} {
				d.grant(right, depth)
				for _, table := range d.tables {
					d.judge(table, right, depth)
				}
			}
		}
		t.Logf("%d requests judged", d.judged)
	})
}

// The ways a row can stand to the caller. Shared rows belong to another unit.
const (
	own         = "own"
	ownTeam     = "own team's"
	sameUnit    = "same unit"
	childUnit   = "child unit"
	otherUnit   = "other unit"
	sharedUser  = "shared with the user"
	sharedTeam  = "shared with a team"
	sharedOther = "shared for other rights"
)

// reaches lists, for each relation, the least depth at which a right reaches the row.
var reaches = map[string]auth.Depth{
	own: auth.Basic, ownTeam: auth.Basic, sharedUser: auth.Basic, sharedTeam: auth.Basic,
	sameUnit: auth.Local, childUnit: auth.Deep, otherUnit: auth.Global, sharedOther: auth.Global,
}

var everyRight = []string{"Read", "Write", "Append", "AppendTo", "Delete", "Share", "Assign"}

// depths is a foundation of four units with one caller in the middle.
type depths struct {
	w      *world
	role   string
	user   caller
	team   string
	other  string            // a user who may own any row and be given any right
	owners map[string]string // address of the owner, by relation
	tables []*schema.Table
	rows   map[*schema.Table]map[string]string
	judged int
}

func newDepths(w *world) *depths {
	d := &depths{w: w, rows: map[*schema.Table]map[string]string{}}
	for _, t := range w.model.Tables {
		if t.Owner == schema.UserOwned && !t.Hidden {
			d.tables = append(d.tables, t)
		}
	}
	d.people()
	for _, t := range d.tables {
		d.rows[t] = map[string]string{}
		for relation := range reaches {
			d.make(t, relation)
		}
	}
	return d
}

// people makes units, users, the team and their roles through the Web API.
func (d *depths) people() {
	w := d.w
	var all, basic []string
	for _, p := range auth.CatalogOf(w.model).All() {
		all = append(all, p.Name+":global")
		if p.Table != nil && p.Table.Owner == schema.UserOwned && (p.Right == auth.Read || p.Right == auth.Create) {
			basic = append(basic, p.Name+":basic")
		}
	}
	d.role = w.newRole("Depths", all...)
	owner := w.newRole("Owner", basic...)
	unit := func(name, parent string) string {
		return w.admin.create("businessunits", `{"name":"`+name+`","parentbusinessunitid@odata.bind":"/businessunits(`+parent+`)"}`)
	}
	root := auth.RootUnit.String()
	a, b := unit("A", root), unit("B", root)
	child := unit("A1", a)
	user := func(name, unit, role string) string {
		id := w.admin.create("systemusers", `{"lastname":"`+name+`","businessunitid@odata.bind":"/businessunits(`+unit+`)"}`)
		w.admin.post("systemusers("+id+")/systemuserroles_association/$ref", `{"@odata.id":"/roles(`+role+`)"}`).must(w.t, http.StatusNoContent)
		return id
	}
	d.user = w.admin.as(user("User", a, d.role))
	d.other = w.newUser("Other", auth.RoleAdministrator).user
	d.team = w.admin.create("teams", `{"name":"Team","businessunitid@odata.bind":"/businessunits(`+b+`)"}`)
	w.admin.post("teams("+d.team+")/teamroles_association/$ref", `{"@odata.id":"/roles(`+owner+`)"}`).must(w.t, http.StatusNoContent)
	w.admin.post("teams("+d.team+")/Microsoft.Dynamics.CRM.AddMembersTeam", `{"Members":[{"systemuserid":"`+d.user.user+`"}]}`).must(w.t, http.StatusNoContent)
	stranger := "/systemusers(" + user("Stranger", b, owner) + ")"
	d.owners = map[string]string{
		own: "/systemusers(" + d.user.user + ")", ownTeam: "/teams(" + d.team + ")",
		sameUnit: "/systemusers(" + user("Mate", a, owner) + ")", childUnit: "/systemusers(" + user("Child", child, owner) + ")",
		otherUnit: stranger, sharedUser: stranger, sharedTeam: stranger, sharedOther: stranger,
	}
}

// make makes the row of a table that stands in a relation to the caller.
func (d *depths) make(t *schema.Table, relation string) {
	id := d.w.rowFor(t.Name, map[string]any{"ownerid@odata.bind": d.owners[relation]})
	d.rows[t][relation] = id
	switch relation {
	case sharedUser, sharedOther:
		d.share(t, id, "systemuser", d.user.user, everyRight)
	case sharedTeam:
		d.share(t, id, "team", d.team, everyRight)
	}
}

// share makes a set of rights all that a principal is given on a row.
func (d *depths) share(t *schema.Table, id, kind, principal string, rights []string) {
	d.w.admin.post("ModifyAccess", text(map[string]any{"Target": target(t, id), "PrincipalAccess": map[string]any{
		"AccessMask": strings.Join(rights, "Access, ") + "Access", "Principal": map[string]any{"@odata.type": "Microsoft.Dynamics.CRM." + kind, kind + "id": principal},
	}})).must(d.w.t, http.StatusNoContent)
}

// withhold shares the rows that are shared for other rights for everything but one.
func (d *depths) withhold(right string) {
	rest := slices.DeleteFunc(slices.Clone(everyRight), func(r string) bool { return r == right })
	for _, t := range d.tables {
		d.share(t, d.rows[t][sharedOther], "systemuser", d.user.user, rest)
	}
}

// grant gives the caller's role a right on every user-owned table at a depth, and the other rights globally.
func (d *depths) grant(right string, depth auth.Depth) {
	var entries []any
	for _, t := range d.tables {
		for _, r := range everyRight {
			at := auth.Global
			if r == right {
				at = depth
			}
			entries = append(entries, map[string]any{"PrivilegeId": schema.PrivilegeID(privilegeOf(r, t.Name)).String(), "Depth": at.String()})
		}
	}
	d.w.admin.post("roles("+d.role+")/Microsoft.Dynamics.CRM.AddPrivilegesRole", text(map[string]any{"Privileges": entries})).must(d.w.t, http.StatusNoContent)
	d.w.poll()
}

// judge uses a right on every row of a table.
func (d *depths) judge(t *schema.Table, right string, depth auth.Depth) {
	use := d.uses(t)[right]
	if use == nil {
		return
	}
	for relation, least := range reaches {
		id := d.rows[t][relation]
		a := use(id)
		d.judged++
		if depth < least {
			a.refused(d.w.t, http.StatusForbidden, "0x80048306", fmt.Sprintf("Principal with id %s does not have %sAccess right(s) for record with id %s of entity %s.", d.user.user, right, id, t.Name))
		} else if !a.ok() {
			d.w.t.Errorf("%s on the %s %s at %s: %d %s", right, t.Name, relation, depth, a.status, a.body)
		}
		if a.ok() && (right == "Delete" || right == "Assign") {
			d.restore(t, relation, right)
		}
	}
	if right == "Read" {
		d.judgeLists(t, depth)
	}
}

// restore puts a row back that a right was used up on.
func (d *depths) restore(t *schema.Table, relation, right string) {
	if right == "Delete" {
		d.make(t, relation)
		if relation == sharedOther {
			d.share(t, d.rows[t][relation], "systemuser", d.user.user, slices.DeleteFunc(slices.Clone(everyRight), func(r string) bool { return r == right }))
		}
		return
	}
	d.w.admin.patch(t.Set+"("+d.rows[t][relation]+")", `{"ownerid@odata.bind":"`+d.owners[relation]+`"}`).must(d.w.t, http.StatusNoContent)
}

// uses are the requests that need each right on one row of a table.
func (d *depths) uses(t *schema.Table) map[string]func(id string) answer {
	w, u := d.w, d.user
	uses := map[string]func(id string) answer{
		"Read":   func(id string) answer { return u.get(t.Set + "(" + id + ")?$select=" + t.Key.Name) },
		"Write":  func(id string) answer { return u.patch(t.Set+"("+id+")", w.change(t)) },
		"Delete": func(id string) answer { return u.delete(t.Set + "(" + id + ")") },
		"Assign": func(id string) answer {
			return u.patch(t.Set+"("+id+")", `{"ownerid@odata.bind":"/systemusers(`+d.other+`)"}`)
		},
		"Share": func(id string) answer {
			return u.post("GrantAccess", text(map[string]any{"Target": target(t, id), "PrincipalAccess": map[string]any{
				"AccessMask": "ReadAccess", "Principal": map[string]any{"@odata.type": "Microsoft.Dynamics.CRM.systemuser", "systemuserid": d.other},
			}}))
		},
	}
	for _, r := range t.Childs {
		if free := !r.System && !r.Column.Computed && !r.Column.CreateOnly && !r.Child.ReadOnly && r.Child != t; free && strings.HasPrefix(r.Child.Name, "svc_") && parents[r.Child.Name][r.Nav] == "" {
			child := w.parent(r.Child.Name, "AppendTo "+t.Name)
			uses["AppendTo"] = func(id string) answer {
				return u.patch(child[1:], text(map[string]any{r.Nav + "@odata.bind": "/" + t.Set + "(" + id + ")"}))
			}
			break
		}
	}
	return uses
}

// judgeLists reads the whole table in several ways: exactly the rows within reach are there.
func (d *depths) judgeLists(t *schema.Table, depth auth.Depth) {
	var want []string
	for relation, least := range reaches {
		if depth >= least {
			want = append(want, d.rows[t][relation])
		}
	}
	ids := func(path string) []string {
		d.judged++
		var got []string
		for _, row := range d.user.get(path).rows(d.w.t) {
			if id := row[t.Key.Name].(string); d.isOurs(t, id) {
				got = append(got, id)
			}
		}
		return got
	}
	fetch := `<fetch><entity name="` + t.Name + `"><attribute name="` + t.Key.Name + `"/></entity></fetch>`
	for _, path := range []string{t.Set + "?$select=" + t.Key.Name, t.Set + "?$filter=createdon ne null&$orderby=createdon", t.Set + "?fetchXml=" + escape(fetch)} {
		got := ids(path)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			d.w.t.Errorf("%s at %s:\n got %v\nwant %v", path, depth, got, want)
		}
	}
	if depth == auth.Global {
		return // samples made on the way are there too
	}
	d.user.get(t.Set+"/$count").is(d.w.t, fmt.Sprint(len(want)))
	d.user.get(t.Set+"?$apply=aggregate($count as n)").contains(d.w.t, fmt.Sprintf(`"n":%d`, len(want)))
}

func (d *depths) isOurs(t *schema.Table, id string) bool {
	for _, ours := range d.rows[t] {
		if ours == id {
			return true
		}
	}
	return false
}
