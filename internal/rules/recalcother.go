package rules

import (
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// staticLists compares the member counts of static lists with their members.
func (c *recalculator) staticLists() error {
	counts := map[value.GUID]int64{}
	err := c.each(c.tables.member, []string{"listid"}, nil, func(batch []*query.Row) error {
		for _, r := range batch {
			counts[r.Value("listid").ID()]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(c.tables.list, []string{"type", "membercount"}, nil, func(batch []*query.Row) error {
		for _, r := range batch {
			if err := c.mendList(r, counts[r.ID]); err != nil {
				return err
			}
		}
		return nil
	})
}

// mendList makes a static list show the number of its members; a dynamic one is counted elsewhere.
func (c *recalculator) mendList(r *query.Row, members int64) error {
	if r.Value("type").Bool() {
		return nil
	}
	after := r.Clone()
	after.Put("membercount", value.Int(members))
	return c.mend(r, after)
}

// recomputeList counts the members of a list.
func (c *recalculator) recomputeList(r *query.Row) error {
	var members int64
	t := c.tables.member
	err := c.each(t, nil, []condition{equal(t, "listid", value.ID(r.ID))}, func(batch []*query.Row) error {
		members += int64(len(batch))
		return nil
	})
	if err != nil {
		return err
	}
	return c.mendList(r, members)
}

// otherTables compares the rows of tables whose derived values follow from the row itself.
func (c *recalculator) otherTables() error {
	for _, t := range c.env.Model().Tables {
		if !c.ownDerived(t) {
			continue
		}
		names := withMoney(t)
		if t == c.tables.fee {
			names = append(names, "svc_feepercent", "svc_feepercentasdecimal")
		}
		err := c.each(t, names, nil, func(batch []*query.Row) error {
			for _, r := range batch {
				if err := c.mendRow(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ownDerived tells whether a table has derived values that follow from the row itself, and no others.
func (c *recalculator) ownDerived(t *schema.Table) bool {
	switch t {
	case c.tables.gift, c.tables.payment, c.tables.request, c.tables.disbursement, c.tables.donor, c.tables.fund, c.tables.group:
		return false
	default:
		return isRestated(t)
	}
}

// isRestated tells whether rows of a table have amounts with base values.
func isRestated(t *schema.Table) bool {
	return t.Key != nil && t.Column("exchangerate") != nil && needsCurrency(t)
}

// mendRow makes anew what follows from a row itself: base values, and a fee's percentage as a fraction.
func (c *recalculator) mendRow(r *query.Row) error {
	after := r.Clone()
	if r.Table == c.tables.fee {
		if err := setPercent(after); err != nil {
			return err
		}
	}
	if err := restate(after); err != nil {
		return err
	}
	return c.mend(r, after)
}

// DerivedTables lists the tables with derived values of a model.
func DerivedTables(m *schema.Model) []string {
	var out []string
	for _, t := range m.Tables {
		if t.Name == "list" || isRestated(t) {
			out = append(out, t.Name)
		}
	}
	return out
}
