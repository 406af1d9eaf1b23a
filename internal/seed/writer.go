package seed

import (
	"context"
	"errors"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// How many rows travel to the writer together, and how many such parcels are written in one transaction: the larger it is, the
// less often the same pages of indexes are written.
const (
	parcelRows       = 4_000
	parcelsPerCommit = 64
)

// errRepeated is returned when the database wants a transaction to be run again whose rows are gone.
var errRepeated = errors.New("seed: somebody else wrote to the database meanwhile")

// record is a finished row on its way into the database.
type record struct {
	table *schema.Table
	id    value.GUID
	set   []query.Assign // the last one, if the table has versions, is the version still to be drawn
}

// writer puts finished rows into the database, in another goroutine than the one that makes them and never more than a few
// transactions behind it.
type writer struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	store    store.Store
	outlines map[kin]*outline
	pending  []record
	queue    chan []record
	finished chan struct{}
	written  func(rows int) // told after each parcel
}

func newWriter(ctx context.Context, st store.Store, written func(int)) *writer {
	w := &writer{store: st, outlines: map[kin]*outline{}, queue: make(chan []record, 1), finished: make(chan struct{}), written: written}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	go w.run()
	return w
}

// add takes finished rows over.
func (w *writer) add(rows []*query.Row) error {
	for _, r := range rows {
		w.pending = append(w.pending, record{r.Table, r.ID, w.outlined(r)})
	}
	if len(w.pending) < parcelRows {
		return nil
	}
	return w.send()
}

// outline is the columns that rows alike have had values in so far. Rows are alike when they are of one table and have about as
// many values: the few gifts with a dozen splits do not make all others carry their empty columns.
type outline struct {
	has     []bool // by index of the column
	columns []*schema.Column
}

// kin names the rows that share an outline.
type kin struct {
	table *schema.Table
	width int
}

const kinWidth = 16 // values more make a row of other kin

// outlined lists the columns to insert. Rows alike name the same columns, nulls among them, so that the database sees few
// different statements.
func (w *writer) outlined(r *query.Row) []query.Assign {
	version := r.Table.Column("versionnumber")
	o := w.outline(r)
	for i, c := range r.Table.Columns {
		if !o.has[i] && c.Stored() && c != version && !r.Get(c).IsNull() {
			o.has[i] = true
			o.columns = append(o.columns, c)
		}
	}
	set := make([]query.Assign, 0, len(o.columns)+1)
	for _, c := range o.columns {
		set = append(set, query.Assign{Column: c, Value: r.Get(c)})
	}
	if version != nil {
		set = append(set, query.Assign{Column: version})
	}
	return set
}

// outline returns the outline of a row's kin.
func (w *writer) outline(r *query.Row) *outline {
	values := 0
	for _, c := range r.Table.Columns {
		if !r.Get(c).IsNull() {
			values++
		}
	}
	k := kin{r.Table, values / kinWidth}
	o := w.outlines[k]
	if o == nil {
		o = &outline{has: make([]bool, len(r.Table.Columns))}
		w.outlines[k] = o
	}
	return o
}

func (w *writer) send() error {
	select {
	case w.queue <- w.pending:
		w.pending = nil
		return nil
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	}
}

// close writes what is left and waits until everything is in the database.
func (w *writer) close() error {
	err := w.send()
	close(w.queue)
	<-w.finished
	if cause := context.Cause(w.ctx); cause != nil {
		err = cause
	}
	w.cancel(nil)
	return err
}

// abandon stops writing.
func (w *writer) abandon(err error) {
	w.cancel(err)
	close(w.queue)
	<-w.finished
}

func (w *writer) run() {
	defer close(w.finished)
	for records := range w.queue {
		if err := w.commit(records); err != nil {
			w.cancel(err)
			break
		}
	}
	for range w.queue { // let go whoever still sends
	}
}

// commit writes a parcel and those that follow it in one transaction.
func (w *writer) commit(first []record) error {
	begun := false
	return w.store.Bulk(w.ctx, func(tx store.Tx) error {
		if begun {
			return errRepeated
		}
		begun = true
		records, more := first, true
		for n := 1; more; n++ {
			if err := insert(w.ctx, tx, records); err != nil {
				return err
			}
			w.written(len(records))
			if n == parcelsPerCommit {
				return nil
			}
			records, more = <-w.queue
		}
		return w.ctx.Err()
	})
}

func insert(ctx context.Context, tx store.Tx, records []record) error {
	for i := range records {
		r := &records[i]
		if last := &r.set[len(r.set)-1]; last.Column.Name == "versionnumber" {
			version, err := tx.NextVersion(ctx)
			if err != nil {
				return err
			}
			last.Value = value.Int(version)
		}
		if err := tx.Insert(ctx, r.table, r.id, r.set); err != nil {
			return err
		}
	}
	return nil
}
