package securitytest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/service"
	"almoner/internal/value"
)

// hidden marks every text of a row the limited caller may not read.
const hidden = "Verborgen"

// twins are the same foundation twice: whole, with a caller who may read a part of it, and that part alone, with a caller who may
// read all of it. Whatever both ask, they must be told the same.
type twins struct {
	t       *testing.T
	r       *rand.Rand
	whole   *world
	part    *world
	limited caller // of whole
	reader  caller // of part
	tables  map[string]*leakTable
	rows    map[string][]leakRow
}

// leakTable is a table of the twins with what may be asked of it.
type leakTable struct {
	name, set, key string
	texts          []string
	numbers        []string
	single         map[string]string // lookup navigation property to table
	many           map[string]string // collection to table
	forbidden      bool
}

// leakRow is a row of the whole foundation.
type leakRow struct {
	id      string
	visible bool
	texts   map[string]string
	number  int
}

var leakTables = []*leakTable{
	{name: "account", set: "accounts", key: "accountid", texts: []string{"name", "telephone1"}, many: map[string]string{"contact_customer_accounts": "contact"}},
	{
		name: "contact", set: "contacts", key: "contactid", texts: []string{"lastname", "jobtitle"},
		single: map[string]string{"parentcustomerid_account": "account"},
		many:   map[string]string{"svc_contact_svc_gift_Payor": "svc_gift", "svc_contact_svc_donor_PrimaryContact": "svc_donor"},
	},
	{name: "campaign", set: "campaigns", key: "campaignid", texts: []string{"name", "codename"}, many: map[string]string{"svc_campaign_svc_gift_Campaign": "svc_gift"}},
	{name: "svc_fund", set: "svc_funds", key: "svc_fundid", texts: []string{"svc_fundname", "svc_fundcode"}, many: map[string]string{"svc_svc_fund_svc_gift_Fund1": "svc_gift"}},
	{
		name: "svc_gift", set: "svc_gifts", key: "svc_giftid", texts: []string{"svc_giftnum", "svc_purpose"}, numbers: []string{"svc_amount1", "svc_totalgift"},
		single: map[string]string{"svc_Payor": "contact", "svc_MemorialContact": "contact", "svc_Campaign": "campaign", "svc_Fund1": "svc_fund", "svc_Donor": "svc_donor"},
	},
	{name: "svc_donor", set: "svc_donors", key: "svc_donorid", texts: []string{"svc_formaldefault", "svc_sortby"}, forbidden: true},
}

// newTwins makes both foundations on stores of one kind, and prints the seed of all that is random in them.
func newTwins(t *testing.T, kind string) *twins {
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", s)
	w := &twins{t: t, r: rand.New(rand.NewPCG(s, s)), tables: map[string]*leakTable{}, rows: map[string][]leakRow{}}
	w.whole, w.part = newWorld(t, stores[kind](t), quiet), newWorld(t, stores[kind](t), quiet)
	for _, lt := range leakTables {
		w.tables[lt.name] = lt
	}
	owners := w.people()
	w.reader = w.part.newUser("Reader", "Reads")
	for _, lt := range leakTables {
		w.fill(lt, owners)
	}
	return w
}

func quiet(*service.Options) {}

// people makes units and users of the whole foundation, and a role of the same tables in the part. It returns the owners of rows with
// what the limited caller sees of each.
func (w *twins) people() []leakOwner {
	a := w.whole.admin
	depth := map[string]string{"account": "basic", "contact": "local", "campaign": "basic", "svc_gift": "deep", "svc_fund": "global", "list": "basic", "savedquery": "global"}
	var limited, all []string
	for table, d := range depth {
		limited = append(limited, privilegeOf("Read", table)+":"+d)
		all = append(all, privilegeOf("Read", table)+":global")
	}
	limited = append(limited, "prvCreatelist:basic", "prvWritelist:basic", "prvDeletesvc_fund:global")
	role := w.whole.newRole("Limited", limited...)
	w.part.newRole("Reads", all...)
	unit := func(name, parent string) string {
		return a.create("businessunits", `{"name":"`+name+`","parentbusinessunitid@odata.bind":"/businessunits(`+parent+`)"}`)
	}
	user := func(name, unit, role string) string {
		id := a.create("systemusers", `{"lastname":"`+name+`","businessunitid@odata.bind":"/businessunits(`+unit+`)"}`)
		a.post("systemusers("+id+")/systemuserroles_association/$ref", `{"@odata.id":"/roles(`+role+`)"}`).must(w.t, http.StatusNoContent)
		return id
	}
	var owns []string
	for _, lt := range leakTables {
		if w.whole.model.Table(lt.name).Column("ownerid") != nil {
			owns = append(owns, privilegeOf("Read", lt.name)+":basic", privilegeOf("Create", lt.name)+":basic")
		}
	}
	owner := w.whole.newRole("Owner", owns...)
	ua := unit("A", auth.RootUnit.String())
	w.limited = a.as(user("Limited", ua, role))
	a.post("systemusers("+w.limited.user+")/systemuserroles_association/$ref", `{"@odata.id":"/roles(`+owner+`)"}`).must(w.t, http.StatusNoContent)
	w.whole.poll()
	return []leakOwner{
		{w.limited.user, map[string]bool{"account": true, "contact": true, "campaign": true, "svc_gift": true}},
		{user("Mate", ua, owner), map[string]bool{"contact": true, "svc_gift": true}},
		{user("Child", unit("A1", ua), owner), map[string]bool{"svc_gift": true}},
		{user("Stranger", unit("B", auth.RootUnit.String()), owner), nil},
	}
}

