package rules

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"almoner/internal/settings"
	"almoner/internal/value"
)

// tally is what a transaction changes in the books of donors and funds: differences.
type tally struct {
	startMonth int
	donors     map[value.GUID]*donorTally
	funds      map[value.GUID]*fundTally
}

// donorTally is the difference in one donor's books, with the gifts whose standing among the donor's gifts changed.
type donorTally struct {
	donorSums // base values
	foreign   map[value.GUID]*inCurrency[donorSums]
	count     int64
	changes   []standingChange
}

// fundTally is the difference in one fund's books.
type fundTally struct {
	fundSums // base values
	foreign  map[value.GUID]*inCurrency[fundSums]
}

// inCurrency is the part of a difference that is in one foreign currency: its amounts, and their base values. A parent in that currency
// adds the amounts as they are.
type inCurrency[T any] struct{ amount, base T }

// inOwn returns the part of a difference that is in a parent's own currency; nothing for one in base currency.
func inOwn[T any](foreign map[value.GUID]*inCurrency[T], currency value.GUID) (part inCurrency[T]) {
	if p := foreign[currency]; p != nil {
		part = *p
	}
	return part
}

// partIn returns the part of a difference that is in a currency, making it when there is none.
func partIn[T any](foreign *map[value.GUID]*inCurrency[T], currency value.GUID) *inCurrency[T] {
	part := (*foreign)[currency]
	if part == nil {
		part = new(inCurrency[T])
		if *foreign == nil {
			*foreign = map[value.GUID]*inCurrency[T]{}
		}
		(*foreign)[currency] = part
	}
	return part
}

// donorSums are the sums of a donor.
type donorSums struct {
	commitment int64
	years      map[int]int64
}

func (d *donorSums) give(year int, n int64) {
	if d.years == nil {
		d.years = map[int]int64{}
	}
	d.years[year] += n
}

func (d *donorSums) empty() bool {
	for _, n := range d.years {
		if n != 0 {
			return false
		}
	}
	return d.commitment == 0
}

// fundSums are the sums of a fund.
type fundSums struct {
	years         map[int]*fundYear
	giftsPaid     int64
	giftsPending  int64
	nonGift       int64
	fees          int64
	grantsPaid    int64
	grantsPending int64
}

// fundYear is one giving year of a fund.
type fundYear struct{ giving, inflow, grantsPaid int64 }

func (f *fundSums) year(y int) *fundYear {
	row := f.years[y]
	if row == nil {
		row = &fundYear{}
		if f.years == nil {
			f.years = map[int]*fundYear{}
		}
		f.years[y] = row
	}
	return row
}

// receive adds money of gifts, of a donor's giving or of another fund's.
func (f *fundSums) receive(year int, giving bool, n int64) {
	f.giftsPaid += n
	y := f.year(year)
	y.inflow += n
	if giving {
		y.giving += n
	}
}

// payOut adds a grant that was paid.
func (f *fundSums) payOut(year int, n int64) {
	f.grantsPaid += n
	f.year(year).grantsPaid += n
}

func (f *fundSums) empty() bool {
	for _, y := range f.years {
		if *y != (fundYear{}) {
			return false
		}
	}
	return f.giftsPaid == 0 && f.giftsPending == 0 && f.nonGift == 0 && f.fees == 0 && f.grantsPaid == 0 && f.grantsPending == 0
}

// standing is what decides a counted gift's place among its donor's gifts, and what its donor shows of it.
type standing struct {
	gift     value.GUID
	date     int64
	created  int64
	currency value.GUID // zero for the base currency
	money
	known bool // all of it is known, not only the rank's own value
}

// younger tells whether a gift was created after another one; the greater id decides between two of the same second.
func (s *standing) younger(other standing) bool {
	if s.created != other.created {
		return s.created > other.created
	}
	return bytes.Compare(s.gift[:], other.gift[:]) > 0
}

// standingChange is a gift's standing before and after; nil where it is not a counted gift of the donor.
type standingChange struct{ before, after *standing }

func newTally(s *settings.Settings) *tally {
	return &tally{startMonth: s.YearStartMonth, donors: map[value.GUID]*donorTally{}, funds: map[value.GUID]*fundTally{}}
}

func (t *tally) donor(id value.GUID) *donorTally {
	d := t.donors[id]
	if d == nil {
		d = &donorTally{}
		t.donors[id] = d
	}
	return d
}

func (t *tally) fund(id value.GUID) *fundTally {
	f := t.funds[id]
	if f == nil {
		f = &fundTally{}
		t.funds[id] = f
	}
	return f
}

