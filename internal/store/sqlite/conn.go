package sqlite

import (
	"container/list"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"almoner/internal/store/sqlgen"
)

// What every connection is opened with. The caches are small: pages that matter are in the machine's file cache anyway,
// and the memory of the process stays flat however many connections there are.
const (
	writerCacheKiB   = 8192
	readerCacheKiB   = 1024
	busyTimeout      = 10 * time.Second
	logSizeLimit     = 64 << 20 // the write-ahead log is cut back to this after a slow reader made it grow
	logPages         = 4000     // of the log are written back at once: a page changed often is then written back once
	writerStatements = 192
	readerStatements = 64
)

// role says what a connection is for.
type role uint8

const (
	forWriting role = iota
	forReading
	forCopying // an unshared connection that neither changes the journal mode nor keeps a log: backups
)

// conn is one connection with its prepared statements. One goroutine uses it at a time.
type conn struct {
	db     *sqlite.Conn
	limit  int
	byText map[string]*prepared
	order  *list.List   // of *prepared, most recently used in front
	room   []sqlgen.Arg // for the parameters of the next write
	epoch  int          // of the pool it was opened for
	stop   *interrupt   // what ends a statement early; nil on the writer connection, where nothing may
}

// prepared is a statement ready to run. While one is lent out (busy), a second user of the same text gets its own.
type prepared struct {
	*sqlite.Stmt
	text string
	busy bool
	kept *list.Element // its place in the cache; nil when it is not kept
	buf  []byte        // memory for the cells of one row, kept with the statement
	// large says that a bound value holds memory worth freeing.
	large bool
}

// connect is the one place where connections to a database are opened. The file must be there.
func connect(path string, as role) (*conn, error) {
	db, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	c := &conn{db: db, limit: readerStatements, byText: map[string]*prepared{}, order: list.New()}
	if as == forWriting {
		c.limit = writerStatements
	}
	db.SetBusyTimeout(busyTimeout)
	if err := c.configure(as); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// reserve makes an empty file that only its owner may read; SQLite gives its companions the same permissions. A file that
// exists is an error and is not even opened: closing it would drop the locks this process holds on it.
func reserve(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// configure sets what SQLite forgets from one connection to the next.
func (c *conn) configure(as role) error {
	cache := readerCacheKiB
	if as == forWriting {
		cache = writerCacheKiB
	}
	settings := []string{
		"foreign_keys=ON", "trusted_schema=OFF", "mmap_size=0",
		fmt.Sprintf("cache_size=-%d", cache),
	}
	switch as {
	case forWriting:
		if err := c.enableLog(); err != nil {
			return err
		}
		// What a savepoint may have to put back is kept in memory: writing it to a file cost a tenth of a create.
		settings = append(settings, "temp_store=MEMORY", "synchronous=FULL", fmt.Sprintf("journal_size_limit=%d", logSizeLimit),
			fmt.Sprintf("wal_autocheckpoint=%d", logPages))
	case forReading:
		settings = append(settings, "temp_store=FILE", "query_only=ON")
	}
	for _, s := range settings {
		if err := c.exec("PRAGMA " + s); err != nil {
			return err
		}
	}
	return nil
}

// enableLog switches the file to a write-ahead log.
func (c *conn) enableLog() error {
	mode, err := c.text("PRAGMA journal_mode=WAL")
	if err != nil {
		return err
	}
	if !strings.EqualFold(mode, "wal") {
		return fmt.Errorf("the file system offers no write-ahead log (journal mode %s)", mode)
	}
	return nil
}

// close finalizes all statements and closes the connection.
func (c *conn) close() error {
	if c.stop != nil {
		c.stop.disarm()
	}
	for e := c.order.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*prepared).Finalize()
	}
	return c.db.Close()
}

// prepare lends a statement for an SQL text; release gives it back.
func (c *conn) prepare(text string) (*prepared, error) {
	p := c.byText[text]
	if p != nil && !p.busy {
		c.order.MoveToFront(p.kept)
		p.busy = true
		return p, nil
	}
	stmt, rest, err := c.db.PrepareTransient(text)
	if err != nil {
		return nil, err
	}
	if rest != 0 {
		return nil, errors.Join(errors.New("more than one statement in an SQL text"), stmt.Finalize())
	}
	fresh := &prepared{Stmt: stmt, text: text, busy: true}
	if p == nil {
		c.keep(fresh)
	}
	return fresh, nil
}

// keep puts a statement into the cache and lets the one unused for longest go.
func (c *conn) keep(p *prepared) {
	c.byText[p.text] = p
	p.kept = c.order.PushFront(p)
	if c.order.Len() <= c.limit {
		return
	}
	for e := c.order.Back(); e != nil; e = e.Prev() {
		if old := e.Value.(*prepared); !old.busy {
			c.order.Remove(e)
			delete(c.byText, old.text)
			_ = old.Finalize()
			return
		}
	}
}

// release ends the run of a lent statement.
func (p *prepared) release() {
	if p.kept == nil {
		_ = p.Finalize()
		return
	}
	_ = p.Reset() // repeats the error of the last step, which has been told already
	if p.large {
		_ = p.ClearBindings() // costs a new preparation at the next run, so that small values stay bound
		p.large = false
	}
	p.busy = false
}

// exec runs a statement that is its own text alone, and passes over its rows.
func (c *conn) exec(text string) error {
	p, err := c.prepare(text)
	if err != nil {
		return err
	}
	defer p.release()
	return p.run()
}

// run steps to the end.
func (p *prepared) run() error {
	for {
		if more, err := p.Step(); err != nil || !more {
			return err
		}
	}
}

// text returns the first cell of the first row of a statement; "" when there is no row.
func (c *conn) text(text string) (string, error) {
	p, err := c.prepare(text)
	if err != nil {
		return "", err
	}
	defer p.release()
	if more, err := p.Step(); err != nil || !more {
		return "", err
	}
	return p.ColumnText(0), nil
}
