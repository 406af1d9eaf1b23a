package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

var paymentRules = []Rule{
	{
		Name: "payment.required", Table: "svc_giftpayment", On: OnSave, Do: (*Books).checkPayment,
		Text:    "A payment belongs to a gift.",
		Example: "A payment without svc_giftnumber is refused.",
	},
	{
		Name: "payment.fill", Table: "svc_giftpayment", On: OnSave, Do: (*Books).fillPayment,
		Text:    "What a new payment leaves out is taken from its gift, the gift's donor and the fund: donor, payor, person, fund if the gift has only one, account and department; moved to another gift it takes that gift's donor.",
		Example: "A payment on a gift to fund 12 lands on fund 12 and its gift account.",
	},
	{
		Name: "payment.fund", Table: "svc_giftpayment", On: OnSave, Do: (*Books).checkPaymentFund,
		Text:    "A payment to a fund that is none of its gift's split funds is taken with a warning.",
		Example: "A payment to fund 7 on a gift to fund 12 carries a Warning header.",
	},
	{
		Name: "payment.number", Table: "svc_giftpayment", On: OnCreate, Do: (*Books).numberPayment,
		Text:    "A payment without a number gets the next one.",
		Example: "The first payment becomes P-0000001.",
	},
	{
		Name: "payment.reversal", Table: "svc_giftpayment", On: OnSave, Do: (*Books).checkReversal,
		Text:    "A reversal takes back at most the payment's amount, and the net amount is what remains.",
		Example: "Of a payment of 250.00, 100.00 may be reversed: net 150.00; 300.00 is refused.",
	},
	{
		Name: "payment.fees", Table: "svc_giftpayment", On: OnSave, Do: (*Books).setFees,
		Text:    "A fee line bound to a fee without an amount is computed from the net amount and follows it; an amount the client wrote is never recomputed.",
		Example: "2.9 percent plus 0.30 on 125.00 is 3.93.",
	},
	{
		Name: "payment.applied", Table: "svc_giftpayment", On: OnSave, Do: (*Books).setApplied,
		Text:    "svc_pledgepaymentapplied is the moment a received payment was first attached to a pledge.",
		Example: "A check entered on a pledge without that date gets the current time.",
	},
	{
		Name: "payment.closing", Table: "svc_giftpayment", On: OnSave, Do: (*Books).setClosing,
		Text:    "svc_pledgepaid marks the one payment with which a pledge was first paid in full, by date, then creation, then id.",
		Example: "Of 1,000, 1,000 and 2,000 on a pledge of 4,000 the third is marked, and stays so when 500 more arrive later.",
	},
	{
		Name: "payment.overpay", Table: "svc_giftpayment", On: OnSave, Do: (*Books).checkOverpay,
		Text:    "With the setting payment.overpay = reject a payment may not take the gift's balance below zero.",
		Example: "600 on a pledge with 500 open is refused.",
	},
	{
		Name: "payment.delete", Table: "svc_giftpayment", On: OnDelete, Do: (*Books).openPaymentGift,
		Text:    "A deleted payment leaves its gift's books.",
		Example: "Deleting 1,000 of 4,000 received leaves 3,000 paid.",
	},
}

func (b *Books) checkPayment(w *Write) error {
	if w.New.Value("svc_giftnumber").IsNull() {
		return fault.Missing("svc_giftpayment", "payment.required", "svc_giftnumber")
	}
	return b.openPaymentGift(w)
}

// movesPayment tells whether a write of a payment can move the books; one of other columns costs no further statement.
func movesPayment(w *Write) bool {
	return w.Kind != query.Update || w.Changed("svc_giftnumber") || w.changedAny(paymentColumns)
}

// openPaymentGift opens the files of the payment's old and new gift, before anything is written.
func (b *Books) openPaymentGift(w *Write) error {
	if !movesPayment(w) {
		return nil
	}
	return b.openGifts(w, "svc_giftnumber")
}

