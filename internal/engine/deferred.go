package engine

import (
	"context"
	"sync"
	"sync/atomic"

	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Totals may be left to a later recalculation (Prefer: rollups=deferred). The parents a write left out of date are marked in the table
// dirty, in its transaction. They are made anew when no more marks arrive, or before anybody reads totals: at once in the process that
// made the marks, within a second in the others.

// deferral is what a process knows of marks.
type deferral struct {
	one     sync.Mutex   // held while marks are worked off
	marked  atomic.Int64 // grows when marks are made or seen
	settled atomic.Int64 // value of marked up to which everything has been worked off

	waiting    atomic.Int64
	recomputed atomic.Int64
}

// DeferredParents tells how many rows wait for their totals to be made anew, as far as this process knows, and for how many it has done
// so since it started.
func (e *Engine) DeferredParents() (waiting, recomputed int64) {
	return e.deferral.waiting.Load(), e.deferral.recomputed.Load()
}

// markDirty marks parents whose totals the transaction leaves out of date, in the order in which they are locked elsewhere.
func (x *Tx) markDirty(parents rules.Touched) error {
	t := x.e.columns.dirty
	for _, name := range rules.TouchedTables {
		code := value.Int(int64(x.e.model.Table(name).TypeCode))
		for _, id := range parents.Sorted(name) {
			err := x.store.Put(x.ctx, t, []query.Assign{
				assign(t, "kind", code), assign(t, "parent", value.ID(id)),
				assign(t, "stamp", value.ID(x.id)), assign(t, "since", value.Time(machineNow())),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// settleBefore makes deferred totals anew before a query over them is answered.
func (r *reader) settleBefore(ctx context.Context, q *query.Query) error {
	d := &r.e.deferral
	if d.settled.Load() >= d.marked.Load() || !showsTotals(q) {
		return nil
	}
	return r.settle(ctx)
}

// settle makes deferred totals anew. Inside a transaction there is nothing to wait for. Totals that cannot be made do not keep anybody
// from reading: they stay marked.
func (r *reader) settle(ctx context.Context) error {
	if _, ok := r.source.(store.Store); !ok {
		return nil
	}
	if err := r.e.settleDeferred(ctx); err != nil && ctx.Err() == nil {
		r.e.log.Error("deferred totals cannot be made", "error", err)
	}
	return ctx.Err()
}

// settleDeferred works off all marks there are when it begins. Those who come while it runs wait for it.
func (e *Engine) settleDeferred(ctx context.Context) error {
	d := &e.deferral
	if d.settled.Load() >= d.marked.Load() {
		return nil
	}
	d.one.Lock()
	defer d.one.Unlock()
	target := d.marked.Load()
	if d.settled.Load() >= target {
		return nil
	}
	if err := e.workOff(ctx); err != nil {
		return err
	}
	d.settled.Store(target)
	d.waiting.Store(0)
	return nil
}

// mark is a row of the table dirty.
type mark struct {
	kind          int64
	parent, stamp value.GUID
}

// dirtyBatch is how many parents one transaction makes anew.
const dirtyBatch = 100

// workOff goes through the marks once, some in each transaction.
func (e *Engine) workOff(ctx context.Context) error {
	return e.eachMarks(ctx, e.store, func(marks []mark) error {
		err := e.own().Write(ctx, func(x *Tx) error { return x.recompute(marks) })
		if err == nil {
			e.deferral.recomputed.Add(int64(len(marks)))
		}
		return err
	})
}

// eachMarks hands all marks on, some at a time.
func (e *Engine) eachMarks(ctx context.Context, from store.Reader, do func([]mark) error) error {
	var after *query.Position
	for {
		marks, err := e.readMarks(ctx, from, after)
		if err != nil || len(marks) == 0 {
			return err
		}
		if err := do(marks); err != nil {
			return err
		}
		last := marks[len(marks)-1]
		after = &query.Position{Values: []value.Value{value.Int(last.kind), value.ID(last.parent)}}
	}
}

// recompute makes the parents of some marks anew and takes the marks away, except those that were made again meanwhile.
func (x *Tx) recompute(marks []mark) error {
	parents := rules.NewTouched()
	for _, m := range marks {
		parents.Add(x.e.model.ByCode(int(m.kind)).Name, m.parent)
	}
	if err := rules.Recompute(env{x}, parents, nil); err != nil {
		return err
	}
	if err := x.flush(); err != nil {
		return err
	}
	t := x.e.columns.dirty
	for _, m := range marks {
		err := x.store.Remove(x.ctx, t, []query.Assign{
			assign(t, "kind", value.Int(m.kind)), assign(t, "parent", value.ID(m.parent)), assign(t, "stamp", value.ID(m.stamp)),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// settleMarks brings totals up to date inside a transaction that looks at them: with what it did itself, and with what others deferred.
func (x *Tx) settleMarks() error {
	if err := x.Settle(); err != nil {
		return err
	}
	d := &x.e.deferral
	if d.settled.Load() >= d.marked.Load() {
		return nil
	}
	return x.e.eachMarks(x.ctx, x.source, x.recompute)
}

// readMarks reads the next marks after a position.
func (e *Engine) readMarks(ctx context.Context, from store.Reader, after *query.Position) ([]mark, error) {
	t := e.columns.dirty
	root := &query.Link{Table: t}
	kind, parent := t.MustColumn("kind"), t.MustColumn("parent")
	q := &query.Query{Root: root, Page: query.Page{Size: dirtyBatch, After: after}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{kind, parent, t.MustColumn("stamp")})}
	q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: kind}}, {Expr: query.Ref{Link: root, Column: parent}}}
	rows, err := from.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []mark
	for rows.Next() {
		out = append(out, mark{rows.Int(0), value.GUID(rows.Bytes(1)), value.GUID(rows.Bytes(2))})
	}
	return out, rows.Err()
}

// Deferred totals are made anew when no mark was made for quietSeconds.
const quietSeconds = 3

// watchDeferred looks for marks, those of other processes too, and works them off at the end of a load.
func (e *Engine) watchDeferred(ctx context.Context) error {
	newest, err := e.newestMark(ctx)
	if err != nil || newest == 0 {
		return err
	}
	t := e.columns.dirty
	root := &query.Link{Table: t}
	waiting, err := e.store.Count(ctx, &query.Query{Root: root, Select: query.Node{Link: root}})
	if err != nil {
		return err
	}
	e.deferral.waiting.Store(waiting)
	e.deferral.marked.Add(1)
	if machineNow()-newest < quietSeconds {
		return nil
	}
	e.log.Info("making deferred totals anew", "rows", waiting)
	err = e.settleDeferred(ctx)
	e.log.Info("deferred totals are made", "rows", waiting, "error", err)
	return err
}

// newestMark returns when the newest mark was made; 0 when there is none.
func (e *Engine) newestMark(ctx context.Context) (int64, error) {
	t := e.columns.dirty
	root := &query.Link{Table: t}
	since := t.MustColumn("since")
	q := &query.Query{Root: root, Page: query.Page{Size: 1}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{since})}
	q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: since}, Desc: true}}
	rows, err := e.store.Read(ctx, q)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if !rows.Next() {
		return 0, rows.Err()
	}
	return rows.Int(0), rows.Err()
}

// totaled are the tables that show totals or what follows from them.
var totaled = map[string]bool{
	"svc_gift": true, "svc_giftpayment": true, "svc_request": true, "svc_donor": true, "svc_fund": true, "svc_fundgroup": true,
}

// showsTotals tells whether an answer to a query may depend on totals: it reads from a table that shows them, or from several tables.
func showsTotals(q *query.Query) bool {
	return totaled[q.Root.Table.Name] || len(q.Links) > 0 || len(q.Select.Expands) > 0 || looksElsewhere(q.Where)
}

// looksElsewhere tells whether a condition reads from other tables.
func looksElsewhere(f query.Filter) bool {
	switch f := f.(type) {
	case query.And:
		return anyElsewhere(f)
	case query.Or:
		return anyElsewhere(f)
	case query.Not:
		return looksElsewhere(f.Filter)
	case *query.Exists, *query.InQuery:
		return true
	default:
		return false
	}
}

func anyElsewhere(list []query.Filter) bool {
	for _, f := range list {
		if looksElsewhere(f) {
			return true
		}
	}
	return false
}
