// Package rulestest lets the money rules run without a database: an Env over maps, and a slow model of the books that shares
// no summing code with the rules, to hold them against.
package rulestest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
	"almoner/tables"
)

// Env is a transaction over maps. Write runs a function as one transaction and takes everything back when it fails.
type Env struct {
	Clock    int64
	Config   *settings.Settings
	Deferred bool
	Left     rules.Touched // parents that deferred transactions have left out of date
	Warnings []string
	Touches  map[value.GUID]int // version moves per row
	Calls    int                // statements the rules asked for in the current transaction
	USD, CAD value.GUID
	JPY      value.GUID

	model    *schema.Model
	rows     map[*schema.Table]map[value.GUID]*query.Row
	side     map[*schema.Table]map[string]*query.Row
	counters map[string]int64
	books    *rules.Books
	random   *rand.Rand
	undo     []func()
}

var _ rules.Env = (*Env)(nil)

// New makes an empty foundation with a base currency, a Canadian dollar at 1.3650 and a yen at 149.33. The clock stands at 2026-06-30.
func New(seed uint64) *Env {
	model, err := tables.Model()
	if err != nil {
		panic(err)
	}
	e := &Env{
		Clock: value.CivilDays(2026, 6, 30)*value.SecondsPerDay + 12*3600, Config: settings.Default(), Touches: map[value.GUID]int{},
		model: model, rows: map[*schema.Table]map[value.GUID]*query.Row{}, side: map[*schema.Table]map[string]*query.Row{},
		counters: map[string]int64{}, random: rand.New(rand.NewPCG(seed, seed)),
	}
	for _, t := range model.Tables {
		e.rows[t] = map[value.GUID]*query.Row{}
		e.side[t] = map[string]*query.Row{}
	}
	e.USD = e.currency("USD", 10_000_000_000)
	e.CAD = e.currency("CAD", 13_650_000_000)
	e.JPY = e.currency("JPY", 1_493_300_000_000)
	return e
}

// currency makes a currency under the id every database gives it.
func (e *Env) currency(code string, rate int64) value.GUID {
	t := e.Table("transactioncurrency")
	id := schema.MetadataID(t.Name, code)
	err := e.Write(func() error {
		_, err := e.create(t, id, e.Assigns(t, Cells{"currencyname": code, "isocurrencycode": code, "currencysymbol": "$", "exchangerate": rate}), false)
		return err
	})
	if err != nil {
		panic(err)
	}
	return id
}

// Table returns a table of the model.
func (e *Env) Table(name string) *schema.Table {
	t := e.model.Table(name)
	if t == nil {
		panic("no table " + name)
	}
	return t
}

// Write runs fn as one transaction and settles the books at its end.
func (e *Env) Write(fn func() error) error {
	e.books = rules.NewBooks(e)
	e.books.Deferred = e.Deferred
	e.undo, e.Calls = nil, 0
	err := fn()
	touched := e.books.Touched()
	if err == nil {
		err = e.books.Settle()
	}
	if err != nil {
		for i := len(e.undo) - 1; i >= 0; i-- {
			e.undo[i]()
		}
		return err
	}
	if e.Deferred {
		e.leave(touched)
	}
	return nil
}

// leave notes parents that are out of date now.
func (e *Env) leave(touched rules.Touched) {
	if e.Left.Gifts == nil {
		e.Left = rules.NewTouched()
	}
	for _, table := range rules.TouchedTables {
		maps.Copy(e.Left.Of(table), touched.Of(table))
	}
}

// Books returns the books of the transaction under way.
func (e *Env) Books() *rules.Books { return e.books }

// Rows returns all rows of a table in no order.
func (e *Env) Rows(table string) []*query.Row {
	var out []*query.Row
	for _, r := range e.rows[e.Table(table)] {
		out = append(out, r)
	}
	return out
}

// Side returns all rows of a hidden table with a composite key, in no order.
func (e *Env) Side(table string) []*query.Row {
	var out []*query.Row
	for _, r := range e.side[e.Table(table)] {
		out = append(out, r)
	}
	return out
}

// NewID makes a random id.
func (e *Env) NewID() value.GUID {
	var g value.GUID
	binary.BigEndian.PutUint64(g[:], e.random.Uint64())
	binary.BigEndian.PutUint64(g[8:], e.random.Uint64())
	return g
}

// Now returns the clock.
func (e *Env) Now() int64 { return e.Clock }