// openGifts opens the files of the gifts a lookup points at before and after a write, in order of id.
func (b *Books) openGifts(w *Write, name string) error {
	ids := map[value.GUID]bool{}
	for _, r := range []*query.Row{w.Old, w.New} {
		if r != nil && !r.Value(name).IsNull() {
			ids[r.Value(name).ID()] = true
		}
	}
	for _, id := range sortedIDs(ids) {
		if _, err := b.file(id); err != nil {
			return err
		}
	}
	return nil
}

// giftOf returns the open file of the gift a payment belongs to after the write.
func (b *Books) giftOf(w *Write) (*giftFile, error) {
	return b.file(w.New.Value("svc_giftnumber").ID())
}

func (b *Books) fillPayment(w *Write) error {
	if w.Old != nil && !w.Changed("svc_giftnumber") {
		return nil
	}
	f, err := b.giftOf(w)
	if err != nil || f.row == nil {
		return err
	}
	if w.Old != nil {
		return b.moveDonor(w, f)
	}
	if err := b.fillPersons(w.New, f); err != nil {
		return err
	}
	if fund := f.gift.onlyFund(); w.New.Value("svc_fund").IsNull() && !w.Has("svc_fund") {
		w.New.Put("svc_fund", lookup(fund))
	}
	return b.fillFromFund(w.New, f.gift)
}

// moveDonor lets a payment moved to another gift take that gift's donor, unless it was deliberately bound elsewhere.
func (b *Books) moveDonor(w *Write, f *giftFile) error {
	if w.Has("svc_donor") {
		return nil
	}
	old, err := b.file(w.Old.Value("svc_giftnumber").ID())
	if err != nil {
		return err
	}
	donor := w.Old.Value("svc_donor").ID()
	if donor.IsZero() || old.gift != nil && donor == old.gift.donor {
		w.New.Put("svc_donor", lookup(f.gift.donor))
	}
	return nil
}

// fillPersons takes donor, payor and primary person from the gift, then from its donor.
func (b *Books) fillPersons(r *query.Row, f *giftFile) error {
	fillFrom(r, "svc_donor", f.row, "svc_donor")
	fillFrom(r, "svc_payor", f.row, "svc_payor")
	fillFrom(r, "svc_primarycontact", f.row, "svc_primarydonorcontact")
	if !r.Value("svc_payor").IsNull() && !r.Value("svc_primarycontact").IsNull() {
		return nil
	}
	donor, err := b.rowOf(f.row, "svc_donor")
	if err != nil || donor == nil {
		return err
	}
	fillFrom(r, "svc_payor", donor, "svc_primarycontact")
	fillFrom(r, "svc_primarycontact", donor, "svc_primarycontact")
	return nil
}

// fillFrom copies a column of another row into an empty one.
func fillFrom(r *query.Row, name string, from *query.Row, source string) {
	if r.Value(name).IsNull() {
		r.Put(name, from.Value(source))
	}
}

func (b *Books) fillFromFund(r *query.Row, g *gift) error {
	if !r.Value("svc_account").IsNull() && !r.Value("svc_department").IsNull() {
		return nil
	}
	fund, err := b.rowOf(r, "svc_fund")
	if err != nil || fund == nil {
		return err
	}
	account := "svc_giftdefaultaccount"
	if g.kind == giftTypeNonGift {
		account = "svc_nongiftdefaultaccount"
	}
	fillFrom(r, "svc_account", fund, account)
	fillFrom(r, "svc_department", fund, "svc_department")
	return nil
}

func (b *Books) checkPaymentFund(w *Write) error {
	fund := w.New.Value("svc_fund")
	if fund.IsNull() || w.Old != nil && !w.Changed("svc_fund") && !w.Changed("svc_giftnumber") {
		return nil
	}
	f, err := b.giftOf(w)
	if err == nil && f.gift != nil && !f.gift.inSplits(fund.ID()) {
		b.env.Warn("svc_fund " + fund.String() + " is none of the split funds of the gift")
	}
	return err
}

