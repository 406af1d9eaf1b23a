package rules

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"almoner/internal/settings"
	"almoner/internal/value"
)

// tally is what a transaction changes in the books of donors and funds: differences, in base currency.
type tally struct {
	startMonth int
	donors     map[value.GUID]*donorTally
	funds      map[value.GUID]*fundTally
}

// donorTally is the difference in one donor's books, with the gifts whose standing among the donor's gifts changed.
type donorTally struct {
	years      map[int]int64
	commitment int64
	count      int64
	changes    []standingChange
}

// fundTally is the difference in one fund's books.
type fundTally struct {
	years         map[int]*fundYear
	giftsPaid     int64
	giftsPending  int64
	nonGift       int64
	fees          int64
	grantsPaid    int64
	grantsPending int64
}

// fundYear is the difference in one giving year of a fund.
type fundYear struct{ giving, inflow, grantsPaid int64 }

// standing is what decides a counted gift's place among its donor's gifts.
type standing struct {
	gift    value.GUID
	date    int64
	created int64
	base    int64
	known   bool // all of it is known, not only the rank's own value
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
		d = &donorTally{years: map[int]int64{}}
		t.donors[id] = d
	}
	return d
}

func (t *tally) fund(id value.GUID) *fundTally {
	f := t.funds[id]
	if f == nil {
		f = &fundTally{years: map[int]*fundYear{}}
		t.funds[id] = f
	}
	return f
}

func (f *fundTally) year(y int) *fundYear {
	row := f.years[y]
	if row == nil {
		row = &fundYear{}
		f.years[y] = row
	}
	return row
}

// take adds a gift's projection, times sign.
func (t *tally) take(g *gift, p *projection, sign int64) {
	if g == nil {
		return
	}
	if !g.donor.IsZero() {
		t.takeGiving(g, p, sign)
	}
	for _, s := range p.inflow {
		f := t.fund(s.fund)
		f.giftsPaid += sign * s.base
		year := f.year(givingYear(s.date, t.startMonth))
		year.inflow += sign * s.base
		if p.giving != nil {
			year.giving += sign * s.base
		}
	}
	for _, s := range p.nonGift {
		t.fund(s.fund).nonGift += sign * s.base
	}
	for _, s := range p.pending {
		t.fund(s.fund).giftsPending += sign * s.base
	}
	for _, s := range p.charged {
		t.fund(s.fund).fees += sign * s.base
	}
}

func (t *tally) takeGiving(g *gift, p *projection, sign int64) {
	if p.giving == nil && p.commitment == 0 && !p.counted {
		return
	}
	d := t.donor(g.donor)
	for _, e := range p.giving {
		d.years[givingYear(e.date, t.startMonth)] += sign * e.base
	}
	d.commitment += sign * p.commitment
	if p.counted {
		d.count += sign
	}
}

// standingOf returns a gift's standing among its donor's gifts; nil when it is not counted.
func standingOf(g *gift, p *projection) *standing {
	if g == nil || !p.counted || g.donor.IsZero() {
		return nil
	}
	return &standing{gift: g.id, date: g.date, created: g.created, base: p.valueBase, known: true}
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
	return d.commitment == 0 && d.count == 0 && len(d.changes) == 0 && !d.yearsMoved()
}

// yearsMoved tells whether the sum of some year differs.
func (d *donorTally) yearsMoved() bool {
	for _, n := range d.years {
		if n != 0 {
			return true
		}
	}
	return false
}

// empty tells whether nothing differs.
func (f *fundTally) empty() bool {
	return f.giftsPaid == 0 && f.giftsPending == 0 && f.nonGift == 0 && f.fees == 0 && f.grantsPaid == 0 && f.grantsPending == 0 && !f.yearsMoved()
}

// yearsMoved tells whether a sum of some year differs.
func (f *fundTally) yearsMoved() bool {
	for _, y := range f.years {
		if *y != (fundYear{}) {
			return true
		}
	}
	return false
}

// sortedIDs returns the keys of a map in ascending order: the one order in which rows are locked.
func sortedIDs[T any](m map[value.GUID]T) []value.GUID {
	return slices.SortedFunc(maps.Keys(m), func(a, b value.GUID) int { return slices.Compare(a[:], b[:]) })
}

// sortedYears returns the keys of a map in ascending order.
func sortedYears[T any](m map[int]T) []int { return slices.SortedFunc(maps.Keys(m), cmp.Compare) }
