package rulestest

import (
	"fmt"
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
		o.bringAll()
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

func (o *one) worthBase() int64 { return base(o.row, o.worth()) }

func (o *one) ownColumns() {
	total := o.row.Value("svc_totalgift").Int()
	paid, paidBase, money := int64(0), int64(0), 0
	for _, p := range o.payments {
		if o.isMoney(p) {
			money++
		}
		if o.isReceived(p) {
			paid += net(p)
			paidBase += base(p, net(p))
		}
	}
	if money == 0 && !o.pledge && o.e.Config.GiftAssumePaid {
		paid, paidBase = total, base(o.row, total)
	}
	o.say(o.row, "svc_paid", amount(paid))
	o.say(o.row, "svc_paid_base", amount(paidBase))
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

// bringAll adds what an active gift brings to its donor and funds.
func (o *one) bringAll() {
	kind := o.row.Value("svc_gifttype").Int()
	giving := slices.Contains(o.e.Config.GivingTypes, kind)
	donor := o.row.Value("svc_donor")
	if giving {
		o.bring("commitment "+donor.String(), o.row, o.worth(), o.worthBase())
		if o.worth() > 0 {
			o.gifts[donor.ID()] = append(o.gifts[donor.ID()], countedGift{
				id: o.row.ID.String(), date: o.row.Value("svc_giftdate").Int(), created: o.row.Value("createdon").Int(),
				worth: piece{o.currency(o.row), o.worth(), o.worthBase()},
			})
		}
	}
	if o.pledge && o.e.Config.PledgeBasis == "payments" {
		for _, p := range o.payments {
			if o.isReceived(p) {
				fund := p.Value("svc_fund")
				o.receive(kind, giving, o.paidOn(p), net(p), base(p, net(p)), o.byFund(net(p), fund), o.byFund(base(p, net(p)), fund))
			}
		}
	} else {
		amounts, bases := o.worthByFund()
		o.receive(kind, giving, o.row.Value("svc_giftdate").Int(), o.worth(), o.worthBase(), amounts, bases)
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

// worthByFund divides the value of a gift over funds, in its own and in base currency: its total, its adjustment and each refund. In base
// currency the whole is rounded once, adjustment and refunds on their own, and the total is what remains.
func (o *one) worthByFund() (amounts, bases map[string]int64) {
	amounts, bases = map[string]int64{}, map[string]int64{}
	rest := o.worthBase()
	put := func(cents, baseCents int64, fund value.Value) {
		for name, part := range o.byFund(cents, fund) {
			amounts[name] += part
		}
		for name, part := range o.byFund(baseCents, fund) {
			bases[name] += part
		}
	}
	piece := func(cents int64, fund value.Value) {
		rest -= base(o.row, cents)
		put(cents, base(o.row, cents), fund)
	}
	piece(o.row.Value("svc_giftadjustment").Int(), value.Null)
	for _, p := range o.payments {
		if !o.pledge {
			piece(-o.takenBack(p), p.Value("svc_fund"))
		}
	}
	put(o.row.Value("svc_totalgift").Int(), rest, value.Null)
	return amounts, bases
}

// receive books money that came in on a day.
func (o *one) receive(kind int64, giving bool, date, cents, baseCents int64, amounts, bases map[string]int64) {
	year := o.year(date)
	if giving {
		o.bring(fmt.Sprintf("donoryear %s %s amount", o.row.Value("svc_donor"), year), o.row, cents, baseCents)
	}
	for fund := range amounts {
		put := func(key string) { o.bring(key, o.row, amounts[fund], bases[fund]) }
		switch {
		case giving:
			put("giftspaid " + fund)
			put(fmt.Sprintf("fundyear %s %s giving", fund, year))
			put(fmt.Sprintf("fundyear %s %s inflow", fund, year))
		case kind == 100000001:
			put("giftspaid " + fund)
			put(fmt.Sprintf("fundyear %s %s inflow", fund, year))
		default:
			put("nongift " + fund)
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
		owed := max(0, cents-got[fund])
		o.bring("giftspending "+fund, o.row, owed, base(o.row, owed))
	}
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
		o.bring("fees "+fund, o.row, cents, base(o.row, cents))
	}
}
