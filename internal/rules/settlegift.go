package rules

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// afterGift keeps the gift's file in step and lets its payments follow.
func (b *Books) afterGift(w *Write) error {
	id := w.Row().ID
	if !movesGift(w) {
		if f := b.gifts[id]; f != nil {
			f.row = w.New
		}
		return nil
	}
	f, err := b.file(id)
	if err != nil {
		return err
	}
	b.touchGift(id, w.Old, w.New)
	if w.New == nil {
		f.row, f.gift = nil, nil
		return nil
	}
	f.row = w.New
	if f.gift, err = b.newGift(w.New); err != nil || w.Old == nil {
		return err
	}
	if b.Deferred {
		if err := b.touchPaymentFunds(f); err != nil {
			return err
		}
	}
	if !w.Changed("svc_donor") && !w.Changed("svc_gifttype") && !w.Changed("transactioncurrencyid") {
		return nil
	}
	return b.letPaymentsFollow(f, w)
}

// letPaymentsFollow carries a gift's new donor, type and currency over to its payments and fees.
func (b *Books) letPaymentsFollow(f *giftFile, w *Write) error {
	for _, id := range sortedIDs(f.payments) {
		columns, err := b.followColumns(f.payments[id], w)
		if err != nil {
			return err
		}
		if err := b.derivePayment(f, id, columns); err != nil {
			return err
		}
	}
	if !w.Changed("transactioncurrencyid") {
		return nil
	}
	for _, id := range sortedIDs(f.fees) {
		columns, err := b.recurrency(b.tables.fee, id, w.New.Value("transactioncurrencyid"))
		if err != nil {
			return err
		}
		if err := b.env.Derive(b.tables.fee, id, columns); err != nil {
			return err
		}
	}
	return nil
}

// followColumns lists what changes on a payment because its gift changed.
func (b *Books) followColumns(p *payment, w *Write) ([]query.Assign, error) {
	t := b.tables.payment
	var out []query.Assign
	if w.Changed("svc_donor") && (p.donor.IsZero() || p.donor == w.Old.Value("svc_donor").ID()) {
		out = append(out, set(t, "svc_donor", w.New.Value("svc_donor")))
	}
	was, is := b.isPledgeRow(w.Old), b.isPledgeRow(w.New)
	if was && !is && p.flagged.Bool() {
		out = append(out, set(t, "svc_pledgepaid", value.Bool(false)))
	}
	if !was && is && p.received() && p.applied.IsNull() {
		out = append(out, set(t, "svc_pledgepaymentapplied", value.Time(b.env.Now())))
	}
	if w.Changed("transactioncurrencyid") {
		money, err := b.recurrency(t, p.id, w.New.Value("transactioncurrencyid"))
		if err != nil {
			return nil, err
		}
		out = append(out, money...)
	}
	return out, nil
}

// derivePayment writes columns the service keeps on a payment and reads its facts again.
func (b *Books) derivePayment(f *giftFile, id value.GUID, columns []query.Assign) error {
	if len(columns) == 0 {
		return nil
	}
	if err := b.env.Derive(b.tables.payment, id, columns); err != nil {
		return err
	}
	row, err := b.env.Row(b.tables.payment, id)
	if err == nil && row != nil {
		f.payments[id] = newPayment(row, b.settings)
	}
	return err
}

// settleGifts brings the touched gifts up to date and takes the difference of what they bring to donors and funds.
func (b *Books) settleGifts() error {
	for _, id := range sortedIDs(b.gifts) {
		f := b.gifts[id]
		var after *projection
		if f.gift != nil {
			var err error
			if after, err = b.settleGift(f); err != nil {
				return err
			}
		}
		b.tally.take(f.beforeGift, f.before, -1)
		b.tally.take(f.gift, after, 1)
		b.tally.rank(f.beforeGift, f.gift, standingOf(f.beforeGift, f.before), standingOf(f.gift, after))
	}
	return nil
}

// settleGift writes the gift's own columns and the flags of its payments.
func (b *Books) settleGift(f *giftFile) (*projection, error) {
	p, err := b.project(f, f.gift)
	if err != nil {
		return nil, err
	}
	columns, err := b.giftColumns(f.row, p)
	if err != nil {
		return nil, err
	}
	if err := b.env.Derive(b.tables.gift, f.gift.id, differing(f.row, columns)); err != nil {
		return nil, err
	}
	if !b.settings.IsPledge(f.gift.kind) {
		return p, nil
	}
	for _, pay := range f.paymentList() {
		want := value.Bool(pay.id == p.closing)
		if pay.flagged == want {
			continue
		}
		if err := b.env.Derive(b.tables.payment, pay.id, []query.Assign{set(b.tables.payment, "svc_pledgepaid", want)}); err != nil {
			return nil, err
		}
		pay.flagged = want
	}
	return p, nil
}

// differing leaves out assignments a row already holds.
func differing(r *query.Row, columns []query.Assign) []query.Assign {
	var out []query.Assign
	for _, a := range columns {
		if r.Get(a.Column) != a.Value {
			out = append(out, a)
		}
	}
	return out
}
