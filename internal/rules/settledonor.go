package rules

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// settleDonors applies the differences to the donors' totals and finds first, latest and largest gifts anew where they moved.
func (b *Books) settleDonors() error {
	for _, id := range sortedIDs(b.tally.donors) {
		d := b.tally.donors[id]
		if d.empty() {
			continue
		}
		if err := b.settleDonor(id, d); err != nil {
			return err
		}
	}
	return nil
}

func (b *Books) settleDonor(id value.GUID, d *donorTally) error {
	row, err := b.env.Lock(b.tables.donor, id)
	if err != nil || row == nil {
		return err
	}
	commitment, err := sumMoney(baseOf(row, "svc_totalcommitment"), d.commitment)
	if err != nil {
		return err
	}
	columns, err := baseMoney(row, named{"svc_totalcommitment", commitment})
	if err != nil {
		return err
	}
	columns = append(columns, set(row.Table, "svc_countofgifts", value.Int(row.Value("svc_countofgifts").Int()+d.count)))
	if len(d.changes) > 0 {
		ranked, err := b.rankGifts(row, d)
		if err != nil {
			return err
		}
		columns = append(columns, ranked...)
	}
	if err := b.env.Derive(b.tables.donor, id, differing(row, columns)); err != nil {
		return err
	}
	return b.addDonorYears(id, d)
}

// addDonorYears applies a difference to the sums per giving year. What a reader sees of them changes at read time only, so the
// donor's version is moved by hand.
func (b *Books) addDonorYears(id value.GUID, d *donorTally) error {
	if !d.yearsMoved() {
		return nil
	}
	t := b.tables.donorYear
	for _, year := range sortedYears(d.years) {
		if d.years[year] == 0 {
			continue
		}
		key := []query.Assign{set(t, "donor", value.ID(id)), set(t, "year", value.Int(int64(year)))}
		if err := b.env.Add(t, key, []query.Assign{set(t, "amount", value.Int(d.years[year]))}); err != nil {
			return err
		}
	}
	return b.env.Touch(b.tables.donor, id)
}

// ranks is the state of first, latest and largest gift while changes are played through; a doubt sends to the database.
type ranks struct {
	first                              value.Value // days
	latest, largest                    standing    // zero gift: none
	doubtFirst, doubtLatest, doubtMost bool
}

// rankGifts lists the columns of first, latest and largest gift after the changes. What the changes alone cannot tell is read
// from the ordered indexes.
func (b *Books) rankGifts(row *query.Row, d *donorTally) ([]query.Assign, error) {
	r := readRanks(row)
	for _, c := range d.changes {
		if err := b.knowHolders(r, c.after); err != nil {
			return nil, err
		}
		r.play(c)
	}
	return b.rankColumns(row, r)
}

func readRanks(row *query.Row) *ranks {
	r := &ranks{}
	if v := row.Value("svc_firstgiftdate"); !v.IsNull() {
		r.first = value.Date(v.Int() / value.SecondsPerDay)
	}
	r.latest = standing{gift: row.Value("svc_mostrecentgiftid").ID(), date: row.Value("svc_mostrecentgiftdate").Int() / value.SecondsPerDay}
	r.largest = standing{gift: row.Value("svc_largestgiftid").ID(), base: baseOf(row, "svc_largestgift")}
	// A holder that was deleted has left its lookup empty while the value still stands.
	r.doubtLatest = r.latest.gift.IsZero() && !row.Value("svc_mostrecentgiftdate").IsNull()
	r.doubtMost = r.largest.gift.IsZero() && !row.Value("svc_largestgift").IsNull()
	return r
}

// knowHolders reads what decides a tie of a gift with the holders of the ranks: one row each, and only when there is a tie.
func (b *Books) knowHolders(r *ranks, is *standing) error {
	if is == nil {
		return nil
	}
	if is.date == r.latest.date && !r.latest.known && !r.doubtLatest {
		if err := b.knowHolder(&r.latest); err != nil {
			return err
		}
	}
	if is.base == r.largest.base && !r.largest.known && !r.doubtMost {
		return b.knowHolder(&r.largest)
	}
	return nil
}

// knowHolder fills in the standing of the gift that holds a rank; one that is not there any more stays unknown.
func (b *Books) knowHolder(s *standing) error {
	if s.gift.IsZero() {
		return nil
	}
	row, err := b.env.Row(b.tables.gift, s.gift)
	if err != nil || row == nil || !row.Value("x_counted").Bool() {
		return err
	}
	date, base := row.Value("svc_giftdate").Int(), row.Value("x_value").Int()
	if s.date != 0 && s.date != date || s.base != 0 && s.base != base {
		return nil
	}
	*s = standing{gift: s.gift, date: date, created: row.Value("createdon").Int(), base: base, known: true}
	return nil
}

