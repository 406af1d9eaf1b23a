package rulestest

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// isGrant tells whether a request payment is active money: a payment, not a requirement, and not void.
func (m *model) isGrant(p *query.Row) bool {
	kind := p.Value("svc_requirementtype")
	return active(p) && (kind.IsNull() || kind.Int() == 730850000) && !m.has(m.e.Config.FolioVoid, p.Value("svc_folio"))
}

// isPaid tells whether a request payment has been paid.
func (m *model) isPaid(p *query.Row) bool {
	when := m.e.Config.GrantPaidWhen
	return m.isGrant(p) && (slices.Contains(when, settings.PaidByFolio) && m.has(m.e.Config.FolioPaid, p.Value("svc_folio")) ||
		slices.Contains(when, settings.PaidBySent) && !p.Value("svc_paymentsent").IsNull() ||
		slices.Contains(when, settings.PaidByClearDate) && !p.Value("svc_cleardate").IsNull())
}

// grant books what a request payment takes from its fund.
func (m *model) grant(p *query.Row) {
	if p.Value("svc_fund").IsNull() || !m.isGrant(p) {
		return
	}
	fund := p.Value("svc_fund").String()
	cents := p.Value("svc_netamount").Int()
	if !m.isPaid(p) {
		m.bring("grantspending "+fund, p, cents, base(p, cents))
		return
	}
	m.bring("grantspaid "+fund, p, cents, base(p, cents))
	for _, name := range []string{"svc_paymentdate", "svc_postingdate", "svc_paymentsent", "svc_cleardate", "createdon"} {
		if v := p.Value(name); !v.IsNull() {
			m.bring(fmt.Sprintf("fundyear %s %s grantspaid", fund, m.year(m.dateOf(v))), p, cents, base(p, cents))
			return
		}
	}
}

func (m *model) request(r *query.Row) {
	grant := r.Value("svc_originalgrantamount").Int() + r.Value("svc_grantamendment").Int()
	paid, paidBase := int64(0), int64(0)
	var payments, requirements []int64
	for _, p := range m.e.Rows("svc_requestpayment") {
		if p.Value("svc_requestlookup").ID() != r.ID {
			continue
		}
		switch {
		case m.isPaid(p):
			paid += p.Value("svc_netamount").Int()
			paidBase += base(p, p.Value("svc_netamount").Int())
		case m.isGrant(p):
			due := p.Value("svc_paymentdate")
			if due.IsNull() {
				due = p.Value("svc_estimatedgrantpaydate")
			}
			if !due.IsNull() {
				payments = append(payments, due.Int())
			}
		case m.isOpenRequirement(p):
			requirements = append(requirements, p.Value("svc_requirementdue").Int())
		}
	}
	m.own(r, "svc_grantamount", grant)
	m.say(r, "svc_paid", amount(paid))
	m.say(r, "svc_paid_base", amount(paidBase))
	m.own(r, "svc_balance", grant-paid)
	m.say(r, "svc_nextpaymentdue", earliest(payments))
	m.say(r, "svc_nextrequirementdue", earliest(requirements))
}

func (m *model) isOpenRequirement(p *query.Row) bool {
	kind := p.Value("svc_requirementtype")
	return active(p) && !kind.IsNull() && kind.Int() != 730850000 && p.Value("svc_requirementfulfilled").IsNull() &&
		!p.Value("svc_requirementdue").IsNull() && !m.has(m.e.Config.FolioVoid, p.Value("svc_folio"))
}

func earliest(moments []int64) string {
	if len(moments) == 0 {
		return "null"
	}
	return value.Time(slices.Min(moments)).String()
}

func (m *model) donor(d *query.Row) {
	m.total(d, "svc_totalcommitment", m.pieces["commitment "+d.ID.String()])
	m.years(d, "donoryear")
	gifts := m.gifts[d.ID]
	m.say(d, "svc_countofgifts", strconv.Itoa(len(gifts)))
	if len(gifts) == 0 {
		for _, name := range []string{"svc_largestgift", "svc_largestgiftid", "svc_firstgiftdate", "svc_mostrecentgiftdate", "svc_mostrecentgiftid"} {
			m.say(d, name, "null")
		}
		return
	}
	first, latest, largest := gifts[0], gifts[0], gifts[0]
	for _, g := range gifts {
		if g.date < first.date {
			first = g
		}
		if after(g, latest) {
			latest = g
		}
		if g.worth.base > largest.worth.base || g.worth.base == largest.worth.base && after(g, largest) {
			largest = g
		}
	}
	m.say(d, "svc_firstgiftdate", value.Time(first.date*value.SecondsPerDay).String())
	m.say(d, "svc_mostrecentgiftdate", value.Time(latest.date*value.SecondsPerDay).String())
	m.say(d, "svc_mostrecentgiftid", latest.id)
	m.say(d, "svc_largestgiftid", largest.id)
	m.total(d, "svc_largestgift", []piece{largest.worth})
}

func after(a, b countedGift) bool {
	if a.date != b.date {
		return a.date > b.date
	}
	if a.created != b.created {
		return a.created > b.created
	}
	return a.id > b.id
}

func (m *model) fund(f *query.Row) {
	id := f.ID.String()
	for _, kind := range []string{"giftspaid", "giftspending", "grantspaid", "grantspending"} {
		m.total(f, "svc_"+kind, m.pieces[kind+" "+id])
	}
	m.years(f, "fundyear")
	net := piece{m.currency(f), f.Value("svc_netassets").Int(), f.Value("svc_netassets_base").Int()}
	if m.e.Config.Balances == settings.BalancesDerived {
		all, own, ownBase := m.add(f, m.netAssets(f))
		net.base, net.amount = all, own+round(new(big.Rat).Mul(big.NewRat(all-ownBase, 1), rate(f)))
		m.total(f, "svc_netassets", m.netAssets(f))
	}
	if group := f.Value("svc_fundgroup"); !group.IsNull() && active(f) {
		m.pieces["group "+group.String()] = append(m.pieces["group "+group.String()], net)
	}
	m.say(f, "x_allotment", strconv.FormatInt(m.allotment(f, net.amount), 10))
}

// netAssets are the pieces of a fund's derived net assets.
func (m *model) netAssets(f *query.Row) []piece {
	var out []piece
	for _, name := range []string{"svc_initialamount", "svc_earnings"} {
		out = append(out, piece{m.currency(f), f.Value(name).Int(), f.Value(name + "_base").Int()})
	}
	for kind, sign := range map[string]int64{"giftspaid": 1, "nongift": 1, "grantspaid": -1, "fees": -1} {
		for _, p := range m.pieces[kind+" "+f.ID.String()] {
			out = append(out, piece{p.currency, sign * p.amount, sign * p.base})
		}
	}
	return out
}

// allotment is an endowed fund's own annual allotment in its own currency, as are its net assets.
func (m *model) allotment(f *query.Row, net int64) int64 {
	if !f.Value("svc_endowed").Bool() {
		return 0
	}
	if fixed := f.Value("svc_spendableamount").Int(); fixed > 0 {
		return fixed
	}
	percent := f.Value("svc_spendpercent").Rat()
	if percent == nil {
		return 0
	}
	return round(percent.Mul(percent, big.NewRat(net, 100)))
}
