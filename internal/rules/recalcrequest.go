package rules

import (
	"almoner/internal/query"
	"almoner/internal/value"
)

// disbursementColumnsRead are the columns a recalculation reads of a request payment.
func (c *recalculator) disbursementColumnsRead() []string {
	return withMoney(c.tables.disbursement, append([]string{"x_auto", "svc_fundprimarydonor"}, disbursementColumns...)...)
}

// requests recomputes the requests and their rows and adds up what the rows take from funds.
func (c *recalculator) requests() error {
	t := c.tables.disbursement
	names := c.disbursementColumnsRead()
	columns := withMoney(c.tables.request, "svc_nextpaymentdue", "svc_nextrequirementdue")
	return c.each(c.tables.request, columns, nil, func(batch []*query.Row) error {
		children, err := c.children(t, "svc_requestlookup", names, between(t, "svc_requestlookup", batch)...)
		if err != nil {
			return err
		}
		for _, r := range batch {
			rows, err := c.mendRequest(r, children[r.ID])
			if err != nil {
				return err
			}
			for _, row := range rows {
				if err := c.disburse(row, 1); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// mendRequest makes a request and its rows anew and returns the rows as they then are.
func (c *recalculator) mendRequest(r *query.Row, children []*query.Row) ([]*query.Row, error) {
	rows := make([]*query.Row, len(children))
	for i, child := range children {
		var err error
		if rows[i], err = c.mendDisbursement(Parent{r.Table.Name, r.ID}, child); err != nil {
			return nil, err
		}
	}
	after := r.Clone()
	columns, err := c.requestColumns(r, rows)
	if err != nil {
		return nil, err
	}
	putAll(after, columns)
	if err := restate(after); err != nil {
		return nil, err
	}
	return rows, c.mend(r, after)
}

// mendDisbursement makes the derived columns of a request payment anew and returns it as it then is.
func (c *recalculator) mendDisbursement(request Parent, r *query.Row) (*query.Row, error) {
	after := r.Clone()
	auto := r.Value("x_auto").Int()
	if auto&autoNet != 0 {
		after.Put("svc_netamount", r.Value("svc_amount"))
	}
	if auto&autoDonor != 0 {
		donor, err := c.founder(r.Value("svc_fund").ID())
		if err != nil {
			return nil, err
		}
		after.Put("svc_fundprimarydonor", donor)
	}
	if err := restate(after); err != nil {
		return nil, err
	}
	return after, c.mendPart(request, r, after)
}

// founder returns the primary donor of a fund; null without one.
func (c *recalculator) founder(fund value.GUID) (value.Value, error) {
	if donor, known := c.founders[fund]; known || fund.IsZero() {
		return donor, nil
	}
	row, err := c.env.Row(c.tables.fund, fund)
	if err != nil || row == nil {
		return value.Null, err
	}
	donor := row.Value("svc_primarydonor")
	c.founders[fund] = donor
	return donor, nil
}
