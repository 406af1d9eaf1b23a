package rules

import (
	"slices"
	"strconv"
	"strings"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// Names of the numbered columns, by index from 0.
var (
	amountNames = numbered("svc_amount", 12)
	fundNames   = numbered("svc_fund", 12)
	feeAmounts  = []string{"svc_feeamount", "svc_feeamount2", "svc_feeamount3", "svc_feeamount4"}
	feeLookups  = []string{"svc_giftfee", "svc_giftfee2", "svc_giftfee3", "svc_giftfee4"}
)

func numbered(name string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = name + strconv.Itoa(i+1)
	}
	return out
}

// gift is what the books need to know of a gift.
type gift struct {
	id, donor         value.GUID
	currency          value.GUID // zero for the base currency
	kind              int64
	date, created     int64 // days, seconds
	active            bool
	rate              int64
	total, adjustment int64
	fee               int64
	splits            []split
}

// split is one part of a gift: an amount for a fund.
type split struct {
	fund   value.GUID
	amount int64
}

// payment is what the books need to know of a gift payment.
type payment struct {
	id, fund, donor  value.GUID
	active, void     bool
	forecast         bool // accrual or scheduled: no money
	amount, reversal int64
	date, created    int64 // days, seconds
	rate             int64
	fees             [4]int64
	lines            [4]value.GUID // the fees the lines are bound to
	flagged          value.Value   // svc_pledgepaid as stored
	applied          value.Value   // svc_pledgepaymentapplied as stored
}

// fee is what the books need to know of a fee bound to a gift.
type fee struct {
	id     value.GUID
	active bool
	amount int64
}

// paymentColumns are the columns newPayment reads.
var paymentColumns = append(append([]string{
	"svc_amount", "svc_reversalamount", "svc_paymenttype", "svc_folio", "svc_postingdate", "svc_depositdate", "svc_checkdate",
	"svc_pledgepaymentapplied", "svc_pledgepaid", "createdon", "svc_fund", "svc_donor", "exchangerate", "statecode",
}, feeAmounts...), feeLookups...)

// feeColumns are the columns newFee reads.
var feeColumns = []string{"svc_amount", "statecode"}

// columnsOf returns the columns of the given names.
func columnsOf(t *schema.Table, names []string) []*schema.Column {
	out := make([]*schema.Column, len(names))
	for i, name := range names {
		out[i] = t.MustColumn(name)
	}
	return out
}

// newGift reads the facts of a gift from its row.
func (b *Books) newGift(r *query.Row) (*gift, error) {
	currency, err := b.currencyOf(r)
	if err != nil {
		return nil, err
	}
	g := &gift{
		id: r.ID, donor: r.Value("svc_donor").ID(), currency: currency,
		kind: r.Value("svc_gifttype").Int(), date: r.Value("svc_giftdate").Int(), created: r.Value("createdon").Int(),
		active: isActive(r), rate: rateOf(r),
		total: r.Value("svc_totalgift").Int(), adjustment: r.Value("svc_giftadjustment").Int(), fee: r.Value("svc_feeamount").Int(),
	}
	for i, name := range amountNames {
		if amount := r.Value(name); !amount.IsNull() {
			g.splits = append(g.splits, split{fund: r.Value(fundNames[i]).ID(), amount: amount.Int()})
		}
	}
	return g, nil
}

// newPayment reads the facts of a gift payment from its row.
func newPayment(r *query.Row, s *settings.Settings) *payment {
	p := &payment{
		id: r.ID, fund: r.Value("svc_fund").ID(), donor: r.Value("svc_donor").ID(),
		active: isActive(r), void: isVoid(r, s), forecast: isForecast(r.Value("svc_paymenttype")),
		amount: r.Value("svc_amount").Int(), reversal: r.Value("svc_reversalamount").Int(),
		created: r.Value("createdon").Int(), rate: rateOf(r),
		flagged: r.Value("svc_pledgepaid"), applied: r.Value("svc_pledgepaymentapplied"),
	}
	p.date, _ = firstDate(s.Timezone, r.Value("svc_postingdate"), r.Value("svc_depositdate"), r.Value("svc_checkdate"), p.applied, r.Value("createdon"))
	for i := range p.fees {
		p.fees[i] = r.Value(feeAmounts[i]).Int()
		p.lines[i] = r.Value(feeLookups[i]).ID()
	}
	return p
}

// newFee reads the facts of a fee bound to a gift from its row.
func newFee(r *query.Row) *fee {
	return &fee{id: r.ID, active: isActive(r), amount: r.Value("svc_amount").Int()}
}

// isActive tells whether a row's state is the first one; a row without a state is active.
func isActive(r *query.Row) bool { return r.Value("statecode").Int() == 0 }

// isVoid tells whether a payment's folio says that it never happened.
func isVoid(r *query.Row, s *settings.Settings) bool { return folioIn(r, s.FolioVoid) }

func folioIn(r *query.Row, codes []string) bool {
	folio := r.Value("svc_folio")
	return !folio.IsNull() && slices.Contains(codes, strings.ToLower(strings.TrimSpace(folio.Text())))
}

// isForecast tells whether a payment type is bookkeeping or a forecast rather than money.
func isForecast(kind value.Value) bool {
	return !kind.IsNull() && (kind.Int() == payPledge || kind.Int() == payScheduled)
}

// isMoney tells whether a payment is an active row about money, received or not.
func (p *payment) isMoney() bool { return p.active && !p.forecast }

// received tells whether a payment's money is there.
func (p *payment) received() bool { return p.isMoney() && !p.void }

// net is the payment's amount less its reversal.
func (p *payment) net() int64 { return p.amount - p.reversal }

// refund is what a payment takes back from a one-off gift.
func (p *payment) refund() int64 {
	switch {
	case !p.isMoney():
		return 0
	case p.amount < 0:
		if p.void {
			return 0
		}
		return -p.amount + p.reversal
	case p.void:
		return max(p.amount, p.reversal)
	default:
		return p.reversal
	}
}

// feeSum adds the fee lines of a payment.
func (p *payment) feeSum() int64 { return p.fees[0] + p.fees[1] + p.fees[2] + p.fees[3] }

// inSplits tells whether a fund is one of the gift's split funds.
func (g *gift) inSplits(fund value.GUID) bool {
	return slices.ContainsFunc(g.splits, func(s split) bool { return s.fund == fund })
}

// onlyFund returns the one fund all splits name; zero when there are several.
func (g *gift) onlyFund() value.GUID {
	var fund value.GUID
	for _, s := range g.splits {
		if !fund.IsZero() && s.fund != fund {
			return value.GUID{}
		}
		fund = s.fund
	}
	return fund
}

// weights returns the split amounts, the ratio in which money without a fund is apportioned.
func (g *gift) weights() []int64 {
	out := make([]int64, len(g.splits))
	for i, s := range g.splits {
		out[i] = s.amount
	}
	return out
}
