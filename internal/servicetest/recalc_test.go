package servicetest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/servicetest"
	"almoner/internal/store"
	"almoner/internal/value"
)

// derived are the stored columns that follow from others, by table; each table has a row that shows them all. The base value of every
// amount belongs to them and is not written down here.
var derived = map[string]string{
	"svc_gift":           `svc_totalgift svc_fmvtotal svc_paid svc_paid_base svc_balance svc_feeamounttotal svc_giftrange x_value x_worth x_counted`,
	"svc_giftpayment":    `svc_netamount svc_pledgepaid`,
	"svc_giftfee":        `svc_feepercentasdecimal`,
	"svc_request":        `svc_grantamount svc_paid svc_paid_base svc_balance svc_nextpaymentdue svc_nextrequirementdue`,
	"svc_requestpayment": `svc_netamount svc_fundprimarydonor`,
	"svc_donor": `svc_totalcommitment svc_totalcommitment_base svc_largestgift svc_largestgift_base svc_countofgifts svc_firstgiftdate
		svc_mostrecentgiftdate svc_mostrecentgiftid svc_largestgiftid x_latestmade x_largestdate x_largestmade x_commitmentown
		x_commitmentownbase`,
	"svc_fund": `svc_giftspaid svc_giftspaid_base svc_giftspending svc_giftspending_base svc_grantspaid svc_grantspaid_base
		svc_grantspending svc_grantspending_base x_nongift x_fees x_allotment x_giftspaidown x_giftspaidownbase x_giftspendingown
		x_giftspendingownbase x_grantspaidown x_grantspaidownbase x_grantspendingown x_grantspendingownbase x_nongiftown x_nongiftownbase
		x_feesown x_feesownbase`,
	"svc_fundgroup": `svc_netassets svc_netassets_base x_netassetsown x_netassetsownbase`,
	"list":          `membercount`,
	"donoryear":     `amount amountown amountownbase`,
	"fundyear":      `giving givingown givingownbase inflow grantspaid grantspaidown grantspaidownbase`,
}

// TestRecalcMendsEveryDerivedColumn writes one wrong value after another straight into the database. A comparison names it and nothing
// else, a recalculation mends it, and then there is nothing left to name.
func TestRecalcMendsEveryDerivedColumn(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		s := db.Serve(t)
		foreignHouse(t, s)
		r := &tamper{t: t, s: s}
		r.drifts(true)
		for _, name := range rules.DerivedTables(db.Model) {
			table := db.Model.Table(name)
			for _, c := range columnsOf(table) {
				r.column(table, c)
			}
		}
		r.years(db.Model.Table("donoryear"))
		r.years(db.Model.Table("fundyear"))
	})
}

// columnsOf lists the derived columns of a table: those written down, and the base value of every other amount.
func columnsOf(t *schema.Table) []*schema.Column {
	var out []*schema.Column
	for _, name := range strings.Fields(derived[t.Name]) {
		out = append(out, t.MustColumn(name))
	}
	for _, c := range t.Columns {
		if c.Base != nil && c.Stored() && !slices.Contains(out, c.Base) {
			out = append(out, c.Base)
		}
	}
	return out
}

// tamper writes wrong values.
type tamper struct {
	t *testing.T
	s *servicetest.Server
}

// drifts compares, or mends, and returns the columns that were wrong.
func (r *tamper) drifts(check bool) []string {
	r.t.Helper()
	var out []string
	err := r.s.Service.Engine.Recalc(r.t.Context(), rules.Recalculation{Check: check, Drift: func(d rules.Drift) error {
		out = append(out, d.Table+"."+d.Column)
		return nil
	}}, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

// column spoils a column of the first row of a table that has a value in it.
func (r *tamper) column(t *schema.Table, c *schema.Column) {
	r.t.Helper()
	root := &query.Link{Table: t}
	q := &query.Query{Root: root, Where: query.Cond{Left: query.Ref{Link: root, Column: c}, Op: query.OpNotNull}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key, c})}
	q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: t.Key}}}
	row := r.first(q, t, []*schema.Column{c})
	if row == nil {
		r.t.Errorf("no %s shows %s", t.Name, c.Name)
		return
	}
	r.spoil(t.Name+"."+c.Name, func(tx store.Tx) error {
		return tx.Update(r.t.Context(), t, row.ID, []query.Assign{{Column: c, Value: wrong(c, row.Get(c))}})
	})
}

