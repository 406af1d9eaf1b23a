package engine

import (
	"context"
	"time"

	"almoner/internal/query"
)

// logSlow logs a read that took longer than the setting log.slow_query, with its tree as almoner explain prints it, but for the
// constants: they may be people's names.
func (r *reader) logSlow(ctx context.Context, began time.Time, what string, q *query.Query) {
	took := time.Since(began)
	if limit := r.e.Settings().SlowQuery; limit == 0 || took < limit {
		return
	}
	r.e.log.WarnContext(ctx, "slow query", "what", what, "took", took.Round(time.Millisecond), "table", q.Root.Table.Name, "query", q.Shape())
}
