package rules

import (
	"almoner/internal/query"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// funds compares every fund with the sums of the gifts and grants that concern it.
func (c *recalculator) funds() error {
	money := []string{"svc_giftspaid", "svc_giftspending", "svc_grantspaid", "svc_grantspending", "svc_netassets", "svc_initialamount", "svc_earnings"}
	columns := withBase(c.tables.fund, money, []string{
		"x_nongift", "x_fees", "x_allotment", "exchangerate", "statecode", "svc_endowed", "svc_spendpercent", "svc_spendableamount", "svc_fundgroup",
	})
	return c.each(c.tables.fund, columns, nil, func(batch []*query.Row) error {
		for _, r := range batch {
			if err := c.fund(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *recalculator) fund(r *query.Row) error {
	columns, after, err := c.expectedFund(r)
	if err != nil {
		return err
	}
	if part := inGroup(after); !part.group.IsZero() {
		c.groups[part.group] += part.base
	}
	return c.mend(r, columns)
}

// expectedFund lists what a fund shall show, and returns the row as it then is.
func (c *recalculator) expectedFund(r *query.Row) ([]query.Assign, *query.Row, error) {
	columns, err := c.expectedTotals(r)
	if err != nil {
		return nil, nil, err
	}
	after := with(r, columns)
	allotment, err := c.ownAllotment(after)
	if err != nil {
		return nil, nil, err
	}
	if r.Value("x_allotment").Int() != allotment {
		columns = append(columns, set(r.Table, "x_allotment", value.Int(allotment)))
	}
	return columns, with(r, columns), nil
}

// expectedTotals lists the sums a fund shall show.
func (c *recalculator) expectedTotals(r *query.Row) ([]query.Assign, error) {
	f := c.tally.funds[r.ID]
	if f == nil {
		f = &fundTally{}
	}
	columns, err := baseMoney(r, named{"svc_giftspaid", f.giftsPaid}, named{"svc_giftspending", f.giftsPending},
		named{"svc_grantspaid", f.grantsPaid}, named{"svc_grantspending", f.grantsPending})
	if err != nil {
		return nil, err
	}
	for _, hidden := range []named{{"x_nongift", f.nonGift}, {"x_fees", f.fees}} {
		if r.Value(hidden.column).Int() != hidden.amount {
			columns = append(columns, set(r.Table, hidden.column, value.Int(hidden.amount)))
		}
	}
	if c.settings.Balances != settings.BalancesDerived {
		return columns, nil
	}
	net, err := derivedNetAssets(with(r, columns))
	return append(columns, net...), err
}

// fundGroups compares the net assets of every group with those of its active funds.
func (c *recalculator) fundGroups() error {
	columns := withBase(c.tables.group, []string{"svc_netassets"}, []string{"exchangerate"})
	return c.each(c.tables.group, columns, nil, func(batch []*query.Row) error {
		for _, r := range batch {
			columns, err := baseMoney(r, named{"svc_netassets", c.groups[r.ID]})
			if err != nil {
				return err
			}
			if err := c.mend(r, columns); err != nil {
				return err
			}
		}
		return nil
	})
}
