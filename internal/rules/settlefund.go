package rules

import (
	"math/big"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// settleFunds applies the differences to the funds' totals and makes the allotments that may have changed.
func (b *Books) settleFunds() error {
	for _, id := range b.movedFunds() {
		if err := b.settleFund(id); err != nil {
			return err
		}
	}
	return b.touchReceivers()
}

// movedFunds lists the funds whose books differ or that were written themselves, in the order in which they are locked.
func (b *Books) movedFunds() []value.GUID {
	ids := map[value.GUID]bool{}
	for id, f := range b.tally.funds {
		if !f.empty() {
			ids[id] = true
		}
	}
	for id := range b.funds {
		ids[id] = true
	}
	return sortedIDs(ids)
}

// touchReceivers moves the versions of funds whose received allotment has changed: what they may spend is made at read time.
func (b *Books) touchReceivers() error {
	for _, id := range sortedIDs(b.receivers) {
		if err := b.env.Touch(b.tables.fund, id); err != nil {
			return err
		}
	}
	return nil
}

// settleFund writes a fund's totals, its allotment and the sums of its years.
func (b *Books) settleFund(id value.GUID) error {
	row, err := b.env.Lock(b.tables.fund, id)
	if err != nil {
		return err
	}
	note := b.fundNote(id)
	if !note.known {
		note.known = true
		if note.group, err = b.inGroup(row); err != nil {
			return err
		}
	}
	if row == nil || b.renewed.Funds[id] {
		return b.moveInGroup(note.group, row)
	}
	currency, err := b.currencyOf(row)
	if err != nil {
		return err
	}
	diff := b.tally.fund(id)
	own := inOwn(diff.foreign, currency)
	after := row.Clone()
	if err := b.moveFund(after, !currency.IsZero(), diff, own); err != nil {
		return err
	}
	if err := b.moveInGroup(note.group, after); err != nil {
		return err
	}
	if note.allot || after.Value("svc_netassets") != row.Value("svc_netassets") {
		allotment, err := b.ownAllotment(after)
		if err != nil {
			return err
		}
		after.Put("x_allotment", value.Int(allotment))
	}
	if err := b.env.Derive(b.tables.fund, id, after.Diff(row)); err != nil {
		return err
	}
	if after.Value("x_allotment") != row.Value("x_allotment") {
		b.noteReceiver(row)
		if err := b.env.Touch(b.tables.fund, id); err != nil {
			return err
		}
	}
	return b.addFundYears(id, diff, own)
}

// putAll makes assignments on a row.
func putAll(r *query.Row, columns []query.Assign) {
	for _, a := range columns {
		r.Set(a.Column, a.Value)
	}
}

// fundTotals are the sums a fund keeps, each with where to find it.
var fundTotals = []struct {
	total
	of func(*fundSums) int64
}{
	{giftsPaidTotal, func(f *fundSums) int64 { return f.giftsPaid }},
	{giftsPendingTotal, func(f *fundSums) int64 { return f.giftsPending }},
	{grantsPaidTotal, func(f *fundSums) int64 { return f.grantsPaid }},
	{grantsPendingTotal, func(f *fundSums) int64 { return f.grantsPending }},
	{nonGiftTotal, func(f *fundSums) int64 { return f.nonGift }},
	{feesTotal, func(f *fundSums) int64 { return f.fees }},
}

// moveFund applies a difference to the totals of a fund's row; own is the part of it in the fund's own currency, foreign tells that this
// is not the base currency.
func (b *Books) moveFund(r *query.Row, foreign bool, d *fundTally, own inCurrency[fundSums]) error {
	for _, t := range fundTotals {
		diff := rollup{t.of(&d.fundSums), t.of(&own.amount), t.of(&own.base)}
		if diff == (rollup{}) {
			continue
		}
		sum, err := t.total.of(r, foreign).plus(diff)
		if err != nil {
			return err
		}
		if err := t.put(r, sum); err != nil {
			return err
		}
	}
	if b.settings.Balances != settings.BalancesDerived {
		return nil
	}
	before := r.Value("svc_netassets")
	if err := deriveNetAssets(r, foreign); err != nil {
		return err
	}
	if r.Value("svc_netassets") != before {
		r.Put("svc_balancesupdated", value.Time(b.env.Now()))
	}
	return nil
}

// deriveNetAssets puts the net assets that the service computes on a fund's row: initial amount, gifts, other receipts and earnings, less
// grants and fees. What is in the fund's own currency counts as it is; the rest is converted once.
func deriveNetAssets(r *query.Row, foreign bool) error {
	var sum rollup
	for _, name := range []string{"svc_initialamount", "svc_earnings"} {
		ledger := rollup{base: baseOf(r, name)}
		if foreign {
			ledger.own, ledger.ownBase = r.Value(name).Int(), ledger.base
		}
		var err error
		if sum, err = sum.plus(ledger); err != nil {
			return err
		}
	}
	for _, t := range []struct {
		total
		sign int64
	}{{giftsPaidTotal, 1}, {nonGiftTotal, 1}, {grantsPaidTotal, -1}, {feesTotal, -1}} {
		part := t.of(r, foreign)
		var err error
		if sum, err = sum.plus(rollup{t.sign * part.base, t.sign * part.own, t.sign * part.ownBase}); err != nil {
			return err
		}
	}
	shown, err := sum.in(rateOf(r))
	putAll(r, summed(nil, r.Table, "svc_netassets", money{shown, sum.base}))
	return err
}

// addFundYears applies a difference to the sums per giving year. What a reader sees of them changes at read time only, so the
// fund's version is moved by hand.
func (b *Books) addFundYears(id value.GUID, d *fundTally, own inCurrency[fundSums]) error {
	t := b.tables.fundYear
	moved := false
	for _, year := range sortedYears(d.years) {
		add := d.years[year].adds(t, own.amount.years[year], own.base.years[year])
		if !slices.ContainsFunc(add, func(a query.Assign) bool { return a.Value.Int() != 0 }) {
			continue
		}
		moved = true
		key := []query.Assign{set(t, "fund", value.ID(id)), set(t, "year", value.Int(int64(year)))}
		if err := b.env.Add(t, key, add); err != nil {
			return err
		}
	}
	if !moved {
		return nil
	}
	return b.env.Touch(b.tables.fund, id)
}

// adds lists what a row of a fund's year takes on; own and ownBase are the part in the fund's own currency, nil for none.
func (y *fundYear) adds(t *schema.Table, own, ownBase *fundYear) []query.Assign {
	if own == nil {
		own, ownBase = &fundYear{}, &fundYear{}
	}
	out := rollup{y.giving, own.giving, ownBase.giving}.adds(t, make([]query.Assign, 0, 3), "giving")
	out = append(out, set(t, "inflow", value.Int(y.inflow)))
	return rollup{y.grantsPaid, own.grantsPaid, ownBase.grantsPaid}.adds(t, out, "grantspaid")
}

// ownAllotment returns an endowed fund's annual allotment in its own currency; nothing for other funds.
func (b *Books) ownAllotment(r *query.Row) (int64, error) {
	if !r.Value("svc_endowed").Bool() {
		return 0, nil
	}
	if fixed := r.Value("svc_spendableamount").Int(); fixed > 0 {
		return fixed, nil
	}
	percent := r.Value("svc_spendpercent").Rat()
	if percent == nil {
		return 0, nil
	}
	base, err := b.spendBase(r)
	if err != nil {
		return 0, err
	}
	cents, err := value.RoundRat(base.Mul(base, percent).Quo(base, big.NewRat(100, 1)), 2)
	if err != nil {
		return 0, errRange()
	}
	return cents, nil
}

// averagedQuarters is how many quarter ends a trailing average looks back.
const averagedQuarters = 12

// spendBase returns what the spend percentage is taken of, in the fund's own currency: net assets, or their average over the
// quarter ends that exist.
func (b *Books) spendBase(r *query.Row) (*big.Rat, error) {
	spot := value.Money(r.Value("svc_netassets").Int()).Rat()
	if b.settings.Spend != settings.SpendAvg12Q {
		return spot, nil
	}
	t := b.tables.fundQuarter
	names := []string{"netassets", "currency", "netassetsown"}
	list, err := readRows(b.env, t, names, []condition{equal(t, "fund", value.ID(r.ID))}, []string{"-quarter"}, nil, averagedQuarters)
	if err != nil || len(list) == 0 {
		return spot, err
	}
	currency, err := b.currencyOf(r)
	own, rest := new(big.Rat), new(big.Rat)
	for _, q := range list {
		if !currency.IsZero() && q.Value("currency").ID() == currency {
			own.Add(own, big.NewRat(q.Value("netassetsown").Int(), 100))
		} else {
			rest.Add(rest, big.NewRat(q.Value("netassets").Int(), 100))
		}
	}
	own.Add(own, rest.Mul(rest, big.NewRat(rateOf(r), rateOne)))
	return own.Quo(own, big.NewRat(int64(len(list)), 1)), err
}

// groupTally is a sum over the funds of a group.
type groupTally struct {
	base    int64
	foreign map[value.GUID]money // the part of it in foreign currencies
}

// add adds a fund's part, times sign.
func (g *groupTally) add(part fundInGroup, sign int64) {
	m := part.net.times(sign)
	g.base += m.base
	if part.currency.IsZero() {
		return
	}
	if g.foreign == nil {
		g.foreign = map[value.GUID]money{}
	}
	own := g.foreign[part.currency]
	g.foreign[part.currency] = money{own.amount + m.amount, own.base + m.base}
}

// in returns the sum for a group in a currency.
func (g *groupTally) in(currency value.GUID) rollup {
	own := g.foreign[currency]
	return rollup{g.base, own.amount, own.base}
}

// moveInGroup notes what a fund's change does to the net assets of groups: the part it had, and the row as it is now.
func (b *Books) moveInGroup(was fundInGroup, row *query.Row) error {
	is, err := b.inGroup(row)
	if err != nil || was == is {
		return err
	}
	groupOf(b.groups, was.group).add(was, -1)
	groupOf(b.groups, is.group).add(is, 1)
	return nil
}

// groupOf returns the sum of a group, making it when there is none; that of no group is thrown away.
func groupOf(groups map[value.GUID]*groupTally, id value.GUID) *groupTally {
	g := groups[id]
	if g == nil {
		g = &groupTally{}
		if !id.IsZero() {
			groups[id] = g
		}
	}
	return g
}

// settleGroups applies the differences to the net assets of fund groups.
func (b *Books) settleGroups() error {
	for _, id := range sortedIDs(b.groups) {
		row, err := b.env.Lock(b.tables.group, id)
		if err != nil {
			return err
		}
		if row == nil || b.renewed.Groups[id] {
			continue
		}
		currency, err := b.currencyOf(row)
		if err != nil {
			return err
		}
		sum, err := groupTotal.of(row, !currency.IsZero()).plus(b.groups[id].in(currency))
		if err != nil {
			return err
		}
		after := row.Clone()
		if err := groupTotal.put(after, sum); err != nil {
			return err
		}
		if err := b.env.Derive(b.tables.group, id, after.Diff(row)); err != nil {
			return err
		}
	}
	return nil
}
