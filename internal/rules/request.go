package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

var requestRules = []Rule{
	{
		Name: "request.number", Table: "svc_request", On: OnCreate, Do: (*Books).numberRequest,
		Text:    "A request without a number gets the next one.",
		Example: "The first request becomes R-0000001.",
	},
	{
		Name: "request.books", Table: "svc_request", On: OnSave, Do: (*Books).setRequestBooks,
		Text:    "svc_grantamount is the original grant plus its amendment, svc_paid the net of paid rows, svc_balance their difference; the next dues are the earliest of unpaid payments and open requirements.",
		Example: "A grant of 10,000 amended by -2,000 with 3,000 paid has the balance 5,000.00.",
	},
	{
		Name: "request.applicant", Table: "svc_request",
		Text:    "Unpaid payments follow a request's applicant; paid ones keep the one they were paid for.",
		Example: "A corrected applicant shows on next year's payment, not on last year's.",
	},
	{
		Name: "request.delete", Table: "svc_request", On: OnDelete, Do: (*Books).checkRequestDelete,
		Text:    "A request with paid rows cannot be deleted; its unpaid rows go with it.",
		Example: "A request with one sent payment stays.",
	},
}

func (b *Books) numberRequest(w *Write) error { return b.number(w, "svc_requestnum", "R-") }

func (b *Books) setRequestBooks(w *Write) error {
	r := w.New
	grant := r.Value("svc_originalgrantamount").Int() + r.Value("svc_grantamendment").Int()
	paid := money{r.Value("svc_paid").Int(), baseOf(r, "svc_paid")}
	r.Put("svc_grantamount", value.Money(grant))
	putAll(r, summed(nil, r.Table, "svc_paid", paid))
	r.Put("svc_balance", value.Money(grant-paid.amount))
	return nil
}

func (b *Books) checkRequestDelete(w *Write) error {
	rows, err := b.disbursementsOf(w.Old.ID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if newDisbursement(r, b.settings).paid {
			return fault.New(fault.CannotDeleteAssociated, "The request %s cannot be deleted: its payment %s is paid.", w.Old.ID, r.ID).
				At("svc_request", "rule request.delete", "column svc_requestlookup")
		}
	}
	return nil
}

func (b *Books) disbursementsOf(request value.GUID) ([]*query.Row, error) {
	t := b.tables.disbursement
	return b.env.Find(t, []query.Assign{set(t, "svc_requestlookup", value.ID(request))}, columnsOf(t, disbursementColumns))
}

// afterRequest lets payments follow the request's applicant and currency.
func (b *Books) afterRequest(w *Write) error {
	b.touched.Requests[w.Row().ID] = true
	if w.Kind != query.Update || !w.Changed("svc_applicant") && !w.Changed("transactioncurrencyid") {
		return nil
	}
	rows, err := b.disbursementsOf(w.New.ID)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := b.followRequest(r, w); err != nil {
			return err
		}
	}
	return nil
}

func (b *Books) followRequest(r *query.Row, w *Write) error {
	t := b.tables.disbursement
	var out []query.Assign
	applicant := r.Value("svc_requestapplicant")
	if w.Changed("svc_applicant") && !newDisbursement(r, b.settings).paid && (applicant.IsNull() || applicant == w.Old.Value("svc_applicant")) {
		out = append(out, set(t, "svc_requestapplicant", w.New.Value("svc_applicant")))
	}
	if w.Changed("transactioncurrencyid") {
		money, err := b.recurrency(t, r.ID, w.New.Value("transactioncurrencyid"))
		if err != nil {
			return err
		}
		out = append(out, money...)
	}
	return b.deriveDisbursement(r.ID, out)
}

// deriveDisbursement writes columns the service keeps on a request payment and takes the difference for the funds.
func (b *Books) deriveDisbursement(id value.GUID, columns []query.Assign) error {
	if len(columns) == 0 {
		return nil
	}
	t := b.tables.disbursement
	before, err := b.env.Row(t, id)
	if err != nil || before == nil {
		return err
	}
	before = before.Clone()
	if err := b.env.Derive(t, id, columns); err != nil {
		return err
	}
	after, err := b.env.Row(t, id)
	if err != nil {
		return err
	}
	markSet(b.touched.Funds, before.Value("svc_fund"))
	if request := before.Value("svc_requestlookup"); !request.IsNull() {
		b.requests[request.ID()] = true
	}
	return b.moveDisbursement(before, after)
}

// settleRequests recomputes what touched requests show of their rows.
func (b *Books) settleRequests() error {
	for _, id := range sortedIDs(b.requests) {
		row, err := b.env.Lock(b.tables.request, id)
		if err != nil {
			return err
		}
		if row == nil {
			continue
		}
		rows, err := b.disbursementsOf(id)
		if err != nil {
			return err
		}
		columns, err := b.requestColumns(row, rows)
		if err != nil {
			return err
		}
		if err := b.env.Derive(b.tables.request, id, differing(row, columns)); err != nil {
			return err
		}
	}
	return nil
}

// requestColumns lists what a request's row shall show for its payments and requirements.
func (b *Books) requestColumns(r *query.Row, rows []*query.Row) ([]query.Assign, error) {
	var paid money
	payment, requirement := value.Null, value.Null
	for _, row := range rows {
		d := newDisbursement(row, b.settings)
		switch {
		case d.paid:
			net, err := d.money()
			if err != nil {
				return nil, err
			}
			paid = money{paid.amount + net.amount, paid.base + net.base}
		case d.isMoney():
			payment = earlier(payment, d.due)
		case d.active && !d.payment && !d.void && !d.fulfilled:
			requirement = earlier(requirement, d.required)
		}
	}
	grant := r.Value("svc_originalgrantamount").Int() + r.Value("svc_grantamendment").Int()
	out := summed(make([]query.Assign, 0, 8), r.Table, "svc_paid", paid)
	out, err := ownMoney(out, r, named{"svc_grantamount", grant}, named{"svc_balance", grant - paid.amount})
	return append(out, dueColumns(r.Table, payment, requirement)...), err
}

func dueColumns(t *schema.Table, payment, requirement value.Value) []query.Assign {
	return []query.Assign{set(t, "svc_nextpaymentdue", payment), set(t, "svc_nextrequirementdue", requirement)}
}

// earlier returns the earlier of two moments; a null one does not count.
func earlier(a, b value.Value) value.Value {
	if a.IsNull() || !b.IsNull() && b.Int() < a.Int() {
		return b
	}
	return a
}
