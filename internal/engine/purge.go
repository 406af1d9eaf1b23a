package engine

import (
	"context"
	"slices"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// purgeBatch is how many rows one transaction of the purge looks at.
const purgeBatch = 1000

// purgeDelay is how much longer than promised lines of the change log stay: a line is dated by the beginning of its request, and a token
// taken meanwhile is younger than the line it still has to see.
const purgeDelay = time.Hour

// purged is how far the purge of this process has come in the change log, by key: for lines old enough for the audit to forget them, and
// for those no delta needs any more. The log is in order of time, so that old lines are at its beginning.
type purged struct{ audit, changes value.GUID }

// Purge ends what is kept for a time only: answers to repeatable requests, by the machine's clock, and lines of the change log, by the
// service's. A line that is shown as audit stays for the time of the audit, 0 being for ever; one that a delta may still need stays for
// the time of the changes, if need be no longer shown.
func (e *Engine) Purge(ctx context.Context) error {
	s, log := e.Settings(), e.columns.audit
	if err := e.purgeAnswers(ctx, machineNow()-seconds(s.RepeatRetention)); err != nil {
		return err
	}
	unneeded := e.Now() - seconds(s.ChangesRetention+purgeDelay)
	if s.AuditRetention > 0 {
		err := e.purgeLog(ctx, &e.purged.audit, e.Now()-seconds(s.AuditRetention), func(tx store.Tx, line *query.Row) error {
			switch {
			case line.Value("createdon").Int() < unneeded:
				return tx.Delete(ctx, log, line.ID)
			case line.Value("derived").Bool():
				return nil
			default:
				return conceal(ctx, tx, log, line.ID)
			}
		})
		if err != nil {
			return err
		}
	}
	return e.purgeLog(ctx, &e.purged.changes, unneeded, func(tx store.Tx, line *query.Row) error {
		if line.Value("derived").Bool() {
			return tx.Delete(ctx, log, line.ID)
		}
		return nil
	})
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// conceal takes a line of the change log out of the audit. It stays for deltas.
func conceal(ctx context.Context, tx store.Tx, log *schema.Table, id value.GUID) error {
	return tx.Update(ctx, log, id, []query.Assign{
		assign(log, "changedata", value.Null), assign(log, "attributemask", value.Null), assign(log, "derived", value.Bool(true)),
	})
}

// purgeAnswers removes the answers to repeatable requests stored before a moment.
func (e *Engine) purgeAnswers(ctx context.Context, before int64) error {
	t := e.model.Table("repeatability")
	for {
		root := &query.Link{Table: t}
		stored := query.Ref{Link: root, Column: t.MustColumn("createdon")}
		q := &query.Query{Root: root, Page: query.Page{Size: purgeBatch}}
		q.Where = query.Cond{Left: stored, Op: query.OpLt, Args: []query.Expr{query.Literal{Value: value.Time(before)}}}
		q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
		ids, err := readIDs(ctx, e.store, q)
		if err != nil || len(ids) == 0 {
			return err
		}
		err = e.store.Write(ctx, func(tx store.Tx) error {
			for _, id := range ids {
				if err := tx.Delete(ctx, t, id); err != nil {
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

// purgeLog walks on from where it stopped last, until it comes to lines none of which is older than a moment, and does end to those that
// are. The next walk begins behind the last of them that only old lines come before.
func (e *Engine) purgeLog(ctx context.Context, at *value.GUID, before int64, end func(store.Tx, *query.Row) error) error {
	for key, allOld := *at, true; ; {
		lines, err := e.logAfter(ctx, key)
		if err != nil {
			return err
		}
		old := slices.DeleteFunc(slices.Clone(lines), func(line *query.Row) bool { return line.Value("createdon").Int() >= before })
		if len(old) == 0 {
			return nil
		}
		err = e.store.Write(ctx, func(tx store.Tx) error {
			for _, line := range old {
				if err := end(tx, line); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		key = lines[len(lines)-1].ID
		if allOld = allOld && len(old) == len(lines); allOld {
			*at = key
		}
	}
}

// logAfter reads the lines of the change log behind a key.
func (e *Engine) logAfter(ctx context.Context, key value.GUID) ([]*query.Row, error) {
	t := e.columns.audit
	root := &query.Link{Table: t}
	cols := []*schema.Column{t.MustColumn("createdon"), t.MustColumn("derived")}
	q := &query.Query{Root: root, Page: query.Page{Size: purgeBatch, After: &query.Position{Values: []value.Value{value.ID(key)}}}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, append([]*schema.Column{t.Key}, cols...))}
	q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: t.Key}}}
	rows, err := e.store.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return query.ScanRows(t, cols, rows)
}
