package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// Pending implements store.Store.
func (s *Store) Pending(ctx context.Context) ([]string, error) {
	l, err := s.lend(ctx)
	if err != nil {
		return nil, err
	}
	defer l.end()
	inv, err := takeInventory(l.conn)
	if err != nil {
		return nil, l.note(err)
	}
	return sqlgen.Missing(s.objects, inv.has), nil
}

// Migrate implements store.Store.
func (s *Store) Migrate(ctx context.Context) error {
	return s.Bulk(ctx, func(t store.Tx) error { return s.update(t.(*tx)) })
}

// prepareFile makes sure that the file is a database of this program's, brings it to its model and learns its epoch.
func (s *Store) prepareFile(ctx context.Context, w *writer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	inv, err := takeInventory(w.conn)
	if err != nil {
		return err
	}
	outdated, err := s.outdated(w.conn, inv)
	if err != nil {
		return err
	}
	if outdated {
		if err := w.transact(s.update); err != nil {
			return err
		}
	}
	if err := s.prepareShifts(w); err != nil {
		return err
	}
	if left := inv.leftovers(s.objects); len(left) > 0 {
		s.log.Warn("the database has tables or columns that are not in the model; they are kept", "names", strings.Join(left, " "))
	}
	s.epoch, err = w.conn.meta(metaEpoch)
	return err
}

// outdated tells whether the file has to be brought up to date, and refuses one that this program cannot serve.
func (s *Store) outdated(c *conn, inv *inventory) (bool, error) {
	if len(inv.tables) == 0 {
		return true, nil
	}
	if inv.tables[metaTable] == nil {
		return false, errors.New("the file is a SQLite database, but not one of this program's")
	}
	format, err := c.metaNumber(metaFormat)
	if err != nil {
		return false, err
	}
	if format > formatVersion {
		return false, fmt.Errorf("the database has format %d and was written by a newer version of this program, which knows formats up to %d", format, formatVersion)
	}
	fold, err := c.metaNumber(metaFold)
	if err != nil {
		return false, err
	}
	if fold > value.FoldVersion {
		return false, fmt.Errorf("the texts of the database were folded by a newer version of this program (fold %d, known %d)", fold, value.FoldVersion)
	}
	stale := fold < value.FoldVersion || len(sqlgen.Missing(s.objects, inv.has)) > 0
	return stale && !s.options.KeepSchema, nil
}

// update adds what the database lacks and folds its texts anew when the fold has changed, all in the transaction of t.
// Another process may have done it meanwhile, so it looks again.
func (s *Store) update(t *tx) error {
	inv, err := takeInventory(t.conn)
	if err == nil && inv.tables[metaTable] == nil {
		err = t.conn.createMeta()
	}
	if err != nil {
		return t.note(err)
	}
	for _, text := range sqlgen.Missing(s.objects, inv.has) {
		if err := t.conn.exec(text); err != nil {
			return t.note(fmt.Errorf("%s: %w", text, err))
		}
	}
	fold, err := t.conn.metaNumber(metaFold)
	if err != nil || fold >= value.FoldVersion {
		return err
	}
	for _, table := range s.model.Tables {
		if err := store.Refold(context.Background(), t, table); err != nil {
			return err
		}
	}
	return t.conn.setMeta(metaFold, strconv.Itoa(value.FoldVersion))
}

// transact runs fn in a transaction of its own; for use while the writer's goroutine has not begun.
func (w *writer) transact(fn func(*tx) error) error {
	g, err := w.begin(w.conn)
	if err != nil {
		return err
	}
	t := newTx(g)
	err = fn(t)
	t.end()
	if err != nil {
		g.lose(err)
		return g.lost
	}
	return g.commit()
}
