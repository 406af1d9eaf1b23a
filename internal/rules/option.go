package rules

// Values of option sets the rules know by meaning.
const (
	giftTypeGift      = 730850000
	giftTypeNonGift   = 730850005
	giftTypeInterfund = 100000001

	payPledge    = 730850007 // accrual: bookkeeping of a promise, no money
	payInterfund = 100000003
	payScheduled = 100000010 // forecast: an installment that is expected

	requirementPayment = 730850000

	feePercent        = 730850000
	feeFlat           = 730850001
	feeFlatAndPercent = 730850002

	reversalVoid = 730850001 // on a date of its own

	requestApproved  = 730850004
	requestInterfund = 100000000

	disburseInterfund = 730850005
)

// giftRanges are the bands of svc_giftrange by their lower bound in cents, highest first.
var giftRanges = []struct{ low, value int64 }{
	{1_000_000_00, 100000000}, {500_000_00, 730850009}, {100_000_00, 730850008}, {50_000_00, 730850007},
	{25_000_00, 730850006}, {10_000_00, 730850005}, {5_000_00, 730850004}, {1_000_00, 730850003},
	{250_00, 730850002}, {100_00, 730850001},
}

// underHundred is the lowest band; it also holds values of zero and less.
const underHundred = 730850000

// giftRange returns the band of a base value.
func giftRange(base int64) int64 {
	for _, r := range giftRanges {
		if base >= r.low {
			return r.value
		}
	}
	return underHundred
}

// periodsPerYear says how often a svc_paymentfrequency falls in a year; a value that is absent has no periods.
var periodsPerYear = map[int64]int64{
	730850000: 1, 730850001: 4, 730850002: 12, 730850003: 2, 100000000: 52, 100000001: 1,
}
