package seed

import (
	"almoner/internal/query"
	"almoner/internal/settings"
)

// rhythm is the time between two installments.
type rhythm struct {
	recurrence int64
	days       int64
}

var rhythms = []rhythm{{recurMonthly, 30}, {recurQuarterly, 91}, {recurAnnual, 365}}

// refusesOverpay tells whether the database takes no payment beyond what is owed.
func (f *foundation) refusesOverpay() bool {
	return f.desk.settings.Overpay == settings.OverpayReject
}

// makePledge makes a promise and what has come of it so far.
func (f *foundation) makePledge(g *gift) {
	d := f.dice
	g.choice("svc_gifttype", giftPledge)
	g.total = nice(d, min(d.logNormal(max(float64(g.giver.level)*14, 600), 0.7), 4_000_000))
	promised := g.total
	if g.cast == castWrittenOff {
		g.total = promised * int64(d.between(30, 80)) / 100
		g.money("svc_commitment", promised)
	}
	f.bindGiver(g)
	f.splitGift(g)
	f.describeGift(g)
	r := pick(d, rhythms)
	g.choice("svc_recurrence", r.recurrence)
	if g.cast == castUnpaid || g.cast == castScheduled {
		g.date("svc_estpledgepaydate1", g.today+r.days)
	}
	row := f.save(g.draft)
	f.payPledge(g, row, r)
}

// payPledge makes the rows of a pledge: what was received, and what is expected.
func (f *foundation) payPledge(g *gift, row *query.Row, r rhythm) {
	rows := int(g.pays)
	if g.cast == castAccrued {
		f.pay(g, row, receipt{day: g.today, amount: g.total, kind: payAccrual})
		rows--
	}
	received := f.receivedRows(g, rows)
	expected := rows - received
	promised := rows
	if g.cast == castPartly || g.cast == castAccrued {
		promised += 2 // installments nobody has scheduled
	}
	if promised == 0 {
		return
	}
	amounts := even(g.total, promised)
	if g.cast == castOverpaid {
		amounts[received-1] += int64(f.dice.between(5_00, 250_00))
	}
	f.receive(g, row, amounts[:received], r)
	for i := range expected {
		f.pay(g, row, receipt{day: f.last + 1 + int64(i+1)*r.days, amount: amounts[received+i], kind: payScheduled, due: true})
	}
}

// receivedRows is how many of a pledge's rows are money.
func (f *foundation) receivedRows(g *gift, rows int) int {
	switch g.cast {
	case castScheduled:
		return 0
	case castPartlyScheduled:
		return max(rows*2/3, min(rows, 1))
	default:
		return rows
	}
}

// receive makes the payments that have come in, at the pledge's rhythm or faster if there has been less time.
func (f *foundation) receive(g *gift, row *query.Row, amounts []int64, r rhythm) {
	if len(amounts) == 0 {
		return
	}
	step := min(r.days, (f.last-g.today)/int64(len(amounts)))
	kind := pick(f.dice, []int64{payCheck, payCheck, payACH, payCard, payOnline, payWire})
	for i, amount := range amounts {
		p := receipt{day: g.today + int64(i)*step, amount: amount, kind: kind, fee: f.usualFee(kind)}
		if g.cast == castPartly && i == 1 {
			p.folio = pick(f.dice, []string{"paid", "PAID ", " Void"})
		}
		if i == 0 && f.dice.chance(0.02) {
			p.reversal, p.reversed = amount/2, reversalRefund
		}
		f.pay(g, row, p)
	}
}