// years spoils each sum of the first row of a table of sums per year that shows them.
func (r *tamper) years(t *schema.Table) {
	r.t.Helper()
	names := strings.Fields(derived[t.Name])
	root := &query.Link{Table: t}
	own := query.Ref{Link: root, Column: t.MustColumn(names[1])}
	q := &query.Query{Root: root, Where: query.Cond{Left: own, Op: query.OpNotNull}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, t.StoredColumns())}
	q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: t.Unique[0][0]}}, {Expr: query.Ref{Link: root, Column: t.Unique[0][1]}}}
	row := r.first(q, t, t.StoredColumns())
	if row == nil {
		r.t.Errorf("no row of %s", t.Name)
		return
	}
	for _, name := range names {
		spoiled := row.Clone()
		spoiled.Put(name, value.Int(row.Value(name).Int()+7))
		r.spoil(t.Name+"."+name, func(tx store.Tx) error { return tx.Put(r.t.Context(), t, spoiled.Held()) })
	}
}

// first reads the first row of a query; nil when there is none.
func (r *tamper) first(q *query.Query, t *schema.Table, columns []*schema.Column) *query.Row {
	r.t.Helper()
	q.Page.Size = 1
	rows, err := r.s.Store.Read(r.t.Context(), q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil
	}
	if t.Key == nil {
		return query.ScanRow(t, value.GUID{}, columns, rows, 0)
	}
	return query.ScanRow(t, value.GUID(rows.Bytes(0)), columns, rows, 1)
}

// spoil makes a write behind the service's back and lets a recalculation find and mend it.
func (r *tamper) spoil(name string, write func(store.Tx) error) {
	r.t.Helper()
	if err := r.s.Store.Write(r.t.Context(), write); err != nil {
		r.t.Fatal(name, err)
	}
	if got := r.drifts(true); len(got) != 1 || got[0] != name {
		r.t.Errorf("a comparison after a wrong %s names %v", name, got)
	}
	if got := r.drifts(false); len(got) != 1 || got[0] != name {
		r.t.Errorf("a recalculation after a wrong %s mends %v", name, got)
	}
	if got := r.drifts(true); len(got) != 0 {
		r.t.Fatalf("a comparison after %s was mended names %v", name, got)
	}
}

// wrong is another value of a column.
func wrong(c *schema.Column, v value.Value) value.Value {
	switch v.Kind() {
	case value.KindMoney:
		return value.Money(v.Int() + 101)
	case value.KindBool:
		return value.Bool(!v.Bool())
	case value.KindDecimal:
		return value.Decimal(v.Int()+1, c.Scale)
	case value.KindDate:
		return value.Date(v.Int() + 1)
	case value.KindTime:
		return value.Time(v.Int() + value.SecondsPerDay)
	case value.KindID:
		return value.Null
	default:
		return value.Int(v.Int() + 7)
	}
}