// leakOwner is a user of the whole foundation and the tables whose rows of theirs the limited caller sees.
type leakOwner struct {
	id   string
	seen map[string]bool
}

var leakSizes = map[string]int{"account": 12, "contact": 24, "campaign": 8, "svc_fund": 3, "svc_gift": 40, "svc_donor": 8}

// fill makes the rows of a table in both foundations: all of them in the whole, the readable ones in the part. What a readable row
// says about an unreadable one is left out there.
func (w *twins) fill(lt *leakTable, owners []leakOwner) {
	for i := range leakSizes[lt.name] {
		owner := owners[w.r.IntN(len(owners))]
		if i < len(owners) {
			owner = owners[i] // each has one at least
		}
		shared := lt.name == "contact" && i%7 == 0 || lt.name == "svc_gift" && i%9 == 0
		row := leakRow{id: value.NewGUID(time.Unix(int64(i), 0)).String(), number: 10 + w.r.IntN(90), texts: map[string]string{}}
		owned := w.whole.model.Table(lt.name).Column("ownerid") != nil
		row.visible = !lt.forbidden && (!owned || owner.seen[lt.name] || shared)
		for _, c := range lt.texts {
			row.texts[c] = fmt.Sprintf("%c%d %s", 'a'+w.r.IntN(5), w.r.IntN(4), c)
			if !row.visible {
				row.texts[c] += hidden
			}
		}
		if !row.visible {
			row.number += 770000
		}
		whole, part := w.bodies(lt, row)
		if owned {
			whole["ownerid@odata.bind"] = "/systemusers(" + owner.id + ")"
		}
		w.whole.admin.create(lt.set, text(whole))
		if row.visible {
			w.part.admin.create(lt.set, text(part))
		}
		if shared {
			w.share(lt, row.id)
		}
		w.rows[lt.name] = append(w.rows[lt.name], row)
	}
}

// share lets the limited caller read a row.
func (w *twins) share(lt *leakTable, id string) {
	a := w.whole.admin.post("GrantAccess", text(map[string]any{
		"Target":          target(w.whole.model.Table(lt.name), id),
		"PrincipalAccess": map[string]any{"AccessMask": "ReadAccess", "Principal": map[string]any{"@odata.type": "Microsoft.Dynamics.CRM.systemuser", "systemuserid": w.limited.user}},
	}))
	if code := a.fault().Code; !a.ok() && code != "0x80040214" { // it may be theirs
		a.must(w.t, http.StatusNoContent)
	}
}

// bodies are a row as it is created in both foundations.
func (w *twins) bodies(lt *leakTable, row leakRow) (whole, part map[string]any) {
	whole, part = map[string]any{lt.key: row.id}, map[string]any{lt.key: row.id}
	set := func(name string, v any) { whole[name], part[name] = v, v }
	for c, v := range row.texts {
		set(c, v)
	}
	switch lt.name {
	case "svc_fund":
		set("svc_fundclass", 730850000)
		set("svc_fundtype", 730850000)
		whole["svc_Department@odata.bind"] = w.whole.parent("svc_department", "fund")
		part["svc_Department@odata.bind"] = w.part.parent("svc_department", "fund")
	case "svc_gift":
		set("svc_giftdate", "2026-03-01")
		set("svc_gifttype", 730850005) // one that needs no donor
		set("svc_amount1", row.number)
	case "svc_donor":
		whole["svc_PrimaryContact@odata.bind"] = "/contacts(" + w.pick("contact").id + ")"
	}
	for nav, to := range lt.single {
		if to == "svc_donor" || nav != "svc_Fund1" && w.r.IntN(4) == 0 {
			continue
		}
		other := w.pick(to)
		whole[nav+"@odata.bind"] = "/" + w.tables[to].set + "(" + other.id + ")"
		if other.visible {
			part[nav+"@odata.bind"] = whole[nav+"@odata.bind"]
		}
	}
	return whole, part
}

// visible are the rows of a table the limited caller may read.
func (w *twins) visible(table string) []leakRow {
	return slices.DeleteFunc(slices.Clone(w.rows[table]), func(r leakRow) bool { return !r.visible })
}

// pick is any row of a table.
func (w *twins) pick(table string) leakRow { return w.rows[table][w.r.IntN(len(w.rows[table]))] }
