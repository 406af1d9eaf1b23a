package seed

import (
	"fmt"

	"almoner/internal/query"
	"almoner/internal/value"
)

// receipt is a payment row to be made.
type receipt struct {
	day      int64
	amount   int64
	kind     int64
	folio    string
	due      bool // a scheduled row: day is when the money is expected
	reversal int64
	reversed int64 // kind of reversal
	fee      value.GUID
	feeGiven int64 // amount of a fee that is not calculated
	inactive bool
}

// payOneOff confirms a one-off gift with its payment, unless the plan gives it none.
func (f *foundation) payOneOff(g *gift, row *query.Row) {
	if g.pays == 0 {
		return
	}
	r := receipt{day: g.today, amount: g.total, kind: g.payKind, folio: folios[g.fate]}
	switch g.fate {
	case fateReturned:
		r.reversed = reversalReturned
	case fatePartReversal:
		r.reversal, r.reversed = g.total/4+1, reversalPartial
	case fateReversal:
		r.reversal, r.reversed = g.total, reversalVoid
	case fateInactivePayment:
		r.inactive = true
	case fateManualFee:
		r.fee, r.feeGiven = f.anyFee, int64(f.dice.between(1_00, 12_00))
	}
	if r.fee.IsZero() {
		r.fee = f.usualFee(g.payKind)
	}
	f.pay(g, row, r)
	if g.pays > 1 {
		back := min(g.today+int64(f.dice.between(3, 40)), f.last)
		f.pay(g, row, receipt{day: back, amount: -(g.total/3 + 1), kind: g.payKind})
	}
}

// usualFee is the fee a means of payment costs; zero for none.
func (f *foundation) usualFee(kind int64) value.GUID {
	switch {
	case kind == payCard:
		return f.cardFee
	case kind == payOnline:
		return f.portalFee
	case kind == payWire && f.dice.chance(0.5):
		return f.bankFee
	default:
		return value.GUID{}
	}
}

// pay makes a payment row of a gift.
func (f *foundation) pay(g *gift, row *query.Row, p receipt) *query.Row {
	d := f.dice
	moment := max(row.Value("createdon").Int(), p.day*value.SecondsPerDay+15*3600)
	if p.due {
		moment = row.Value("createdon").Int()
	}
	r := f.begin("svc_giftpayment", moment).link("svc_giftnumber", row.ID).money("svc_amount", p.amount)
	if p.kind != 0 {
		r.choice("svc_paymenttype", p.kind)
	}
	if p.due || p.kind == payAccrual {
		r.date("svc_checkdate", p.day)
		return f.save(r)
	}
	if p.kind == payCheck {
		r.text("svc_check", fmt.Sprint(d.between(1001, 9999))).date("svc_checkdate", p.day)
	}
	f.bank(r, p)
	f.reverse(r, p)
	if !p.fee.IsZero() && p.amount > 0 {
		r.link("svc_giftfee", p.fee)
		if p.feeGiven > 0 {
			r.money("svc_feeamount", p.feeGiven)
		}
	}
	if g.shape == pledge {
		r.put("svc_pledgepaymentapplied", value.Time(moment))
	}
	if g.shape == stock {
		copyStock(r, g)
	}
	if p.inactive {
		r.choice("statecode", stateInactive)
	}
	r.text("svc_folio", p.folio)
	return f.save(r)
}

// bank books a payment: posted when it arrives, deposited with the next run, cleared some days later.
func (f *foundation) bank(r *draft, p receipt) {
	d := f.dice
	r.date("svc_postingdate", p.day)
	if deposit := p.day + int64(d.between(0, 3)); deposit <= f.last && d.chance(0.9) {
		r.date("svc_depositdate", deposit).link("svc_depositto", f.cash).link("svc_depositaccount", f.transit)
	}
	if clear := p.day + int64(d.between(3, 12)); clear <= f.last && d.chance(0.8) {
		r.date("svc_cleardate", clear)
	}
	if thanked := p.day + int64(d.between(1, 9)); thanked <= f.last && d.chance(0.6) {
		r.date("svc_thankyoudate", thanked)
	}
	if p.kind == payInKind {
		r.text("svc_noncashdescription", "Goods given in kind").text("svc_noncashdeterminationmethod", "Comparable sales")
	}
}

// reverse takes a payment back, in part or whole.
func (f *foundation) reverse(r *draft, p receipt) {
	if p.reversed == 0 {
		return
	}
	r.choice("svc_reversaltype", p.reversed).date("svc_reversaldate", min(p.day+int64(f.dice.between(1, 25)), f.last))
	if p.reversal > 0 {
		r.money("svc_reversalamount", p.reversal)
	}
	if p.folio != "" {
		r.text("svc_foliogoerortext", "Returned by the bank: account closed").text("svc_foliochangestatus", "received")
	}
}

func copyStock(r *draft, g *gift) {
	for _, name := range []string{"svc_stockcompany", "svc_stocksymbol", "svc_stockdate", "svc_stockhigh", "svc_stocklow", "svc_stockvaluation"} {
		r.put(name, g.Value(name))
	}
}
