package engine

import (
	"context"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// purgeBatch is how many rows one transaction of the purge removes.
const purgeBatch = 1000

// purgeDelay is how much longer than promised lines of the change log stay: a line is dated by the beginning of its request, and a token
// taken meanwhile is younger than the line it still has to see.
const purgeDelay = time.Hour

// purge ends what is kept for a time only: answers to repeatable requests, by the machine's clock, and lines of the change log, by the
// service's.
func (e *Engine) purge(ctx context.Context) error {
	s := e.Settings()
	answers := e.model.Table("repeatability")
	if err := e.sweep(ctx, answers, olderThan(answers, machineNow(), s.RepeatRetention), remove(answers)); err != nil {
		return err
	}
	return e.purgeLog(ctx, s.ChangesRetention+purgeDelay, s.AuditRetention)
}

// purgeLog ends lines of the change log. One that is shown as audit stays for the time of the audit, 0 being for ever; one that a delta
// may still need stays for the time of the changes, if need be no longer shown.
func (e *Engine) purgeLog(ctx context.Context, changes, audit time.Duration) error {
	t := e.columns.audit
	if audit > 0 {
		if err := e.sweep(ctx, t, isDerived(t, false, olderThan(t, e.Now(), audit)), conceal(t)); err != nil {
			return err
		}
	}
	return e.sweep(ctx, t, isDerived(t, true, olderThan(t, e.Now(), changes)), remove(t))
}

// condition makes a filter on the rows of a link.
type condition func(*query.Link) query.Filter

func olderThan(t *schema.Table, now int64, age time.Duration) condition {
	before := query.Literal{Value: value.Time(now - int64(age/time.Second))}
	return func(l *query.Link) query.Filter {
		return query.Cond{Left: query.Ref{Link: l, Column: t.MustColumn("createdon")}, Op: query.OpLt, Args: []query.Expr{before}}
	}
}

func isDerived(audit *schema.Table, derived bool, and condition) condition {
	return func(l *query.Link) query.Filter {
		return query.AllOf(and(l), query.Equal(l, audit.MustColumn("derived"), value.Bool(derived)))
	}
}

// ending is what happens to a row whose time is over.
type ending func(ctx context.Context, tx store.Tx, id value.GUID) error

func remove(t *schema.Table) ending {
	return func(ctx context.Context, tx store.Tx, id value.GUID) error { return tx.Delete(ctx, t, id) }
}

// conceal takes a line of the change log out of the audit. It stays for deltas.
func conceal(audit *schema.Table) ending {
	return func(ctx context.Context, tx store.Tx, id value.GUID) error {
		return tx.Update(ctx, audit, id, []query.Assign{
			assign(audit, "changedata", value.Null), assign(audit, "attributemask", value.Null), assign(audit, "derived", value.Bool(true)),
		})
	}
}

// sweep ends the rows of a table that meet a condition, a batch to a transaction.
func (e *Engine) sweep(ctx context.Context, t *schema.Table, over condition, end ending) error {
	for {
		root := &query.Link{Table: t}
		q := &query.Query{Root: root, Where: over(root), Page: query.Page{Size: purgeBatch}}
		q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
		ids, err := readIDs(ctx, e.store, q)
		if err != nil || len(ids) == 0 {
			return err
		}
		err = e.store.Write(ctx, func(tx store.Tx) error {
			for _, id := range ids {
				if err := end(ctx, tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}
