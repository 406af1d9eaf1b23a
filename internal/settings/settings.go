// Package settings holds every switch of the service with its default: the business settings that live in the database
// and the settings of one process. Values come from flags, else environment, else the YAML file, else (for business
// settings) the database, else the default.
package settings

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Settings is every setting with its value in force. It is read by everyone and changed by nobody: whoever needs other
// values makes a Clone, changes that and puts it in place as a whole.
type Settings struct {
	// Business settings: they live in the database, so that every node and command counts alike.
	YearStartMonth   int            // first month of a giving year, 1 to 12
	Timezone         *time.Location // zone in which a moment has its calendar date
	BaseCurrency     string         // ISO code of the base currency
	PledgeTypes      []int64        // gift types that are promises; only their payments are giving
	GivingTypes      []int64        // gift types that count as a donor's giving
	PledgeBasis      PledgeBasis
	SplitsMismatch   Mismatch
	GiftAssumePaid   bool // a one-off gift without money rows shows itself as paid
	GiftAutonumber   bool
	GiftRangeAuto    bool
	Overpay          Overpay
	InstallmentRound Rounding
	ExcessDecimals   Decimals
	FolioVoid        []string // folio codes that make a payment void; trimmed, lower case
	FolioPaid        []string // folio codes that make a disbursement paid; trimmed, lower case
	GrantPaidWhen    []PaidWhen
	Balances         BalanceMode
	Spend            SpendMethod
	RolloverTouch    bool
	DeletePosted     PostedChildren
	ListCountTTL     time.Duration
	ListMembertype   MemberCodes
	UpsertByID       bool // PATCH of a missing row creates it on every table
	CountCap         int  // greatest number $count tells; 0: no cap
	AggregateLimit   int  // most rows an aggregate may run over; 0: no limit
	ChangesRetention time.Duration
	AuditRetention   time.Duration
	RepeatRetention  time.Duration // how long answers to repeatable requests are kept
	AccessTokenTTL   time.Duration

	// Settings of one process: never stored.
	Addr             string
	BaseURL          string
	TLSCert, TLSKey  string
	BehindProxy      bool
	LimitRequests    int           // requests per window and caller; 0: no limit
	LimitWindow      time.Duration // length of the sliding window; 0: no limit
	LimitConcurrency int           // requests of one caller at a time; 0: no limit
	LimitExecution   time.Duration // execution time per window and caller; 0: no limit
	LimitStatement   time.Duration // longest run of one read statement; 0: no limit
	SlowQuery        time.Duration // reads that take longer are logged; 0: none
	Issuers          []Issuer      // external identity providers
}

// Issuer is an external identity provider whose tokens are taken.
type Issuer struct {
	Issuer   string `yaml:"issuer" json:"issuer"`
	Audience string `yaml:"audience" json:"audience"`
	JWKSURI  string `yaml:"jwks_uri,omitempty" json:"jwks_uri,omitempty"`
}

// PledgeBasis says when a pledge becomes giving.
type PledgeBasis string

// The pledge bases.
const (
	PledgePayments   PledgeBasis = "payments"
	PledgeCommitment PledgeBasis = "commitment"
)

// Mismatch says what happens to a total that is not the sum of its splits.
type Mismatch string

// The answers to a mismatch.
const (
	MismatchReject    Mismatch = "reject"
	MismatchRecompute Mismatch = "recompute"
	MismatchAccept    Mismatch = "accept"
)

// Overpay says whether a payment may take a gift's balance below zero.
type Overpay string

// The answers to an overpayment.
const (
	OverpayAllow  Overpay = "allow"
	OverpayReject Overpay = "reject"
)

// Rounding says which installments take the leftover cents of a schedule.
type Rounding string

// The roundings of a schedule.
const (
	SpreadBegin Rounding = "spread_begin"
	SpreadEnd   Rounding = "spread_end"
	AllBegin    Rounding = "all_begin"
	AllEnd      Rounding = "all_end"
)

// Decimals says what happens to a money value with more than two decimals.
type Decimals string

// The answers to excess decimals.
const (
	DecimalsRound  Decimals = "round"
	DecimalsReject Decimals = "reject"
)

// PaidWhen is one condition under which a disbursement counts as paid.
type PaidWhen string

