package engine

import (
	"context"
	"time"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/value"
)

// own is a session of the service itself.
func (e *Engine) own() *Session { return e.Session(auth.System(e.model, e.organization)) }

// Run does what must happen beside the requests, until ctx ends: settings changed elsewhere, recalculation, the turn of the giving
// year, counts of dynamic lists, and the end of what is kept for a time only.
func (e *Engine) Run(ctx context.Context) {
	jobs := []struct {
		name  string
		every time.Duration
		do    func(context.Context) error
	}{
		{"settings", time.Second, e.reloadSettings},
		{"recalculation", 2 * time.Second, e.recalculate},
		{"deferred totals", time.Second, e.watchDeferred},
		{"giving year", 2 * time.Second, e.turnYear},
		{"list counts", 5 * time.Second, e.countLists},
		{"quarter", 2 * time.Second, e.keepQuarter},
		{"purge", 10 * time.Minute, e.Purge},
	}
	next := make([]time.Time, len(jobs))
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		for i, job := range jobs {
			if now := time.Now(); now.After(next[i]) {
				next[i] = now.Add(job.every)
				if err := job.do(ctx); err != nil && ctx.Err() == nil {
					e.log.Error("background job failed", "job", job.name, "error", err)
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// reloadSettings takes over business settings that another process has stored.
func (e *Engine) reloadSettings(ctx context.Context) error {
	e.ForgetCurrencies()
	stored, err := e.storedSettings(ctx)
	if err != nil {
		return err
	}
	old := e.Settings()
	fresh := old.Clone()
	for _, name := range settings.Business() {
		text, ok := stored[name]
		if !ok {
			text = settings.DefaultText(name)
		}
		if text == old.Get(name) {
			continue
		}
		if err := fresh.Set(name, text); err != nil {
			return err
		}
	}
	if len(settings.Diff(old, fresh)) == 0 {
		return nil
	}
	e.SetSettings(fresh)
	if c, ok := e.store.(interface {
		SetCalendar(context.Context, query.Calendar) error
	}); ok {
		return c.SetCalendar(ctx, query.Calendar{Zone: fresh.Location(), StartMonth: fresh.YearStartMonth})
	}
	return nil
}

// countLists counts dynamic lists whose count is older than the setting allows.
func (e *Engine) countLists(ctx context.Context) error {
	lists, err := e.staleLists(ctx, e.Now()-int64(e.Settings().ListCountTTL/time.Second), 20)
	if err != nil {
		return err
	}
	for _, id := range lists {
		if err := e.CountMembers(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// storedSettings reads the settings table.
func (e *Engine) storedSettings(ctx context.Context) (map[string]string, error) {
	t := e.model.Table("setting")
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.MustColumn("name"), t.MustColumn("value")})}
	rows, err := e.store.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		out[string(rows.Bytes(0))] = string(rows.Bytes(1))
	}
	return out, rows.Err()
}

func (x *Tx) storeSetting(name, text string) error {
	t := x.e.model.Table("setting")
	v := value.Text(text)
	if text == "" {
		v = value.Null
	}
	return x.store.Put(x.ctx, t, []query.Assign{assign(t, "name", value.Text(name)), assign(t, "value", v)})
}
