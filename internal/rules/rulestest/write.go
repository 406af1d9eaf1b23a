package rulestest

import (
	"fmt"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Cells are column values by name, as a client would send them: int64 and int are whole numbers, float64 is not used, money
// is Cents, a row is its id.
type Cells map[string]any

// Cents is an amount of money in minor units.
type Cents int64

// Day is a calendar date written as 2026-01-31.
type Day string

// Assigns binds cells to the columns of a table.
func (e *Env) Assigns(t *schema.Table, cells Cells) []query.Assign {
	var out []query.Assign
	for _, c := range t.Columns { // in the order of columns, so that a run can be repeated
		if v, ok := cells[c.Name]; ok {
			out = append(out, query.Assign{Column: c, Value: cell(c, v)})
		}
	}
	if len(out) != len(cells) {
		panic(fmt.Sprintf("rulestest: %s lacks a column of %v", t.Name, cells))
	}
	return out
}

func cell(c *schema.Column, v any) value.Value {
	switch v := v.(type) {
	case nil:
		return value.Null
	case value.Value:
		return v
	case Cents:
		return value.Money(int64(v))
	case int:
		return number(c, int64(v))
	case int64:
		return number(c, v)
	case float64:
		return value.Float(v)
	case bool:
		return value.Bool(v)
	case string:
		return value.Text(v)
	case Day:
		return day(c, v)
	case value.GUID:
		return value.ID(v)
	default:
		panic(fmt.Sprintf("rulestest: %s cannot hold %v", c.Name, v))
	}
}

func number(c *schema.Column, n int64) value.Value {
	if c.Type == schema.TypeDecimal {
		return value.Decimal(n, c.Scale)
	}
	return value.Int(n)
}

func day(c *schema.Column, d Day) value.Value {
	days, err := value.ParseDate(string(d))
	if err != nil {
		panic(err)
	}
	if c.Type == schema.TypeDate {
		return value.Date(days)
	}
	return value.Time(days * value.SecondsPerDay)
}

// Create makes a row as the service does.
func (e *Env) Create(t *schema.Table, set []query.Assign) (value.GUID, error) {
	return e.create(t, e.NewID(), set, true)
}

// Update changes a row as the service does.
func (e *Env) Update(t *schema.Table, id value.GUID, set []query.Assign) error {
	return e.update(t, id, set, true)
}

// Delete removes a row with what goes along.
func (e *Env) Delete(t *schema.Table, id value.GUID) error {
	old := e.rows[t][id]
	if old == nil {
		return fault.NotFound(t.Name, id.String())
	}
	w := &rules.Write{Kind: query.Delete, Old: old}
	if err := e.books.Before(w); err != nil {
		return err
	}
	if err := e.release(t, id); err != nil {
		return err
	}
	e.put(t, id, nil)
	return e.books.After(w)
}

// ClientCreate makes a row in a transaction of its own.
func (e *Env) ClientCreate(table string, cells Cells) (id value.GUID, err error) {
	t := e.Table(table)
	err = e.Write(func() error {
		id, err = e.create(t, e.NewID(), e.Assigns(t, cells), false)
		return err
	})
	return id, err
}

// ClientUpdate changes a row in a transaction of its own.
func (e *Env) ClientUpdate(table string, id value.GUID, cells Cells) error {
	t := e.Table(table)
	return e.Write(func() error { return e.update(t, id, e.Assigns(t, cells), false) })
}

// ClientDelete removes a row in a transaction of its own.
func (e *Env) ClientDelete(table string, id value.GUID) error {
	return e.Write(func() error { return e.Delete(e.Table(table), id) })
}

// Must returns a row that is there.
func (e *Env) Must(table string, id value.GUID) *query.Row {
	r := e.rows[e.Table(table)][id]
	if r == nil {
		panic("rulestest: no " + table + " " + id.String())
	}
	return r
}

func (e *Env) create(t *schema.Table, id value.GUID, set []query.Assign, system bool) (value.GUID, error) {
	row := query.NewRow(t, id)
	for _, c := range t.Columns {
		row.Set(c, c.Default)
	}
	row.Set(t.Key, value.ID(id))
	for _, name := range []string{"createdon", "modifiedon"} {
		if t.Column(name) != nil {
			row.Put(name, value.Time(e.Clock))
		}
	}
	w := &rules.Write{Kind: query.Create, New: row, System: system, Sent: map[*schema.Column]bool{}}
	apply(w, set)
	if err := e.books.Before(w); err != nil {
		return id, err
	}
	e.put(t, id, w.New)
	e.Touches[id]++
	return id, e.books.After(w)
}

func (e *Env) update(t *schema.Table, id value.GUID, set []query.Assign, system bool) error {
	old := e.rows[t][id]
	if old == nil {
		return fault.NotFound(t.Name, id.String())
	}
	w := &rules.Write{Kind: query.Update, Old: old, New: old.Clone(), System: system, Sent: map[*schema.Column]bool{}}
	apply(w, set)
	if err := e.books.Before(w); err != nil {
		return err
	}
	if len(w.New.Diff(old)) == 0 {
		return nil
	}
	if t.Column("modifiedon") != nil {
		w.New.Put("modifiedon", value.Time(e.Clock))
	}
	e.put(t, id, w.New)
	e.Touches[id]++
	return e.books.After(w)
}

func apply(w *rules.Write, set []query.Assign) {
	for _, a := range set {
		w.Sent[a.Column] = true
		w.New.Set(a.Column, a.Value)
	}
}

// release refuses, removes or unlinks the rows that point at one about to go.
func (e *Env) release(t *schema.Table, id value.GUID) error {
	for _, action := range []schema.OnDelete{schema.Restrict, schema.Cascade, schema.RemoveLink} {
		for _, rel := range t.Childs {
			if rel.System || rel.OnDelete != action || rel.Child.Key == nil {
				continue
			}
			if err := e.releaseChildren(rel, id); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Env) releaseChildren(rel *schema.Relation, id value.GUID) error {
	for _, child := range sortedRows(e.rows[rel.Child]) {
		if child.Get(rel.Column).ID() != id || child.Get(rel.Column).IsNull() {
			continue
		}
		var err error
		switch rel.OnDelete {
		case schema.Restrict:
			err = fault.New(fault.CannotDeleteAssociated, "%s %s refers to it", rel.Child.Name, child.ID)
		case schema.Cascade:
			err = e.Delete(rel.Child, child.ID)
		case schema.RemoveLink:
			err = e.Derive(rel.Child, child.ID, []query.Assign{{Column: rel.Column, Value: value.Null}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