// foreignHouse makes rows that show every derived column, in a foreign currency where they can be.
func foreignHouse(t *testing.T, s *servicetest.Server) {
	t.Helper()
	h := newHouse(t, s)
	yen := h.Create(t, "transactioncurrencies", `{"isocurrencycode":"JPY","currencyname":"Yen","currencysymbol":"Y","exchangerate":149.33}`)
	in := fmt.Sprintf(`"transactioncurrencyid@odata.bind":"/transactioncurrencies(%s)"`, yen)
	to := func(nav, set, id string) string { return fmt.Sprintf(`,"svc_%s@odata.bind":"/%s(%s)"`, nav, set, id) }

	contact := h.Create(t, "contacts", `{"lastname":"Lee"}`)
	group := h.Create(t, "svc_fundgroups", `{"svc_fundgroupname":"Kyoto",`+in+`}`)
	donor := h.Create(t, "svc_donors", `{"svc_formaldefault":"Yui Mori","svc_aim":100,`+in+`}`)
	fund := h.Create(t, "svc_funds", `{"svc_fundname":"Temple","svc_fundclass":730850001,"svc_fundtype":730850003,"svc_endowed":true,"svc_spendpercent":5,
		"svc_netassets":90000,"svc_earnings":10,"svc_initialamount":20,"svc_historic":30,"svc_spendableamount":0,"svc_feeamount":50,`+
		in+to("FundGroup", "svc_fundgroups", group)+to("PrimaryDonor", "svc_donors", donor)+`}`)

	amounts := `"svc_giftadjustment":7,"svc_feeamount":20,"svc_fmv":47.39,"svc_shares":"120.5","svc_matchamount":5,"svc_stockhigh":48,"svc_stocklow":47,` + in
	for n := 1; n <= 12; n++ {
		amounts += fmt.Sprintf(`,"svc_amount%d":%d`, n, 1000*n) + to(fmt.Sprintf("Fund%d", n), "svc_funds", fund)
	}
	amounts += to("Donor", "svc_donors", donor)
	h.Create(t, "svc_gifts", `{"svc_giftdate":"2026-02-01",`+amounts+`}`)
	h.Create(t, "svc_gifts", `{"svc_giftdate":"2026-02-01","svc_gifttype":730850005,"svc_amount1":300,`+in+to("Fund1", "svc_funds", fund)+`}`)
	pledge := h.Create(t, "svc_gifts", `{"svc_giftdate":"2025-02-01","svc_gifttype":730850001,`+amounts+`}`)
	h.Create(t, "svc_giftfees", `{"svc_feename":"Card","svc_feecalculation":730850002,"svc_feepercent":2.9,"svc_flatfeeamount":30,"svc_amount":15`+to("Gift", "svc_gifts", pledge)+`}`)
	h.Create(t, "svc_giftpayments", `{"svc_amount":501,"svc_postingdate":"2026-03-01T00:00:00Z","svc_reversalamount":1,"svc_feeamount":1,"svc_feeamount2":2,"svc_feeamount3":3,"svc_feeamount4":4,
		"svc_stockhigh":5,"svc_stocklow":4,"svc_stockvaluation":6`+to("GiftNumber", "svc_gifts", pledge)+`}`)

	request := h.Create(t, "svc_requests", `{"svc_requestedamount":2000,"svc_recommendedamount":1900,"svc_originalgrantamount":1800,"svc_grantamendment":-100,`+in+to("Fund", "svc_funds", fund)+`}`)
	of := to("RequestLookup", "svc_requests", request)
	h.Create(t, "svc_requestpayments", `{"svc_amount":333,"svc_paymentsent":"2026-01-15T00:00:00Z"`+of+`}`)
	h.Create(t, "svc_requestpayments", `{"svc_amount":777,"svc_paymentdate":"2026-09-15T00:00:00Z"`+of+`}`)
	h.Create(t, "svc_requestpayments", `{"svc_requirementtype":730850001,"svc_requirementdue":"2026-10-15T00:00:00Z"`+of+`}`)

	h.Create(t, "svc_events", `{"svc_eventname":"Gala","svc_goal":5000,`+in+`}`)
	h.Create(t, "svc_proposals", `{"svc_proposalname":"Roof","svc_askamount":5000,"svc_expectedamount":4000,`+in+`}`)
	h.Create(t, "svc_portaldonatetransactions", `{"svc_transactionnum":"T-1","svc_amount":50,"svc_feeamount":2,`+in+`}`)
	h.Create(t, "svc_interfundgrantses", `{"svc_amount":50,"svc_amountsenttoaccounting":40,`+in+to("GrantFund", "svc_funds", fund)+to("GiftFund", "svc_funds", h.fund)+`}`)
	h.Create(t, "svc_donoropportunitieses", `{"svc_opportunityname":"Will","svc_estimatedcommitment":1,"svc_actualcommitment":2,"svc_promiseamount":3,"svc_remaindervalue":4,`+in+to("Donor", "svc_donors", donor)+`}`)

	list := h.Create(t, "lists", `{"listname":"Friends","type":false,"createdfromcode":4}`)
	h.Must(t, "POST", "/lists("+list+")/listmember_association/$ref", fmt.Sprintf(`{"@odata.id":"contacts(%s)"}`, contact))
}
