package seed

import (
	"fmt"

	"almoner/internal/value"
)

// gift is a gift being made.
type gift struct {
	*draft
	*entry
	giver   *donor // nil: nobody's
	fate    fate
	today   int64
	total   int64
	payKind int64
}

// recentGifts is how many gifts are remembered to be matched by others.
const recentGifts = 64

// matchable is a gift that another one may match.
type matchable struct {
	id    value.GUID
	total int64
}

func (f *foundation) makeGifts() error {
	for i := range f.plan {
		f.makeGift(i)
		if err := f.settleAfter(batchRows); err != nil {
			return err
		}
	}
	return f.settle()
}

func (f *foundation) makeGift(i int) {
	e := &f.plan[i]
	g := &gift{entry: e, giver: &f.donors[e.donor], fate: f.fateOf(i, e), today: int64(e.day)}
	g.draft = f.begin("svc_gift", f.moment(g.today))
	g.date("svc_giftdate", g.today)
	switch e.shape {
	case pledge:
		f.makePledge(g)
	case interfund:
		f.makeInterfund(g)
	default:
		f.makeOneOff(g)
	}
}

// makeOneOff makes a gift that is money on its date, with the payment that confirms it.
func (f *foundation) makeOneOff(g *gift) {
	f.valueGift(g)
	f.bindGiver(g)
	f.splitGift(g)
	f.describeGift(g)
	f.befall(g)
	row := f.save(g.draft)
	if g.fate == fateGiftFee {
		f.feeOf(g)
	}
	f.payOneOff(g, row)
	if g.shape == plain && !g.giver.organization && !g.giver.foreign {
		f.recent[f.turn%recentGifts] = matchable{row.ID, g.total}
		f.turn++
	}
}

// valueGift decides type, amount and means of payment.
func (f *foundation) valueGift(g *gift) {
	d := f.dice
	level := float64(g.giver.level)
	kind := int64(giftPlain)
	usual := pick(d, []int64{payCheck, payCheck, payCheck, payOnline, payOnline, payCard, payACH, payCash, payTransfer})
	factor, spread := 1.0, 0.45
	switch g.shape {
	case recurring:
		f.valueRecurring(g)
		g.choice("svc_gifttype", kind)
		return
	case bequest:
		kind, usual, factor, spread = giftBequest, payWire, 250, 0.9
	case insurance:
		kind, usual, factor = giftInsurance, payWire, 120
	case ira:
		kind, usual, factor = giftIRA, payCheck, 8
	case grant:
		kind, usual, factor = giftGrant, payACH, 12
	case ticket:
		kind, usual, factor = giftNonGift, payCard, 1
	case stock:
		usual = payStock
		factor = 25
	case inKind:
		usual = payInKind
	}
	g.choice("svc_gifttype", kind)
	g.payKind = usual
	g.total = nice(d, min(d.logNormal(level*factor, spread), 5_000_000))
	switch g.shape {
	case stock:
		f.valueStock(g)
	case matching:
		f.matchGift(g)
	}
}

func (f *foundation) valueRecurring(g *gift) {
	g.payKind = payCard
	g.choice("svc_recurrence", recurMonthly)
	g.total = max(5, int64(g.giver.level/40)*5) * 100
	if g.giver.habit == steady {
		g.payKind = payACH
		g.total = nice(f.dice, f.dice.logNormal(60, 0.8))
	}
}

// valueStock makes the amount of a stock gift follow from its shares and the prices of the day.
func (f *foundation) valueStock(g *gift) {
	d := f.dice
	s := pick(d, stocks)
	low := int64(d.between(900, 28_000))
	high := low + int64(d.between(1, 400))
	halves := max(1, g.total*4/(high+low)) // half shares
	shares := fmt.Sprintf("%d", halves/2)
	switch {
	case halves%2 == 1:
		shares += ".5"
	case halves >= 2000:
		shares = fmt.Sprintf("%d,%03d", halves/2000, halves/2%1000)
	}
	g.total = ((high+low)*halves + 2) / 4
	g.text("svc_stockcompany", s.company).text("svc_stocksymbol", s.symbol).date("svc_stockdate", g.today)
	g.text("svc_shares", shares).money("svc_stockhigh", high).money("svc_stocklow", low)
}

// matchGift makes a company's gift the match of a recent gift.
func (f *foundation) matchGift(g *gift) {
	g.choice("svc_giftmethod", methodMatching)
	if f.turn == 0 {
		return
	}
	m := f.recent[f.dice.IntN(min(f.turn, recentGifts))]
	g.total = m.total
	g.link("svc_matchinggift", m.id).link("svc_matchingdonor", g.giver.id).money("svc_matchamount", m.total)
}

// bindGiver puts the donor and its currency on a gift.
func (f *foundation) bindGiver(g *gift) {
	if g.shape == ticket && f.dice.chance(0.5) {
		g.giver = &donor{}
		return
	}
	g.link("svc_donor", g.giver.id)
	if g.giver.foreign {
		g.put("transactioncurrencyid", value.ID(f.foreign))
	}
	if !g.giver.secondary.IsZero() && f.dice.chance(0.1) {
		g.link("svc_payor", g.giver.secondary)
	}
}

