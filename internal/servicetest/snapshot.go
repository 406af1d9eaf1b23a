package servicetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// SnapshotHeld looks at the database from outside and tells whether somebody reads a state of it or has a transaction open.
func (d *Database) SnapshotHeld(t testing.TB) bool {
	t.Helper()
	held, err := d.held(t)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// logHeld tells whether the write-ahead log of a file cannot be emptied. After a write that changes nothing every open snapshot is an
// older one, and as long as one is read the log stays.
func logHeld(file string) (held bool, err error) {
	conn, err := lite.OpenConn(file, lite.OpenReadWrite)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	version, err := sqlitex.ResultInt(conn.Prep("PRAGMA user_version"))
	if err != nil {
		return false, err
	}
	if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("PRAGMA user_version = %d", version), nil); err != nil {
		return false, err
	}
	conn.SetBusyTimeout(0)
	err = sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(TRUNCATE)", &sqlitex.ExecOptions{ResultFunc: func(row *lite.Stmt) error {
		held = row.ColumnInt(0) != 0
		return nil
	}})
	return held, err
}

// backendBusy tells whether a connection to a database, other than the one that asks, runs a statement or has a transaction open.
func backendBusy(t testing.TB, dsn string) (busy bool, err error) {
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close(t.Context())) }()
	err = conn.QueryRow(t.Context(), `SELECT count(*) > 0 FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'`).Scan(&busy)
	return busy, err
}
