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
	paid, fees int64
	value      int64 // V(g) in the gift's currency
	valueBase  int64
	counted    bool       // one of the donor's counted gifts
	closing    value.GUID // the payment that closed the pledge; zero if none did

	giving     []event // the donor's giving
	commitment int64   // base; what the gift adds to the donor's total commitment
	inflow     []share // money that reached funds, donor giving and interfund transfers
	nonGift    []share // money that reached funds outside of gifts
	pending    []share // what a pledge still owes to funds
	charged    []share // fees borne by funds
}

// event is one act of giving: an amount of base currency on a day. Payment is zero for a one-off gift.
type event struct {
	payment value.GUID
	date    int64
	base    int64
}

// share is a fund's part of an event.
type share struct {
	event
	fund value.GUID
}

// project derives everything from a gift and its payments; payments are in any order.
func project(s *settings.Settings, g *gift, payments []*payment, fees []*fee) (*projection, error) {
	p := &projector{settings: s, gift: g, payments: payments, pledge: s.IsPledge(g.kind)}
	p.ownColumns(fees)
	var err error
	if p.out.valueBase, err = toBase(p.out.value, g.rate); err != nil {
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
func (p *projector) ownColumns(fees []*fee) {
	g, out := p.gift, &p.out
	var money bool
	var refunds int64
	for _, pay := range p.payments {
		money = money || pay.isMoney()
		refunds += pay.refund()
		if pay.received() {
			out.paid += pay.net()
		}
	}
	if !p.pledge && !money && p.settings.GiftAssumePaid {
		out.paid = g.total
	}
	out.value = g.total + g.adjustment
	if !p.pledge {
		out.value -= refunds
	}
	out.fees = g.fee + p.paymentFees() + looseFees(p.payments, fees)
	if p.pledge {
		out.closing = closingPayment(g.total, p.payments)
	}
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
		out.commitment = out.valueBase
		out.counted = out.value > 0
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
	e := event{date: p.gift.date, base: p.out.valueBase}
	shares := p.splitShares(e)
	return []event{e}, shares, nil
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
		e := event{payment: pay.id, date: pay.date, base: base}
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
	parts := apportion(e.base, p.gift.weights())
	out := make([]share, len(parts))
	for i, part := range parts {
		out[i] = share{event{e.payment, e.date, part}, p.gift.splits[i].fund}
	}
	return out
}

// splitShares brings the value of a gift to funds: its splits, the adjustment apportioned over them, and refunds taken from
// the payment's fund or apportioned row by row.
func (p *projector) splitShares(e event) []share {
	g := p.gift
	var amounts fundAmounts
	weights := g.weights()
	amounts.spread(g, apportion(g.total, weights), 1)
	amounts.spread(g, apportion(g.adjustment, weights), 1)
	if !p.pledge {
		for _, pay := range p.payments {
			refund := pay.refund()
			if refund == 0 {
				continue
			}
			if !pay.fund.IsZero() {
				amounts.add(pay.fund, -refund)
			} else {
				amounts.spread(g, apportion(refund, weights), -1)
			}
		}
	}
	out := make([]share, len(amounts.funds))
	for i, base := range spreadBase(amounts.amounts, e.base, g.rate) {
		out[i] = share{event{e.payment, e.date, base}, amounts.funds[i]}
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
			got.spread(g, apportion(pay.net(), weights), 1)
		}
	}
	for i, fund := range promised.funds {
		base, err := toBase(max(0, promised.amounts[i]-got.of(fund)), g.rate)
		if err != nil {
			return err
		}
		p.out.pending = append(p.out.pending, share{event{date: g.date, base: base}, fund})
	}
	return nil
}

// chargeFees derives which funds bear the fees: a payment's from its fund, the others apportioned over the splits.
func (p *projector) chargeFees(fees []*fee) error {
	g := p.gift
	var amounts fundAmounts
	weights := g.weights()
	amounts.spread(g, apportion(g.fee+looseFees(p.payments, fees), weights), 1)
	for _, pay := range p.payments {
		switch {
		case !pay.active || pay.feeSum() == 0:
		case !pay.fund.IsZero():
			amounts.add(pay.fund, pay.feeSum())
		default:
			amounts.spread(g, apportion(pay.feeSum(), weights), 1)
		}
	}
	for i, fund := range amounts.funds {
		base, err := toBase(amounts.amounts[i], g.rate)
		if err != nil {
			return err
		}
		p.out.charged = append(p.out.charged, share{event{date: g.date, base: base}, fund})
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

// spread adds parts that belong to the splits of a gift, times sign.
func (m *fundAmounts) spread(g *gift, parts []int64, sign int64) {
	for i, part := range parts {
		m.add(g.splits[i].fund, sign*part)
	}
}

func (m *fundAmounts) of(fund value.GUID) int64 {
	if i := slices.Index(m.funds, fund); i >= 0 {
		return m.amounts[i]
	}
	return 0
}
