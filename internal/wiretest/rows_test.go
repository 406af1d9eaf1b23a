package wiretest_test

import (
	"encoding/json"
	"net/url"
	"sort"
	"strings"
	"testing"

	"almoner/internal/wiretest"
)

// question is one thing asked in both languages, and the rows it must give: their names, in any order. A language that cannot ask it
// has no text.
type question struct {
	set    string // svc_gifts when empty
	filter string // OData
	fetch  string // what stands inside the entity element
	want   string
}

// askable describes a table that questions are asked about.
type askable struct{ table, name string }

var askables = map[string]askable{
	"svc_gifts":           {"svc_gift", "svc_giftnum"},
	"svc_donors":          {"svc_donor", "svc_formaldefault"},
	"svc_funds":           {"svc_fund", "svc_fundname"},
	"svc_requestpayments": {"svc_requestpayment", "svc_paymentnum"},
}

func TestQuestionsOnSQLite(t *testing.T) { askAll(t, onSQLite(t)) }

func TestQuestionsOnPostgreSQL(t *testing.T) { askAll(t, onPostgreSQL(t)) }

// askAll asks every question in both languages and on one store.
func askAll(t *testing.T, on stores) {
	to := on.serve(t)
	wiretest.Run(t, "../../testdata/wire/data/foundation.txt", to, false)
	for _, q := range questions {
		if q.set == "" {
			q.set = "svc_gifts"
		}
		about := askables[q.set]
		if q.filter != "" {
			got := ask(t, to, q.set+"?$select="+about.name+"&$filter="+url.QueryEscape(q.filter), about.name)
			if got != q.want {
				t.Errorf("$filter=%s\n got %s\nwant %s", q.filter, got, q.want)
			}
		}
		if q.fetch != "" {
			text := `<fetch><entity name="` + about.table + `"><attribute name="` + about.name + `"/>` + q.fetch + `</entity></fetch>`
			got := ask(t, to, q.set+"?fetchXml="+url.QueryEscape(text), about.name)
			if got != q.want {
				t.Errorf("fetchXml=%s\n got %s\nwant %s", q.fetch, got, q.want)
			}
		}
	}
}

// ask reads rows and returns their names in order, or the error's message.
func ask(t *testing.T, to wiretest.Target, target, name string) string {
	t.Helper()
	body := get(t, to, target)
	var answer struct {
		Value []map[string]any
		Error *struct{ Code, Message string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%s: %v: %s", target, err, body)
	}
	if answer.Error != nil {
		return answer.Error.Code + " " + answer.Error.Message
	}
	var names []string
	for _, row := range answer.Value {
		text, _ := row[name].(string)
		names = append(names, strings.TrimSpace(text))
	}
	sort.Slice(names, func(i, j int) bool {
		return len(names[i]) < len(names[j]) || len(names[i]) == len(names[j]) && names[i] < names[j]
	})
	return strings.Join(names, " ")
}

// get reads an answer, whatever its status.
func get(t *testing.T, to wiretest.Target, target string, header ...string) []byte {
	t.Helper()
	a, err := to.Call(t.Context(), "GET", "/"+target, "", header...)
	if err != nil {
		t.Fatal(err)
	}
	return a.Body
}
