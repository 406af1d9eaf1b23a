package engine

import (
	"context"
	"strconv"

	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/store"
	"almoner/internal/value"
)

// RecalcPending is the stored mark that derived values must be made anew, because a setting they depend on has changed.
const RecalcPending = "recalc.pending"

// settingsSpread is within how many seconds every process has taken over changed settings.
const settingsSpread = 3

// recalculate makes derived values anew when a changed setting asks for it, once every process works by the new settings. The mark is
// replaced by the moment it was seen, and taken away only if nobody has set it again meanwhile.
func (e *Engine) recalculate(ctx context.Context) error {
	stored, err := e.storedSettings(ctx)
	mark := stored[RecalcPending]
	if err != nil || mark == "" {
		return err
	}
	seen, err := strconv.ParseInt(mark, 10, 64)
	if err != nil {
		return e.own().Write(ctx, func(x *Tx) error { return x.storeSetting(RecalcPending, strconv.FormatInt(machineNow(), 10)) })
	}
	if machineNow()-seen < settingsSpread {
		return nil
	}
	e.log.Info("recalculating derived values")
	drifts := 0
	err = e.Recalc(ctx, rules.Recalculation{Drift: func(rules.Drift) error { drifts++; return nil }}, false)
	e.log.Info("recalculation ended", "changed", drifts, "error", err)
	if err != nil {
		return err
	}
	t := e.model.Table("setting")
	return e.own().Write(ctx, func(x *Tx) error {
		return x.store.Remove(x.ctx, t, []query.Assign{assign(t, "name", value.Text(RecalcPending)), assign(t, "value", value.Text(mark))})
	})
}

// Recalc makes every derived value anew from base rows, or only compares. While it does, others may write: values are compared in one
// snapshot, and those that differ are made anew a few rows at a time, under locks. unlogged is for a new database that nobody else
// uses: everything is made anew in one pass and one transaction, and no change is logged.
func (e *Engine) Recalc(ctx context.Context, how rules.Recalculation, unlogged bool) error {
	switch {
	case how.Check:
		return e.compare(ctx, how)
	case unlogged:
		s := e.own()
		s.Unlogged = true
		return s.Bulk(ctx, func(x *Tx) error { return rules.Recalc(env{x}, how) })
	}
	wrong := rules.NewTouched()
	note := func(d rules.Drift) error {
		wrong.Add(d.Parent.Table, d.Parent.ID)
		return nil
	}
	if err := e.compare(ctx, rules.Recalculation{Check: true, Only: how.Only, Progress: how.Progress, Drift: note}); err != nil {
		return err
	}
	return e.mend(ctx, wrong, how.Drift)
}

// compare holds derived values against base rows in one snapshot, and keeps nobody from writing.
func (e *Engine) compare(ctx context.Context, how rules.Recalculation) error {
	return e.store.View(ctx, func(r store.Reader) error { return rules.Recalc(lookout{ctx, e.own(), r}, how) })
}

// mend makes rows anew, a few in each transaction, and tells of what was wrong once it is mended.
func (e *Engine) mend(ctx context.Context, wrong rules.Touched, tell func(rules.Drift) error) error {
	for _, table := range wrong.Tables() {
		ids := wrong.Sorted(table)
		for len(ids) > 0 {
			some := ids[:min(len(ids), dirtyBatch)]
			ids = ids[len(some):]
			if err := e.mendSome(ctx, table, some, tell); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *Engine) mendSome(ctx context.Context, table string, ids []value.GUID, tell func(rules.Drift) error) error {
	parents := rules.NewTouched()
	for _, id := range ids {
		parents.Add(table, id)
	}
	var mended []rules.Drift
	err := e.own().Write(ctx, func(x *Tx) error {
		mended = nil
		return rules.Recompute(env{x}, parents, func(d rules.Drift) error { mended = append(mended, d); return nil })
	})
	if err != nil || tell == nil {
		return err
	}
	for _, d := range mended {
		if err := tell(d); err != nil {
			return err
		}
	}
	return nil
}

// RecomputeRow makes the derived values of one row anew, if its table has any.
func (e *Engine) RecomputeRow(ctx context.Context, table string, id value.GUID) error {
	if rules.NewTouched().Of(table) == nil {
		return nil
	}
	return e.mendSome(ctx, table, []value.GUID{id}, nil)
}
