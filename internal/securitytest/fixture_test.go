package securitytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"almoner/internal/auth"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// parents names, for the tables that cannot live alone, the navigation properties a row needs and the tables they lead to.
var parents = map[string]map[string]string{
	"svc_gift":               {"svc_Donor": "svc_donor", "svc_Fund1": "svc_fund"},
	"svc_giftpayment":        {"svc_GiftNumber": "svc_gift", "svc_Fund": "svc_fund"},
	"svc_fund":               {"svc_Department": "svc_department"},
	"svc_requestpayment":     {"svc_RequestLookup": "svc_request"},
	"svc_donoropportunities": {"svc_Donor": "svc_donor"},
	"svc_criterialist":       {"svc_Criteria": "svc_criteria"},
	"svc_interfundgrants":    {"svc_GrantFund": "svc_fund", "svc_GiftFund": "svc_fund"},
	"listmember":             {"listid": "list", "entityid_contact": "contact"},
}

// values names the columns beside the primary name that a row of a table needs.
var values = map[string]map[string]any{
	"svc_gift":            {"svc_giftdate": "2026-03-01", "svc_amount1": 100},
	"svc_giftpayment":     {"svc_amount": 1},
	"svc_fund":            {"svc_fundclass": 730850000, "svc_fundtype": 730850000},
	"svc_giftfee":         {"svc_feename": "Fee", "svc_feecalculation": 730850000},
	"svc_interfundgrants": {"svc_amount": 10},
	"list":                {"type": false, "createdfromcode": 4},
	"contact":             {"lastname": "Sample"},
	"lead":                {"lastname": "Sample"},
	"systemuser":          {"lastname": "Sample"},
	"savedquery":          {"returnedtypecode": "contact", "fetchxml": `<fetch><entity name="contact"/></fetch>`},
	"userquery":           {"returnedtypecode": "contact", "fetchxml": `<fetch><entity name="contact"/></fetch>`},
	"transactioncurrency": {"currencysymbol": "S", "exchangerate": 2},
}

// sample is a valid body for a new row of a table. Rows it needs are made by the administrator and shared by all samples.
func (w *world) sample(table string) map[string]any {
	w.t.Helper()
	w.made++
	t := w.model.Table(table)
	body := map[string]any{}
	if t.Title != nil && !t.Title.Computed {
		body[t.Title.Name] = fmt.Sprintf("S %d", w.made)
	}
	maps.Copy(body, values[table])
	if table == "transactioncurrency" {
		body["isocurrencycode"] = fmt.Sprintf("%c%c%c", 'A'+w.made/676%26, 'A'+w.made/26%26, 'A'+w.made%26)
	}
	for nav, parent := range parents[table] {
		body[nav+"@odata.bind"] = w.parent(parent, table+"."+nav)
	}
	return body
}

// parent is the address of the row of a table that serves one use, made the first time; a list has each member once.
func (w *world) parent(table, use string) string {
	w.t.Helper()
	if w.parents[use] == "" || use == "listmember.entityid_contact" {
		w.parents[use] = "/" + w.model.Table(table).Set + "(" + w.row(table) + ")"
	}
	return w.parents[use]
}

// row makes a row of a table as the administrator and returns its id.
func (w *world) row(table string) string {
	w.t.Helper()
	return w.rowFor(table, nil)
}

// rowFor is row with more columns.
func (w *world) rowFor(table string, more map[string]any) string {
	w.t.Helper()
	body := w.sample(table)
	maps.Copy(body, more)
	return w.admin.create(w.model.Table(table).Set, text(body))
}

// text is a value as JSON.
func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of plain values always marshal
	}
	return string(raw)
}

// change is a PATCH body that alters a row of a table without breaking a rule.
func (w *world) change(t *schema.Table) string {
	w.made++
	for _, c := range t.Columns {
		free := !c.Computed && !c.CreateOnly && !c.Hidden && !c.System && c.Stored()
		if free && (c.Type == schema.TypeString || c.Type == schema.TypeMemo) && c != t.Title && c.Name != "query" && c.Name != "fetchxml" && c.Max >= 40 {
			return text(map[string]any{c.Name: fmt.Sprintf("Changed %d", w.made)})
		}
	}
	if t.Title != nil && !t.Title.Computed {
		return text(map[string]any{t.Title.Name: fmt.Sprintf("Changed %d", w.made)})
	}
	return "{}"
}

// privilegeOf is the privilege for a right on a table, as refusals name it.
func privilegeOf(right, table string) string {
	if table == "audit" && right == "Read" {
		return auth.ReadAuditSummary
	}
	return "prv" + right + table
}

// mergeJSON adds the members of a JSON object to a map.
func mergeJSON(into map[string]any, object string) {
	if object == "" {
		return
	}
	if err := json.Unmarshal([]byte(object), &into); err != nil {
		panic(err) // the object was made by text
	}
}

// escape makes a text a value of a query option.
func escape(s string) string { return url.QueryEscape(s) }

// newID is an id no row has.
func newID() string { return value.NewGUID(time.Now()).String() }

// denied fails the test unless an answer refuses a right on a table for want of its privilege.
func (w *world) denied(a answer, right, table string) {
	w.t.Helper()
	name := privilegeOf(right, table)
	id := schema.PrivilegeID(name)
	a.refused(w.t, http.StatusForbidden, "0x80040220", fmt.Sprintf("is missing %s privilege (Id=%s) on OTC=%d for entity '%s'", name, id, w.model.Table(table).TypeCode, table))
}
