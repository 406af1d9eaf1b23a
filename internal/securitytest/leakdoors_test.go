package securitytest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The doors random questions do not go through: rows by id, names of lookups, stored queries, lists, messages, errors.
func TestDoorsLeakNothing(t *testing.T) {
	for kind := range stores {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newTwins(t, kind)
			t.Run("rows", w.rowsById)
			t.Run("names", w.namesOfLookups)
			t.Run("totals", w.totals)
			t.Run("stored queries", w.storedQueries)
			t.Run("dynamic lists", w.dynamicLists)
			t.Run("member count", w.memberCount)
			t.Run("list members", w.listMembers)
			t.Run("batch", w.batches)
			t.Run("blocked delete", w.blockedDelete)
			t.Run("changes", w.changes)
		})
	}
}

// rowsById tries every row by its key: a readable one is told, a hidden one is refused without a word about it.
func (w *twins) rowsById(t *testing.T) {
	for _, lt := range leakTables {
		for _, row := range w.rows[lt.name] {
			path := lt.set + "(" + row.id + ")"
			want := http.StatusOK
			if !row.visible {
				want = http.StatusForbidden
			}
			for _, ask := range []string{path, path + "/" + lt.texts[0], path + "?$select=" + lt.key} {
				w.shows(w.limited.get(ask).must(t, want))
			}
			w.shows(w.limited.patch(path, `{"`+lt.texts[0]+`":"x"}`, "If-None-Match", "*"))
			w.shows(w.limited.delete(path))
			if row.visible {
				continue
			}
			at := "?@t={'@odata.id':'" + path + "'}"
			for _, ask := range []string{
				"RetrieveSharedPrincipalsAndAccess(Target=@t)" + at,
				"RetrieveRecordChangeHistory(Target=@t)" + at,
				"CalculateRollupField(Target=@t,FieldName='createdon')" + at,
			} {
				w.shows(w.limited.get(ask).must(t, http.StatusForbidden))
			}
		}
	}
}

// namesOfLookups reads everything with all annotations: the formatted name of a hidden row is not among them.
func (w *twins) namesOfLookups(t *testing.T) {
	for _, lt := range leakTables {
		if lt.forbidden {
			continue
		}
		w.shows(w.limited.get(lt.set, "Prefer", `odata.include-annotations="*"`).must(t, http.StatusOK))
		for _, nav := range navsTo(w, lt) {
			w.shows(w.limited.get(lt.set+"?$expand="+nav, "Prefer", `odata.include-annotations="*"`).must(t, http.StatusOK))
		}
		for _, row := range w.rows[lt.name] {
			if row.visible {
				w.shows(w.limited.get(lt.set+"("+row.id+")", "Prefer", `odata.include-annotations="*"`).must(t, http.StatusOK))
			}
		}
	}
	w.limited.get("svc_gifts?$expand=svc_Donor").must(t, http.StatusForbidden)
}

// navsTo are the lookups of a table that lead to tables the limited caller may read.
func navsTo(w *twins, lt *leakTable) []string {
	out := []string{}
	for _, nav := range navs(lt.single) {
		if !w.tables[lt.single[nav]].forbidden {
			out = append(out, nav)
		}
	}
	return out
}

func (w *twins) totals(t *testing.T) {
	for _, lt := range leakTables {
		ask := "RetrieveTotalRecordCount(EntityNames=['" + lt.name + "'])"
		if lt.forbidden {
			w.limited.get(ask).must(t, http.StatusForbidden)
			continue
		}
		w.limited.get(ask).must(t, http.StatusOK).is(t, w.reader.get(ask).body)
	}
}

// storedQueries lets the administrator store questions for everybody; they are answered with the asker's rights.
func (w *twins) storedQueries(t *testing.T) {
	for i := range 20 {
		lt := oneOf(w, leakTables)
		q := question{forbidden: lt.forbidden}
		body := map[string]any{"name": fmt.Sprint("Q", i), "returnedtypecode": lt.name, "fetchxml": w.fetch(lt, &q), "savedqueryid": newID()}
		w.whole.admin.create("savedqueries", text(body))
		w.part.admin.create("savedqueries", text(body))
		q.path = lt.set + "?savedQuery=" + body["savedqueryid"].(string)
		w.compareAnswers(q)
	}
}

// dynamicLists reads the members of lists that the administrator defined.
func (w *twins) dynamicLists(t *testing.T) {
	for i := range 20 {
		q := question{}
		body := map[string]any{"listname": fmt.Sprint("L", i), "type": true, "createdfromcode": 4, "query": w.fetch(w.tables["contact"], &q), "listid": newID()}
		w.part.admin.create("lists", text(body))
		body["ownerid@odata.bind"] = "/systemusers(" + w.limited.user + ")"
		w.whole.admin.create("lists", text(body))
		q.path = "lists(" + body["listid"].(string) + ")/listmember_association?$select=contactid,lastname&$count=true"
		w.compareAnswers(q)
	}
}

