package auth

import (
	"context"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// revisionCounter is the row of the counter table that moves with every change of the security data.
const revisionCounter = "security"

// BumpSecurity marks, in the transaction that does it, a change of users, teams, business units, roles or privileges, so
// that every process forgets what it knew about callers.
func BumpSecurity(ctx context.Context, tx store.Tx, m *schema.Model) error {
	t := m.Table("counter")
	return tx.Add(ctx, t,
		[]query.Assign{{Column: t.MustColumn("name"), Value: value.Text(revisionCounter)}},
		[]query.Assign{{Column: t.MustColumn("value"), Value: value.Int(1)}})
}

// revision reads the counter; 0 while nothing was ever changed.
func revision(ctx context.Context, src store.Reader, m *schema.Model) (int64, error) {
	rows, err := findBy(ctx, src, m.Table("counter"), "name", value.Text(revisionCounter), "value")
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].Value("value").Int(), nil
}
