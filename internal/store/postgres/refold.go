package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"almoner/internal/store"
	"almoner/internal/value"
)

// refold brings the folds stored beside texts to this program's rules, when those of the database are older. Each table is a
// transaction; the version is noted when all are done, so an interrupted run is simply run again.
func (s *Store) refold(ctx context.Context, conn *pgx.Conn) error {
	m, err := readMeta(ctx, conn)
	if err != nil || m[metaFold] == strconv.Itoa(value.FoldVersion) {
		return err
	}
	s.log.Info("texts are folded anew", "from", m[metaFold], "to", value.FoldVersion)
	for _, t := range s.model.Tables {
		if err := s.Bulk(ctx, func(tx store.Tx) error { return store.Refold(ctx, tx, t) }); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, "UPDATE "+metaTable+" SET value = $1 WHERE name = $2", strconv.Itoa(value.FoldVersion), metaFold)
	return err
}
