package rules

import (
	"cmp"
	"slices"

	"almoner/internal/settings"
	"almoner/internal/value"
)

// projection is everything that follows from one gift and its payments: the gift's own derived columns, and what it brings to
// its donor and to funds. It is a pure function of the rows, so that the books are the difference of two projections.
type projection struct {
	currency value.GUID // the gift's; zero for the base currency
	paid     money
	fees     int64
	value    money      // V(g)
	counted  bool       // one of the donor's counted gifts
	closing  value.GUID // the payment that closed the pledge; zero if none did

	giving     []event // the donor's giving
	commitment money   // what the gift adds to the donor's total commitment
	inflow     []share // money that reached funds, donor giving and interfund transfers
	nonGift    []share // money that reached funds outside of gifts
	pending    []share // what a pledge still owes to funds
	charged    []share // fees borne by funds
}

// event is one act of giving: money on a day. Payment is zero for a one-off gift.
type event struct {
	payment value.GUID
	date    int64
	money
}

// share is a fund's part of an event.
type share struct {
	event
	fund value.GUID
}

// project derives everything from a gift and its payments; payments are in any order.
func project(s *settings.Settings, g *gift, payments []*payment, fees []*fee) (*projection, error) {
	p := &projector{settings: s, gift: g, payments: payments, pledge: s.IsPledge(g.kind)}
	p.out.currency = g.currency
	if err := p.ownColumns(fees); err != nil {
		return nil, err
	}
	if !g.active {
		return &p.out, nil
	}
	if err := p.bring(fees); err != nil {
		return nil, err
	}
	return &p.out, nil
}

// projector holds what the steps of project share.
type projector struct {
	settings *settings.Settings
	gift     *gift
	payments []*payment
	pledge   bool
	out      projection
}

// ownColumns derives what the gift shows of itself, whether it is active or not.
func (p *projector) ownColumns(fees []*fee) (err error) {
	g, out := p.gift, &p.out
	if out.paid, err = p.paid(); err != nil {
		return err
	}
	out.value.amount = g.total + g.adjustment
	if !p.pledge {
		for _, pay := range p.payments {
			out.value.amount -= pay.refund()
		}
	}
	out.value.base, err = toBase(out.value.amount, g.rate)
	out.fees = g.fee + p.paymentFees() + looseFees(p.payments, fees)
	if p.pledge {
		out.closing = closingPayment(g.total, p.payments)
	}
	return err
}

// paid adds the received payments, each with its own base value; a one-off gift without any money rows may show itself as paid.
func (p *projector) paid() (sum money, err error) {
	told := false // some row tells of money
	for _, pay := range p.payments {
		told = told || pay.isMoney()
		if !pay.received() {
			continue
		}
		base, err := toBase(pay.net(), pay.rate)
		if err != nil {
			return sum, err
		}
		sum.amount += pay.net()
		sum.base += base
	}
	if !p.pledge && !told && p.settings.GiftAssumePaid {
		sum.amount = p.gift.total
		sum.base, err = toBase(p.gift.total, p.gift.rate)
	}
	return sum, err
}

func (p *projector) paymentFees() int64 {
	var sum int64
	for _, pay := range p.payments {
		if pay.active {
			sum += pay.feeSum()
		}
	}
	return sum
}

// looseFees adds the active fees of a gift that no active payment line refers to.
func looseFees(payments []*payment, fees []*fee) int64 {
	var sum int64
	for _, f := range fees {
		used := slices.ContainsFunc(payments, func(p *payment) bool { return p.active && slices.Contains(p.lines[:], f.id) })
		if f.active && !used {
			sum += f.amount
		}
	}
	return sum
}

// closingPayment returns the payment at which the running sum of received payments first reaches the total.
func closingPayment(total int64, payments []*payment) value.GUID {
	if total <= 0 {
		return value.GUID{}
	}
	received := slices.DeleteFunc(slices.Clone(payments), func(p *payment) bool { return !p.received() })
	slices.SortFunc(received, byDate)
	var sum int64
	for _, p := range received {
		if sum += p.net(); sum >= total {
			return p.id
		}
	}
	return value.GUID{}
}

// byDate orders payments by calendar date, then creation, then id.
func byDate(a, b *payment) int {
	return cmp.Or(cmp.Compare(a.date, b.date), cmp.Compare(a.created, b.created), slices.Compare(a.id[:], b.id[:]))
}

// bring derives what an active gift brings to its donor and to funds.
func (p *projector) bring(fees []*fee) error {
	g, out := p.gift, &p.out
	events, shares, err := p.money()
	if err != nil {
		return err
	}
	giving := p.settings.IsGiving(g.kind)
	switch {
	case giving:
		out.giving, out.inflow = events, shares
		out.commitment = out.value
		out.counted = out.value.amount > 0
	case g.kind == giftTypeInterfund:
		out.inflow = shares
	default:
		out.nonGift = shares
	}
	if p.pledge {
		if err := p.owed(); err != nil {
			return err
		}
	}
	return p.chargeFees(fees)
}

// money returns the events of the gift and the same money by fund.
func (p *projector) money() ([]event, []share, error) {
	if p.pledge && p.settings.PledgeBasis == settings.PledgePayments {
		return p.received()
	}
	e := event{date: p.gift.date, money: p.out.value}
	shares, err := p.splitShares(e)
	return []event{e}, shares, err
}

