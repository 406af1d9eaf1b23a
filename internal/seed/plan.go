package seed

import (
	"cmp"
	"slices"

	"almoner/internal/value"
)

// shape says what sort of gift an entry of the plan becomes.
type shape uint8

const (
	plain shape = iota
	recurring
	pledge
	bequest
	insurance
	ira
	grant
	stock
	inKind
	matching
	ticket    // no gift: event revenue
	interfund // no gift of a donor: a transfer between funds
)

// entry is one gift to be made. The plan holds all of them, in order of time, so that they can be made and written in that
// order; it is the only thing about gifts that is kept in memory.
type entry struct {
	day   int32
	donor int32
	shape shape
	pays  uint8 // payment rows
	cast  uint8 // what befalls a pledge
}

// quota is how many gifts of a shape there are, in ten thousand, and which donors make them.
type quota struct {
	shape
	share int
	least int
	fits  func(*donor) bool
}

func anyDonor(n *donor) bool   { return n.habit != steady && n.habit != monthly }
func households(n *donor) bool { return !n.organization && n.habit != monthly }
func companies(n *donor) bool  { return n.organization && n.habit != steady }

var quotas = []quota{
	{pledge, 600, 12, anyDonor}, {grant, 80, 2, companies}, {matching, 120, 3, companies}, {stock, 130, 5, households},
	{ira, 110, 2, households}, {bequest, 30, 2, households}, {insurance, 12, 1, households}, {inKind, 60, 2, anyDonor},
	{ticket, 170, 3, anyDonor}, {interfund, 90, 3, anyDonor},
}

// makePlan decides who gives when and what, and how many payments each gift has.
func (f *foundation) makePlan() {
	for i := range f.donors {
		f.planDonor(i)
	}
	f.fitPlan()
	f.planShapes()
	slices.SortStableFunc(f.plan, func(a, b entry) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.donor, b.donor)) })
	f.planPayments()
}

// planDonor plays a donor's years: whether it gives at all in a year, and then when.
func (f *foundation) planDonor(i int) {
	n := &f.donors[i]
	switch n.habit {
	case never:
		return
	case steady:
		for range f.size.Steady {
			f.planGift(i, n.since+int64(f.dice.IntN(int(f.last-n.since)+1)), recurring)
		}
		return
	}
	active := true
	for from := n.since; from <= f.last; from += 365 {
		if active {
			f.planYear(i, from)
		}
		active = f.dice.chance(retention(n, active, from == n.since))
	}
}

// retention is the probability that a donor gives in the year after one: many first gifts stay the only one, standing gifts
// rarely end, and some who had left come back.
func retention(n *donor, active, first bool) float64 {
	switch {
	case !active:
		return 0.10
	case n.habit == monthly:
		return 0.90
	case first:
		return 0.52
	default:
		return 0.76
	}
}

func (f *foundation) planYear(i int, from int64) {
	n := &f.donors[i]
	switch n.habit {
	case monthly:
		for month := range int64(12) {
			f.planGift(i, from+month*365/12, recurring)
		}
	case quarters:
		for quarter := range int64(4) {
			f.planGift(i, from+quarter*91+int64(f.dice.IntN(12)), plain)
		}
	case twice:
		f.planGift(i, f.season(from), plain)
		f.planGift(i, f.season(from), plain)
	case yearly:
		f.planGift(i, f.season(from), plain)
	default:
		if from == n.since || f.dice.chance(0.5) {
			f.planGift(i, f.season(from), plain)
		}
	}
}

func (f *foundation) planGift(donor int, day int64, s shape) {
	if day <= f.last {
		f.plan = append(f.plan, entry{day: int32(day), donor: int32(donor), shape: s})
	}
}

// monthWeights say how likely a gift is in a month; people give at the end of the year.
var monthWeights = [12]float64{0.30, 0.22, 0.28, 0.30, 0.34, 0.36, 0.20, 0.20, 0.30, 0.36, 0.55, 1}

// season returns a day of the year that begins on a day.
func (f *foundation) season(from int64) int64 {
	for {
		day := from + int64(f.dice.IntN(365))
		_, month, dom := value.Civil(day)
		weight := monthWeights[month-1]
		if month == 12 && dom < 20 {
			weight /= 2
		}
		if f.dice.chance(weight) {
			return day
		}
	}
}

// fitPlan makes the number of gifts exact: too many are thinned out evenly, and too few are topped up with further gifts of
// those who give anyway. The steady donor keeps all of its own.
func (f *foundation) fitPlan() {
	steady := func(e entry) bool { return e.donor == steadyDonor }
	own := slices.DeleteFunc(slices.Clone(f.plan), func(e entry) bool { return !steady(e) })
	rest := slices.DeleteFunc(f.plan, steady)
	f.dice.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	want := f.size.Gifts - len(own)
	for n := len(rest); len(rest) < want; {
		e := rest[f.dice.IntN(n)]
		if day := f.season(max(int64(e.day)-180, f.donors[e.donor].since)); day <= f.last {
			e.day, e.shape = int32(day), plain
			rest = append(rest, e)
		}
	}
	f.plan = append(rest[:want:want], own...)
}

// planShapes gives entries, which are in random order, the rarer shapes by quota, so that each of them is there in any size.
func (f *foundation) planShapes() {
	for _, q := range quotas {
		left := max(q.least, f.size.Gifts*q.share/10_000)
		for i := 0; i < len(f.plan) && left > 0; i++ {
			if e := &f.plan[i]; e.shape == plain && q.fits(&f.donors[e.donor]) {
				e.shape = q.shape
				left--
			}
		}
	}
}
