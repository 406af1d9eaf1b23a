package seed

import (
	"errors"

	"almoner/internal/fetchxml"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// env is the desk as the rules see it: a transaction over the rows of one batch. Rows that were written in earlier batches are
// known as far as the rules look at them; their totals stay as they are, for the recalculation that ends the seeding.
type env struct{ d *desk }

var _ rules.Env = env{}

// errNotSeeded is returned for what no rule does while rows are only being created.
var errNotSeeded = errors.New("seed: the rules asked for something a sample does not offer")

func (e env) Now() int64                   { return e.d.now }
func (e env) Model() *schema.Model         { return e.d.model }
func (e env) Settings() *settings.Settings { return e.d.settings }
func (e env) Warn(string)                  {}

// Row implements rules.Env: a row of the batch, one that is kept, or what is remembered of a donor or contact.
func (e env) Row(_ *schema.Table, id value.GUID) (*query.Row, error) {
	if r := e.d.open[id]; r != nil {
		return r, nil
	}
	if r := e.d.kept[id]; r != nil {
		return r, nil
	}
	if e.d.remember == nil {
		return nil, nil
	}
	return e.d.remember(id), nil
}

// Lock implements rules.Env: only rows of the batch can be changed.
func (e env) Lock(_ *schema.Table, id value.GUID) (*query.Row, error) { return e.d.open[id], nil }

// LockAll implements rules.Env: there is only one writer.
func (e env) LockAll([]query.Key) error { return nil }

// BaseCurrency implements rules.Env.
func (e env) BaseCurrency() (*query.Row, error) {
	t := e.d.model.Table("transactioncurrency")
	rows, err := e.Find(t, []query.Assign{{Column: t.MustColumn("isocurrencycode"), Value: value.Text(e.d.settings.BaseCurrency)}}, nil)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// Find implements rules.Env over the rows of the batch and those that are kept.
func (e env) Find(t *schema.Table, where []query.Assign, _ []*schema.Column) ([]*query.Row, error) {
	var out []*query.Row
	for _, rows := range [][]*query.Row{e.d.keptRows[t], e.d.openRows[t]} {
		for _, r := range rows {
			if matches(r, where) {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

func matches(r *query.Row, where []query.Assign) bool {
	for _, a := range where {
		if r.Get(a.Column) != a.Value {
			return false
		}
	}
	return true
}

// Derive implements rules.Env.
func (e env) Derive(_ *schema.Table, id value.GUID, set []query.Assign) error {
	if r := e.d.open[id]; r != nil {
		for _, a := range set {
			r.Set(a.Column, a.Value)
		}
	}
	return nil
}

// NextNumber implements rules.Env. The counters of the database follow at the end.
func (e env) NextNumber(counter string) (int64, error) {
	e.d.numbers[counter]++
	return e.d.numbers[counter], nil
}

// ParseListQuery implements rules.Env.
func (e env) ParseListQuery(fetch string, member *schema.Table) error {
	_, err := fetchxml.Members(e.d.model, fetch, member)
	return err
}

// Touch implements rules.Env: every row gets its version when it is written.
func (e env) Touch(*schema.Table, value.GUID) error { return nil }

// Add implements rules.Env. The sums per year belong to parents and wait for the recalculation like these.
func (e env) Add(*schema.Table, []query.Assign, []query.Assign) error { return nil }

// Put implements rules.Env.
func (e env) Put(*schema.Table, []query.Assign) error { return errNotSeeded }

// Read implements rules.Env.
func (e env) Read(*query.Query) (query.Rows, error) { return nil, errNotSeeded }

// Create implements rules.Env.
func (e env) Create(*schema.Table, []query.Assign) (value.GUID, error) {
	return value.GUID{}, errNotSeeded
}

// Update implements rules.Env.
func (e env) Update(*schema.Table, value.GUID, []query.Assign) error { return errNotSeeded }

// Delete implements rules.Env.
func (e env) Delete(*schema.Table, value.GUID) error { return errNotSeeded }