// splitGift spreads the total over one fund or several.
func (f *foundation) splitGift(g *gift) {
	d := f.dice
	parts := 1
	switch u := d.Float64(); {
	case g.total < 50_00 || g.shape == stock || g.shape == recurring:
	case u < 0.001:
		parts = 12
	case u < 0.01:
		parts = d.between(4, 6)
	case u < 0.04:
		parts = 3
	case u < 0.13:
		parts = 2
	}
	for i, cents := range cut(d, g.total, parts) {
		g.money(fmt.Sprintf("svc_amount%d", i+1), cents).link(fmt.Sprintf("svc_fund%d", i+1), f.fundFor(g))
	}
}

// fundFor chooses a fund: mostly one the donor favours.
func (f *foundation) fundFor(g *gift) value.GUID {
	d := f.dice
	if g.shape == ticket {
		return f.funds[1].id
	}
	if d.chance(0.6) {
		u := float64(scramble(uint64(g.donor))%1000) / 1000
		return f.openFunds[int(u*u*float64(len(f.openFunds)))].id
	}
	return early(d, f.openFunds).id
}

// describeGift fills in what led to a gift and what became of it.
func (f *foundation) describeGift(g *gift) {
	d := f.dice
	if g.payKind != 0 {
		g.choice("svc_giftpaymenttype", g.payKind)
	}
	campaign, appeal, gala := f.campaignOf(g.today)
	switch {
	case g.shape == ticket:
		g.choice("svc_giftmethod", methodEvent).link("svc_event", gala)
	case g.shape == matching || g.shape == recurring:
	case d.chance(0.45):
		g.choice("svc_giftmethod", methodAppeal).link("svc_campaign", campaign).link("svc_campaignactivity", appeal)
	case d.chance(0.3):
		g.choice("svc_giftmethod", methodPersonal)
	default:
		g.choice("svc_giftmethod", methodUnsolicited)
	}
	if g.payKind == payCheck {
		g.text("svc_check", fmt.Sprint(d.between(1001, 9999))).date("svc_checkdate", g.today)
	}
	if g.payKind == payCard || g.payKind == payOnline {
		g.text("svc_authorizetransactionid", fmt.Sprintf("TX%010d", d.Int64N(1e10)))
	}
	thanked := g.today + int64(d.between(1, 9))
	if g.shape != ticket && thanked <= f.last && d.chance(0.85) {
		g.date("svc_dateacknowledged", thanked).flag("svc_formalacknowledgement", true)
	}
}

// befall puts on a gift itself what its fate brings.
func (f *foundation) befall(g *gift) {
	d := f.dice
	switch g.fate {
	case fateInactiveGift:
		g.choice("statecode", stateInactive)
	case fateAdjusted:
		g.money("svc_giftadjustment", -g.total/10+int64(d.IntN(200)))
	case fateAnonymous:
		g.flag("svc_giftanonymous", true)
	case fateMemorial:
		p := pick(d, f.contacts)
		g.text("svc_memory", f.fullName(p)).link("svc_memorialcontact", p.id).flag("svc_memorialnotesent", d.chance(0.6))
	case fateHonor:
		g.text("svc_honor", f.fullName(pick(d, f.contacts)))
	}
}

// feeOf binds a fee to a gift.
func (f *foundation) feeOf(g *gift) {
	r := f.begin("svc_giftfee", f.moment(g.today)).text("svc_feeid", fmt.Sprintf("B%d", g.today)).text("svc_feename", "Broker's charge")
	r.choice("svc_feecalculation", feeManual).choice("svc_feetype", 730850000).money("svc_amount", int64(f.dice.between(2_00, 18_00))).link("svc_gift", g.ID)
	f.save(r)
}

// makeInterfund makes the receiving side of a transfer between funds; its paying side was made before.
func (f *foundation) makeInterfund(g *gift) {
	t := f.transfers[0]
	f.transfers = f.transfers[1:]
	g.giver, g.total, g.payKind = &donor{}, t.amount, payInterfund
	g.choice("svc_gifttype", giftInterfund).money("svc_amount1", t.amount).link("svc_fund1", t.to).link("svc_interfundrequest", t.request)
	row := f.save(g.draft)
	f.pay(g, row, receipt{day: g.today, amount: t.amount, kind: payInterfund})
	r := f.begin("svc_interfundgrants", row.Value("createdon").Int()).money("svc_amount", t.amount).date("svc_interfunddate", g.today)
	r.date("svc_postingdate", g.today).choice("svc_interfundsource", 730850000+int64(f.dice.IntN(3))).text("svc_granttitle", "Interfund transfer")
	r.link("svc_grantfund", t.from).link("svc_giftfund", t.to).link("svc_grantaccount", f.grants).link("svc_giftaccount", f.ledger["4300"])
	f.save(r.link("svc_gift", row.ID).link("svc_request", t.request))
}
