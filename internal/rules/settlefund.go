package rules

import (
	"math/big"

	"almoner/internal/query"
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
		note.known, note.group = true, inGroup(row)
	}
	if row == nil {
		b.moveInGroup(note.group, fundInGroup{})
		return nil
	}
	diff := b.tally.fund(id)
	after, err := b.movedFund(row, diff)
	if err != nil {
		return err
	}
	b.moveInGroup(note.group, inGroup(after))
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
	return b.addFundYears(id, diff)
}

// with returns a copy of a row with assignments made.
func with(r *query.Row, columns []query.Assign) *query.Row {
	c := r.Clone()
	putAll(c, columns)
	return c
}

func putAll(r *query.Row, columns []query.Assign) {
	for _, a := range columns {
		r.Set(a.Column, a.Value)
	}
}

// movedFund returns a copy of a fund's row as it shall show after a difference.
func (b *Books) movedFund(r *query.Row, d *fundTally) (*query.Row, error) {
	var sums [4]named
	for i, add := range [...]named{
		{"svc_giftspaid", d.giftsPaid}, {"svc_giftspending", d.giftsPending}, {"svc_grantspaid", d.grantsPaid}, {"svc_grantspending", d.grantsPending},
	} {
		sum, err := sumMoney(baseOf(r, add.column), add.amount)
		if err != nil {
			return nil, err
		}
		sums[i] = named{add.column, sum}
	}
	columns, err := baseMoney(r, sums[:]...)
	if err != nil {
		return nil, err
	}
	after := with(r, columns)
	after.Put("x_nongift", value.Int(r.Value("x_nongift").Int()+d.nonGift))
	after.Put("x_fees", value.Int(r.Value("x_fees").Int()+d.fees))
	if b.settings.Balances != settings.BalancesDerived {
		return after, nil
	}
	net, err := derivedNetAssets(after)
	if len(differing(r, net)) > 0 {
		after.Put("svc_balancesupdated", value.Time(b.env.Now()))
	}
	putAll(after, net)
	return after, err
}

// derivedNetAssets lists the net assets the service computes from a fund's other columns.
func derivedNetAssets(r *query.Row) ([]query.Assign, error) {
	sum, err := sumMoney(baseOf(r, "svc_initialamount"), baseOf(r, "svc_giftspaid"), r.Value("x_nongift").Int(),
		-baseOf(r, "svc_grantspaid"), -r.Value("x_fees").Int(), baseOf(r, "svc_earnings"))
	if err != nil {
		return nil, err
	}
	return baseMoney(r, named{"svc_netassets", sum})
}

// addFundYears applies a difference to the sums per giving year. What a reader sees of them changes at read time only, so the
// fund's version is moved by hand.
func (b *Books) addFundYears(id value.GUID, d *fundTally) error {
	if !d.yearsMoved() {
		return nil
	}
	t := b.tables.fundYear
	for _, year := range sortedYears(d.years) {
		y := d.years[year]
		if *y == (fundYear{}) {
			continue
		}
		key := []query.Assign{set(t, "fund", value.ID(id)), set(t, "year", value.Int(int64(year)))}
		add := []query.Assign{set(t, "giving", value.Int(y.giving)), set(t, "inflow", value.Int(y.inflow)), set(t, "grantspaid", value.Int(y.grantsPaid))}
		if err := b.env.Add(t, key, add); err != nil {
			return err
		}
	}
	return b.env.Touch(b.tables.fund, id)
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
	list, err := readRows(b.env, t, []string{"netassets"}, []condition{equal(t, "fund", value.ID(r.ID))}, []string{"-quarter"}, nil, averagedQuarters)
	if err != nil || len(list) == 0 {
		return spot, err
	}
	sum := new(big.Rat)
	for _, q := range list {
		sum.Add(sum, big.NewRat(q.Value("netassets").Int(), 100))
	}
	sum.Quo(sum, big.NewRat(int64(len(list)), 1))
	return sum.Mul(sum, big.NewRat(rateOf(r), rateOne)), nil
}

// moveInGroup notes what a fund's change does to the net assets of groups.
func (b *Books) moveInGroup(was, is fundInGroup) {
	if was == is {
		return
	}
	if !was.group.IsZero() {
		b.groups[was.group] -= was.base
	}
	if !is.group.IsZero() {
		b.groups[is.group] += is.base
	}
}

// settleGroups applies the differences to the net assets of fund groups.
func (b *Books) settleGroups() error {
	for _, id := range sortedIDs(b.groups) {
		row, err := b.env.Lock(b.tables.group, id)
		if err != nil {
			return err
		}
		if row == nil || b.groups[id] == 0 {
			continue
		}
		sum, err := sumMoney(baseOf(row, "svc_netassets"), b.groups[id])
		if err != nil {
			return err
		}
		columns, err := baseMoney(row, named{"svc_netassets", sum})
		if err != nil {
			return err
		}
		if err := b.env.Derive(b.tables.group, id, columns); err != nil {
			return err
		}
	}
	return nil
}
