package rules

import (
	"slices"

	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

var disbursementRules = []Rule{
	{
		Name: "disbursement.net", Table: "svc_requestpayment", On: OnSave, Do: (*Books).setDisbursementNet,
		Text:    "svc_netamount of a grant payment is its amount until a client writes another.",
		Example: "500.00 becomes 600.00 and the net follows; once the client wrote 550.00 it stays.",
	},
	{
		Name: "disbursement.fill", Table: "svc_requestpayment", On: OnSave, Do: (*Books).fillDisbursement,
		Text:    "What a new grant payment leaves out is taken from its request and fund: applicant, contact, payee, fund, function, department, the fund's primary donor; the latter follows the row's fund. An unpaid payment moved to another request takes that request's applicant.",
		Example: "A payment on a request of the Arts Fund gets that fund, its department and its founder.",
	},
	{
		Name: "disbursement.paid", Table: "svc_requestpayment",
		Text:    "A grant payment is paid when its folio says so, it was sent or it cleared (setting grant.paid_when); a date alone may be a plan. Requirements and void rows are never money.",
		Example: "A payment with svc_paymentsent counts in the fund's svc_grantspaid; with svc_paymentdate only, in svc_grantspending.",
	},
}

// Bits of x_auto on a request payment: svc_netamount follows svc_amount, and svc_fundprimarydonor is that of the fund.
const (
	autoNet   = 1
	autoDonor = 2
)

func (b *Books) setDisbursementNet(w *Write) error {
	auto := w.New.Value("x_auto").Int()
	net := w.New.Value("svc_netamount")
	switch {
	case w.Has("svc_netamount") && !net.IsNull():
		auto &^= autoNet
	case net.IsNull():
		auto |= autoNet
	}
	if auto&autoNet != 0 {
		w.New.Put("svc_netamount", w.New.Value("svc_amount"))
	}
	w.New.Put("x_auto", value.Int(auto))
	return nil
}

func (b *Books) fillDisbursement(w *Write) error {
	if w.Old == nil {
		if err := b.fillFromRequest(w.New); err != nil {
			return err
		}
	} else if err := b.moveApplicant(w); err != nil {
		return err
	}
	if w.Has("svc_fundprimarydonor") {
		putAuto(w.New, autoDonor, false)
	}
	if w.Old != nil && !w.Changed("svc_fund") {
		return nil
	}
	fund, err := b.rowOf(w.New, "svc_fund")
	if err != nil {
		return err
	}
	if w.Old == nil && fund != nil {
		fillFrom(w.New, "svc_department", fund, "svc_department")
	}
	if w.Has("svc_fundprimarydonor") {
		return nil
	}
	donor := value.Null
	if fund != nil {
		donor = fund.Value("svc_primarydonor")
	}
	w.New.Put("svc_fundprimarydonor", donor)
	putAuto(w.New, autoDonor, true)
	return nil
}

// putAuto notes whether the service set a column: a bit of x_auto.
func putAuto(r *query.Row, bit int64, service bool) {
	auto := r.Value("x_auto").Int() &^ bit
	if service {
		auto |= bit
	}
	r.Put("x_auto", value.Int(auto))
}

// moveApplicant lets an unpaid request payment that moved to another request take that request's applicant, unless it was deliberately
// bound to another one.
func (b *Books) moveApplicant(w *Write) error {
	if !w.Changed("svc_requestlookup") || w.Has("svc_requestapplicant") || newDisbursement(w.New, b.settings).paid {
		return nil
	}
	old, err := b.rowOf(w.Old, "svc_requestlookup")
	if err != nil {
		return err
	}
	request, err := b.rowOf(w.New, "svc_requestlookup")
	if err != nil || request == nil {
		return err
	}
	if have := w.Old.Value("svc_requestapplicant"); have.IsNull() || old != nil && have == old.Value("svc_applicant") {
		w.New.Put("svc_requestapplicant", request.Value("svc_applicant"))
	}
	return nil
}

func (b *Books) fillFromRequest(r *query.Row) error {
	request, err := b.rowOf(r, "svc_requestlookup")
	if err != nil || request == nil {
		return err
	}
	fillFrom(r, "svc_requestapplicant", request, "svc_applicant")
	fillFrom(r, "svc_requestcontact", request, "svc_primarycontact")
	fillFrom(r, "svc_payee", request, "svc_payee")
	fillFrom(r, "svc_fund", request, "svc_fund")
	fillFrom(r, "svc_function", request, "svc_function")
	return nil
}

// disbursement is what the books need to know of a request payment.
type disbursement struct {
	fund      value.GUID
	payment   bool // a payment, not a requirement
	active    bool
	void      bool
	paid      bool
	net       int64
	rate      int64
	date      int64       // year date of a paid row, in days
	due       value.Value // when an unpaid payment is due
	required  value.Value // when a requirement is due
	fulfilled bool
}

// disbursementColumns are the columns newDisbursement reads.
var disbursementColumns = []string{
	"svc_fund", "svc_requirementtype", "statecode", "svc_folio", "svc_netamount", "transactioncurrencyid", "exchangerate", "svc_paymentsent",
	"svc_cleardate", "svc_paymentdate", "svc_postingdate", "createdon", "svc_estimatedgrantpaydate", "svc_requirementdue", "svc_requirementfulfilled",
	"svc_requestapplicant",
}

// newDisbursement reads the facts of a request payment from its row.
func newDisbursement(r *query.Row, s *settings.Settings) *disbursement {
	kind := r.Value("svc_requirementtype")
	d := &disbursement{
		fund:    r.Value("svc_fund").ID(),
		payment: kind.IsNull() || kind.Int() == requirementPayment,
		active:  isActive(r), void: isVoid(r, s),
		net: r.Value("svc_netamount").Int(), rate: rateOf(r),
		due: r.Value("svc_paymentdate"), required: r.Value("svc_requirementdue"),
		fulfilled: !r.Value("svc_requirementfulfilled").IsNull(),
	}
	if d.due.IsNull() {
		d.due = r.Value("svc_estimatedgrantpaydate")
	}
	d.paid = d.isMoney() && isPaid(r, s)
	d.date, _ = firstDate(s.Timezone, r.Value("svc_paymentdate"), r.Value("svc_postingdate"), r.Value("svc_paymentsent"), r.Value("svc_cleardate"), r.Value("createdon"))
	return d
}

// isMoney tells whether the row is an active payment that was not voided.
func (d *disbursement) isMoney() bool { return d.payment && d.active && !d.void }

// money is the net amount with its base value.
func (d *disbursement) money() (money, error) {
	base, err := toBase(d.net, d.rate)
	return money{d.net, base}, err
}

// isPaid tells whether one of the conditions of a paid disbursement holds.
func isPaid(r *query.Row, s *settings.Settings) bool {
	return slices.ContainsFunc(s.GrantPaidWhen, func(when settings.PaidWhen) bool {
		switch when {
		case settings.PaidByFolio:
			return folioIn(r, s.FolioPaid)
		case settings.PaidBySent:
			return !r.Value("svc_paymentsent").IsNull()
		default:
			return !r.Value("svc_cleardate").IsNull()
		}
	})
}

// afterDisbursement notes the requests a write touched and takes the difference for the funds.
func (b *Books) afterDisbursement(w *Write) error {
	if w.Kind == query.Update && !w.Changed("svc_requestlookup") && !w.changedAny(disbursementColumns) {
		return nil
	}
	for _, r := range []*query.Row{w.Old, w.New} {
		if r == nil {
			continue
		}
		if request := r.Value("svc_requestlookup"); !request.IsNull() {
			b.requests[request.ID()] = true
		}
		markSet(b.touched.Requests, r.Value("svc_requestlookup"))
		markSet(b.touched.Funds, r.Value("svc_fund"))
	}
	return b.moveDisbursement(w.Old, w.New)
}

// moveDisbursement takes the difference that a request payment's change makes to its funds; nil where it was not or is no more.
func (b *Books) moveDisbursement(was, is *query.Row) error {
	if err := b.disburse(was, -1); err != nil {
		return err
	}
	return b.disburse(is, 1)
}

// disburse adds what a request payment takes from its fund to the tally, times sign.
func (b *Books) disburse(r *query.Row, sign int64) error {
	if r == nil {
		return nil
	}
	d := newDisbursement(r, b.settings)
	if d.fund.IsZero() || !d.isMoney() {
		return nil
	}
	currency, err := b.currencyOf(r)
	if err != nil {
		return err
	}
	net, err := d.money()
	if err != nil {
		return err
	}
	year := givingYear(d.date, b.tally.startMonth)
	b.tally.fund(d.fund).add(currency, net.times(sign), func(f *fundSums, n int64) {
		if d.paid {
			f.payOut(year, n)
		} else {
			f.grantsPending += n
		}
	})
	return nil
}
