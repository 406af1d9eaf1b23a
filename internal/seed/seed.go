// Package seed fills an empty database with a sample foundation: ten years of donors, gifts, pledges, grants and lists that look
// like a real one's. The same arguments give the same rows, keys included, on every store.
//
// Rows are made in memory in small batches, in order of time, and pass the same rules as a client's; finished batches are written
// beside the making of the next. Totals of donors and funds are left to a recalculation at the end.
package seed

import (
	"context"
	"errors"
	"fmt"

	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Options say which sample is made.
type Options struct {
	Size     Size
	Seed     uint64
	AsOf     int64                   // the day all dates hang on, in days since 1970; the history ends the day before
	Progress func(done, total int64) // told now and then how far it is; may be nil
}

// ErrNotEmpty is returned for a database that holds business rows already.
var ErrNotEmpty = errors.New("the database is not empty; a sample is made in an empty one only")

// historyDays is how far back the sample goes.
const historyDays = 3652

// batchRows is about how many rows are made before they are settled and handed on.
const batchRows = 600

// foundation is the sample being made.
type foundation struct {
	*desk
	references
	people
	size        Size
	dice        dice
	first, last int64 // days of the history
	base        *query.Row

	donors    []donor
	funds     []fund
	openFunds []fund
	branches  []value.GUID
	fundNames map[string]int
	plan      []entry
	transfers []transfer
	recent    [recentGifts]matchable
	turn      int // one-off gifts that may be matched, so far
	rowTurn   int // request payments so far
	needTurn  int // requirements so far
}

// Fill makes the sample. When it fails half way, what has been written stays: the database is then of no use.
func Fill(ctx context.Context, e *engine.Engine, o Options) error {
	if err := refuseFilled(ctx, e); err != nil {
		return err
	}
	base, err := baseCurrency(ctx, e)
	if err != nil {
		return err
	}
	p := newProgress(o)
	w := newWriter(ctx, e.Store(), p.wrote)
	f := &foundation{
		desk: newDesk(e.Model(), e.Settings(), e.Organization(), o.Seed, w.add),
		size: o.Size, base: base, first: o.AsOf - historyDays, last: o.AsOf - 1,
	}
	f.index = map[value.GUID]int{}
	f.remember = f.recall
	if err := f.make(o.Seed); err != nil {
		w.abandon(err)
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	if err := advance(ctx, e.Store(), f.numbers); err != nil {
		return err
	}
	return e.Recalc(ctx, rules.Recalculation{Progress: p.recalculated}, true)
}

// make makes every part of the sample, in the order in which rows refer to each other.
func (f *foundation) make(seed uint64) error {
	steps := []struct {
		part uint64
		do   func() error
	}{
		{ofReferences, f.makeReferences}, {ofOthers, f.makeOthers}, {ofDonors, f.makeDonors}, {ofFunds, f.makeFunds},
		{ofPlan, func() error { f.makePlan(); return nil }}, {ofRequests, f.makeRequests}, {ofGifts, f.makeGifts},
		{ofOpportunities, f.makeOpportunities}, {ofLists, f.makeLists},
	}
	for _, step := range steps {
		f.dice = newDice(seed, step.part)
		if err := step.do(); err != nil {
			return err
		}
	}
	return nil
}

// moment returns a time of a working day.
func (f *foundation) moment(day int64) int64 {
	return day*value.SecondsPerDay + 8*3600 + int64(f.dice.IntN(7*3600))
}

// refuseFilled refuses a database with any business row.
func refuseFilled(ctx context.Context, e *engine.Engine) error {
	for _, t := range e.Model().Tables {
		if t.Hidden || t.Platform || t.Key == nil {
			continue
		}
		root := &query.Link{Table: t}
		q := &query.Query{Root: root, Page: query.Page{Size: 1}}
		q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
		rows, err := e.Store().Read(ctx, q)
		if err != nil {
			return err
		}
		found := rows.Next()
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
		if found {
			return fmt.Errorf("%w: it has rows in %s", ErrNotEmpty, t.Name)
		}
	}
	return nil
}

// baseCurrency reads the currency the database was made with.
func baseCurrency(ctx context.Context, e *engine.Engine) (*query.Row, error) {
	t := e.Model().Table("transactioncurrency")
	root := &query.Link{Table: t}
	q := &query.Query{Root: root, Where: query.Equal(root, t.MustColumn("isocurrencycode"), value.Text(e.Settings().BaseCurrency))}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
	rows, err := e.Store().Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, errors.Join(rows.Err(), fmt.Errorf("the database has no currency %s", e.Settings().BaseCurrency))
	}
	id := value.GUID(rows.Bytes(0))
	rows.Close()
	return e.Store().Get(ctx, t, id, nil)
}

// advance draws from the counters of the database what the sample has used of them.
func advance(ctx context.Context, st store.Store, numbers map[string]int64) error {
	return st.Bulk(ctx, func(tx store.Tx) error {
		for counter, last := range numbers {
			for n := int64(0); n < last; {
				var err error
				if n, err = tx.NextNumber(ctx, counter); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