// received turns each received payment of a pledge into an event.
func (p *projector) received() (events []event, shares []share, err error) {
	for _, pay := range p.payments {
		if !pay.received() {
			continue
		}
		base, err := toBase(pay.net(), pay.rate)
		if err != nil {
			return nil, nil, err
		}
		e := event{payment: pay.id, date: pay.date, money: money{pay.net(), base}}
		events = append(events, e)
		shares = append(shares, p.toFunds(e, pay.fund)...)
	}
	return events, shares, nil
}

// toFunds gives an event to a fund, or apportions it over the splits when it names none.
func (p *projector) toFunds(e event, fund value.GUID) []share {
	if !fund.IsZero() {
		return []share{{e, fund}}
	}
	weights := p.gift.weights()
	amounts := apportion(e.amount, weights)
	bases := amounts
	if e.base != e.amount {
		bases = apportion(e.base, weights)
	}
	out := make([]share, len(weights))
	for i, split := range p.gift.splits {
		out[i] = share{event{e.payment, e.date, money{amounts[i], bases[i]}}, split.fund}
	}
	return out
}

// splitShares brings the value of a gift to funds: its total by its splits, the adjustment apportioned over them, and refunds taken from
// the payment's fund or apportioned row by row.
func (p *projector) splitShares(e event) ([]share, error) {
	parts, err := p.partsOf(e)
	if err != nil {
		return nil, err
	}
	amounts := p.gift.byFund(parts, func(m money) int64 { return m.amount })
	bases := amounts
	if p.gift.rate != rateOne {
		bases = p.gift.byFund(parts, func(m money) int64 { return m.base })
	}
	out := make([]share, len(amounts.funds))
	for i, fund := range amounts.funds {
		out[i] = share{event{e.payment, e.date, money{amounts.amounts[i], bases.amounts[i]}}, fund}
	}
	return out, nil
}

// part is a piece of a gift's value: money of one fund, or of all splits in proportion when it names none.
type part struct {
	fund value.GUID
	money
}

// partsOf takes the value of a gift apart: total, adjustment and refunds. The base value of the whole is taken once: adjustment and
// refunds have base values of their own, and the total has what is left, so that the parts make up the whole.
func (p *projector) partsOf(e event) ([]part, error) {
	g := p.gift
	out := append(make([]part, 0, 2), part{money: money{g.total, e.base}})
	add := func(fund value.GUID, amount int64) error {
		base, err := toBase(amount, g.rate)
		if amount != 0 {
			out[0].base -= base
			out = append(out, part{fund, money{amount, base}})
		}
		return err
	}
	if err := add(value.GUID{}, g.adjustment); err != nil || p.pledge {
		return out, err
	}
	for _, pay := range p.payments {
		if err := add(pay.fund, -pay.refund()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// byFund adds up parts by fund; pick says which number of a part is meant.
func (g *gift) byFund(parts []part, pick func(money) int64) fundAmounts {
	var out fundAmounts
	weights := g.weights()
	for _, p := range parts {
		if p.fund.IsZero() {
			out.spread(g, apportion(pick(p.money), weights))
		} else {
			out.add(p.fund, pick(p.money))
		}
	}
	return out
}

// owed derives what each fund still waits for from a pledge.
func (p *projector) owed() error {
	g := p.gift
	var promised, got fundAmounts
	weights := g.weights()
	for _, s := range g.splits {
		promised.add(s.fund, s.amount)
	}
	for _, pay := range p.payments {
		switch {
		case !pay.received():
		case !pay.fund.IsZero():
			got.add(pay.fund, pay.net())
		default:
			got.spread(g, apportion(pay.net(), weights))
		}
	}
	for i, fund := range promised.funds {
		owed := max(0, promised.amounts[i]-got.of(fund))
		base, err := toBase(owed, g.rate)
		if err != nil {
			return err
		}
		p.out.pending = append(p.out.pending, share{event{date: g.date, money: money{owed, base}}, fund})
	}
	return nil
}

// chargeFees derives which funds bear the fees: a payment's from its fund, the others apportioned over the splits.
func (p *projector) chargeFees(fees []*fee) error {
	g := p.gift
	var borne fundAmounts
	weights := g.weights()
	borne.spread(g, apportion(g.fee+looseFees(p.payments, fees), weights))
	for _, pay := range p.payments {
		switch {
		case !pay.active || pay.feeSum() == 0:
		case !pay.fund.IsZero():
			borne.add(pay.fund, pay.feeSum())
		default:
			borne.spread(g, apportion(pay.feeSum(), weights))
		}
	}
	for i, fund := range borne.funds {
		base, err := toBase(borne.amounts[i], g.rate)
		if err != nil {
			return err
		}
		p.out.charged = append(p.out.charged, share{event{date: g.date, money: money{borne.amounts[i], base}}, fund})
	}
	return nil
}

// fundAmounts is a small map from fund to amount that keeps the order in which funds appeared.
type fundAmounts struct {
	funds   []value.GUID
	amounts []int64
}

func (m *fundAmounts) add(fund value.GUID, amount int64) {
	if i := slices.Index(m.funds, fund); i >= 0 {
		m.amounts[i] += amount
		return
	}
	m.funds = append(m.funds, fund)
	m.amounts = append(m.amounts, amount)
}

// spread adds parts that belong to the splits of a gift.
func (m *fundAmounts) spread(g *gift, parts []int64) {
	for i, part := range parts {
		m.add(g.splits[i].fund, part)
	}
}

func (m *fundAmounts) of(fund value.GUID) int64 {
	if i := slices.Index(m.funds, fund); i >= 0 {
		return m.amounts[i]
	}
	return 0
}
