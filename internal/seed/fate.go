package seed

// fate is what befalls the payment of a one-off gift.
type fate uint8

const (
	fateNone fate = iota
	fateVoid
	fateVoided
	fateReturned
	fateFolioPaid
	fateFolioPaidLoud
	fatePartReversal
	fateReversal
	fateRefundRow
	fateInactiveGift
	fateInactivePayment
	fateAdjusted
	fateManualFee
	fateGiftFee
	fateAnonymous
	fateMemorial
	fateHonor
)

// fates befall gifts in turn, one in fateTurn each.
var fates = map[int]fate{
	3: fateVoid, 11: fateReturned, 19: fatePartReversal, 23: fateReversal, 31: fateRefundRow, 37: fateFolioPaidLoud, 41: fateInactiveGift,
	47: fateInactivePayment, 53: fateAdjusted, 59: fateVoided, 67: fateManualFee, 73: fateGiftFee,
}

// kindly fates are more frequent.
var kindlyFates = map[int]fate{5: fateAnonymous, 13: fateMemorial, 17: fateHonor, 21: fateFolioPaid, 29: fateFolioPaid}

// The turns: a prime number of gifts, so that no rhythm of the plan falls in step with them.
const (
	fateTurn   = 199
	kindlyTurn = 43
)

// fateOf returns what befalls the gift at a place of the plan.
func (f *foundation) fateOf(i int, e *entry) fate {
	if e.shape == pledge || e.shape == interfund {
		return fateNone
	}
	if x, ok := fates[i%fateTurn]; ok {
		return x
	}
	return kindlyFates[i%kindlyTurn]
}

// folios are the status codes of fates, as the various systems behind them spell them.
var folios = map[fate]string{
	fateVoid: " Void", fateVoided: "VOIDED", fateReturned: "returned", fateFolioPaid: "paid", fateFolioPaidLoud: "PAID ",
}
