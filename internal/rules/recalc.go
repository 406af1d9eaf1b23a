package rules

import (
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Drift is a stored value that is not what the base rows say.
type Drift struct {
	Table    string
	Key      string // the row's id, or donor and year
	Column   string
	Stored   value.Value
	Expected value.Value
	Parent   Parent // whose recomputation mends it
}

// Parent names a row that shows totals over other rows.
type Parent struct {
	Table string
	ID    value.GUID
}

// String prints the drift on one line.
func (d Drift) String() string {
	return d.Table + " " + d.Key + " " + d.Column + ": stored " + d.Stored.String() + ", expected " + d.Expected.String()
}

// Recalculation says how Recalc goes about its work.
type Recalculation struct {
	Check    bool                                      // only compare, write nothing
	Only     func(t *schema.Table, id value.GUID) bool // rows to compare and mend; nil: all. Sums per year go by their donor or fund
	Drift    func(Drift) error                         // told of every drift; may be nil
	Progress func(rows int64)                          // told now and then how many rows have been looked at; may be nil
}

// Recalc makes every derived value anew from base rows and mends those that differ: what gifts, payments, requests, donors, funds, fund
// groups and lists show, the sums per giving year, and the base values of all amounts. What others follow from is made first, so that a
// wrong value is told of once. It reads in batches: memory is bounded by the number of donors, funds and lists and by one batch of gifts.
// It must run in one transaction that sees no other writer.
func Recalc(env Env, how Recalculation) error {
	c := newRecalculator(env, how)
	for _, step := range []func() error{
		c.gifts, c.requests, c.donors, c.allDonorYears, c.funds, c.allFundYears, c.fundGroups, c.staticLists, c.otherTables,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func newRecalculator(env Env, how Recalculation) *recalculator {
	return &recalculator{
		Books: NewBooks(env), how: how, best: map[value.GUID]*ranks{}, sums: map[value.GUID]*groupTally{},
		currencies: map[value.GUID]value.GUID{}, founders: map[value.GUID]value.Value{}, regrouped: map[value.GUID]bool{},
	}
}

// recalculator carries the sums of a recalculation.
type recalculator struct {
	*Books
	how        Recalculation
	best       map[value.GUID]*ranks      // first, latest and largest gift by donor
	sums       map[value.GUID]*groupTally // net assets by fund group
	currencies map[value.GUID]value.GUID  // of donors and funds in foreign currencies
	founders   map[value.GUID]value.Value // primary donors of funds that were looked at
	regrouped  map[value.GUID]bool        // fund groups to add up anew, because a fund's part was wrong
	seen       int64
}

// currency returns the foreign currency of a donor or fund, zero for the base currency, and remembers it.
func (c *recalculator) currency(r *query.Row) (value.GUID, error) {
	id, err := c.currencyOf(r)
	if !id.IsZero() {
		c.currencies[r.ID] = id
	}
	return id, err
}

// batchSize is how many parent rows are read at a time.
const batchSize = 1000

// mend compares a row with what it shall be and writes the difference.
func (c *recalculator) mend(r, after *query.Row) error {
	return c.mendPart(Parent{r.Table.Name, r.ID}, r, after)
}

// mendPart is mend for a row that belongs to a parent.
func (c *recalculator) mendPart(parent Parent, r, after *query.Row) error {
	if !c.concerns(r.Table, r.ID) {
		return nil
	}
	wrong := after.Diff(r)
	for _, a := range wrong {
		if err := c.drifted(Drift{r.Table.Name, r.ID.String(), a.Column.Name, r.Get(a.Column), a.Value, parent}); err != nil {
			return err
		}
	}
	if len(wrong) == 0 || c.how.Check {
		return nil
	}
	return c.env.Derive(r.Table, r.ID, wrong)
}

// concerns tells whether a row is one of those to compare.
func (c *recalculator) concerns(t *schema.Table, id value.GUID) bool {
	return c.how.Only == nil || c.how.Only(t, id)
}

func (c *recalculator) drifted(d Drift) error {
	if c.how.Drift == nil {
		return nil
	}
	return c.how.Drift(d)
}

func (c *recalculator) progress(rows int) {
	c.seen += int64(rows)
	if c.how.Progress != nil {
		c.how.Progress(c.seen)
	}
}

// each reads the rows of a table that meet the conditions, in batches by key.
func (c *recalculator) each(t *schema.Table, columns []string, where []condition, visit func(batch []*query.Row) error) error {
	var after []value.Value
	for {
		batch, err := readRows(c.env, t, columns, where, []string{t.Key.Name}, after, batchSize)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := visit(batch); err != nil {
			return err
		}
		c.progress(len(batch))
		if len(batch) < batchSize {
			return nil
		}
		after = []value.Value{value.ID(batch[len(batch)-1].ID)}
	}
}

// between is the condition that a lookup points into a batch of parents that lie together.
func between(t *schema.Table, link string, batch []*query.Row) []condition {
	low, high := value.ID(batch[0].ID), value.ID(batch[len(batch)-1].ID)
	return []condition{compare(t, link, query.OpGe, low), compare(t, link, query.OpLe, high)}
}

// children reads the rows whose lookup meets the conditions, grouped by the parent it points at.
func (c *recalculator) children(t *schema.Table, link string, columns []string, where ...condition) (map[value.GUID][]*query.Row, error) {
	out := map[value.GUID][]*query.Row{}
	var after []value.Value
	for {
		rows, err := readRows(c.env, t, append([]string{link}, columns...), where, []string{link, t.Key.Name}, after, batchSize)
		if err != nil || len(rows) == 0 {
			return out, err
		}
		for _, r := range rows {
			parent := r.Value(link).ID()
			out[parent] = append(out[parent], r)
		}
		if len(rows) < batchSize {
			return out, nil
		}
		last := rows[len(rows)-1]
		after = []value.Value{last.Value(link), value.ID(last.ID)}
	}
}

// withBase adds the base siblings of money columns to a list of columns.
func withBase(t *schema.Table, money, others []string) []string {
	out := append([]string{}, others...)
	for _, name := range money {
		out = append(out, name, t.MustColumn(name).Base.Name)
	}
	return out
}

// withMoney adds what base values are made of to a list of columns: all stored amounts with their base siblings, currency and rate.
func withMoney(t *schema.Table, names ...string) []string {
	out := append(slices.Clone(names), "transactioncurrencyid", "exchangerate")
	for _, c := range t.Columns {
		if c.Base != nil && c.Stored() {
			out = append(out, c.Name, c.Base.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
