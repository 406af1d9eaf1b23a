package seed

import (
	"context"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// rowsPerCommit is how many rows are written in one transaction.
const rowsPerCommit = 8_000

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
	shapes   map[*schema.Table][]bool
	pending  []record
	queue    chan []record
	finished chan struct{}
	written  func(rows int) // told after each commit
}

func newWriter(ctx context.Context, st store.Store, written func(int)) *writer {
	w := &writer{store: st, shapes: map[*schema.Table][]bool{}, queue: make(chan []record, 1), finished: make(chan struct{}), written: written}
	w.ctx, w.cancel = context.WithCancelCause(ctx)
	go w.run()
	return w
}

// add takes finished rows over.
func (w *writer) add(rows []*query.Row) error {
	for _, r := range rows {
		w.pending = append(w.pending, record{r.Table, r.ID, w.shaped(r)})
	}
	if len(w.pending) < rowsPerCommit {
		return nil
	}
	return w.send()
}

// shaped lists the columns to insert. Rows of one table mostly name the same columns, nulls among them, so that the database
// sees few different statements.
func (w *writer) shaped(r *query.Row) []query.Assign {
	shape := w.shapes[r.Table]
	if shape == nil {
		shape = make([]bool, len(r.Table.Columns))
		w.shapes[r.Table] = shape
	}
	version := r.Table.Column("versionnumber")
	set := make([]query.Assign, 0, len(shape))
	for i, c := range r.Table.Columns {
		v := r.Get(c)
		shape[i] = shape[i] || !v.IsNull() && c.Stored()
		if shape[i] && c != version {
			set = append(set, query.Assign{Column: c, Value: v})
		}
	}
	if version != nil {
		set = append(set, query.Assign{Column: version})
	}
	return slices.Clip(set)
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
		if w.ctx.Err() != nil {
			continue
		}
		err := w.store.Bulk(w.ctx, func(tx store.Tx) error { return insert(w.ctx, tx, records) })
		if err != nil {
			w.cancel(err)
			continue
		}
		w.written(len(records))
	}
}

func insert(ctx context.Context, tx store.Tx, records []record) error {
	for _, r := range records {
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
