package seed

import (
	"fmt"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// desk is where rows are made: each passes the rules as a client's create would, in memory, and leaves with its batch when the
// rules have settled it. The first error sticks; everything after it does nothing.
type desk struct {
	model        *schema.Model
	settings     *settings.Settings
	organization value.GUID
	ids          identities
	books        *rules.Books
	numbers      map[string]int64
	now          int64 // the moment of the row being made

	open     map[value.GUID]*query.Row // the batch, by key
	openRows map[*schema.Table][]*query.Row
	order    []*query.Row // the batch, in the order of creation

	kept     map[value.GUID]*query.Row // rows of earlier batches the rules still look at
	keptRows map[*schema.Table][]*query.Row
	remember func(value.GUID) *query.Row // what is known of rows too many to keep; nil: nothing

	deliver func([]*query.Row) error // takes a settled batch
	err     error
}

func newDesk(m *schema.Model, s *settings.Settings, organization value.GUID, seed uint64, deliver func([]*query.Row) error) *desk {
	d := &desk{
		model: m, settings: s, organization: organization, ids: identities{seed: scramble(seed)}, numbers: map[string]int64{},
		kept: map[value.GUID]*query.Row{}, keptRows: map[*schema.Table][]*query.Row{}, deliver: deliver,
	}
	d.clear()
	d.books = rules.NewBooks(env{d})
	return d
}

func (d *desk) clear() {
	d.open, d.openRows, d.order = map[value.GUID]*query.Row{}, map[*schema.Table][]*query.Row{}, nil
}

// draft is a row before the rules have seen it.
type draft struct {
	*query.Row
	sent map[*schema.Column]bool
}

// begin starts a row of a table, made at a moment.
func (d *desk) begin(table string, moment int64) *draft {
	t := d.model.Table(table)
	r := query.NewRow(t, d.ids.next(moment))
	for _, c := range t.Columns {
		r.Set(c, c.Default)
	}
	r.Set(t.Key, value.ID(r.ID))
	put := func(name string, v value.Value) {
		if c := t.Column(name); c != nil {
			r.Set(c, v)
		}
	}
	user := value.ID(auth.AdministratorUser)
	put("createdon", value.Time(moment))
	put("modifiedon", value.Time(moment))
	put("createdby", user)
	put("modifiedby", user)
	if t.Owner == schema.UserOwned {
		put("ownerid", value.Ref(auth.AdministratorUser, d.model.Table("systemuser").TypeCode))
		put("owninguser", user)
		put("owningbusinessunit", value.ID(auth.RootUnit))
	}
	if t.Owner == schema.OrganizationOwned {
		put("organizationid", value.ID(d.organization))
	}
	return &draft{Row: r, sent: map[*schema.Column]bool{}}
}

// put gives a column a value, as a client would send it; null leaves it out.
func (r *draft) put(name string, v value.Value) *draft {
	if !v.IsNull() {
		c := r.Table.MustColumn(name)
		r.Set(c, v)
		r.sent[c] = true
	}
	return r
}

// text puts a text, unless it is empty.
func (r *draft) text(name, s string) *draft {
	if s == "" {
		return r
	}
	return r.put(name, value.Text(s))
}

// money puts an amount of cents.
func (r *draft) money(name string, cents int64) *draft { return r.put(name, value.Money(cents)) }

// choice puts an option.
func (r *draft) choice(name string, option int64) *draft { return r.put(name, value.Int(option)) }

// flag puts a Boolean.
func (r *draft) flag(name string, yes bool) *draft { return r.put(name, value.Bool(yes)) }

// link puts a lookup with a single target, unless there is nothing to point at.
func (r *draft) link(name string, id value.GUID) *draft {
	if id.IsZero() {
		return r
	}
	return r.put(name, value.ID(id))
}

// date puts a calendar date, or its noon where the column is a moment.
func (r *draft) date(name string, day int64) *draft {
	if r.Table.MustColumn(name).Type == schema.TypeDate {
		return r.put(name, value.Date(day))
	}
	return r.put(name, value.Time(day*value.SecondsPerDay+12*3600))
}

// save passes a row through the rules and puts it into the batch.
func (d *desk) save(r *draft) *query.Row {
	if d.err != nil {
		return r.Row
	}
	d.now = r.Value("createdon").Int()
	w := &rules.Write{Kind: query.Create, New: r.Row, Sent: r.sent}
	if err := d.books.Before(w); err != nil {
		d.fail(r.Row, err)
		return r.Row
	}
	d.open[r.ID] = r.Row
	d.openRows[r.Table] = append(d.openRows[r.Table], r.Row)
	d.order = append(d.order, r.Row)
	if err := d.books.After(w); err != nil {
		d.fail(r.Row, err)
	}
	return r.Row
}

// keep is save for a row the rules will look at again in later batches.
func (d *desk) keep(r *draft) *query.Row {
	row := d.save(r)
	d.kept[row.ID] = row
	d.keptRows[row.Table] = append(d.keptRows[row.Table], row)
	return row
}

func (d *desk) fail(r *query.Row, err error) {
	if d.err == nil && err != nil {
		d.err = fmt.Errorf("seed: %s %s: %w", r.Table.Name, r.ID, err)
	}
}

// settle ends the batch: the rules bring its rows up to date with each other, and it is delivered.
func (d *desk) settle() error {
	if d.err != nil || len(d.order) == 0 {
		return d.err
	}
	if d.err = d.books.Settle(); d.err != nil {
		return d.err
	}
	d.err = d.deliver(d.order)
	d.clear()
	return d.err
}

// settleAfter ends the batch once it has so many rows.
func (d *desk) settleAfter(rows int) error {
	if len(d.order) < rows {
		return d.err
	}
	return d.settle()
}
