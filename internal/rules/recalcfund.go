package rules

import (
	"almoner/internal/query"
	"almoner/internal/settings"
)

// fundColumnsRead are the columns a recalculation reads of a fund.
func (c *recalculator) fundColumnsRead() []string {
	names := []string{"x_allotment", "statecode", "svc_endowed", "svc_spendpercent", "svc_fundgroup"}
	for _, t := range fundTotals {
		names = append(names, t.column, t.own, t.ownBase)
	}
	return withMoney(c.tables.fund, names...)
}

// funds compares every fund with the sums of the gifts and grants that concern it.
func (c *recalculator) funds() error {
	return c.each(c.tables.fund, c.fundColumnsRead(), nil, func(batch []*query.Row) error {
		for _, r := range batch {
			if err := c.fund(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *recalculator) fund(r *query.Row) error {
	after, err := c.expectedFund(r)
	if err != nil {
		return err
	}
	part, err := c.inGroup(after)
	if err != nil {
		return err
	}
	groupOf(c.sums, part.group).add(part, 1)
	return c.mend(r, after)
}

// expectedFund returns a fund's row as it shall be.
func (c *recalculator) expectedFund(r *query.Row) (*query.Row, error) {
	after := r.Clone()
	if err := restate(after); err != nil {
		return nil, err
	}
	if err := c.putTotals(after); err != nil {
		return nil, err
	}
	allotment, err := c.ownAllotment(after)
	putAll(after, hiddenColumns(after, nil, named{"x_allotment", allotment}))
	return after, err
}

// putTotals puts the sums a fund shall show on its row.
func (c *recalculator) putTotals(r *query.Row) error {
	f := c.tally.funds[r.ID]
	if f == nil {
		f = &fundTally{}
	}
	currency, err := c.currency(r)
	if err != nil {
		return err
	}
	own := inOwn(f.foreign, currency)
	for _, t := range fundTotals {
		if err := t.put(r, rollup{t.of(&f.fundSums), t.of(&own.amount), t.of(&own.base)}); err != nil {
			return err
		}
	}
	if c.settings.Balances != settings.BalancesDerived {
		return nil
	}
	return deriveNetAssets(r, !currency.IsZero())
}

// fundGroups compares the net assets of every group with those of its active funds.
func (c *recalculator) fundGroups() error {
	columns := withMoney(c.tables.group, groupTotal.own, groupTotal.ownBase)
	return c.each(c.tables.group, columns, nil, func(batch []*query.Row) error {
		for _, r := range batch {
			if err := c.mendGroup(r, groupOf(c.sums, r.ID)); err != nil {
				return err
			}
		}
		return nil
	})
}

// mendGroup makes a group show a sum over its funds.
func (c *recalculator) mendGroup(r *query.Row, sum *groupTally) error {
	currency, err := c.currencyOf(r)
	if err != nil {
		return err
	}
	after := r.Clone()
	if err := groupTotal.put(after, sum.in(currency)); err != nil {
		return err
	}
	return c.mend(r, after)
}
