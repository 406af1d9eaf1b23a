package rules

import (
	"cmp"
	"fmt"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// donors compares every donor with the sums of its gifts.
func (c *recalculator) donors() error {
	columns := withMoney(c.tables.donor,
		"svc_countofgifts", "svc_firstgiftdate", "svc_mostrecentgiftdate", "svc_mostrecentgiftid", "svc_largestgiftid",
		"x_latestmade", "x_largestdate", "x_largestmade", commitmentTotal.own, commitmentTotal.ownBase)
	return c.each(c.tables.donor, columns, nil, func(batch []*query.Row) error {
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
	currency, err := c.currency(r)
	if err != nil {
		return err
	}
	after := r.Clone()
	if err := restate(after); err != nil {
		return err
	}
	own := inOwn(sums.foreign, currency)
	if err := commitmentTotal.put(after, rollup{sums.commitment, own.amount.commitment, own.base.commitment}); err != nil {
		return err
	}
	ranked, err := c.rankColumns(r, currency, best)
	if err != nil {
		return err
	}
	putAll(after, ranked)
	after.Put("svc_countofgifts", value.Int(sums.count))
	return c.mend(r, after)
}

// allDonorYears compares all sums per donor and giving year.
func (c *recalculator) allDonorYears() error { return c.donorYears(condition{}, c.tally.donors) }

// donorYears compares the sums per giving year of some donors, those of a condition if it has a column.
func (c *recalculator) donorYears(where condition, donors map[value.GUID]*donorTally) error {
	s := yearSums{
		table: c.tables.donorYear, parents: c.tables.donor, parent: "donor", columns: []string{"amount", "amountown", "amountownbase"},
		expected: map[yearKey][]int64{},
	}
	for id, d := range donors {
		own := inOwn(d.foreign, c.currencies[id])
		for year, amount := range d.years {
			s.expected[yearKey{id, year}] = []int64{amount, own.amount.years[year], own.base.years[year]}
		}
	}
	return c.compareSums(s, where)
}

// allFundYears compares all sums per fund and giving year.
func (c *recalculator) allFundYears() error { return c.fundYears(condition{}, c.tally.funds) }

// fundYears compares the sums per giving year of some funds, those of a condition if it has a column.
func (c *recalculator) fundYears(where condition, funds map[value.GUID]*fundTally) error {
	s := yearSums{
		table: c.tables.fundYear, parents: c.tables.fund, parent: "fund",
		columns:  []string{"giving", "givingown", "givingownbase", "inflow", "grantspaid", "grantspaidown", "grantspaidownbase"},
		expected: map[yearKey][]int64{},
	}
	for id, f := range funds {
		own := inOwn(f.foreign, c.currencies[id])
		for year, y := range f.years {
			amount, base := own.amount.year(year), own.base.year(year)
			s.expected[yearKey{id, year}] = []int64{
				y.giving, amount.giving, base.giving, y.inflow, y.grantsPaid, amount.grantsPaid, base.grantsPaid,
			}
		}
	}
	return c.compareSums(s, where)
}

// yearKey names a row of a table of sums.
type yearKey struct {
	id   value.GUID
	year int
}

// yearSums says what a table of sums per parent and giving year shall hold; a row that is not expected holds zeros.
type yearSums struct {
	table    *schema.Table
	parents  *schema.Table
	parent   string // the column that names the parent
	columns  []string
	expected map[yearKey][]int64
}

// compareSums compares a table of sums with what it shall hold. A missing row is one of zeros.
func (c *recalculator) compareSums(s yearSums, where condition) error {
	var filter []condition
	if where.column != nil {
		filter = []condition{where}
	}
	seen := map[yearKey]bool{}
	var after []value.Value
	for {
		rows, err := readRows(c.env, s.table, append([]string{s.parent, "year"}, s.columns...), filter, []string{s.parent, "year"}, after, batchSize)
		if err != nil {
			return err
		}
		for _, r := range rows {
			k := yearKey{r.Value(s.parent).ID(), int(r.Value("year").Int())}
			seen[k] = true
			if err := c.mendSum(s, k, r); err != nil {
				return err
			}
		}
		if len(rows) < batchSize {
			break
		}
		last := rows[len(rows)-1]
		after = []value.Value{last.Value(s.parent), last.Value("year")}
	}
	for _, k := range missingSums(s.expected, seen) {
		if err := c.mendSum(s, k, query.NewRow(s.table, value.GUID{})); err != nil {
			return err
		}
	}
	return nil
}

// missingSums lists the expected sums that have no row, in order.
func missingSums(expected map[yearKey][]int64, seen map[yearKey]bool) []yearKey {
	var out []yearKey
	for k := range expected {
		if !seen[k] {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b yearKey) int { return cmp.Or(slices.Compare(a.id[:], b.id[:]), cmp.Compare(a.year, b.year)) })
	return out
}

// mendSum compares one row of sums and replaces it when it differs. What a reader sees of it changes at read time only, so the parent's
// version is moved by hand.
func (c *recalculator) mendSum(s yearSums, k yearKey, r *query.Row) error {
	if !c.concerns(s.table, k.id) {
		return nil
	}
	expected := s.expected[k]
	if expected == nil {
		expected = make([]int64, len(s.columns))
	}
	row := []query.Assign{set(s.table, s.parent, value.ID(k.id)), set(s.table, "year", value.Int(int64(k.year)))}
	wrong := false
	for i, name := range s.columns {
		want := value.Int(expected[i])
		row = append(row, set(s.table, name, want))
		if have := r.Value(name); have.Int() != expected[i] {
			wrong = true
			if err := c.drifted(Drift{s.table.Name, fmt.Sprintf("%s %d", k.id, k.year), name, have, want, Parent{s.parents.Name, k.id}}); err != nil {
				return err
			}
		}
	}
	if !wrong || c.how.Check {
		return nil
	}
	if err := c.env.Put(s.table, row); err != nil {
		return err
	}
	return c.env.Touch(s.parents, k.id)
}
