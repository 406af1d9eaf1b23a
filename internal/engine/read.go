package engine

import (
	"context"
	"slices"
	"time"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// MaxPage is the most rows one answer holds.
const MaxPage = 5000

// reader answers queries for one caller at one moment, from the store or from inside a transaction.
type reader struct {
	e      *Engine
	caller *auth.Caller
	now    int64
	source store.Reader
}

// Page is one page of a result while its rows are being read.
type Page struct {
	Plan     *Plan
	Rows     query.Rows // parent rows; one more than Limit when there are more
	Limit    int
	Children map[*query.Expand]*Children
}

// Prepare runs the passes over a bound query: privileges, caller and clock, order and page; then lays out its cells. The query
// is changed in place and belongs to the plan from then on.
func (r *reader) Prepare(q *query.Query) (*Plan, error) {
	if err := r.narrow(q); err != nil {
		return nil, err
	}
	stabilize(q)
	return checkedPlan(q)
}

// narrow makes a bound query say what it means for this caller at this moment: what they may read of it, and values in place of caller
// and clock.
func (r *reader) narrow(q *query.Query) error {
	if err := auth.Secure(r.caller, q); err != nil {
		return err
	}
	hideDerived(q, r.e.columns.audit)
	return query.Resolve(q, r.e.resolveContext(r.caller, r.now))
}

// stabilize appends the key, ascending, as the last sort value, here and in every expanded collection, so that pages never lose or repeat a row.
func stabilize(q *query.Query) {
	eachMany(&q.Select, stabilize)
	if q.Grouped || q.Distinct || q.Root.Table.Key == nil {
		return
	}
	key := query.Ref{Link: q.Root, Column: q.Root.Table.Key}
	if slices.ContainsFunc(q.Order, func(o query.Order) bool { return o.Expr == query.Expr(key) }) {
		return
	}
	q.Order = append(q.Order, query.Order{Expr: key})
}

func eachMany(n *query.Node, do func(*query.Query)) {
	for _, e := range n.Expands {
		for _, one := range e.One {
			eachMany(one, do)
		}
		if e.Many != nil {
			do(e.Many)
		}
	}
}

// Read runs a prepared query and hands its page to fn while the cursor is open. limit is the number of rows fn may put out; one
// more is read to know whether there are more.
func (r *reader) Read(ctx context.Context, plan *Plan, limit int, fn func(*Page) error) error {
	defer r.logSlow(ctx, time.Now(), "read", plan.Query)
	if limit > 0 {
		plan.Query.Page.Size = limit + 1
	}
	if err := r.settleBefore(ctx, plan.Query); err != nil {
		return err
	}
	if !plan.Root.hasMany() {
		return r.stream(ctx, plan, limit, fn)
	}
	return r.snapshot(ctx, func(source store.Reader) error {
		page, err := r.spoolPage(ctx, source, plan, limit)
		if err != nil {
			return err
		}
		defer page.Rows.Close()
		return fn(page)
	})
}

func (r *reader) stream(ctx context.Context, plan *Plan, limit int, fn func(*Page) error) error {
	rows, err := r.source.Read(ctx, plan.Query)
	if err != nil {
		return err
	}
	defer rows.Close()
	return fn(&Page{Plan: plan, Rows: plan.shown(rows), Limit: limit})
}

// snapshot runs fn with a reader all of whose reads see the same rows.
func (r *reader) snapshot(ctx context.Context, fn func(store.Reader) error) error {
	if s, ok := r.source.(store.Store); ok {
		return s.View(ctx, fn)
	}
	return fn(r.source)
}

// spoolPage reads parent rows and then all of their children, by one statement per expanded collection and dynamic list.
func (r *reader) spoolPage(ctx context.Context, source store.Reader, plan *Plan, limit int) (*Page, error) {
	rows, err := source.Read(ctx, plan.Query)
	if err != nil {
		return nil, err
	}
	spool := query.NewSpool(plan.cells)
	_, err = spool.Fill(plan.shown(rows), 0)
	rows.Close()
	if err != nil {
		return nil, err
	}
	page := &Page{Plan: plan, Rows: spool, Limit: limit}
	page.Children, err = r.children(ctx, source, plan.Root, spool, limit)
	spool.Seek(0)
	return page, err
}

// Count returns how many rows a prepared query matches, whatever its page.
func (r *reader) Count(ctx context.Context, plan *Plan) (int64, error) {
	return r.count(ctx, plan.Query)
}

// count counts the rows a query matches, by totals that are up to date.
func (r *reader) count(ctx context.Context, q *query.Query) (int64, error) {
	defer r.logSlow(ctx, time.Now(), "count", q)
	if err := r.settleBefore(ctx, q); err != nil {
		return 0, err
	}
	return r.source.Count(ctx, q)
}

// Find checks that a row exists and that the caller may read it, and returns it with all stored columns: 404 when it is not
// there, 403 when it is but may not be seen (decision 14).
func (r *reader) Find(ctx context.Context, t *schema.Table, id value.GUID) (*query.Row, error) {
	if err := auth.Require(r.caller, t, auth.Read); err != nil {
		return nil, err
	}
	row, err := r.source.Get(ctx, t, id, nil)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, r.missing(t, id)
	}
	return row, r.allowed(ctx, row, auth.Read)
}

// missing says that a row is not there: as a write says it inside a transaction, as a read does outside.
func (r *reader) missing(t *schema.Table, id value.GUID) error {
	if _, outside := r.source.(store.Store); outside {
		return fault.NothingToRead(t.Name, id.String())
	}
	return fault.NotFound(t.Name, id.String())
}

// allowed refuses a right on a row that the caller holds, but not for this row.
func (r *reader) allowed(ctx context.Context, row *query.Row, right auth.Right) error {
	return auth.RowAccess(ctx, r.source, r.e.model, r.caller, row, right)
}

// CountSource returns how many rows a prepared grouped query reads, before they are grouped.
func (r *reader) CountSource(ctx context.Context, plan *Plan) (int64, error) {
	q := plan.Query
	plain := &query.Query{Root: q.Root, Links: q.Links, Where: q.Where}
	plain.Select = query.Node{Link: q.Root, Outputs: query.Refs(q.Root, []*schema.Column{q.Root.Table.Key})}
	return r.count(ctx, plain)
}
