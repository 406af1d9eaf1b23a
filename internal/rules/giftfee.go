package rules

import (
	"math/big"

	"almoner/internal/query"
	"almoner/internal/value"
)

var feeRules = []Rule{
	{
		Name: "fee.percent", Table: "svc_giftfee", On: OnSave, Do: (*Books).setPercent,
		Text:    "svc_feepercentasdecimal is the percentage divided by one hundred.",
		Example: "2.9 percent is 0.029.",
	},
	{
		Name: "fee.gift", Table: "svc_giftfee", On: OnSave | OnDelete, Do: (*Books).openFeeGift,
		Text:    "A fee bound to a gift counts among the gift's fees as long as no payment line refers to it.",
		Example: "A fee of 15.00 bound to a gift shows in its svc_feeamounttotal.",
	},
}

func (b *Books) setPercent(w *Write) error { return setPercent(w.New) }

// setPercent puts a fee's percentage on its row as a fraction.
func setPercent(r *query.Row) error {
	c := r.Table.MustColumn("svc_feepercentasdecimal")
	percent := r.Value("svc_feepercent").Rat()
	if percent == nil {
		r.Set(c, value.Null)
		return nil
	}
	n, err := value.RoundRat(percent.Quo(percent, big.NewRat(100, 1)), c.Scale)
	if err != nil {
		return errRange()
	}
	r.Set(c, value.Decimal(n, c.Scale))
	return nil
}

// openFeeGift opens the files of the fee's old and new gift, before anything is written.
func (b *Books) openFeeGift(w *Write) error { return b.openGifts(w, "svc_gift") }

// afterFee moves a fee between the files of its old and new gift.
func (b *Books) afterFee(w *Write) error {
	for _, r := range []*query.Row{w.Old, w.New} {
		if r == nil || r.Value("svc_gift").IsNull() {
			continue
		}
		f, err := b.file(r.Value("svc_gift").ID())
		if err != nil {
			return err
		}
		if r == w.New {
			f.fees[r.ID] = newFee(r)
		} else {
			delete(f.fees, r.ID)
		}
		if f.row != nil {
			b.touchGift(f.row.ID, f.row)
		}
	}
	return nil
}

// setFees computes the fee lines of a payment whose amounts the client did not write. Bit i of x_auto says that the service
// computed line i.
func (b *Books) setFees(w *Write) error {
	auto := w.New.Value("x_auto").Int()
	for i := range feeAmounts {
		bit := int64(1) << i
		amount := w.New.Value(feeAmounts[i])
		if w.Has(feeAmounts[i]) && !amount.IsNull() {
			auto &^= bit
			continue
		}
		stale := w.Old == nil || w.Changed("svc_netamount") || w.Changed(feeLookups[i]) || w.Has(feeAmounts[i])
		if !stale || !amount.IsNull() && auto&bit == 0 {
			continue
		}
		computed, err := b.computeFee(w.New, feeLookups[i])
		if err != nil {
			return err
		}
		w.New.Put(feeAmounts[i], computed)
		auto &^= bit
		if !computed.IsNull() {
			auto |= bit
		}
	}
	w.New.Put("x_auto", value.Int(auto))
	return nil
}

// computeFee returns the amount of a fee line; null when the line has no fee or the fee is not calculated.
func (b *Books) computeFee(r *query.Row, line string) (value.Value, error) {
	fee, err := b.rowOf(r, line)
	if err != nil || fee == nil {
		return value.Null, err
	}
	sum := new(big.Rat)
	switch kind := fee.Value("svc_feecalculation").Int(); kind {
	case feePercent, feeFlat, feeFlatAndPercent:
		if kind != feePercent {
			sum.Add(sum, flatFee(fee, r))
		}
		if percent := fee.Value("svc_feepercent").Rat(); percent != nil && kind != feeFlat {
			part := new(big.Rat).Mul(r.Value("svc_netamount").Rat(), percent)
			sum.Add(sum, part.Quo(part, big.NewRat(100, 1)))
		}
		return moneyOf(sum)
	default:
		return value.Null, nil
	}
}

// flatFee returns the flat part of a fee in the currency of the payment.
func flatFee(fee, payment *query.Row) *big.Rat {
	flat := fee.Value("svc_flatfeeamount")
	if fee.Value("transactioncurrencyid") != payment.Value("transactioncurrencyid") {
		flat = fee.Get(fee.Table.MustColumn("svc_flatfeeamount").Base)
		if r := flat.Rat(); r != nil {
			return r.Mul(r, big.NewRat(rateOf(payment), rateOne))
		}
	}
	if r := flat.Rat(); r != nil {
		return r
	}
	return new(big.Rat)
}