// add adds money in a currency to the sums that put finds.
func (d *donorTally) add(currency value.GUID, m money, put func(*donorSums, int64)) {
	addIn(&d.donorSums, &d.foreign, currency, m, put)
}

// add adds money in a currency to the sums that put finds.
func (f *fundTally) add(currency value.GUID, m money, put func(*fundSums, int64)) {
	addIn(&f.fundSums, &f.foreign, currency, m, put)
}

// addIn adds money to the base values of all and, unless its currency is zero, the base currency, to the part in that currency.
func addIn[T any](all *T, foreign *map[value.GUID]*inCurrency[T], currency value.GUID, m money, put func(*T, int64)) {
	put(all, m.base)
	if currency.IsZero() {
		return
	}
	part := partIn(foreign, currency)
	put(&part.amount, m.amount)
	put(&part.base, m.base)
}

// times returns money with its sign changed where sign is -1.
func (m money) times(sign int64) money { return money{sign * m.amount, sign * m.base} }

// take adds a gift's projection, times sign.
func (t *tally) take(g *gift, p *projection, sign int64) {
	if g == nil {
		return
	}
	if !g.donor.IsZero() {
		t.takeGiving(g, p, sign)
	}
	giving := p.giving != nil
	for _, s := range p.inflow {
		year := givingYear(s.date, t.startMonth)
		t.fund(s.fund).add(p.currency, s.times(sign), func(f *fundSums, n int64) { f.receive(year, giving, n) })
	}
	for _, s := range p.nonGift {
		t.fund(s.fund).add(p.currency, s.times(sign), func(f *fundSums, n int64) { f.nonGift += n })
	}
	for _, s := range p.pending {
		t.fund(s.fund).add(p.currency, s.times(sign), func(f *fundSums, n int64) { f.giftsPending += n })
	}
	for _, s := range p.charged {
		t.fund(s.fund).add(p.currency, s.times(sign), func(f *fundSums, n int64) { f.fees += n })
	}
}

func (t *tally) takeGiving(g *gift, p *projection, sign int64) {
	if p.giving == nil && p.commitment == (money{}) && !p.counted {
		return
	}
	d := t.donor(g.donor)
	for _, e := range p.giving {
		year := givingYear(e.date, t.startMonth)
		d.add(p.currency, e.times(sign), func(s *donorSums, n int64) { s.give(year, n) })
	}
	d.add(p.currency, p.commitment.times(sign), func(s *donorSums, n int64) { s.commitment += n })
	if p.counted {
		d.count += sign
	}
}

// standingOf returns a gift's standing among its donor's gifts; nil when it is not counted.
func standingOf(g *gift, p *projection) *standing {
	if g == nil || !p.counted || g.donor.IsZero() {
		return nil
	}
	return &standing{gift: g.id, date: g.date, created: g.created, currency: g.currency, money: p.value, known: true}
}

// rank notes a change of standing with the donors it concerns.
func (t *tally) rank(before, after *gift, was, is *standing) {
	if was != nil && is != nil && before.donor == after.donor {
		if *was != *is {
			d := t.donor(before.donor)
			d.changes = append(d.changes, standingChange{was, is})
		}
		return
	}
	if was != nil {
		d := t.donor(before.donor)
		d.changes = append(d.changes, standingChange{before: was})
	}
	if is != nil {
		d := t.donor(after.donor)
		d.changes = append(d.changes, standingChange{after: is})
	}
}

// movedDonors lists the donors whose books differ, in the order in which they are locked.
func (t *tally) movedDonors() []value.GUID {
	return slices.DeleteFunc(sortedIDs(t.donors), func(id value.GUID) bool { return t.donors[id].empty() })
}

// empty tells whether nothing differs.
func (d *donorTally) empty() bool {
	for _, part := range d.foreign {
		if !part.amount.empty() || !part.base.empty() {
			return false
		}
	}
	return d.count == 0 && len(d.changes) == 0 && d.donorSums.empty()
}

// empty tells whether nothing differs.
func (f *fundTally) empty() bool {
	for _, part := range f.foreign {
		if !part.amount.empty() || !part.base.empty() {
			return false
		}
	}
	return f.fundSums.empty()
}

// sortedIDs returns the keys of a map in ascending order: the one order in which rows are locked.
func sortedIDs[T any](m map[value.GUID]T) []value.GUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b value.GUID) int { return slices.Compare(a[:], b[:]) })
}

// sortedYears returns the keys of a map in ascending order.
func sortedYears[T any](m map[int]T) []int { return slices.SortedFunc(maps.Keys(m), cmp.Compare) }
