package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Transactions that lock rows in different orders can block each other. PostgreSQL then ends one of them, after its deadlock_timeout. Were
// that one simply run again it would soon meet the next, so it runs alone: every write transaction passes a turnstile, an advisory lock
// that is shared by all but those who run alone. A large load does not pass it, so that nobody waits for its end.

// entry is how a transaction begins to write.
type entry uint8

const (
	beside  entry = iota // others write at the same time
	alone                // others wait
	loading              // a large load
)

// enter returns the statement that passes the turnstile and takes the change clock's shared lock, in this order: who waits at the
// turnstile does not hold the clock back.
func (s *Store) enter(how entry) (statement, bool) {
	switch {
	case s.clock.plain:
		return statement{}, false
	case how == loading:
		return statement{"SELECT pg_advisory_xact_lock_shared($1)", []any{s.clock.key}}, true
	case how == alone:
		return statement{"SELECT pg_advisory_xact_lock($1), pg_advisory_xact_lock_shared($2)", []any{s.turnKey, s.clock.key}}, true
	default:
		return statement{"SELECT pg_advisory_xact_lock_shared($1), pg_advisory_xact_lock_shared($2)", []any{s.turnKey, s.clock.key}}, true
	}
}

// noticeDeadlocks makes the server look for deadlocks of a connection early, where its role may ask for that; else the server's own
// time holds, a second by default.
func noticeDeadlocks(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "SELECT set_config('deadlock_timeout', '100ms', false)")
	if stateOf(err) == stateInsufficientPrivilege {
		return nil
	}
	return err
}
