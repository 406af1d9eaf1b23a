package rules

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// giftColumnsRead are the columns a recalculation reads of a gift.
var giftColumnsRead = append(append([]string{
	"svc_donor", "transactioncurrencyid", "exchangerate", "svc_gifttype", "svc_giftdate", "createdon", "statecode",
	"svc_giftadjustment", "svc_feeamount", "svc_totalgift", "svc_giftrange", "x_auto", "x_value", "x_counted",
	"svc_paid", "svc_paid_base", "svc_balance", "svc_balance_base", "svc_feeamounttotal", "svc_feeamounttotal_base",
}, amountNames...), fundNames...)

// paymentColumnsRead are the columns a recalculation reads of a payment.
var paymentColumnsRead = append([]string{"svc_netamount", "svc_netamount_base"}, paymentColumns...)

// gifts recomputes every gift from its payments and adds up what it brings to donors and funds.
func (c *recalculator) gifts() error {
	payment, fee := c.tables.payment, c.tables.fee
	return c.each(c.tables.gift, giftColumnsRead, nil, func(batch []*query.Row) error {
		payments, err := c.children(payment, "svc_giftnumber", paymentColumnsRead, between(payment, "svc_giftnumber", batch)...)
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

// openFile makes the file of a gift from rows that have been read.
func (c *recalculator) openFile(r *query.Row, payments, fees []*query.Row) *giftFile {
	f := &giftFile{row: r, gift: newGift(r), payments: map[value.GUID]*payment{}, fees: map[value.GUID]*fee{}}
	for _, p := range payments {
		f.payments[p.ID] = newPayment(p, c.settings)
	}
	for _, x := range fees {
		f.fees[x.ID] = newFee(x)
	}
	return f
}

// mendGift makes a gift's own columns and its payments' flags anew and returns what they follow from.
func (c *recalculator) mendGift(r *query.Row, payments, fees []*query.Row) (*gift, *projection, error) {
	f := c.openFile(r, payments, fees)
	p, err := c.project(f, f.gift)
	if err != nil {
		return nil, nil, err
	}
	columns, err := c.giftColumns(r, p)
	if err != nil {
		return nil, nil, err
	}
	if err := c.mend(r, columns); err != nil {
		return nil, nil, err
	}
	return f.gift, p, c.payments(f, p, payments)
}

// payments compares the net amounts and flags of a gift's payments.
func (c *recalculator) payments(f *giftFile, p *projection, rows []*query.Row) error {
	pledge := c.settings.IsPledge(f.gift.kind)
	for _, r := range rows {
		columns, err := ownMoney(r, named{"svc_netamount", f.payments[r.ID].net()})
		if err != nil {
			return err
		}
		if pledge {
			columns = append(columns, set(r.Table, "svc_pledgepaid", value.Bool(r.ID == p.closing)))
		}
		if err := c.mendPart(Parent{f.row.Table.Name, f.row.ID}, r, columns); err != nil {
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