// memberCount lets the limited caller define lists: how many hidden rows they select is never counted.
func (w *twins) memberCount(t *testing.T) {
	query := `<fetch><entity name="contact"><attribute name="contactid"/><filter><condition attribute="lastname" operator="like" value="%` + hidden + `%"/></filter></entity></fetch>`
	id := w.limited.create("lists", text(map[string]any{"listname": "Mine", "type": true, "createdfromcode": 4}))
	path := "lists(" + id + ")"
	w.limited.patch(path, text(map[string]any{"query": query})).must(t, http.StatusNoContent)
	recount := "CalculateRollupField(Target=@t,FieldName='membercount')?@t={'@odata.id':'" + path + "'}"
	for name, act := range map[string]func(){
		"written":            func() {},
		"read by its author": func() { w.limited.get(path + "/listmember_association") },
		"read by somebody":   func() { w.whole.admin.get(path + "/listmember_association") },
		"counted":            func() { w.limited.get(recount) },
	} {
		act()
		if row := w.limited.get(path).decode(t); row["membercount"] != nil {
			t.Errorf("the list says it has %v members after being %s", row["membercount"], name)
		}
	}
	w.whole.admin.patch(path, text(map[string]any{"query": strings.Replace(query, "like", "not-like", 1)})).must(t, http.StatusNoContent)
	if row := w.limited.get(path).decode(t); row["membercount"] == nil {
		t.Error("a list that the administrator defined is not counted")
	}
}

// listMembers puts hidden contacts on a list the limited caller reads.
func (w *twins) listMembers(t *testing.T) {
	list := w.whole.admin.create("lists", text(map[string]any{
		"listname": "Static", "type": false, "createdfromcode": 4, "ownerid@odata.bind": "/systemusers(" + w.limited.user + ")",
	}))
	seen := 0
	for _, row := range w.rows["contact"] {
		if row.visible {
			seen++
		}
		w.whole.admin.post("lists("+list+")/Microsoft.Dynamics.CRM.AddMemberList", `{"EntityId":"`+row.id+`"}`).must(t, http.StatusOK)
	}
	for _, path := range []string{
		"lists(" + list + ")/listmember_association", "lists(" + list + ")/listcontact_association", "listmembers?$filter=_listid_value eq " + list,
	} {
		a := w.limited.get(path).must(t, http.StatusOK)
		w.shows(a)
		if n := len(a.rows(t)); n != seen {
			t.Errorf("%s: %d members, want %d", path, n, seen)
		}
	}
	for _, m := range w.whole.admin.get("listmembers?$select=listmemberid,name").rows(t) {
		a := w.limited.get("listmembers(" + m["listmemberid"].(string) + ")")
		if strings.Contains(m["name"].(string), hidden) {
			a.must(t, http.StatusForbidden)
		}
		w.shows(a)
	}
}

// batches asks the same questions as parts of a batch.
func (w *twins) batches(t *testing.T) {
	for range 30 {
		q := w.ask()
		got, want := w.limited.batch("GET "+q.path), w.reader.batch("GET "+q.path)
		w.shows(got)
		switch {
		case q.forbidden:
			got.must(t, http.StatusForbidden)
		case got.status != want.status:
			t.Errorf("%s: %d, want %d", q.path, got.status, want.status)
		}
	}
}

// blockedDelete is refused because of gifts: those the caller may read are named, others are not.
func (w *twins) blockedDelete(t *testing.T) {
	for _, fund := range w.rows["svc_fund"] {
		a := w.limited.delete("svc_funds(" + fund.id + ")")
		for _, gift := range w.rows["svc_gift"] {
			if !gift.visible && strings.Contains(a.body, gift.id) {
				t.Errorf("%s: names a hidden gift: %s", a.asked, a.body)
			}
		}
	}
}

// changes are for callers who may read all of a table.
func (w *twins) changes(t *testing.T) {
	for _, lt := range leakTables {
		a := w.limited.get(lt.set+"?$select="+lt.key, "Prefer", "odata.track-changes")
		if lt.name == "svc_fund" {
			a.must(t, http.StatusOK)
			continue
		}
		w.whole.denied(a, "Read", lt.name)
	}
	w.limited.get("audits").must(t, http.StatusForbidden)
	if plain := w.limited.get("contacts").decode(t); plain["@odata.deltaLink"] != nil {
		t.Error("a caller who sees some contacts is given a delta link")
	}
}
