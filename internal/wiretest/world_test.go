package wiretest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"almoner/internal/schema"
)

// seed is a row a table's columns are tried on: what a POST of it needs besides what is tried.
type seed struct {
	table string
	body  string // JSON; {table 1} stands for the address of the first row of that table
}

// seeds are made in order. Two rows of each table, so that a lookup can be pointed elsewhere; three of some.
var seeds = []seed{
	{"businessunit", `{"name":"Unit %d","parentbusinessunitid@odata.bind":"{businessunit 0}"}`},
	{"transactioncurrency", `{"currencyname":"Currency %d","isocurrencycode":"C%d","currencysymbol":"c","exchangerate":2}`},
	{"role", `{"name":"Role %d"}`},
	{"systemuser", `{"lastname":"User %d"}`},
	{"team", `{"name":"Team %d"}`},
	{"savedquery", `{"name":"View %d","returnedtypecode":"contact","fetchxml":"<fetch><entity name='contact'/></fetch>"}`},
	{"userquery", `{"name":"View %d","returnedtypecode":"contact","fetchxml":"<fetch><entity name='contact'/></fetch>"}`},
	{"account", `{"name":"Account %d"}`},
	{"contact", `{"lastname":"Contact %d"}`},
	{"lead", `{"lastname":"Lead %d"}`},
	{"campaign", `{"name":"Campaign %d"}`},
	{"campaignactivity", `{"subject":"Activity %d"}`},
	{"list", `{"listname":"List %d","type":false,"createdfromcode":4}`},
	{"listmember", `{"listid@odata.bind":"{list 0}","entityid_contact@odata.bind":"{contact %d}"}`},
	{"svc_department", `{"svc_departmentname":"Department %d"}`},
	{"svc_function", `{"svc_functionname":"Function %d"}`},
	{"svc_account", `{"svc_accountnum":"%d"}`},
	{"svc_fundgroup", `{"svc_fundgroupname":"Group %d"}`},
	{"svc_fundstatementformat", `{"svc_formatname":"Format %d"}`},
	{"svc_lettertemplates", `{"svc_templatename":"Template %d"}`},
	{"svc_event", `{"svc_eventname":"Event %d"}`},
	{"svc_criteria", `{"svc_name":"Criteria %d"}`},
	{"svc_criterialist", `{"svc_criterialistcode":"Code %d","svc_Criteria@odata.bind":"{svc_criteria 0}"}`},
	{"svc_donor", `{"svc_formaldefault":"Donor %d"}`},
	{"svc_proposal", `{"svc_proposalname":"Proposal %d"}`},
	{"svc_portaldonatetransaction", `{"svc_transactionnum":"Transaction %d"}`},
	{"svc_fund", `{"svc_fundname":"Fund %d","svc_fundclass":730850000,"svc_fundtype":730850000,"svc_Department@odata.bind":"{svc_department 0}"}`},
	{"svc_fund", `{"svc_fundname":"Fund %d","svc_fundclass":730850000,"svc_fundtype":730850000,"svc_Department@odata.bind":"{svc_department 0}"}`},
	{"svc_gift", `{"svc_giftdate":"2026-01-01","svc_amount1":100,"svc_Donor@odata.bind":"{svc_donor 0}","svc_Fund1@odata.bind":"{svc_fund 0}"}`},
	{"svc_giftfee", `{"svc_feename":"Fee %d","svc_feecalculation":730850003}`},
	{"svc_giftpayment", `{"svc_amount":100,"svc_GiftNumber@odata.bind":"{svc_gift 0}"}`},
	{"svc_request", `{"svc_grantname":"Request %d"}`},
	{"svc_requestpayment", `{"svc_amount":100,"svc_RequestLookup@odata.bind":"{svc_request 0}"}`},
	{"svc_interfundgrants", `{"svc_amount":100,"svc_GrantFund@odata.bind":"{svc_fund 0}","svc_GiftFund@odata.bind":"{svc_fund 1}"}`},
	{"svc_donoropportunities", `{"svc_opportunityname":"Opportunity %d","svc_Donor@odata.bind":"{svc_donor 0}"}`},
}

// world is a service with rows of every table.
type world struct {
	*client
	model *schema.Model
	ids   map[string][]string // by table
	// currency is the id of the base currency.
	currency string
}

// populate makes two rows of every seed.
func populate(c *client, m *schema.Model) *world {
	w := &world{client: c, model: m, ids: map[string][]string{}}
	me := c.must("GET", "WhoAmI", nil).body
	w.ids["businessunit"] = []string{me["BusinessUnitId"].(string)}
	for _, s := range seeds {
		for range 2 {
			w.ids[s.table] = append(w.ids[s.table], c.must("POST", m.Table(s.table).Set, w.bodyOf(s)).id)
		}
	}
	w.currency = c.must("GET", w.subject(m.Table("svc_gift")), nil).body["_transactioncurrencyid_value"].(string)
	w.trust()
	return w
}

// trust makes everybody an administrator, so that they may own rows.
func (w *world) trust() {
	admin := w.must("GET", "roles?$select=roleid&$filter=name%20eq%20%27System%20Administrator%27", nil).body["value"].([]any)[0].(map[string]any)["roleid"].(string)
	body := map[string]any{"@odata.id": "roles(" + admin + ")"}
	for _, id := range w.ids["systemuser"] {
		w.must("POST", "systemusers("+id+")/systemuserroles_association/$ref", body)
	}
	for _, id := range w.ids["team"] {
		w.must("POST", "teams("+id+")/teamroles_association/$ref", body)
	}
}

// placeholder is a table and the number of one of its rows: {svc_fund 1}.
var placeholder = regexp.MustCompile(`\{([a-z_]+) ([0-9]+)\}`)

// bodyOf is the body of a new row of a seed.
func (w *world) bodyOf(s seed) string {
	n := len(w.ids[s.table])
	body := s.body
	if count := strings.Count(body, "%d"); count > 0 {
		body = fmt.Sprintf(body, slices.Repeat([]any{n}, count)...)
	}
	return placeholder.ReplaceAllStringFunc(body, func(m string) string {
		parts := placeholder.FindStringSubmatch(m)
		row, err := strconv.Atoi(parts[2])
		if err != nil {
			w.t.Fatal(err)
		}
		return w.address(parts[1], row)
	})
}

// address is the relative URL of a row of the world.
func (w *world) address(table string, n int) string {
	return "/" + w.model.Table(table).Set + "(" + w.ids[table][n] + ")"
}

// subject is the URL of the row a table's columns are tried on.
func (w *world) subject(t *schema.Table) string {
	ids := w.ids[t.Name]
	return t.Set + "(" + ids[len(ids)-2] + ")"
}

// pointing is the sample of a lookup to a row of the world.
func (w *world) pointing(table string, n int) sample {
	return sample{send: w.address(table, n), want: w.ids[table][n]}
}
