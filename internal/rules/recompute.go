package rules

import (
	"maps"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Recompute makes the derived values of some rows anew from base rows. Each is locked before its base rows are read, and whoever changes
// what a parent shows locks it too: other writers may go on meanwhile. Rows that are gone are passed over. tell hears of every value that
// was wrong; it may be nil.
func Recompute(env Env, parents Touched, tell func(Drift) error) error {
	c := newRecalculator(env, Recalculation{Drift: tell})
	steps := []struct {
		table *schema.Table
		ids   map[value.GUID]bool
		do    func(*query.Row) error
	}{
		{c.tables.gift, parents.Gifts, c.recomputeGift}, {c.tables.request, parents.Requests, c.recomputeRequest},
		{c.tables.donor, parents.Donors, c.recomputeDonor}, {c.tables.fund, parents.Funds, c.recomputeFund},
	}
	for _, s := range steps {
		if err := c.eachLocked(s.table, s.ids, s.do); err != nil {
			return err
		}
	}
	if err := c.touchReceivers(); err != nil {
		return err
	}
	maps.Copy(c.regrouped, parents.Groups)
	if err := c.eachLocked(c.tables.group, c.regrouped, c.recomputeGroup); err != nil {
		return err
	}
	return c.recomputeOthers(parents)
}

// recomputeOthers makes anew what follows from rows themselves, and the counts of lists.
func (c *recalculator) recomputeOthers(rows Touched) error {
	for _, name := range slices.Sorted(maps.Keys(rows.others)) {
		do := c.mendRow
		if name == c.tables.list.Name {
			do = c.recomputeList
		}
		if err := c.eachLocked(c.env.Model().Table(name), rows.others[name], do); err != nil {
			return err
		}
	}
	return nil
}

// eachLocked locks the rows of a set one after the other and hands them on; those that are gone are passed over.
func (c *recalculator) eachLocked(t *schema.Table, ids map[value.GUID]bool, do func(*query.Row) error) error {
	for _, id := range sortedIDs(ids) {
		row, err := c.env.Lock(t, id)
		if err != nil {
			return err
		}
		if row == nil {
			continue
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

// recomputeGift makes a gift's own columns and the flags of its payments anew.
func (c *recalculator) recomputeGift(r *query.Row) error {
	payments, fees, err := c.partsOf([]*query.Row{r})
	if err != nil {
		return err
	}
	_, _, err = c.mendGift(r, payments[r.ID], fees[r.ID])
	return err
}

// partsOf reads the payments and fees of a few gifts.
func (c *recalculator) partsOf(batch []*query.Row) (payments, fees map[value.GUID][]*query.Row, err error) {
	ids := make([]value.Value, len(batch))
	for i, r := range batch {
		ids[i] = value.ID(r.ID)
	}
	payment, fee := c.tables.payment, c.tables.fee
	payments, err = c.children(payment, "svc_giftnumber", c.paymentColumnsRead(), compare(payment, "svc_giftnumber", query.OpIn, ids...))
	if err != nil {
		return nil, nil, err
	}
	fees, err = c.children(fee, "svc_gift", feeColumns, compare(fee, "svc_gift", query.OpIn, ids...))
	return payments, fees, err
}

func (c *recalculator) recomputeRequest(r *query.Row) error {
	t := c.tables.disbursement
	rows, err := c.env.Find(t, []query.Assign{set(t, "svc_requestlookup", value.ID(r.ID))}, columnsOf(t, c.disbursementColumnsRead()))
	if err != nil {
		return err
	}
	_, err = c.mendRequest(r, rows)
	return err
}

// recomputeDonor adds up all gifts of a donor.
func (c *recalculator) recomputeDonor(r *query.Row) error {
	c.tally, c.best = newTally(c.settings), map[value.GUID]*ranks{}
	if err := c.addGifts("svc_donor", r.ID, nil); err != nil {
		return err
	}
	if err := c.donor(r); err != nil {
		return err
	}
	return c.donorYears(equal(c.tables.donorYear, "donor", value.ID(r.ID)), map[value.GUID]*donorTally{r.ID: c.tally.donor(r.ID)})
}

// recomputeFund adds up all gifts and grants that concern a fund.
func (c *recalculator) recomputeFund(r *query.Row) error {
	c.tally, c.best = newTally(c.settings), map[value.GUID]*ranks{}
	seen := map[value.GUID]bool{}
	for _, name := range fundNames {
		if err := c.addGifts(name, r.ID, seen); err != nil {
			return err
		}
	}
	if err := c.addStrays(r.ID, seen); err != nil {
		return err
	}
	if err := c.addGrants(r.ID); err != nil {
		return err
	}
	after, err := c.expectedFund(r)
	if err != nil {
		return err
	}
	if err := c.regroup(r, after); err != nil {
		return err
	}
	if after.Value("x_allotment") != r.Value("x_allotment") {
		c.noteReceiver(r)
		if err := c.env.Touch(r.Table, r.ID); err != nil {
			return err
		}
	}
	if err := c.mend(r, after); err != nil {
		return err
	}
	return c.fundYears(equal(c.tables.fundYear, "fund", value.ID(r.ID)), map[value.GUID]*fundTally{r.ID: c.tally.fund(r.ID)})
}

// regroup notes the groups in whose net assets a fund has another part now: they are added up anew, as what they held of it may have
// been wrong too.
func (c *recalculator) regroup(r, after *query.Row) error {
	was, err := c.inGroup(r)
	if err != nil {
		return err
	}
	is, err := c.inGroup(after)
	if was != is {
		markSet(c.regrouped, lookup(was.group))
		markSet(c.regrouped, lookup(is.group))
	}
	return err
}

// addGifts adds what all gifts bring whose lookup points at a row, except those seen before.
func (c *recalculator) addGifts(link string, id value.GUID, seen map[value.GUID]bool) error {
	t := c.tables.gift
	return c.each(t, giftFacts, []condition{equal(t, link, value.ID(id))}, func(batch []*query.Row) error {
		return c.addBatch(batch, seen)
	})
}

func (c *recalculator) addBatch(batch []*query.Row, seen map[value.GUID]bool) error {
	payments, fees, err := c.partsOf(batch)
	if err != nil {
		return err
	}
	for _, r := range batch {
		if seen[r.ID] {
			continue
		}
		if seen != nil {
			seen[r.ID] = true
		}
		f, err := c.openFile(r, payments[r.ID], fees[r.ID])
		if err != nil {
			return err
		}
		p, err := c.project(f, f.gift)
		if err != nil {
			return err
		}
		c.tally.take(f.gift, p, 1)
		c.rank(f.gift, p)
	}
	return nil
}

// addStrays adds gifts that reach a fund through payments alone.
func (c *recalculator) addStrays(fund value.GUID, seen map[value.GUID]bool) error {
	t := c.tables.payment
	return c.each(t, []string{"svc_giftnumber"}, []condition{equal(t, "svc_fund", value.ID(fund))}, func(batch []*query.Row) error {
		var gifts []*query.Row
		for _, r := range batch {
			gift := r.Value("svc_giftnumber").ID()
			if gift.IsZero() || seen[gift] {
				continue
			}
			row, err := c.env.Row(c.tables.gift, gift)
			if err != nil {
				return err
			}
			if row != nil {
				gifts = append(gifts, row)
			}
		}
		if len(gifts) == 0 {
			return nil
		}
		return c.addBatch(gifts, seen)
	})
}

// addGrants adds the grant payments of a fund.
func (c *recalculator) addGrants(fund value.GUID) error {
	t := c.tables.disbursement
	return c.each(t, disbursementColumns, []condition{equal(t, "svc_fund", value.ID(fund))}, func(batch []*query.Row) error {
		for _, r := range batch {
			if err := c.disburse(r, 1); err != nil {
				return err
			}
		}
		return nil
	})
}

// recomputeGroup adds up the active funds of a group.
func (c *recalculator) recomputeGroup(r *query.Row) error {
	t := c.tables.fund
	var sum groupTally
	names := []string{"svc_netassets", "svc_netassets_base", "transactioncurrencyid", "statecode", "svc_fundgroup"}
	err := c.each(t, names, []condition{equal(t, "svc_fundgroup", value.ID(r.ID))}, func(batch []*query.Row) error {
		for _, fund := range batch {
			part, err := c.inGroup(fund)
			if err != nil {
				return err
			}
			sum.add(part, 1)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.mendGroup(r, &sum)
}
