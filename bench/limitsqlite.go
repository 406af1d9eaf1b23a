package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

// sqliteLimit reads on a few connections and writes on one, without group commit.
type sqliteLimit struct {
	readers chan *sqliteConn
	mu      sync.Mutex
	writer  *sqliteConn
}

// sqliteConn is a connection with its statements. They are kept with their bindings: clearing them makes SQLite prepare anew.
type sqliteConn struct {
	*sqlite.Conn
	kept map[string]*sqlite.Stmt
}

func (c *sqliteConn) statement(sql string) (*sqlite.Stmt, error) {
	if st := c.kept[sql]; st != nil {
		return st, nil
	}
	st, _, err := c.PrepareTransient(sql)
	c.kept[sql] = st
	return st, err
}

func openSQLiteLimit(file string) (*sqliteLimit, error) {
	l := &sqliteLimit{readers: make(chan *sqliteConn, 4)}
	for i := range 5 {
		conn, err := sqlite.OpenConn(file, sqlite.OpenReadWrite|sqlite.OpenWAL)
		if err != nil {
			return nil, err
		}
		c := &sqliteConn{conn, map[string]*sqlite.Stmt{}}
		c.SetBusyTimeout(10 * time.Second)
		for _, pragma := range []string{"PRAGMA synchronous=FULL", "PRAGMA foreign_keys=ON"} {
			if err := step(c, pragma); err != nil {
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

func step(c *sqliteConn, sql string) error {
	st, err := c.statement(sql)
	if err != nil {
		return err
	}
	_, err = st.Step()
	return errors.Join(err, st.Reset())
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
	st, err := conn.statement(sql)
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

var giftInsert = insertSQL(func(int) string { return "?" })

func (l *sqliteLimit) insert(_ context.Context, gifts []newGift) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := step(l.writer, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	st, err := l.writer.statement(giftInsert)
	if err != nil {
		return err
	}
	for _, g := range gifts {
		for j, v := range giftValues(g) {
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
			_ = step(l.writer, "ROLLBACK")
			return err
		}
		if err := st.Reset(); err != nil {
			return err
		}
	}
	return step(l.writer, "COMMIT")
}
