package seed

import (
	"cmp"
	"fmt"
	"slices"

	"almoner/internal/value"
)

// transfer is money moved between funds: its request is made first, its gift later.
type transfer struct {
	day      int64
	from, to value.GUID
	amount   int64
	request  value.GUID
}

// ask is one request to be made.
type ask struct {
	day      int64
	status   int64
	rows     int
	transfer int // index of a transfer, or -1
}

// statuses are how far requests have come, in turn.
var statuses = []int64{
	requestApproved, requestClosed, requestApproved, requestDenied, requestClosed, requestApproved, requestReview, requestClosed, requestApproved,
	requestWithdrawn, requestApproved, requestClosed, requestPending, requestApproved, requestSubmitted, requestClosed, requestRescinded,
	requestApproved, requestDraft, requestClosed, requestApproved,
}

// planRequests decides when requests arrive and how many rows each has; transfers between funds take one row each.
func (f *foundation) planRequests() []ask {
	d := f.dice
	var asks []ask
	left := f.size.RequestPayments
	for _, e := range f.plan {
		if e.shape != interfund {
			continue
		}
		from := d.IntN(len(f.openFunds))
		to := (from + 1 + d.IntN(len(f.openFunds)-1)) % len(f.openFunds)
		asks = append(asks, ask{day: int64(e.day), status: requestApproved, rows: 1, transfer: len(f.transfers)})
		f.transfers = append(f.transfers, transfer{day: int64(e.day), from: f.openFunds[from].id, to: f.openFunds[to].id, amount: nice(d, d.logNormal(900, 1))})
		left--
	}
	for turn := 0; left > 0; turn++ {
		a := ask{day: f.first + int64(d.IntN(int(f.last-f.first))), status: statuses[turn%len(statuses)], transfer: -1}
		a.rows = min(f.requestRows(a), left)
		left -= a.rows
		asks = append(asks, a)
	}
	slices.SortStableFunc(asks, func(a, b ask) int { return cmp.Compare(a.day, b.day) })
	return asks
}

// requestRows is how many payments and requirements a request has.
func (f *foundation) requestRows(a ask) int {
	switch a.status {
	case requestApproved, requestClosed:
		return f.dice.between(1, 8)
	case requestPending, requestRescinded:
		return f.dice.between(1, 2)
	default:
		return 0
	}
}

func (f *foundation) makeRequests() error {
	for i, a := range f.planRequests() {
		if a.transfer >= 0 {
			f.makeTransfer(&f.transfers[a.transfer])
		} else {
			f.makeRequest(i, a)
		}
		if err := f.settleAfter(batchRows / 2); err != nil {
			return err
		}
	}
	return f.settle()
}

// makeTransfer makes the paying side of a transfer between funds.
func (f *foundation) makeTransfer(t *transfer) {
	moment := f.moment(t.day)
	r := f.begin("svc_request", moment).choice("svc_requesttype", typeInterfund).choice("svc_requeststatus", requestApproved)
	r.text("svc_grantname", "Interfund transfer").link("svc_fund", t.from).money("svc_originalgrantamount", t.amount).date("svc_decisiondate", t.day)
	t.request = f.save(r).ID
	p := f.begin("svc_requestpayment", moment).link("svc_requestlookup", t.request).text("svc_paymentnum", "1").money("svc_amount", t.amount)
	p.choice("svc_requirementtype", rowPayment).choice("svc_disbursementtype", disburseInterfund).link("svc_account", f.grants)
	f.save(p.date("svc_paymentdate", t.day).date("svc_paymentsent", t.day).date("svc_cleardate", t.day))
}

func (f *foundation) makeRequest(i int, a ask) {
	d := f.dice
	r := f.begin("svc_request", f.moment(a.day)).choice("svc_requeststatus", a.status).date("svc_datereceived", a.day)
	f.bindApplicant(r)
	asked := nice(d, min(d.logNormal(6_000, 1), 750_000))
	r.text("svc_applicationid", fmt.Sprintf("A%06d", i+1)).money("svc_requestedamount", asked).text("svc_purpose", "Requested for the coming program year.")
	r.link("svc_function", pick(d, f.functions)).flag("svc_anonymous", d.chance(0.03))
	if a.status != requestDraft {
		r.date("svc_dateacknowledged", min(a.day+int64(d.between(1, 10)), f.last))
	}
	decided := min(a.day+int64(d.between(20, 90)), f.last)
	granted := int64(0)
	if a.rows > 0 {
		granted = f.grant(r, a, asked, decided)
	}
	if a.status == requestDenied {
		r.date("svc_decisiondate", decided).date("svc_datenotified", min(decided+5, f.last))
	}
	if i%97 == 41 {
		r.put("transactioncurrencyid", value.ID(f.foreign))
	}
	row := f.save(r)
	f.makeRows(row.ID, a, r.Value("svc_requesttype").Int(), decided, granted)
}

// bindApplicant says who asks, for what, of which fund, and who will be paid.
func (f *foundation) bindApplicant(r *draft) {
	d := f.dice
	fund := early(d, f.openFunds)
	account := f.model.Table("account").TypeCode
	r.link("svc_fund", fund.id).link("svc_department", f.departments[2])
	charity := pick(d, f.charities)
	kind := int64(typeGrant)
	switch {
	case fund.kind == fundScholarship:
		kind = typeScholarship
		scholar := pick(d, f.scholars)
		r.link("svc_applicant", scholar).link("svc_primarycontact", scholar).text("svc_grantname", "Scholarship "+pick(d, causes))
		if d.chance(0.5) {
			r.put("svc_payee", value.Ref(scholar, f.model.Table("contact").TypeCode))
		} else {
			r.put("svc_payee", value.Ref(charity.id, account))
		}
		r.choice("svc_requesttype", kind)
		return
	case fund.kind == fundAdvised:
		kind = typeRecommendation
	}
	r.choice("svc_requesttype", kind).text("svc_grantname", pick(d, projects)+" ("+charity.name+")")
	r.link("svc_applicant", charity.voice).link("svc_primarycontact", charity.voice).link("svc_applicantorganization", charity.id)
	r.put("svc_payee", value.Ref(charity.id, account))
}

// grant writes the award on a request and returns its amount.
func (f *foundation) grant(r *draft, a ask, asked, decided int64) int64 {
	d := f.dice
	granted := asked * int64(d.between(5, 10)) / 10
	r.money("svc_recommendedamount", granted)
	if a.status == requestPending {
		return granted
	}
	r.money("svc_originalgrantamount", granted).date("svc_decisiondate", decided).date("svc_datenotified", min(decided+4, f.last))
	r.date("svc_begindate", decided+14).date("svc_enddate", decided+14+365)
	if d.chance(0.06) {
		change := granted / 10
		if d.chance(0.5) {
			change = -change
		}
		r.money("svc_grantamendment", change)
		granted += change
	}
	return granted
}
