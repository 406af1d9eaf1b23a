package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// formatVersion counts changes to the private objects below and to the way values are stored.
const formatVersion = 1

const (
	metaTable     = "almoner_meta"
	touchSequence = "almoner_touch"

	metaFormat   = "format"
	metaFold     = "fold"
	metaEpoch    = "epoch"
	metaIdentity = "identity"
)

// privateObjects are the store's own: facts about the database, the change clock, and something to touch.
const privateObjects = `
CREATE TABLE ` + metaTable + ` (name text PRIMARY KEY, value text NOT NULL);
CREATE SEQUENCE ` + versionSequence + `;
CREATE TABLE ` + tickTable + ` (id int PRIMARY KEY CHECK (id = 1), version bigint NOT NULL);
INSERT INTO ` + tickTable + ` VALUES (1, 0);
CREATE SEQUENCE ` + touchSequence

// meta is the facts a database holds about itself.
type meta map[string]string

// openMeta makes the private objects of an empty database, or reads and checks those of an older one; fresh tells which.
// It sets the store's epoch.
func (s *Store) openMeta(ctx context.Context, conn *pgx.Conn) (fresh bool, err error) {
	present, err := inspect(ctx, conn)
	if err != nil {
		return false, err
	}
	fresh = !present[catalogEntry{sqlgen.TableObject, metaTable, metaTable}]
	if fresh {
		if err := s.createPrivate(ctx, conn, present); err != nil {
			return false, err
		}
	}
	m, err := readMeta(ctx, conn)
	if err != nil {
		return false, err
	}
	if err := m.check(); err != nil {
		return false, err
	}
	s.epoch, err = m.settleEpoch(ctx, conn)
	return fresh, err
}

// createPrivate makes the private objects. A schema with tables of the same names as ours, but not made by us, is refused.
func (s *Store) createPrivate(ctx context.Context, conn *pgx.Conn, present catalog) error {
	for _, o := range s.objects {
		if o.Kind == sqlgen.TableObject && present[entryOf(o)] {
			return fmt.Errorf("postgres: the database holds a table %q that is not Almoner's; use an empty database", o.Name)
		}
	}
	script := privateObjects + fmt.Sprintf(";\nINSERT INTO %s VALUES ('%s', '%d'), ('%s', '%d')",
		metaTable, metaFormat, formatVersion, metaFold, value.FoldVersion)
	return execScript(ctx, conn, script)
}

func readMeta(ctx context.Context, conn *pgx.Conn) (meta, error) {
	rows, err := conn.Query(ctx, "SELECT name, value FROM "+metaTable)
	if err != nil {
		return nil, err
	}
	m := meta{}
	var name, text string
	_, err = pgx.ForEachRow(rows, []any{&name, &text}, func() error {
		m[name] = text
		return nil
	})
	return m, err
}

// check refuses what a newer program has written.
func (m meta) check() error {
	for name, known := range map[string]int{metaFormat: formatVersion, metaFold: value.FoldVersion} {
		stored, err := strconv.Atoi(m[name])
		if err != nil {
			return fmt.Errorf("postgres: the database's %s version %q is not a number", name, m[name])
		}
		if stored > known {
			return fmt.Errorf("postgres: the database has %s version %d and this program knows %d; use a newer program", name, stored, known)
		}
	}
	return nil
}

// settleEpoch returns the database's epoch. A database that finds itself elsewhere than where its epoch was made (restored
// from a dump, copied) has another history from then on, and gets another epoch.
func (m meta) settleEpoch(ctx context.Context, conn *pgx.Conn) (string, error) {
	identity, err := readIdentity(ctx, conn)
	if err != nil {
		return "", err
	}
	if m[metaEpoch] != "" && m[metaIdentity] == identity {
		return m[metaEpoch], nil
	}
	epoch := value.NewGUID(time.Now()).String()
	_, err = conn.Exec(ctx, `INSERT INTO `+metaTable+` VALUES ($1, $2), ($3, $4)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, metaEpoch, epoch, metaIdentity, identity)
	return epoch, err
}

// readIdentity names the place a database lives in: its cluster, where the role may know it, and its number there.
func readIdentity(ctx context.Context, conn *pgx.Conn) (string, error) {
	var mayAsk bool
	var identity, cluster string
	err := conn.QueryRow(ctx, `SELECT has_function_privilege('pg_control_system()', 'execute'), oid::text FROM pg_database WHERE datname = current_database()`).
		Scan(&mayAsk, &identity)
	if err != nil || !mayAsk {
		return identity, err
	}
	err = conn.QueryRow(ctx, `SELECT system_identifier::text FROM pg_control_system()`).Scan(&cluster)
	return cluster + "/" + identity, err
}
