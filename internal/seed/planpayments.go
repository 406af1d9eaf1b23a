package seed

// What can befall a pledge.
const (
	castPaid = iota
	castPartly
	castPartlyScheduled
	castUnpaid
	castScheduled
	castOverpaid
	castWrittenOff
	castAccrued
)

// casts is what befalls pledges, in turn.
var casts = []uint8{
	castPaid, castPartly, castScheduled, castUnpaid, castOverpaid, castWrittenOff, castAccrued, castPartlyScheduled,
	castPaid, castPaid, castPartlyScheduled, castPartly, castPaid, castUnpaid, castPaid, castPartlyScheduled,
}

// mostPayments is the greatest number of payment rows of one pledge.
const mostPayments = 60

// planPayments gives every gift its number of payment rows. One-off gifts have one, a few none or a refund besides; what is
// left of the total goes to the pledges.
func (f *foundation) planPayments() {
	left := f.size.GiftPayments
	var pledges []*entry
	turn := 0
	for i := range f.plan {
		e := &f.plan[i]
		if e.shape == pledge {
			e.cast = f.newCast(e, turn)
			turn++
			if e.cast != castUnpaid {
				pledges = append(pledges, e)
			}
			continue
		}
		e.pays = f.oneOffPayments(i, e)
		left -= int(e.pays)
	}
	f.sharePayments(pledges, left)
}

// newCast says what befalls a pledge; a very young one has at most a schedule.
func (f *foundation) newCast(e *entry, turn int) uint8 {
	cast := casts[turn%len(casts)]
	if int64(e.day) > f.last-45 && cast != castUnpaid {
		return castScheduled
	}
	if cast == castOverpaid && f.refusesOverpay() {
		return castPaid
	}
	return cast
}

func (f *foundation) oneOffPayments(i int, e *entry) uint8 {
	switch {
	case f.fateOf(i, e) == fateRefundRow:
		return 2
	case e.shape == interfund:
		return 1
	case f.dice.chance(0.03):
		return 0
	default:
		return 1
	}
}

// sharePayments spreads payment rows over pledges: unevenly, at least one each, and exactly as many as there are.
func (f *foundation) sharePayments(pledges []*entry, rows int) {
	mean := max(1, rows/max(1, len(pledges)))
	for _, e := range pledges {
		n := min(max(f.dice.between(1, 2*mean-1), 1), mostPayments)
		e.pays = uint8(n)
		rows -= n
	}
	for i := 0; rows != 0 && len(pledges) > 0; i++ {
		e := pledges[i%len(pledges)]
		switch {
		case rows > 0 && e.pays < mostPayments:
			e.pays++
			rows--
		case rows < 0 && e.pays > 1:
			e.pays--
			rows++
		}
	}
}
