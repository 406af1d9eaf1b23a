package settings

import "time"

// entry is one row of the table of settings.
type entry struct {
	name     string
	def      string
	business bool // lives in the database
	recalc   bool // a change makes stored sums wrong
	doc      string
	codec
}

const (
	process  = false // belongs to one process
	business = true
)

// entries is the table of settings. Everything else in this package follows from it.
var entries = []entry{
	{"year.start_month", "1", business, true, "Month in which a giving year begins.",
		integer(func(s *Settings) *int { return &s.YearStartMonth }, 1, 12)},
	{"org.timezone", "UTC", business, true, "Time zone in which a moment has its calendar date.", zone},
	{"org.base_currency", "USD", business, true, "ISO code of the currency all books are kept in.", currency},
	{"types.pledge", "730850001", business, true, "Gift types that are promises: only their payments are giving.",
		integers(func(s *Settings) *[]int64 { return &s.PledgeTypes })},
	{"types.giving", "730850000,730850001,730850002,730850003,730850004,100000000", business, true,
		"Gift types that count as a donor's giving.",
		integers(func(s *Settings) *[]int64 { return &s.GivingTypes })},
	{"giving.pledge_basis", "payments", business, true, "Whether a pledge is giving when paid or as a whole on its gift date.",
		choice(func(s *Settings) *PledgeBasis { return &s.PledgeBasis }, PledgePayments, PledgeCommitment)},
	{"splits.mismatch", "reject", business, false, "What happens to a total that is not the sum of its splits.",
		choice(func(s *Settings) *Mismatch { return &s.SplitsMismatch }, MismatchReject, MismatchRecompute, MismatchAccept)},
	{"gift.assume_paid", "true", business, true, "Whether a one-off gift without payment rows shows itself as paid.",
		flag(func(s *Settings) *bool { return &s.GiftAssumePaid })},
	{"gift.autonumber", "true", business, false, "Whether a gift without a number gets one.",
		flag(func(s *Settings) *bool { return &s.GiftAutonumber })},
	{"gift.range_auto", "true", business, true, "Whether a gift's range follows its value until a client writes it.",
		flag(func(s *Settings) *bool { return &s.GiftRangeAuto })},
	{"payment.overpay", "allow", business, false, "Whether a payment may take a gift's balance below zero.",
		choice(func(s *Settings) *Overpay { return &s.Overpay }, OverpayAllow, OverpayReject)},
	{"pledge.installment_rounding", "spread_begin", business, false, "Which installments of a schedule take the leftover cents.",
		choice(func(s *Settings) *Rounding { return &s.InstallmentRound }, SpreadBegin, SpreadEnd, AllBegin, AllEnd)},
	{"money.excess_decimals", "round", business, false, "What happens to a money value with more than two decimals.",
		choice(func(s *Settings) *Decimals { return &s.ExcessDecimals }, DecimalsRound, DecimalsReject)},
	{"folio.void", "void,voided,reversed,canceled,cancelled,failed,returned", business, true, "Folio codes that make a payment void.",
		words(func(s *Settings) *[]string { return &s.FolioVoid })},
	{"folio.paid", "paid", business, true, "Folio codes that make a disbursement paid.",
		words(func(s *Settings) *[]string { return &s.FolioPaid })},
	{"grant.paid_when", "folio,paymentsent,cleardate", business, true, "Conditions of which any makes a disbursement paid.",
		choices(func(s *Settings) *[]PaidWhen { return &s.GrantPaidWhen }, PaidByFolio, PaidBySent, PaidByClearDate)},
	{"balances.mode", "external", business, true, "Whether a ledger feeds a fund's net assets or the service computes them.",
		choice(func(s *Settings) *BalanceMode { return &s.Balances }, BalancesExternal, BalancesDerived)},
	{"spend.method", "spot", business, true, "Whether spending is a share of net assets today or of their average over twelve quarters.",
		choice(func(s *Settings) *SpendMethod { return &s.Spend }, SpendSpot, SpendAvg12Q)},
	{"rollover.touch", "true", business, false, "Whether donors and funds appear in change tracking when a giving year turns.",
		flag(func(s *Settings) *bool { return &s.RolloverTouch })},
	{"delete.posted_children", "block", business, false, "Whether posted payments keep their gift from being deleted.",
		choice(func(s *Settings) *PostedChildren { return &s.DeletePosted }, PostedBlock, PostedCascade)},
	{"list.count_ttl", "10m", business, false, "Age at which the member count of a dynamic list is made anew.",
		duration(func(s *Settings) *time.Duration { return &s.ListCountTTL }, 0)},
	{"list.membertype", "seed", business, false, "Which integers createdfromcode of a list uses.",
		choice(func(s *Settings) *MemberCodes { return &s.ListMembertype }, MembersSeed, MembersPlatform)},
	{"upsert.by_id", "false", business, false, "Whether PATCH of a missing row creates it on every table.",
		flag(func(s *Settings) *bool { return &s.UpsertByID })},
	{"count.cap", "0", business, false, "Greatest number $count tells; 0 for the true number at any size.",
		integer(func(s *Settings) *int { return &s.CountCap }, 0, maxInt)},
	{"aggregate.limit", "0", business, false, "Most rows an aggregate may run over; 0 for no limit.",
		integer(func(s *Settings) *int { return &s.AggregateLimit }, 0, maxInt)},
	{"changes.retention", "720h", business, false, "How long delta tokens live and deleted rows stay in change tracking.",
		duration(func(s *Settings) *time.Duration { return &s.ChangesRetention }, time.Minute)},
	{"audit.retention", "720h", business, false, "How long audit entries are kept; 0 for ever.",
		duration(func(s *Settings) *time.Duration { return &s.AuditRetention }, 0)},
	{"repeatability.retention", "24h", business, false, "How long answers to repeatable requests are kept.",
		duration(func(s *Settings) *time.Duration { return &s.RepeatRetention }, time.Minute)},
	{"token.ttl", "1h", business, false, "Lifetime of the bearer tokens the service issues.",
		duration(func(s *Settings) *time.Duration { return &s.AccessTokenTTL }, time.Minute)},

	{"addr", "127.0.0.1:8080", process, false, "Address the service listens on.",
		text(func(s *Settings) *string { return &s.Addr })},
	{"base_url", "", process, false, "Address clients use, when it is not the one listened on.",
		text(func(s *Settings) *string { return &s.BaseURL })},
	{"tls.cert", "", process, false, "File of the TLS certificate chain.",
		text(func(s *Settings) *string { return &s.TLSCert })},
	{"tls.key", "", process, false, "File of the TLS private key.",
		text(func(s *Settings) *string { return &s.TLSKey })},
	{"behind_proxy", "false", process, false, "Whether a proxy in front of the service provides TLS.",
		flag(func(s *Settings) *bool { return &s.BehindProxy })},
	{"limits.requests", "6000", process, false, "Requests of one caller per window; 0 for no limit.",
		integer(func(s *Settings) *int { return &s.LimitRequests }, 0, maxInt)},
	{"limits.window", "5m", process, false, "Length of the sliding window of the limits; 0 switches them off.",
		duration(func(s *Settings) *time.Duration { return &s.LimitWindow }, 0)},
	{"limits.concurrency", "52", process, false, "Requests of one caller at a time; 0 for no limit.",
		integer(func(s *Settings) *int { return &s.LimitConcurrency }, 0, maxInt)},
	{"limits.execution", "20m", process, false, "Execution time of one caller per window; 0 for no limit.",
		duration(func(s *Settings) *time.Duration { return &s.LimitExecution }, 0)},
	{"limits.statement", "2m", process, false, "Longest run of one read statement; 0 for no limit.",
		duration(func(s *Settings) *time.Duration { return &s.LimitStatement }, 0)},
	{"log.slow_query", "1s", process, false, "Reads that take longer are logged with the shape of their query; 0 for none.",
		duration(func(s *Settings) *time.Duration { return &s.SlowQuery }, 0)},
	{"auth.issuers", "[]", process, false, "External identity providers: a list of issuer, audience and optional jwks_uri.", issuers},
}

var byName = func() map[string]*entry {
	m := make(map[string]*entry, len(entries))
	for i := range entries {
		m[entries[i].name] = &entries[i]
	}
	return m
}()