func (b *Books) numberPayment(w *Write) error { return b.number(w, "svc_paymentnum", "P-") }

func (b *Books) checkReversal(w *Write) error {
	amount, reversal := w.New.Value("svc_amount"), w.New.Value("svc_reversalamount")
	if n := reversal.Int(); n < 0 || n != 0 && n > amount.Int() {
		return fault.Rule("svc_giftpayment", "payment.reversal", "svc_reversalamount",
			"The value %s of 'svc_reversalamount' must be above 0 and at most 'svc_amount', %s.", reversal, value.Money(amount.Int()))
	}
	w.New.Put("svc_netamount", value.Money(amount.Int()-reversal.Int()))
	return nil
}

func (b *Books) setApplied(w *Write) error {
	if !w.New.Value("svc_pledgepaymentapplied").IsNull() || !movesPayment(w) {
		return nil
	}
	f, err := b.giftOf(w)
	if err != nil || f.gift == nil || !b.settings.IsPledge(f.gift.kind) {
		return err
	}
	if newPayment(w.New, b.settings).received() {
		w.New.Put("svc_pledgepaymentapplied", value.Time(b.env.Now()))
	}
	return nil
}

// setClosing puts svc_pledgepaid on the payment itself; its siblings follow when the transaction is settled. On other gifts it
// is left as sent, except that a payment moved there from a pledge loses it.
func (b *Books) setClosing(w *Write) error {
	if !movesPayment(w) {
		return nil
	}
	f, err := b.giftOf(w)
	if err != nil || f.gift == nil {
		return err
	}
	switch {
	case !b.settings.IsPledge(f.gift.kind):
		if w.Old != nil && w.Changed("svc_giftnumber") && !w.Has("svc_pledgepaid") {
			w.New.Put("svc_pledgepaid", value.Bool(false))
		}
	case !b.Deferred:
		after := f.with(w.New.ID, newPayment(w.New, b.settings))
		closing := closingPayment(f.gift.total, after.paymentList())
		w.New.Put("svc_pledgepaid", value.Bool(closing == w.New.ID))
	}
	return nil
}

func (b *Books) checkOverpay(w *Write) error {
	if b.settings.Overpay != settings.OverpayReject || !movesPayment(w) {
		return nil
	}
	f, err := b.giftOf(w)
	if err != nil || f.gift == nil {
		return err
	}
	if b.Deferred {
		if err := b.readFile(f); err != nil {
			return err
		}
	}
	was, is := received(f), received(f.with(w.New.ID, newPayment(w.New, b.settings)))
	if is > was && is > f.gift.total {
		return fault.Rule("svc_giftpayment", "payment.overpay", "svc_amount",
			"The value %s of 'svc_amount' would take the balance of the gift to %s.", w.New.Value("svc_amount"), value.Money(f.gift.total-is))
	}
	return nil
}

// received adds the net amounts of the received payments of a file.
func received(f *giftFile) int64 {
	var sum int64
	for _, p := range f.payments {
		if p.received() {
			sum += p.net()
		}
	}
	return sum
}

// afterPayment moves a payment between the files of its old and new gift.
func (b *Books) afterPayment(w *Write) error {
	if !movesPayment(w) {
		return nil
	}
	for _, r := range []*query.Row{w.Old, w.New} {
		if r == nil || r.Value("svc_giftnumber").IsNull() {
			continue
		}
		f, err := b.file(r.Value("svc_giftnumber").ID())
		if err != nil {
			return err
		}
		if r == w.New {
			f.payments[r.ID] = newPayment(r, b.settings)
		} else {
			delete(f.payments, r.ID)
		}
		if f.row != nil {
			b.touchGift(f.row.ID, f.row)
		}
		markSet(b.touched.Funds, r.Value("svc_fund"))
	}
	return nil
}
