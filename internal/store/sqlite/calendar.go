package sqlite

import (
	"context"
	"slices"
	"time"

	"almoner/internal/query"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
)

// SetCalendar changes how days and years are cut from the next read on, after the settings it comes from have changed.
func (s *Store) SetCalendar(ctx context.Context, c query.Calendar) error {
	if shifting(c.Zone) {
		if err := s.Write(ctx, func(t store.Tx) error { return t.(*tx).storeShifts(c.Zone) }); err != nil {
			return err
		}
	}
	s.calendar.Store(&c)
	return nil
}

// shifting tells whether groupings in a time zone look up its shifts. In UTC they do not, and the table stays as it is: a
// command that opens the file without a calendar must not disturb the service's.
func shifting(zone *time.Location) bool { return zone != nil && zone.String() != time.UTC.String() }

// prepareShifts makes the table of zone shifts ready for the calendar the store is opened with.
func (s *Store) prepareShifts(w *writer) error {
	zone := s.options.Calendar.Zone
	if !shifting(zone) {
		return nil
	}
	have, err := w.conn.shifts()
	if err != nil || slices.Equal(have, sqlgen.ZoneShifts(zone)) {
		return err
	}
	return w.transact(func(t *tx) error { return t.storeShifts(zone) })
}

// storeShifts makes the table of zone shifts hold those of a time zone.
func (t *tx) storeShifts(zone *time.Location) error {
	if err := t.conn.replaceShifts(sqlgen.ZoneShifts(zone)); err != nil {
		return t.note(err)
	}
	return nil
}

// shifts reads the table of zone shifts.
func (c *conn) shifts() ([]sqlgen.Shift, error) {
	p, err := c.prepare("SELECT since, shift FROM " + sqlgen.ZoneTable + " ORDER BY since")
	if err != nil {
		return nil, err
	}
	defer p.release()
	var all []sqlgen.Shift
	for {
		more, err := p.Step()
		if err != nil || !more {
			return all, err
		}
		all = append(all, sqlgen.Shift{Since: p.ColumnInt64(0), Seconds: p.ColumnInt64(1)})
	}
}

// replaceShifts fills the table of zone shifts.
func (c *conn) replaceShifts(shifts []sqlgen.Shift) error {
	if err := c.exec("DELETE FROM " + sqlgen.ZoneTable); err != nil {
		return err
	}
	p, err := c.prepare("INSERT INTO " + sqlgen.ZoneTable + " (since, shift) VALUES (?1, ?2)")
	if err != nil {
		return err
	}
	defer p.release()
	for _, s := range shifts {
		p.BindInt64(1, s.Since)
		p.BindInt64(2, s.Seconds)
		if err := p.run(); err != nil {
			return err
		}
		if err := p.Reset(); err != nil {
			return err
		}
	}
	return nil
}
