package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A large database is a small sample whose gifts are copied many times over by plain SQL, each with its line in the change log, as if they
// had been entered one after the other. Every tenth copy goes to one donor.

// largeGifts is how many gifts a large database has.
const largeGifts = 1_000_000

// script is a connection that runs SQL, and its dialect's way of making keys.
type script interface {
	exec(sql string) error
	texts(sql string) ([]string, error) // the first cells of the rows
	// giftID and lineID print the key of the n-th new gift and of the log line of a version.
	giftID(n, old string) string
	lineID(version string) string
	indexes() string // SQL that lists the texts of the indexes of gifts and log
	names() string   // SQL that lists their names
	version() string // SQL that reads the last version
	setVersion(n string) string
	columns() string      // SQL that lists the columns of a gift
	numbers(n int) string // a table expression of the numbers from 1 to n, as c(i)
}

// grow copies the gifts of a small database until it has largeGifts; code is the type code of gifts.
func grow(s script, code int) error {
	created, err := s.texts(s.indexes())
	if err != nil {
		return err
	}
	names, err := s.texts(s.names())
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.exec(`DROP INDEX "` + name + `"`); err != nil {
			return err
		}
	}
	if err := copyGifts(s, code); err != nil {
		return err
	}
	for _, sql := range append(created, "ANALYZE") {
		if err := s.exec(sql); err != nil {
			return err
		}
	}
	return nil
}

// copyGifts inserts the copies and their log lines, and moves the version counter behind them.
func copyGifts(s script, code int) error {
	columns, err := s.texts(s.columns())
	if err != nil {
		return err
	}
	last, err := s.texts(s.version())
	if err != nil {
		return err
	}
	counted, err := s.texts(`SELECT count(*) FROM "svc_gift"`)
	if err != nil {
		return err
	}
	have, err := strconv.Atoi(counted[0])
	if err != nil || have == 0 {
		return fmt.Errorf("the sample has no gifts: %w", err)
	}
	copies := (largeGifts - have) / have
	place := fmt.Sprintf("(c.i*%d+g.place)", have)
	version := "(" + last[0] + "+" + place + ")"
	values := make([]string, len(columns))
	for i, c := range columns {
		switch c {
		case "svc_giftid":
			values[i] = s.giftID(place, "g.svc_giftid")
		case "versionnumber":
			values[i] = version
		case "svc_donor":
			values[i] = `CASE WHEN c.i%10=0 THEN (SELECT "svc_donorid" FROM "svc_donor" ORDER BY "svc_donorid" LIMIT 1) ELSE g."svc_donor" END`
		default:
			values[i] = `g."` + c + `"`
		}
	}
	gifts := `INSERT INTO "svc_gift" ("` + strings.Join(columns, `","`) + `") SELECT ` + strings.Join(values, ",") +
		` FROM ` + s.numbers(copies) + `, (SELECT g.*, row_number() OVER (ORDER BY "svc_giftid") AS place FROM "svc_gift" g) g ORDER BY c.i, g.place`
	lines := `INSERT INTO "audit" ("auditid","createdon","action","operation","objectid","objectid_t","userid","transactionid","logversion","derived")` +
		` SELECT ` + s.lineID(`g."versionnumber"`) + `,g."createdon",1,1,g."svc_giftid",` + strconv.Itoa(code) + `,g."createdby",g."svc_giftid",g."versionnumber",0` +
		` FROM "svc_gift" g WHERE g."versionnumber">` + last[0] + ` ORDER BY g."versionnumber"`
	for _, sql := range []string{gifts, lines, s.setVersion(`(SELECT max("versionnumber") FROM "svc_gift")`)} {
		if err := s.exec(sql); err != nil {
			return fmt.Errorf("%.60s: %w", sql, err)
		}
	}
	return nil
}

// sqliteScript is a plain connection to a database file.
type sqliteScript struct{ *sqlite.Conn }