// The conditions of a paid disbursement.
const (
	PaidByFolio     PaidWhen = "folio"
	PaidBySent      PaidWhen = "paymentsent"
	PaidByClearDate PaidWhen = "cleardate"
)

// BalanceMode says who keeps a fund's net assets.
type BalanceMode string

// The balance modes.
const (
	BalancesExternal BalanceMode = "external"
	BalancesDerived  BalanceMode = "derived"
)

// SpendMethod says what a fund's spend percentage is taken of.
type SpendMethod string

// The spend methods.
const (
	SpendSpot   SpendMethod = "spot"
	SpendAvg12Q SpendMethod = "avg12q"
)

// PostedChildren says whether posted payments keep their gift from being deleted.
type PostedChildren string

// The answers to posted children.
const (
	PostedBlock   PostedChildren = "block"
	PostedCascade PostedChildren = "cascade"
)

// MemberCodes says which integers createdfromcode of a list uses.
type MemberCodes string

// The codes of member tables.
const (
	MembersSeed     MemberCodes = "seed"     // 2 account, 3 lead, 4 contact
	MembersPlatform MemberCodes = "platform" // 1 account, 2 contact, 4 lead
)

// Default returns every setting at its default.
func Default() *Settings {
	s := &Settings{}
	for i := range entries {
		e := &entries[i]
		if err := e.set(s, e.def); err != nil {
			panic("settings: default of " + e.name + ": " + err.Error())
		}
	}
	return s
}

// Clone returns a copy that may be changed with Set: Set replaces lists, it never changes them in place.
func (s *Settings) Clone() *Settings {
	c := *s
	return &c
}

// Set gives one setting the value a text stands for. The error names the setting, the text and what is wanted.
func (s *Settings) Set(name, text string) error {
	e := byName[name]
	if e == nil {
		return unknown(name)
	}
	if err := e.set(s, strings.TrimSpace(text)); err != nil {
		return fmt.Errorf("setting %s: %q %w", name, text, err)
	}
	return nil
}

// Get prints one setting in the form Set takes; "" for a name that is none.
func (s *Settings) Get(name string) string {
	if e := byName[name]; e != nil {
		return e.print(s)
	}
	return ""
}

// Names lists all settings in order of name.
func Names() []string { return namesWhere(func(*entry) bool { return true }) }

// Business lists the settings that live in the database, in order of name.
func Business() []string { return namesWhere(func(e *entry) bool { return e.business }) }

// IsBusiness tells whether a setting lives in the database.
func IsBusiness(name string) bool { return byName[name] != nil && byName[name].business }

// Doc returns one sentence about a setting; "" for a name that is none.
func Doc(name string) string {
	if e := byName[name]; e != nil {
		return e.doc
	}
	return ""
}

// DefaultText returns the default of a setting as text.
func DefaultText(name string) string {
	if e := byName[name]; e != nil {
		return e.def
	}
	return ""
}

// Change is one setting that differs between two Settings.
type Change struct{ Name, Old, New string }

// String prints the change for the log.
func (c Change) String() string { return fmt.Sprintf("%s: %q -> %q", c.Name, c.Old, c.New) }

// Diff lists the settings that differ, in order of name.
func Diff(old, new *Settings) []Change {
	var out []Change
	for _, name := range Names() {
		if a, b := old.Get(name), new.Get(name); a != b {
			out = append(out, Change{name, a, b})
		}
	}
	return out
}

// NeedsRecalc tells whether stored sums made under old are wrong under new, so that a full recalculation must follow.
func NeedsRecalc(old, new *Settings) bool {
	return slices.ContainsFunc(Diff(old, new), func(c Change) bool { return byName[c.Name].recalc })
}

// IsPledge tells whether a gift type is a promise.
func (s *Settings) IsPledge(giftType int64) bool { return slices.Contains(s.PledgeTypes, giftType) }

// IsGiving tells whether a gift type counts as a donor's giving.
func (s *Settings) IsGiving(giftType int64) bool { return slices.Contains(s.GivingTypes, giftType) }

func namesWhere(keep func(*entry) bool) []string {
	var out []string
	for i := range entries {
		if keep(&entries[i]) {
			out = append(out, entries[i].name)
		}
	}
	slices.Sort(out)
	return out
}

func unknown(name string) error {
	return fmt.Errorf("there is no setting %q", name)
}

// Location returns the time zone of the organization.
func (s *Settings) Location() *time.Location { return s.Timezone }
