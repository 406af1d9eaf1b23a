package seed

import (
	"fmt"

	"almoner/internal/value"
)

// disbursement is a row of a request to be made.
type disbursement struct {
	*draft
	status int64
	day    int64 // when it is due
	amount int64
	kind   int64 // of the request
}

// makeRows makes a request's payments, half a year apart, and the requirements tied to them.
func (f *foundation) makeRows(request value.GUID, a ask, kind, decided, granted int64) {
	if a.rows == 0 {
		return
	}
	payments := (a.rows + 1) / 2
	amounts := even(granted, payments)
	created := f.moment(decided)
	for i := range a.rows {
		r := f.begin("svc_requestpayment", created).link("svc_requestlookup", request).text("svc_paymentnum", fmt.Sprint(i+1))
		x := &disbursement{draft: r, status: a.status, day: decided + 20 + int64(i/2)*180, kind: kind}
		if i%2 == 0 {
			x.amount = amounts[i/2]
			f.disburse(x)
		} else {
			f.require(x)
		}
		f.save(r)
	}
}

// disburse makes a row a payment: paid, planned, void or without money.
func (f *foundation) disburse(x *disbursement) {
	d := f.dice
	f.rowTurn++
	x.money("svc_amount", x.amount).link("svc_payableaccount", f.payable).link("svc_paymentaccount", f.cash)
	if f.rowTurn%3 > 0 {
		x.choice("svc_requirementtype", rowPayment) // a third leaves it out, which means the same
	}
	account, how := f.grants, pick(d, []int64{disburseCheck, disburseACH, disburseACH, disburseWire})
	if x.kind == typeScholarship {
		account, how = f.stipends, disburseSchool
	}
	x.link("svc_account", account)
	switch {
	case f.rowTurn%37 == 5:
		how = disburseNoncash
		x.flag("svc_noncash", true).text("svc_noncashdescription", "Refurbished computers").choice("svc_noncashvaluation", 730850000)
	case f.rowTurn%29 == 7:
		x.money("svc_netamount", x.amount-x.amount/20)
	case f.rowTurn%83 == 11:
		x.choice("statecode", stateInactive)
	case f.rowTurn%53 == 13:
		x.flag("svc_anonymous", true)
	}
	x.choice("svc_disbursementtype", how)
	f.settlePayment(x)
}

// settlePayment says whether and how a payment was made.
func (f *foundation) settlePayment(x *disbursement) {
	past := x.day <= f.last
	switch {
	case x.status == requestRescinded || f.rowTurn%61 == 17:
		x.date("svc_paymentdate", x.day).text("svc_folio", pick(f.dice, []string{" Void", "voided", "Cancelled"}))
	case x.status == requestPending:
		x.date("svc_estimatedgrantpaydate", x.day)
	case past && (x.status == requestClosed || f.rowTurn%12 > 0):
		f.payOut(x)
	default:
		x.date("svc_paymentdate", max(x.day, f.last+1)).date("svc_estimatedgrantpaydate", x.day)
	}
}

// payOut makes a payment paid, in one of the ways the various systems report it.
func (f *foundation) payOut(x *disbursement) {
	d := f.dice
	x.date("svc_paymentdate", x.day).date("svc_postingdate", x.day)
	x.text("svc_checknumber", fmt.Sprint(d.between(20_001, 99_999))).text("svc_billitemid", fmt.Sprintf("00n01%09d", d.Int64N(1e9)))
	x.text("svc_bankaccountname", "Operating Checking")
	switch f.rowTurn % 5 {
	case 0:
		x.text("svc_folio", "paid")
	case 1:
		x.text("svc_folio", "PAID ")
	case 2:
		x.date("svc_paymentsent", x.day)
	case 3:
		x.date("svc_cleardate", min(x.day+6, f.last))
	default:
		x.text("svc_folio", "Paid").date("svc_paymentsent", x.day).date("svc_cleardate", min(x.day+6, f.last))
	}
}

// require makes a row a requirement: fulfilled, overdue or still to come.
func (f *foundation) require(x *disbursement) {
	d := f.dice
	f.needTurn++
	due := x.day + int64(d.between(30, 170))
	x.choice("svc_requirementtype", requirementTypes[f.needTurn%len(requirementTypes)]).date("svc_requirementdue", due)
	x.link("svc_paymentrequirementlettertemplate", pick(d, f.letters))
	if due < f.last && (x.status == requestClosed || d.chance(0.85)) {
		x.date("svc_requirementfulfilled", min(due+int64(d.between(-15, 10)), f.last))
	}
	if f.needTurn%9 == 0 {
		x.money("svc_amount", 500_00) // counts in no sum
	}
}
