package rules

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// giftFacts are the columns newGift reads.
var giftFacts = append(append([]string{
	"svc_donor", "transactioncurrencyid", "exchangerate", "svc_gifttype", "svc_giftdate", "createdon", "statecode",
	"svc_giftadjustment", "svc_feeamount", "svc_totalgift",
}, amountNames...), fundNames...)

// giftColumnsRead are the columns a recalculation reads of a gift.
func (c *recalculator) giftColumnsRead() []string {
	return withMoney(c.tables.gift, append([]string{"svc_giftrange", "svc_shares", "x_auto", "x_value", "x_worth", "x_counted"}, giftFacts...)...)
}

// paymentColumnsRead are the columns a recalculation reads of a payment.
func (c *recalculator) paymentColumnsRead() []string {
	return withMoney(c.tables.payment, paymentColumns...)
}

// gifts recomputes every gift from its payments and adds up what it brings to donors and funds.
func (c *recalculator) gifts() error {
	payment, fee := c.tables.payment, c.tables.fee
	names := c.paymentColumnsRead()
	return c.each(c.tables.gift, c.giftColumnsRead(), nil, func(batch []*query.Row) error {
		payments, err := c.children(payment, "svc_giftnumber", names, between(payment, "svc_giftnumber", batch)...)
		if err != nil {
			return err
		}
		fees, err := c.children(fee, "svc_gift", feeColumns, between(fee, "svc_gift", batch)...)
		if err != nil {
			return err
		}
		for _, r := range batch {
			if err := c.gift(r, payments[r.ID], fees[r.ID]); err != nil {
				return err
			}
		}
		return nil
	})
}

// gift recomputes one gift and adds up what it brings.
func (c *recalculator) gift(r *query.Row, payments, fees []*query.Row) error {
	g, p, err := c.mendGift(r, payments, fees)
	if err != nil {
		return err
	}
	c.tally.take(g, p, 1)
	c.rank(g, p)
	return nil
}

// openFile makes the file of a gift from rows that have been read. Its total is what the splits say, whatever is stored.
func (c *recalculator) openFile(r *query.Row, payments, fees []*query.Row) (*giftFile, error) {
	if sum, _ := splitSum(r); r.Value("svc_totalgift") != value.Money(sum) && c.followsSplits(r) {
		r = r.Clone()
		r.Put("svc_totalgift", value.Money(sum))
	}
	g, err := c.newGift(r)
	if err != nil {
		return nil, err
	}
	f := &giftFile{row: r, gift: g, payments: map[value.GUID]*payment{}, fees: map[value.GUID]*fee{}}
	for _, p := range payments {
		f.payments[p.ID] = newPayment(p, c.settings)
	}
	for _, x := range fees {
		f.fees[x.ID] = newFee(x)
	}
	return f, nil
}

// mendGift makes a gift's own columns and those of its payments anew and returns what they follow from.
func (c *recalculator) mendGift(r *query.Row, payments, fees []*query.Row) (*gift, *projection, error) {
	f, err := c.openFile(r, payments, fees)
	if err != nil {
		return nil, nil, err
	}
	p, err := c.project(f, f.gift)
	if err != nil {
		return nil, nil, err
	}
	after, err := c.expectedGift(f.row, p)
	if err != nil {
		return nil, nil, err
	}
	if err := c.mend(r, after); err != nil {
		return nil, nil, err
	}
	return f.gift, p, c.payments(f, p, payments)
}

// expectedGift returns a gift's row as it shall be.
func (c *recalculator) expectedGift(r *query.Row, p *projection) (*query.Row, error) {
	after := r.Clone()
	if err := setWorthOfShares(after, parseShares(r.Value("svc_shares").Text())); err != nil {
		return nil, err
	}
	columns, err := c.giftColumns(r, p)
	if err != nil {
		return nil, err
	}
	putAll(after, columns)
	return after, restate(after)
}

// payments compares the net amounts, base values and flags of a gift's payments.
func (c *recalculator) payments(f *giftFile, p *projection, rows []*query.Row) error {
	pledge := c.settings.IsPledge(f.gift.kind)
	for _, r := range rows {
		after := r.Clone()
		after.Put("svc_netamount", value.Money(f.payments[r.ID].net()))
		if pledge {
			after.Put("svc_pledgepaid", value.Bool(r.ID == p.closing))
		}
		if err := restate(after); err != nil {
			return err
		}
		if err := c.mendPart(Parent{f.row.Table.Name, f.row.ID}, r, after); err != nil {
			return err
		}
	}
	return nil
}

// rank lets a gift compete for its donor's first, latest and largest.
func (c *recalculator) rank(g *gift, p *projection) {
	s := standingOf(g, p)
	if s == nil {
		return
	}
	r := c.best[g.donor]
	if r == nil {
		c.best[g.donor] = &ranks{first: value.Date(s.date), latest: *s, largest: *s}
		return
	}
	if s.date < r.first.Int() {
		r.first = value.Date(s.date)
	}
	if s.later(&r.latest) {
		r.latest = *s
	}
	if s.base > r.largest.base || s.base == r.largest.base && s.later(&r.largest) {
		r.largest = *s
	}
}

// later tells whether a gift comes after another: by date, then creation, then id.
func (s *standing) later(o *standing) bool {
	switch {
	case s.date != o.date:
		return s.date > o.date
	case s.created != o.created:
		return s.created > o.created
	default:
		return string(s.gift[:]) > string(o.gift[:])
	}
}
