package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ddlChunk is the number of statements that change the schema together, in one transaction: few enough for the locks of a
// small server. Each is additive, so what a failure leaves is a step on the way.
const ddlChunk = 64

// exclusively runs fn on a connection of its own while no other process changes the schema.
func (s *Store) exclusively(ctx context.Context, fn func(*pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) // which also frees the lock
	lock := fmt.Sprintf("SET lock_timeout = 0; SELECT pg_advisory_lock(%d); RESET lock_timeout", s.schemaKey)
	if err := execScript(ctx, conn, lock); err != nil {
		return err
	}
	return fn(conn)
}

// setUp brings the database to where this program needs it.
func (s *Store) setUp(ctx context.Context) error {
	return s.exclusively(ctx, func(conn *pgx.Conn) error {
		fresh, err := s.openMeta(ctx, conn)
		if err != nil {
			return err
		}
		if fresh || !s.options.KeepSchema {
			if err := s.migrate(ctx, conn); err != nil {
				return err
			}
		}
		if zone := s.options.Calendar.Zone; shifting(zone) {
			return storeShifts(ctx, conn, zone)
		}
		return nil
	})
}

// Pending implements store.Store.
func (s *Store) Pending(ctx context.Context) (missing []string, err error) {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, translate(ctx, err)
	}
	defer conn.Release()
	present, err := inspect(ctx, conn.Conn())
	if err != nil {
		return nil, translate(ctx, err)
	}
	return present.missing(s.objects), nil
}

// Migrate implements store.Store.
func (s *Store) Migrate(ctx context.Context) error {
	err := s.exclusively(ctx, func(conn *pgx.Conn) error { return s.migrate(ctx, conn) })
	return translate(ctx, err)
}

// migrate adds what the model needs and the database lacks, names the columns the model knows no more (they stay), and renews
// the folds of texts when their rules have changed.
func (s *Store) migrate(ctx context.Context, conn *pgx.Conn) error {
	present, err := inspect(ctx, conn)
	if err != nil {
		return err
	}
	missing := present.missing(s.objects)
	for chunk := range slices.Chunk(missing, ddlChunk) {
		if err := execScript(ctx, conn, strings.Join(chunk, ";\n")); err != nil {
			return fmt.Errorf("postgres: change the schema: %w", err)
		}
	}
	if len(missing) > 0 {
		s.log.Info("schema changed", "statements", len(missing))
	}
	for _, name := range present.leftovers(s.objects) {
		s.log.Warn("a column is not in the model any more; its values are kept", "column", name)
	}
	return s.refold(ctx, conn)
}

// execScript runs statements without parameters as one transaction.
func execScript(ctx context.Context, conn *pgx.Conn, script string) error {
	_, err := conn.PgConn().Exec(ctx, script).ReadAll()
	return err
}
