package rules

import (
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// totalOnly tells whether an update gives a total without splits: a single split then follows it.
func (w *Write) totalOnly() bool {
	return w.Old != nil && w.Has("svc_totalgift") && !w.sentAny(amountNames)
}

// sentAny tells whether the client sent one of the columns.
func (w *Write) sentAny(names []string) bool {
	for _, name := range names {
		if w.Has(name) {
			return true
		}
	}
	return false
}

func (b *Books) checkSplits(w *Write) error {
	var sign int64
	for i, name := range amountNames {
		amount := w.New.Value(name)
		if amount.IsNull() {
			continue
		}
		if w.New.Value(fundNames[i]).IsNull() {
			return fault.Rule("svc_gift", "gift.splits", fundNames[i], "The amount %s of '%s' needs a fund in '%s'.", amount, name, fundNames[i])
		}
		n := amount.Int()
		if n != 0 && sign != 0 && (n < 0) != (sign < 0) {
			return fault.Rule("svc_gift", "gift.splits", name, "The amount %s of '%s' differs in sign from the other splits.", amount, name)
		}
		if n != 0 {
			sign = n
		}
	}
	return nil
}

// setTotal keeps svc_totalgift and the splits together.
func (b *Books) setTotal(w *Write) error {
	sum, count := splitSum(w.New)
	total := w.New.Value("svc_totalgift")
	sent := w.Has("svc_totalgift") && !total.IsNull()
	pledge := b.settings.IsPledge(w.New.Value("svc_gifttype").Int())
	switch {
	case sent && w.totalOnly() && count == 1:
		w.New.Put("svc_amount1", total)
		return nil
	case pledge || total.IsNull() || !sent && (w.Old == nil || w.sentAny(amountNames)):
		return putTotal(w, sum)
	case sent && total.Int() != sum:
		return b.settleMismatch(w, total, sum)
	default:
		return nil
	}
}

func splitSum(r *query.Row) (sum int64, count int) {
	for _, name := range amountNames {
		if v := r.Value(name); !v.IsNull() {
			sum += v.Int()
			count++
		}
	}
	return sum, count
}

// followsSplits tells whether the total of a gift can only be the sum of its splits.
func (b *Books) followsSplits(r *query.Row) bool {
	return b.isPledgeRow(r) || b.settings.SplitsMismatch != settings.MismatchAccept
}

func putTotal(w *Write, sum int64) error {
	c := w.New.Table.MustColumn("svc_totalgift")
	w.New.Set(c, value.Money(sum))
	return checkRange(c, sum)
}

func (b *Books) settleMismatch(w *Write, total value.Value, sum int64) error {
	switch b.settings.SplitsMismatch {
	case settings.MismatchAccept:
		return nil
	case settings.MismatchRecompute:
		return putTotal(w, sum)
	default:
		return fault.Rule("svc_gift", "gift.total", "svc_totalgift", "The value %s of 'svc_totalgift' must equal the sum of the splits, %s.", total, value.Money(sum))
	}
}
