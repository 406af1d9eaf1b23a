package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"almoner/internal/query"
	"almoner/internal/store/sqlgen"
)

// SetCalendar changes how days and years are cut from the next read on, after the settings it comes from have changed.
func (s *Store) SetCalendar(ctx context.Context, c query.Calendar) error {
	if shifting(c.Zone) {
		err := s.exclusively(ctx, func(conn *pgx.Conn) error { return storeShifts(ctx, conn, c.Zone) })
		if err != nil {
			return translate(ctx, err)
		}
	}
	s.calendar.Store(&c)
	return nil
}

// shifting tells whether groupings in a time zone look up its shifts. In UTC they do not, and the table stays as it is: a
// command that opens the database without a calendar must not disturb the service's.
func shifting(zone *time.Location) bool { return zone != nil && zone.String() != time.UTC.String() }

const sqlSameShifts = `SELECT coalesce(array_agg(since ORDER BY since) = $1 AND array_agg(shift ORDER BY since) = $2, false) FROM ` + sqlgen.ZoneTable

// storeShifts makes the table of zone shifts hold those of a time zone. Where it does already nothing is written.
func storeShifts(ctx context.Context, conn *pgx.Conn, zone *time.Location) error {
	var since, seconds []int64
	for _, shift := range sqlgen.ZoneShifts(zone) {
		since, seconds = append(since, shift.Since), append(seconds, shift.Seconds)
	}
	var same bool
	if err := conn.QueryRow(ctx, sqlSameShifts, since, seconds).Scan(&same); err != nil || same {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM "+sqlgen.ZoneTable); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "INSERT INTO "+sqlgen.ZoneTable+" (since, shift) SELECT * FROM unnest($1::bigint[], $2::bigint[])", since, seconds)
		return err
	})
}
