package rules

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// settleDonors applies the differences to the donors' totals and finds first, latest and largest gifts anew where they moved.
func (b *Books) settleDonors() error {
	for _, id := range b.tally.movedDonors() {
		if b.renewed.Donors[id] {
			continue
		}
		if err := b.settleDonor(id, b.tally.donors[id]); err != nil {
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
	currency, err := b.currencyOf(row)
	if err != nil {
		return err
	}
	own := inOwn(d.foreign, currency)
	commitment, err := commitmentTotal.of(row, !currency.IsZero()).plus(rollup{d.commitment, own.amount.commitment, own.base.commitment})
	if err != nil {
		return err
	}
	columns, err := commitmentTotal.columns(row, commitment)
	if err != nil {
		return err
	}
	columns = append(columns, set(row.Table, "svc_countofgifts", value.Int(row.Value("svc_countofgifts").Int()+d.count)))
	if len(d.changes) > 0 {
		ranked, err := b.rankGifts(row, currency, d)
		if err != nil {
			return err
		}
		columns = append(columns, ranked...)
	}
	if err := b.env.Derive(b.tables.donor, id, differing(row, columns)); err != nil {
		return err
	}
	return b.addDonorYears(id, d, own)
}

// addDonorYears applies a difference to the sums per giving year. What a reader sees of them changes at read time only, so the
// donor's version is moved by hand.
func (b *Books) addDonorYears(id value.GUID, d *donorTally, own inCurrency[donorSums]) error {
	t := b.tables.donorYear
	moved := false
	for _, year := range sortedYears(d.years) {
		sum := rollup{d.years[year], own.amount.years[year], own.base.years[year]}
		if sum == (rollup{}) {
			continue
		}
		moved = true
		key := []query.Assign{set(t, "donor", value.ID(id)), set(t, "year", value.Int(int64(year)))}
		if err := b.env.Add(t, key, sum.adds(t, nil, "amount")); err != nil {
			return err
		}
	}
	if !moved {
		return nil
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
func (b *Books) rankGifts(row *query.Row, currency value.GUID, d *donorTally) ([]query.Assign, error) {
	r := readRanks(row, currency)
	for _, c := range d.changes {
		r.play(c)
	}
	return b.rankColumns(row, currency, r)
}

// readRanks reads what a donor in a currency shows. What it shows of its largest gift it would show of one in its own currency.
func readRanks(row *query.Row, currency value.GUID) *ranks {
	r := &ranks{}
	if v := row.Value("svc_firstgiftdate"); !v.IsNull() {
		r.first = value.Date(v.Int() / value.SecondsPerDay)
	}
	made := row.Value("x_latestmade")
	r.latest = standing{
		gift: row.Value("svc_mostrecentgiftid").ID(), date: row.Value("svc_mostrecentgiftdate").Int() / value.SecondsPerDay,
		created: made.Int(), known: !made.IsNull(),
	}
	made = row.Value("x_largestmade")
	r.largest = standing{
		gift: row.Value("svc_largestgiftid").ID(), currency: currency, money: money{row.Value("svc_largestgift").Int(), baseOf(row, "svc_largestgift")},
		date: row.Value("x_largestdate").Int(), created: made.Int(), known: !made.IsNull(),
	}
	// A holder that was deleted has left its lookup empty while the value still stands.
	r.doubtLatest = r.latest.gift.IsZero() && !row.Value("svc_mostrecentgiftdate").IsNull()
	r.doubtMost = r.largest.gift.IsZero() && !row.Value("svc_largestgift").IsNull()
	return r
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

// rankColumns turns ranks into columns of a donor in a currency.
func (b *Books) rankColumns(row *query.Row, currency value.GUID, r *ranks) ([]query.Assign, error) {
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
	most, err := largestColumns(row, currency, r.largest)
	return append(append(most, latestColumns(t, r.latest)...), set(t, "svc_firstgiftdate", midnight(r.first))), err
}

// latestColumns lists the columns of the most recent gift.
func latestColumns(t *schema.Table, s standing) []query.Assign {
	date, made := value.Null, value.Null
	if !s.gift.IsZero() {
		date, made = midnight(value.Date(s.date)), value.Time(s.created)
	}
	return []query.Assign{set(t, "svc_mostrecentgiftdate", date), set(t, "svc_mostrecentgiftid", lookup(s.gift)), set(t, "x_latestmade", made)}
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
	names := []string{"svc_giftdate", "createdon", "x_value", "x_worth", "transactioncurrencyid"}
	rows, err := readRows(b.env, t, names, []condition{equal(t, "svc_donor", value.ID(donor)), equal(t, "x_counted", value.Bool(true))}, order, nil, 1)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	r := rows[0]
	base := r.Value("x_value").Int()
	s := &standing{gift: r.ID, date: r.Value("svc_giftdate").Int(), created: r.Value("createdon").Int(), money: money{base, base}, known: true}
	if worth := r.Value("x_worth"); !worth.IsNull() {
		s.amount = worth.Int()
		s.currency, err = b.currencyOf(r)
	}
	return s, err
}

// midnight turns a calendar date into the moment it begins in UTC.
func midnight(date value.Value) value.Value {
	if date.IsNull() {
		return value.Null
	}
	return value.Time(date.Int() * value.SecondsPerDay)
}

// largestColumns lists the columns of the largest gift: its value as it is if the donor is in the same currency, else converted.
func largestColumns(row *query.Row, currency value.GUID, s standing) ([]query.Assign, error) {
	t := row.Table
	c := t.MustColumn("svc_largestgift")
	if s.gift.IsZero() {
		return []query.Assign{
			{Column: c, Value: value.Null}, {Column: c.Base, Value: value.Null}, set(t, "svc_largestgiftid", value.Null),
			set(t, "x_largestdate", value.Null), set(t, "x_largestmade", value.Null),
		}, nil
	}
	shown, err := s.amount, error(nil)
	if s.currency != currency {
		shown, err = fromBase(s.base, rateOf(row))
	}
	out := summed(make([]query.Assign, 0, 5), t, "svc_largestgift", money{shown, s.base})
	return append(out, set(t, "svc_largestgiftid", value.ID(s.gift)), set(t, "x_largestdate", value.Date(s.date)), set(t, "x_largestmade", value.Time(s.created))), err
}
