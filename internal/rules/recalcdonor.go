package rules

import (
	"fmt"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// donors compares every donor with the sums of its gifts.
func (c *recalculator) donors() error {
	columns := withBase(c.tables.donor, []string{"svc_totalcommitment", "svc_largestgift"}, []string{
		"svc_countofgifts", "svc_firstgiftdate", "svc_mostrecentgiftdate", "svc_mostrecentgiftid", "svc_largestgiftid", "exchangerate",
	})
	return c.each(c.tables.donor, columns, func(batch []*query.Row) error {
		for _, r := range batch {
			if err := c.donor(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *recalculator) donor(r *query.Row) error {
	sums := c.tally.donors[r.ID]
	if sums == nil {
		sums = &donorTally{}
	}
	best := c.best[r.ID]
	if best == nil {
		best = &ranks{}
	}
	columns, err := baseMoney(r, named{"svc_totalcommitment", sums.commitment})
	if err != nil {
		return err
	}
	ranked, err := c.rankColumns(r, best)
	if err != nil {
		return err
	}
	columns = append(columns, set(r.Table, "svc_countofgifts", value.Int(sums.count)))
	return c.mend(r, append(columns, ranked...))
}

// donorYears compares the sums per donor and giving year.
func (c *recalculator) donorYears() error {
	t := c.tables.donorYear
	return c.sums(t, "donor", []string{"amount"}, func(id value.GUID, year int) []int64 {
		if d := c.tally.donors[id]; d != nil {
			return []int64{d.years[year]}
		}
		return []int64{0}
	}, func(visit func(value.GUID, int)) {
		for _, id := range sortedIDs(c.tally.donors) {
			for _, year := range sortedYears(c.tally.donors[id].years) {
				visit(id, year)
			}
		}
	})
}

// fundYears compares the sums per fund and giving year.
func (c *recalculator) fundYears() error {
	t := c.tables.fundYear
	return c.sums(t, "fund", []string{"giving", "inflow", "grantspaid"}, func(id value.GUID, year int) []int64 {
		f := c.tally.funds[id]
		if f == nil || f.years[year] == nil {
			return []int64{0, 0, 0}
		}
		y := f.years[year]
		return []int64{y.giving, y.inflow, y.grantsPaid}
	}, func(visit func(value.GUID, int)) {
		for _, id := range sortedIDs(c.tally.funds) {
			for _, year := range sortedYears(c.tally.funds[id].years) {
				visit(id, year)
			}
		}
	})
}

// yearKey names a row of a table of sums.
type yearKey struct {
	id   value.GUID
	year int
}

// sums compares a table of sums per parent and giving year with the expected ones. A missing row is one of zeros.
func (c *recalculator) sums(t *schema.Table, parent string, columns []string, expected func(value.GUID, int) []int64, all func(func(value.GUID, int))) error {
	seen := map[yearKey]bool{}
	var after []value.Value
	for {
		rows, err := readRows(c.env, t, append([]string{parent, "year"}, columns...), nil, []string{parent, "year"}, after, batchSize)
		if err != nil {
			return err
		}
		for _, r := range rows {
			k := yearKey{r.Value(parent).ID(), int(r.Value("year").Int())}
			seen[k] = true
			if err := c.mendSum(t, parent, columns, k, r, expected(k.id, k.year)); err != nil {
				return err
			}
		}
		if len(rows) < batchSize {
			break
		}
		last := rows[len(rows)-1]
		after = []value.Value{last.Value(parent), last.Value("year")}
	}
	var failed error
	all(func(id value.GUID, year int) {
		if k := (yearKey{id, year}); failed == nil && !seen[k] {
			failed = c.mendSum(t, parent, columns, k, query.NewRow(t, value.GUID{}), expected(id, year))
		}
	})
	return failed
}

// mendSum compares one row of sums and replaces it when it differs.
func (c *recalculator) mendSum(t *schema.Table, parent string, columns []string, k yearKey, r *query.Row, expected []int64) error {
	row := []query.Assign{set(t, parent, value.ID(k.id)), set(t, "year", value.Int(int64(k.year)))}
	wrong := false
	for i, name := range columns {
		want := value.Int(expected[i])
		row = append(row, set(t, name, want))
		if have := r.Value(name); have.Int() != expected[i] {
			wrong = true
			if err := c.drifted(Drift{t.Name, fmt.Sprintf("%s %d", k.id, k.year), name, have, want}); err != nil {
				return err
			}
		}
	}
	if !wrong || c.how.Check {
		return nil
	}
	return c.env.Put(t, row)
}
