package main

import (
	"context"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

func now() time.Time { return time.Now() }

// sqliteLimit reads on a few connections and writes on one, without group commit.
type sqliteLimit struct {
	readers chan *sqlite.Conn
	mu      sync.Mutex
	writer  *sqlite.Conn
}

func openSQLiteLimit(file string) (*sqliteLimit, error) {
	l := &sqliteLimit{readers: make(chan *sqlite.Conn, 4)}
	for i := range 5 {
		c, err := sqlite.OpenConn(file, sqlite.OpenReadWrite|sqlite.OpenWAL)
		if err != nil {
			return nil, err
		}
		c.SetBusyTimeout(10 * time.Second)
		for _, pragma := range []string{"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON"} {
			if err := run(c, pragma); err != nil {
				return nil, err
			}
		}
		if i == 0 {
			l.writer = c
		} else {
			l.readers <- c
		}
	}
	return l, nil
}

func run(c *sqlite.Conn, sql string) error {
	st, err := c.Prepare(sql)
	if err != nil {
		return err
	}
	defer st.Reset()
	_, err = st.Step()
	return err
}

// sqliteCells reads cells of a statement; text and blobs through one reused buffer.
type sqliteCells struct {
	*sqlite.Stmt
	buf []byte
}

func (c *sqliteCells) null(i int) bool     { return c.ColumnType(i) == sqlite.TypeNull }
func (c *sqliteCells) int(i int) int64     { return c.ColumnInt64(i) }
func (c *sqliteCells) float(i int) float64 { return c.ColumnFloat(i) }
func (c *sqliteCells) bytes(i int) []byte {
	n := c.ColumnLen(i)
	if cap(c.buf) < n {
		c.buf = make([]byte, n*2)
	}
	return c.buf[:c.ColumnBytes(i, c.buf[:n])]
}

func (l *sqliteLimit) read(_ context.Context, sql string, id []byte, row func(cells) error) error {
	conn := <-l.readers
	defer func() { l.readers <- conn }()
	st, err := conn.Prepare(sql)
	if err != nil {
		return err
	}
	defer st.Reset()
	if id != nil {
		st.BindBytes(1, id)
	}
	c := &sqliteCells{Stmt: st}
	for {
		more, err := st.Step()
		if err != nil || !more {
			return err
		}
		if err := row(c); err != nil {
			return err
		}
	}
}

func (l *sqliteLimit) insert(_ context.Context, rows int, donor, fund []byte, n int) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := run(l.writer, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	st, err := l.writer.Prepare(insertSQL(func(i int) string { return "?" }))
	if err != nil {
		return err
	}
	for i := range rows {
		for j, v := range giftValues(donor, fund, n*rows+i) {
			switch v := v.(type) {
			case []byte:
				st.BindBytes(j+1, v)
			case string:
				st.BindText(j+1, v)
			case int64:
				st.BindInt64(j+1, v)
			}
		}
		if _, err := st.Step(); err != nil {
			_ = st.Reset()
			_ = run(l.writer, "ROLLBACK")
			return err
		}
		if err := st.Reset(); err != nil {
			return err
		}
	}
	return run(l.writer, "COMMIT")
}
