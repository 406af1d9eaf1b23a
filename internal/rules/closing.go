package rules

import (
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

var closingRules = []Rule{
	{
		Name: "row.required", On: OnSave, Do: (*Books).checkRequired,
		Text:    "A row is refused without the columns it cannot live without; everything else that forms mark as required may be left out.",
		Example: "A fund without svc_fundclass is refused; a gift without svc_giftpaymenttype is not.",
	},
	{
		Name: "row.base", On: OnSave, Do: (*Books).restate,
		Text:    "Each amount has a sibling in base currency: the amount divided by the row's exchange rate, rounded to cents half away from zero; of a total, the sum of the base values it adds up.",
		Example: "CAD 1,000 at 1.3650 is 732.60 in base currency.",
	},
}

// required lists what the rows of a table cannot live without, besides the columns the schema itself demands. Gifts have a
// rule of their own.
var required = map[string][]string{
	"svc_giftpayment":    {"svc_giftnumber"},
	"svc_requestpayment": {"svc_requestlookup"},
	"svc_fund":           {"svc_fundname", "svc_fundclass", "svc_fundtype", "svc_department"},
	"svc_donor":          {"svc_formaldefault"},
	"list":               {"listname", "type", "createdfromcode"},
	"account":            {"name"},
}

// checkRequired refuses a row that lacks what it cannot live without.
func (b *Books) checkRequired(w *Write) error {
	t := w.New.Table
	for _, c := range t.Columns {
		if c.Need == schema.SystemRequired && c.Type != schema.TypeID && c.Stored() && w.New.Get(c).IsNull() {
			return fault.Missing(t.Name, "row.required", c.Name)
		}
	}
	for _, name := range required[t.Name] {
		if w.New.Value(name).IsNull() {
			return fault.Missing(t.Name, "row.required", name)
		}
	}
	return nil
}

// totals lists the money columns that are sums over other rows: their base value is the exact sum of base values. The books keep both.
var totals = map[string][]string{
	"svc_gift":      {"svc_paid"},
	"svc_request":   {"svc_paid"},
	"svc_donor":     {"svc_totalcommitment", "svc_largestgift"},
	"svc_fund":      {"svc_giftspaid", "svc_giftspending", "svc_grantspaid", "svc_grantspending"},
	"svc_fundgroup": {"svc_netassets"},
}

// isTotal tells whether a money column is a sum over other rows.
func isTotal(c *schema.Column) bool { return slices.Contains(totals[c.Table.Name], c.Name) }

// restate computes the base siblings of a row's amounts.
func (b *Books) restate(w *Write) error { return restate(w.New) }

// restate computes the base sibling of every amount of a row except totals.
func restate(r *query.Row) error {
	if r.Table.Column("exchangerate") == nil {
		return nil
	}
	rate := rateOf(r)
	for _, c := range r.Table.Columns {
		if c.Base == nil || !c.Stored() || isTotal(c) {
			continue
		}
		v := r.Get(c)
		if v.IsNull() {
			r.Set(c.Base, value.Null)
			continue
		}
		n, err := toBase(v.Int(), rate)
		if err != nil {
			return fault.In(err, "column "+c.Name)
		}
		r.Set(c.Base, value.Money(n))
	}
	return nil
}