// play lets one gift leave its old standing and take its new one.
func (r *ranks) play(c standingChange) {
	if was := c.before; was != nil {
		r.doubtFirst = r.doubtFirst || r.first.IsNull() || was.date <= r.first.Int()
		r.doubtLatest = r.doubtLatest || was.gift == r.latest.gift
		r.doubtMost = r.doubtMost || was.gift == r.largest.gift
	}
	is := c.after
	if is == nil {
		return
	}
	if r.first.IsNull() || is.date < r.first.Int() {
		r.first = value.Date(is.date)
	}
	switch {
	case r.latest.gift.IsZero() || is.date > r.latest.date:
		r.latest = *is
	case is.date == r.latest.date && !r.latest.known:
		r.doubtLatest = true // creation and id decide
	case is.date == r.latest.date && is.younger(r.latest):
		r.latest = *is
	}
	switch {
	case r.largest.gift.IsZero() || is.base > r.largest.base:
		r.largest = *is
	case is.base == r.largest.base && !r.largest.known:
		r.doubtMost = true // date, creation and id decide
	case is.base == r.largest.base && (is.date > r.largest.date || is.date == r.largest.date && is.younger(r.largest)):
		r.largest = *is
	}
}

// rankColumns turns ranks into columns.
func (b *Books) rankColumns(row *query.Row, r *ranks) ([]query.Assign, error) {
	t := row.Table
	if r.doubtFirst {
		first, err := b.topGift(row.ID, firstOrder)
		if err != nil {
			return nil, err
		}
		r.first = value.Null
		if first != nil {
			r.first = value.Date(first.date)
		}
	}
	if err := b.resolveDoubt(row.ID, r.doubtLatest, &r.latest, latestOrder); err != nil {
		return nil, err
	}
	if err := b.resolveDoubt(row.ID, r.doubtMost, &r.largest, largestOrder); err != nil {
		return nil, err
	}
	out := []query.Assign{
		set(t, "svc_firstgiftdate", midnight(r.first)),
		set(t, "svc_mostrecentgiftdate", value.Null), set(t, "svc_mostrecentgiftid", lookup(r.latest.gift)),
	}
	if !r.latest.gift.IsZero() {
		out[1].Value = midnight(value.Date(r.latest.date))
	}
	most, err := largestColumns(row, r.largest)
	return append(out, most...), err
}

// The orders in which the first, the latest and the largest gift come first. Each is the order of an index.
var (
	firstOrder   = []string{"svc_giftdate", "createdon", "svc_giftid"}
	latestOrder  = []string{"-svc_giftdate", "-createdon", "-svc_giftid"}
	largestOrder = []string{"-x_value", "-svc_giftdate", "-createdon", "-svc_giftid"}
)

func (b *Books) resolveDoubt(donor value.GUID, doubt bool, s *standing, order []string) error {
	if !doubt {
		return nil
	}
	top, err := b.topGift(donor, order)
	if err != nil {
		return err
	}
	*s = standing{}
	if top != nil {
		*s = *top
	}
	return nil
}

// topGift reads the first of a donor's counted gifts in an order; nil when there is none.
func (b *Books) topGift(donor value.GUID, order []string) (*standing, error) {
	t := b.tables.gift
	names := []string{"svc_giftdate", "createdon", "x_value"}
	rows, err := readRows(b.env, t, names, []condition{equal(t, "svc_donor", value.ID(donor)), equal(t, "x_counted", value.Bool(true))}, order, nil, 1)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	r := rows[0]
	return &standing{gift: r.ID, date: r.Value("svc_giftdate").Int(), created: r.Value("createdon").Int(), base: r.Value("x_value").Int(), known: true}, nil
}

// midnight turns a calendar date into the moment it begins in UTC.
func midnight(date value.Value) value.Value {
	if date.IsNull() {
		return value.Null
	}
	return value.Time(date.Int() * value.SecondsPerDay)
}

// largestColumns lists the columns of the largest gift.
func largestColumns(row *query.Row, s standing) ([]query.Assign, error) {
	t := row.Table
	c := t.MustColumn("svc_largestgift")
	if s.gift.IsZero() {
		return []query.Assign{{Column: c, Value: value.Null}, {Column: c.Base, Value: value.Null}, set(t, "svc_largestgiftid", value.Null)}, nil
	}
	out, err := baseMoney(row, named{"svc_largestgift", s.base})
	return append(out, set(t, "svc_largestgiftid", value.ID(s.gift))), err
}
