package rules

import (
	"almoner/internal/fault"
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
		Text:    "Each amount has a sibling in base currency: the amount divided by the row's exchange rate, rounded to cents half away from zero.",
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

// totals lists the money columns that are sums over other rows: their base value is the exact sum, and the amount follows it.
var totals = map[string][]string{
	"svc_donor":     {"svc_totalcommitment", "svc_largestgift"},
	"svc_fund":      {"svc_giftspaid", "svc_giftspending", "svc_grantspaid", "svc_grantspending"},
	"svc_fundgroup": {"svc_netassets"},
}

// isTotal tells whether a money column is a sum over other rows.
func isTotal(c *schema.Column) bool {
	for _, name := range totals[c.Table.Name] {
		if name == c.Name {
			return true
		}
	}
	return false
}

// restate computes the base sibling of every amount. Of a total it is the other way round: the base is the exact sum, and the
// amount follows it when the row's rate changes.
func (b *Books) restate(w *Write) error {
	r := w.New
	if r.Table.Column("exchangerate") == nil {
		return nil
	}
	rate := rateOf(r)
	moved := w.Old != nil && rateOf(w.Old) != rate
	for _, c := range r.Table.Columns {
		if c.Base == nil || !c.Stored() {
			continue
		}
		from, to, convert := c, c.Base, toBase
		if isTotal(c) {
			if !moved {
				continue
			}
			from, to, convert = c.Base, c, fromBase
		}
		v := r.Get(from)
		if v.IsNull() {
			r.Set(to, value.Null)
			continue
		}
		n, err := convert(v.Int(), rate)
		if err != nil {
			return fault.In(err, "column "+c.Name)
		}
		r.Set(to, value.Money(n))
	}
	return nil
}
