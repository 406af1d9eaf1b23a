// Package postgres keeps the store contract on a PostgreSQL server, version 15 or later. Several processes may serve one
// database at the same time; everything they must agree on lives there: the change clock, the counters, the schema's format
// and the store's epoch.
//
// Reads take the driver's binary cells as they come. Writes are queued and travel together, one round trip for all that lies
// between two reads. Every transaction goes through one place that can run it again.
package postgres

import (
	"context"
	"errors"
	"hash/fnv"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
)

// How long the server may take to answer one round trip of a write. The first also bounds the wait for a COMMIT that waits
// for a standby; what comes after it is a 503, never a cancellation.
const (
	defaultWriteLimit = time.Minute
	bulkLimit         = time.Hour
)

// sideConns is the number of connections kept for the change clock, so that it never waits for those it serves.
const sideConns = 2

// Options says how to open a store.
type Options struct {
	Calendar         query.Calendar // the organization's time zone and fiscal year
	MaxConns         int            // most connections for reads and writes; 0: 16
	StatementTimeout time.Duration  // longest run of one read; 0: no limit
	Logger           *slog.Logger   // nil: silent
	KeepSchema       bool           // leave the tables of an existing database as they are; Pending lists what is missing
}

// Store is a database of one model on a PostgreSQL server.
type Store struct {
	pool    *pgxpool.Pool
	side    *pgxpool.Pool // for the change clock alone
	model   *schema.Model
	dialect *sqlgen.Dialect
	writer  *sqlgen.Writer
	objects []sqlgen.Object // what the database must have for the model
	whole   map[*schema.Table]wholeRow
	options Options
	log     *slog.Logger

	calendar   atomic.Pointer[query.Calendar]
	clock      *clock
	counters   *counters
	schemaKey  int64 // advisory lock of those who change the schema
	turnKey    int64 // advisory lock of the turnstile
	epoch      string
	touchSQL   string
	writeLimit time.Duration

	lazyCommits bool // the server answers commits before they are on disk, unless told otherwise
}

var _ store.Store = (*Store)(nil)

// Open connects to a server and prepares the database for the model: an empty one gets its tables, and unless KeepSchema is
// set an older one gets what it lacks. A database that is not this program's, or was written by a newer version of it, is
// refused.
func Open(ctx context.Context, dsn string, model *schema.Model, options Options) (*Store, error) {
	s := &Store{
		model: model, dialect: sqlgen.Postgres, writer: sqlgen.NewWriter(sqlgen.Postgres), options: options, log: options.Logger, writeLimit: defaultWriteLimit,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.objects = sqlgen.DDL(s.dialect, model)
	s.whole = wholeRows(s.dialect, model)
	s.calendar.Store(&options.Calendar)
	s.counters = &counters{store: s, known: map[string]string{}}
	if err := s.connect(ctx, dsn); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		s.Close()
		return nil, translate(ctx, err)
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context, dsn string) error {
	config, err := poolConfig(dsn, s.options.MaxConns)
	if err != nil {
		return err
	}
	side := config.Copy()
	side.MaxConns = sideConns
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return err
	}
	if s.side, err = pgxpool.NewWithConfig(ctx, side); err != nil {
		s.pool.Close()
	}
	return err
}

// prepare checks the server and brings the schema to where it has to be.
func (s *Store) prepare(ctx context.Context) error {
	if err := checkServer(ctx, s.pool); err != nil {
		return err
	}
	var namespace *string
	var mayEmit bool
	err := s.pool.QueryRow(ctx, `SELECT current_schema(), has_function_privilege('pg_logical_emit_message(boolean,text,text)', 'execute'),
		current_setting('synchronous_commit') = 'off'`).Scan(&namespace, &mayEmit, &s.lazyCommits)
	if err != nil {
		return err
	}
	if namespace == nil {
		return errors.New("postgres: the search path names no schema that exists")
	}
	s.schemaKey = lockKey("schema", *namespace)
	s.turnKey = lockKey("turn", *namespace)
	s.clock = newClock(s, lockKey("clock", *namespace))
	s.touchSQL = touchStatement(mayEmit)
	return s.setUp(ctx)
}

// lockKey names an advisory lock. Stores in different schemas of one database do not meet.
func lockKey(purpose, namespace string) int64 {
	h := fnv.New64a()
	io.WriteString(h, "almoner "+purpose+" "+namespace)
	return int64(h.Sum64())
}

// touchStatement makes a commit a real one: it draws a transaction id and writes to the log, but to no row. Where the message
// function is not allowed, setting a sequence that nothing reads does the same.
func touchStatement(mayEmit bool) string {
	if mayEmit {
		return "SELECT pg_logical_emit_message(true, 'almoner', 'touch')"
	}
	return "SELECT setval('" + touchSequence + "', 1)"
}

// Epoch implements store.Store.
func (s *Store) Epoch() string { return s.epoch }

// Name implements store.Store.
func (s *Store) Name() string { return "postgres" }

// Ping implements store.Store.
func (s *Store) Ping(ctx context.Context) error { return translate(ctx, s.pool.Ping(ctx)) }

// Backup implements store.Store: a server's database is copied by the server's own tools.
func (s *Store) Backup(context.Context, string) error {
	return errors.New("backup copies the embedded store only; use pg_dump or the server's own backup for PostgreSQL")
}

// Close implements store.Store. It waits for transactions under way.
func (s *Store) Close() error {
	s.pool.Close()
	s.side.Close()
	return nil
}

// Explain implements store.Store.
func (s *Store) Explain(ctx context.Context, q *query.Query) (string, error) {
	generated, err := sqlgen.Read(s.dialect, *s.calendar.Load(), q)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, st := range driverStatements(generated) {
		out.WriteString(st.sql + "\n")
		if err := s.explain(ctx, st, &out); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// explain appends the plan of one statement, a line for each of its rows.
func (s *Store) explain(ctx context.Context, st statement, out *strings.Builder) error {
	st.sql = "EXPLAIN " + st.sql
	rows, err := s.readOnce(ctx, reading{statements: []statement{st}})
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		out.WriteString("  ")
		out.Write(rows.Bytes(0))
		out.WriteByte('\n')
	}
	return rows.Err()
}
