package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	defaultConns      = 16
	statementCache    = 256 // prepared statements kept per connection
	connectLimit      = 10 * time.Second
	maxConnIdle       = 5 * time.Minute
	maxConnLifetime   = time.Hour
	applicationName   = "almoner"
	rowLockLimit      = "30s" // how long a statement waits for a lock before it is refused
	guardKey          = "almoner.guard"
	minServerVersion  = 150000
	serverVersionText = "15"
)

// poolConfig reads a DSN, several hosts and target_session_attrs included, and sets what every connection of ours needs
// whatever the server, the role or the DSN say: no JIT, no time limit of the server's own (it would also end a COMMIT that
// waits for a standby), UTC, and a server that takes writes.
func poolConfig(dsn string, maxConns int) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	if maxConns <= 0 {
		maxConns = defaultConns
	}
	config.MaxConns = int32(maxConns)
	config.MaxConnIdleTime = maxConnIdle
	config.MaxConnLifetime = maxConnLifetime
	config.MaxConnLifetimeJitter = maxConnLifetime / 10
	config.PingTimeout = connectLimit
	config.BeforeConnect = guardConnection
	config.AfterConnect = noticeDeadlocks
	configure(config.ConnConfig)
	return config, nil
}

func configure(c *pgx.ConnConfig) {
	c.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	c.StatementCacheCapacity = statementCache
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectLimit
	}
	if c.ValidateConnect == nil {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = applicationName
	}
	for name, setting := range map[string]string{
		"jit": "off", "timezone": "UTC", "statement_timeout": "0", "lock_timeout": rowLockLimit,
		"idle_in_transaction_session_timeout": "0", "default_transaction_isolation": "read committed",
	} {
		c.RuntimeParams[name] = setting
	}
}

// guard stands between the driver and the network. When a connection breaks in the middle of a statement, the driver dials
// the server again to cancel that statement; were it a COMMIT that waits for a standby, PostgreSQL would stop waiting and
// show a write that may still be lost. While a connection writes its guard refuses to dial, and the connection is
// dropped without a word.
type guard struct {
	dial    pgconn.DialFunc
	writing atomic.Bool
}

var errNoCancel = errors.New("postgres: a write is never cancelled")

func (g *guard) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if g.writing.Load() {
		return nil, errNoCancel
	}
	return g.dial(ctx, network, address)
}

// guardConnection gives a connection about to be made its guard.
func guardConnection(_ context.Context, c *pgx.ConnConfig) error {
	g := &guard{dial: c.DialFunc}
	c.DialFunc = g.Dial
	c.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
		conn.CustomData()[guardKey] = g
		return nil
	}
	return nil
}

// setWriting says whether the connection carries a write. A connection that broke while writing stays so for good.
func setWriting(conn *pgx.Conn, writing bool) {
	if g, ok := conn.PgConn().CustomData()[guardKey].(*guard); ok {
		g.writing.Store(writing)
	}
}

// checkServer refuses servers the SQL is not meant for.
func checkServer(ctx context.Context, pool *pgxpool.Pool) error {
	var number int
	var text, encoding string
	err := pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'), current_setting('server_encoding')`).
		Scan(&number, &text, &encoding)
	switch {
	case err != nil:
		return err
	case number < minServerVersion:
		return fmt.Errorf("postgres: the server is version %s; version %s or later is needed", text, serverVersionText)
	case encoding != "UTF8":
		return fmt.Errorf("postgres: the database is encoded in %s; it must be created with ENCODING 'UTF8'", encoding)
	}
	return nil
}