func openSQLiteScript(file string) (sqliteScript, error) {
	conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite)
	if err != nil {
		return sqliteScript{}, err
	}
	s := sqliteScript{conn}
	for _, setting := range []string{"synchronous=OFF", "cache_size=-200000", "journal_size_limit=0"} {
		if err := s.exec("PRAGMA " + setting); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s sqliteScript) exec(sql string) error { return sqlitex.ExecuteTransient(s.Conn, sql, nil) }

func (s sqliteScript) texts(sql string) (out []string, err error) {
	err = sqlitex.ExecuteTransient(s.Conn, sql, &sqlitex.ExecOptions{ResultFunc: func(st *sqlite.Stmt) error {
		out = append(out, st.ColumnText(0))
		return nil
	}})
	return out, err
}

func (s sqliteScript) giftID(n, old string) string {
	return "CAST(unhex(printf('%012x',1800000000000+" + n + "))||substr(" + old + ",7) AS BLOB)"
}
func (s sqliteScript) lineID(version string) string {
	return "CAST(unhex(printf('%016x'," + version + "))||zeroblob(8) AS BLOB)"
}
func (s sqliteScript) indexes() string {
	return `SELECT sql FROM sqlite_master WHERE type='index' AND tbl_name IN ('svc_gift','audit') AND sql IS NOT NULL`
}
func (s sqliteScript) names() string {
	return `SELECT name FROM sqlite_master WHERE type='index' AND tbl_name IN ('svc_gift','audit') AND sql IS NOT NULL`
}
func (s sqliteScript) version() string { return `SELECT value FROM counter WHERE name='version'` }
func (s sqliteScript) setVersion(n string) string {
	return `UPDATE counter SET value=` + n + ` WHERE name='version'`
}
func (s sqliteScript) columns() string { return `SELECT name FROM pragma_table_info('svc_gift')` }
func (s sqliteScript) numbers(n int) string {
	return fmt.Sprintf(`(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d) SELECT i FROM n) c`, n)
}

// postgresScript is a plain connection to a PostgreSQL database.
type postgresScript struct{ *pgx.Conn }

func openPostgresScript(dsn string) (postgresScript, error) {
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		return postgresScript{}, err
	}
	s := postgresScript{conn}
	return s, s.exec("SET session_replication_role=replica; SET synchronous_commit=off; SET maintenance_work_mem='256MB'; SET work_mem='64MB'")
}

func (s postgresScript) exec(sql string) error {
	_, err := s.Conn.Exec(context.Background(), sql, pgx.QueryExecModeSimpleProtocol)
	return err
}

func (s postgresScript) texts(sql string) ([]string, error) {
	rows, err := s.Conn.Query(context.Background(), `SELECT t.x::text FROM (`+sql+`) AS t(x)`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (s postgresScript) giftID(n, old string) string {
	return "(lpad(to_hex(1800000000000+" + n + "),12,'0')||substr(replace(" + old + "::text,'-',''),13))::uuid"
}
func (s postgresScript) lineID(version string) string {
	return "(lpad(to_hex(" + version + "),16,'0')||repeat('0',16))::uuid"
}
func (s postgresScript) indexes() string {
	return `SELECT indexdef FROM pg_indexes WHERE tablename IN ('svc_gift','audit') AND indexname NOT LIKE '%_pkey'`
}
func (s postgresScript) names() string {
	return `SELECT indexname FROM pg_indexes WHERE tablename IN ('svc_gift','audit') AND indexname NOT LIKE '%_pkey'`
}
func (s postgresScript) version() string { return `SELECT last_value FROM almoner_version` }
func (s postgresScript) setVersion(n string) string {
	return `SELECT setval('almoner_version',` + n + `)`
}
func (s postgresScript) columns() string {
	return `SELECT column_name FROM information_schema.columns WHERE table_name='svc_gift' ORDER BY ordinal_position`
}
func (s postgresScript) numbers(n int) string { return fmt.Sprintf(`generate_series(1,%d) AS c(i)`, n) }