// Model returns the schema.
func (e *Env) Model() *schema.Model { return e.model }

// Settings returns the settings in force.
func (e *Env) Settings() *settings.Settings { return e.Config }

// Warn keeps a warning.
func (e *Env) Warn(text string) { e.Warnings = append(e.Warnings, text) }

// NextNumber draws from a counter.
func (e *Env) NextNumber(counter string) (int64, error) {
	e.Calls++
	e.counters[counter]++
	e.undo = append(e.undo, func() { e.counters[counter]-- })
	return e.counters[counter], nil
}

// ParseListQuery takes any query that names the member table.
func (e *Env) ParseListQuery(fetch string, member *schema.Table) error {
	if fetch != "<"+member.Name+"/>" {
		return fault.New(fault.FetchEntityMismatch, "The query %q is not on %s.", fetch, member.Name)
	}
	return nil
}

// Row returns a row; nil when there is none.
func (e *Env) Row(t *schema.Table, id value.GUID) (*query.Row, error) {
	e.Calls++
	return e.rows[t][id], nil
}

// Lock is Row: there is only one writer.
func (e *Env) Lock(t *schema.Table, id value.GUID) (*query.Row, error) { return e.Row(t, id) }

// LockAll locks nothing: there is only one writer.
func (e *Env) LockAll([]query.Key) error { return nil }

// BaseCurrency returns the row of the base currency; nil when there is none.
func (e *Env) BaseCurrency() (*query.Row, error) {
	t := e.Table("transactioncurrency")
	for _, r := range e.rows[t] {
		if r.Value("isocurrencycode").Text() == e.Config.BaseCurrency {
			return r, nil
		}
	}
	return nil, nil
}

// Derive changes columns the service keeps.
func (e *Env) Derive(t *schema.Table, id value.GUID, set []query.Assign) error {
	old := e.rows[t][id]
	if old == nil {
		return nil
	}
	row := old.Clone()
	visible := false
	for _, a := range set {
		visible = visible || !a.Column.Hidden && row.Get(a.Column) != a.Value
		row.Set(a.Column, a.Value)
	}
	if len(row.Diff(old)) == 0 {
		return nil
	}
	e.Calls++
	e.put(t, id, row)
	if visible {
		e.Touches[id]++
	}
	return nil
}

// Touch moves a row's version.
func (e *Env) Touch(t *schema.Table, id value.GUID) error {
	if e.rows[t][id] != nil {
		e.Touches[id]++
	}
	return nil
}

func (e *Env) put(t *schema.Table, id value.GUID, row *query.Row) {
	old := e.rows[t][id]
	e.undo = append(e.undo, func() { e.restore(t, id, old) })
	e.restore(t, id, row)
}

func (e *Env) restore(t *schema.Table, id value.GUID, row *query.Row) {
	if row == nil {
		delete(e.rows[t], id)
		return
	}
	e.rows[t][id] = row
}

// Add adds to the sums of a hidden table.
func (e *Env) Add(t *schema.Table, key, add []query.Assign) error {
	e.Calls++
	old := e.side[t][sideKey(key)]
	row := query.NewRow(t, value.GUID{})
	if old != nil {
		row = old.Clone()
	}
	for _, a := range key {
		row.Set(a.Column, a.Value)
	}
	for _, a := range add {
		row.Set(a.Column, value.Int(row.Get(a.Column).Int()+a.Value.Int()))
	}
	e.putSide(t, sideKey(key), row)
	return nil
}

// Put replaces a row of a hidden table.
func (e *Env) Put(t *schema.Table, set []query.Assign) error {
	e.Calls++
	row := query.NewRow(t, value.GUID{})
	var key []query.Assign
	for _, a := range set {
		row.Set(a.Column, a.Value)
	}
	for _, c := range t.Unique[0] {
		key = append(key, query.Assign{Column: c, Value: row.Get(c)})
	}
	e.putSide(t, sideKey(key), row)
	return nil
}

func (e *Env) putSide(t *schema.Table, key string, row *query.Row) {
	old := e.side[t][key]
	e.undo = append(e.undo, func() {
		if old == nil {
			delete(e.side[t], key)
		} else {
			e.side[t][key] = old
		}
	})
	e.side[t][key] = row
}

func sideKey(key []query.Assign) string {
	text := ""
	for _, a := range key {
		text += fmt.Sprintf("%s=%s;", a.Column.Name, a.Value)
	}
	return text
}
