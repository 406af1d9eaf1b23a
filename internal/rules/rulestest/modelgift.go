package rulestest

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strconv"

	"almoner/internal/query"
	"almoner/internal/value"
)

// one is a gift taken apart for the model.
type one struct {
	*model
	row      *query.Row
	pledge   bool
	payments []*query.Row
	funds    []string
	weights  []int64
}

func (m *model) gift(g *query.Row) {
	o := &one{model: m, row: g, pledge: slices.Contains(m.e.Config.PledgeTypes, g.Value("svc_gifttype").Int())}
	for _, p := range m.e.Rows("svc_giftpayment") {
		if p.Value("svc_giftnumber").ID() == g.ID {
			o.payments = append(o.payments, p)
		}
	}
	sort.Slice(o.payments, func(i, j int) bool { return o.payments[i].ID.String() < o.payments[j].ID.String() })
	for i := 1; i <= 12; i++ {
		if a := g.Value("svc_amount" + strconv.Itoa(i)); !a.IsNull() {
			o.weights = append(o.weights, a.Int())
			o.funds = append(o.funds, g.Value("svc_fund"+strconv.Itoa(i)).String())
		}
	}
	o.ownColumns()
	o.flag()
	if active(g) {
		o.bring()
	}
}

func (o *one) isMoney(p *query.Row) bool {
	kind := p.Value("svc_paymenttype").Int()
	return active(p) && kind != 730850007 && kind != 100000010
}

func (o *one) isVoid(p *query.Row) bool { return o.has(o.e.Config.FolioVoid, p.Value("svc_folio")) }

func (o *one) isReceived(p *query.Row) bool { return o.isMoney(p) && !o.isVoid(p) }

func net(p *query.Row) int64 {
	return p.Value("svc_amount").Int() - p.Value("svc_reversalamount").Int()
}

// takenBack is what a payment refunds of a one-off gift.
func (o *one) takenBack(p *query.Row) int64 {
	a, r := p.Value("svc_amount").Int(), p.Value("svc_reversalamount").Int()
	switch {
	case !o.isMoney(p) || a < 0 && o.isVoid(p):
		return 0
	case o.isVoid(p):
		return r + max(0, a-r)
	default:
		return r + max(0, -a)
	}
}

// worth is the value of the gift in its own currency.
func (o *one) worth() int64 {
	v := o.row.Value("svc_totalgift").Int() + o.row.Value("svc_giftadjustment").Int()
	if !o.pledge {
		for _, p := range o.payments {
			v -= o.takenBack(p)
		}
	}
	return v
}

func (o *one) worthBase() int64 {
	return round(new(big.Rat).Quo(big.NewRat(o.worth(), 1), rate(o.row)))
}

func (o *one) ownColumns() {
	total := o.row.Value("svc_totalgift").Int()
	paid, money := int64(0), 0
	for _, p := range o.payments {
		if o.isMoney(p) {
			money++
		}
		if o.isReceived(p) {
			paid += net(p)
		}
	}
	if money == 0 && !o.pledge && o.e.Config.GiftAssumePaid {
		paid = total
	}
	o.own(o.row, "svc_paid", paid)
	o.own(o.row, "svc_balance", total-paid)
	o.own(o.row, "svc_feeamounttotal", o.row.Value("svc_feeamount").Int()+o.lineFees()+o.boundFees())
	o.say(o.row, "x_value", strconv.FormatInt(o.worthBase(), 10))
	if o.row.Value("x_auto").Int() == 1 {
		o.say(o.row, "svc_giftrange", band(o.worthBase()))
	}
	for _, p := range o.payments {
		o.own(p, "svc_netamount", net(p))
	}
}

func band(cents int64) string {
	bounds := []int64{10000, 25000, 100000, 500000, 1000000, 2500000, 5000000, 10000000, 50000000, 100000000}
	i := sort.Search(len(bounds), func(i int) bool { return bounds[i] > cents })
	if i == len(bounds) {
		return "100000000"
	}
	return strconv.Itoa(730850000 + i)
}

var lines = []string{"", "2", "3", "4"}

func lineSum(p *query.Row) (sum int64) {
	for _, n := range lines {
		sum += p.Value("svc_feeamount" + n).Int()
	}
	return sum
}

func (o *one) lineFees() (sum int64) {
	for _, p := range o.payments {
		if active(p) {
			sum += lineSum(p)
		}
	}
	return sum
}

// boundFees adds the fees of the gift that no active payment line names.
func (o *one) boundFees() (sum int64) {
	for _, f := range o.e.Rows("svc_giftfee") {
		if f.Value("svc_gift").ID() != o.row.ID || !active(f) {
			continue
		}
		named := false
		for _, p := range o.payments {
			for _, n := range lines {
				named = named || active(p) && p.Value("svc_giftfee"+n).ID() == f.ID
			}
		}
		if !named {
			sum += f.Value("svc_amount").Int()
		}
	}
	return sum
}

// paidOn is the calendar date of a payment.
func (o *one) paidOn(p *query.Row) int64 {
	for _, name := range []string{"svc_postingdate", "svc_depositdate", "svc_checkdate", "svc_pledgepaymentapplied", "createdon"} {
		if v := p.Value(name); !v.IsNull() {
			return o.dateOf(v)
		}
	}
	return 0
}

// flag finds the payment that closed a pledge.
func (o *one) flag() {
	if !o.pledge {
		return
	}
	sorted := slices.Clone(o.payments)
	sort.Slice(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		if x, y := o.paidOn(a), o.paidOn(b); x != y {
			return x < y
		}
		if x, y := a.Value("createdon").Int(), b.Value("createdon").Int(); x != y {
			return x < y
		}
		return a.ID.String() < b.ID.String()
	})
	sum, closed := int64(0), false
	total := o.row.Value("svc_totalgift").Int()
	for _, p := range sorted {
		mark := false
		if o.isReceived(p) {
			sum += net(p)
			if mark = !closed && total > 0 && sum >= total; mark {
				closed = true
			}
		}
		o.say(p, "svc_pledgepaid", strconv.FormatBool(mark))
	}
}

// bring adds what an active gift brings to its donor and funds.
func (o *one) bring() {
	kind := o.row.Value("svc_gifttype").Int()
	giving := slices.Contains(o.e.Config.GivingTypes, kind)
	donor := o.row.Value("svc_donor")
	if giving {
		o.sums["commitment "+donor.String()] += o.worthBase()
		if o.worth() > 0 {
			o.gifts[donor.ID()] = append(o.gifts[donor.ID()], countedGift{
				id: o.row.ID.String(), date: o.row.Value("svc_giftdate").Int(), created: o.row.Value("createdon").Int(), worth: o.worthBase(),
			})
		}
	}
	if o.pledge && o.e.Config.PledgeBasis == "payments" {
		for _, p := range o.payments {
			if o.isReceived(p) {
				base := round(new(big.Rat).Quo(big.NewRat(net(p), 1), rate(p)))
				o.receive(kind, giving, o.paidOn(p), base, o.byFund(base, p.Value("svc_fund")))
			}
		}
	} else {
		o.receive(kind, giving, o.row.Value("svc_giftdate").Int(), o.worthBase(), o.worthByFund())
	}
	o.owe()
	o.charge()
}

// byFund brings an amount to a fund, or divides it over the splits.
func (o *one) byFund(cents int64, fund value.Value) map[string]int64 {
	out := map[string]int64{}
	if !fund.IsNull() {
		out[fund.String()] = cents
		return out
	}
	for i, part := range divide(cents, o.weights) {
		out[o.funds[i]] += part
	}
	return out
}

// worthByFund divides the value of a gift over funds in base currency.
func (o *one) worthByFund() map[string]int64 {
	parts := map[string]int64{}
	var order []string
	put := func(fund string, cents int64) {
		if _, ok := parts[fund]; !ok {
			order = append(order, fund)
		}
		parts[fund] += cents
	}
	spread := func(cents, sign int64) {
		for i, part := range divide(cents, o.weights) {
			put(o.funds[i], sign*part)
		}
	}
	spread(o.row.Value("svc_totalgift").Int(), 1)
	spread(o.row.Value("svc_giftadjustment").Int(), 1)
	for _, p := range o.payments {
		back := o.takenBack(p)
		switch {
		case o.pledge || back == 0:
		case p.Value("svc_fund").IsNull():
			spread(back, -1)
		default:
			put(p.Value("svc_fund").String(), -back)
		}
	}
	sign := int64(1)
	if o.worthBase() < 0 {
		sign = -1
	}
	exact := make([]*big.Rat, len(order))
	for i, fund := range order {
		exact[i] = new(big.Rat).Quo(big.NewRat(sign*parts[fund], 1), rate(o.row))
	}
	out := map[string]int64{}
	for i, part := range dealOut(sign*o.worthBase(), exact) {
		out[order[i]] = sign * part
	}
	return out
}

// receive books money that came in on a day.
func (o *one) receive(kind int64, giving bool, date, base int64, funds map[string]int64) {
	year := o.year(date)
	if giving {
		o.sums[fmt.Sprintf("donoryear %s %s amount", o.row.Value("svc_donor"), year)] += base
	}
	for fund, part := range funds {
		switch {
		case giving:
			o.sums["giftspaid "+fund] += part
			o.sums[fmt.Sprintf("fundyear %s %s giving", fund, year)] += part
			o.sums[fmt.Sprintf("fundyear %s %s inflow", fund, year)] += part
		case kind == 100000001:
			o.sums["giftspaid "+fund] += part
			o.sums[fmt.Sprintf("fundyear %s %s inflow", fund, year)] += part
		default:
			o.sums["nongift "+fund] += part
		}
	}
}

// owe books what a pledge still owes to each fund.
func (o *one) owe() {
	if !o.pledge {
		return
	}
	promised, got := map[string]int64{}, map[string]int64{}
	for i, fund := range o.funds {
		promised[fund] += o.weights[i]
	}
	for _, p := range o.payments {
		if o.isReceived(p) {
			for fund, part := range o.byFund(net(p), p.Value("svc_fund")) {
				got[fund] += part
			}
		}
	}
	for fund, cents := range promised {
		o.sums["giftspending "+fund] += o.inBase(max(0, cents-got[fund]))
	}
}

func (o *one) inBase(cents int64) int64 {
	return round(new(big.Rat).Quo(big.NewRat(cents, 1), rate(o.row)))
}

// charge books which funds bear the fees.
func (o *one) charge() {
	fees := o.byFund(o.row.Value("svc_feeamount").Int()+o.boundFees(), value.Null)
	for _, p := range o.payments {
		if active(p) {
			for fund, part := range o.byFund(lineSum(p), p.Value("svc_fund")) {
				fees[fund] += part
			}
		}
	}
	for fund, cents := range fees {
		o.sums["fees "+fund] += o.inBase(cents)
	}
}
