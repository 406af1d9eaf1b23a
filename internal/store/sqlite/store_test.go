package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
	"almoner/tables"
)

// database is a store of the product's own model with the tables the tests write to.
type database struct {
	*Store
	file       string
	department *schema.Table
	contact    *schema.Table
	event      *schema.Table
}

// empty is the contents of a database file without rows; making one takes much longer than copying it.
var empty = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "almoner-sqlite-test-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "empty.db")
	db, err := openFile(file, Options{})
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// emptyFile makes a database file without rows.
func emptyFile(t testing.TB) string {
	t.Helper()
	contents, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "test.db")
	if err := os.WriteFile(file, contents, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// fresh opens a database without rows.
func fresh(t testing.TB, options Options) *database {
	t.Helper()
	return reopen(t, emptyFile(t), options)
}

// reopen opens a file, which is closed at the end of the test.
func reopen(t testing.TB, file string, options Options) *database {
	t.Helper()
	db, err := openFile(file, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func openFile(file string, options Options) (*database, error) {
	model, err := tables.Model()
	if err != nil {
		return nil, err
	}
	s, err := Open(context.Background(), file, model, options)
	if err != nil {
		return nil, err
	}
	return &database{s, file, model.Table("svc_department"), model.Table("contact"), model.Table("svc_event")}, nil
}

// id makes a GUID that sorts by n.
func id(n int) value.GUID {
	var g value.GUID
	g[0], g[1], g[2], g[3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	g[15] = 1
	return g
}

// name is what a test department is called.
func (db *database) name(text string) []query.Assign {
	return []query.Assign{{Column: db.department.Title, Value: value.Text(text)}}
}

// add inserts a department.
func (db *database) add(tx store.Tx, n int, text string) error {
	return tx.Insert(context.Background(), db.department, id(n), db.name(text))
}

// mustWrite writes and fails the test when that fails.
func (db *database) mustWrite(t testing.TB, fn func(store.Tx) error) {
	t.Helper()
	if err := db.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// fill inserts departments 1 to n in one transaction.
func (db *database) fill(t testing.TB, n int) {
	t.Helper()
	err := db.Bulk(context.Background(), func(tx store.Tx) error {
		for i := 1; i <= n; i++ {
			if err := db.add(tx, i, fmt.Sprintf("Department %d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// selection asks for columns of all rows of a table.
func selection(t *schema.Table, columns []*schema.Column) *query.Query {
	root := &query.Link{Table: t}
	return &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, columns)}}
}

// departments is a query for the names and keys of all departments in order of key.
func (db *database) departments(size int) *query.Query {
	q := selection(db.department, []*schema.Column{db.department.Key, db.department.Title})
	q.Order = []query.Order{{Expr: query.Ref{Link: q.Root, Column: db.department.Key}}}
	q.Page.Size = size
	return q
}

// present lists which of the departments 1 to n are there.
func (db *database) present(t testing.TB, n int) []int {
	t.Helper()
	var found []int
	for i := 1; i <= n; i++ {
		row, err := db.Get(context.Background(), db.department, id(i), nil)
		if err != nil {
			t.Fatal(err)
		}
		if row != nil {
			found = append(found, i)
		}
	}
	return found
}

// count is the number of departments a reader sees.
func (db *database) count(t testing.TB, r store.Reader) int64 {
	t.Helper()
	n, err := r.Count(context.Background(), db.departments(0))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// raw runs SQL on a file from outside the store, as another process would.
func raw(t testing.TB, file string, texts ...string) {
	t.Helper()
	if err := reserve(file); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	c, err := connect(file, forWriting)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if err := c.exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
}

func TestLibraryIsNewEnough(t *testing.T) {
	db := fresh(t, Options{})
	l, err := db.lend(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer l.end()
	text, err := l.conn.text("SELECT sqlite_version()")
	if err != nil {
		t.Fatal(err)
	}
	if sqlite.VersionNumber < 3051003 || text != sqlite.Version {
		t.Fatalf("SQLite %s is too old: versions before 3.51.3 can lose a write-ahead log", text)
	}
}

func TestConnectionSettings(t *testing.T) {
	db := fresh(t, Options{})
	db.mustWrite(t, func(tx_ store.Tx) error {
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "mmap_size": "0",
		} {
			got, err := tx_.(*tx).conn.text("PRAGMA " + pragma)
			if err != nil || got != want {
				t.Errorf("%s is %q (%v), want %q", pragma, got, err, want)
			}
		}
		return nil
	})
}

func TestReopenKeepsEverything(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.db")
	db, err := openFile(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	db.fill(t, 3)
	epoch := db.Epoch()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file + "-wal"); err == nil {
		t.Error("the log was not written back on close")
	}
	again := reopen(t, file, Options{})
	if got := again.present(t, 3); len(got) != 3 {
		t.Errorf("rows after reopening: %v", got)
	}
	if epoch == "" || again.Epoch() != epoch {
		t.Errorf("epoch was %q and is %q", epoch, again.Epoch())
	}
	if other := reopen(t, filepath.Join(t.TempDir(), "b.db"), Options{}); other.Epoch() == epoch {
		t.Error("two databases have the same epoch")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is open to others: %v, %v", info.Mode(), err)
	}
	if err := again.Ping(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestOneProcessServes(t *testing.T) {
	db := fresh(t, Options{Serve: true})
	if _, err := openFile(db.file, Options{Serve: true}); err == nil || !strings.Contains(err.Error(), "another process is serving") {
		t.Fatalf("second server: %v", err)
	}
	command := reopen(t, db.file, Options{})
	command.mustWrite(t, func(tx store.Tx) error { return command.add(tx, 1, "by a command") })
	if got := db.present(t, 1); len(got) != 1 {
		t.Error("the server does not see the command's write")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	next, err := openFile(db.file, Options{Serve: true})
	if err != nil {
		t.Fatalf("the lock was not given up: %v", err)
	}
	if err := next.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRefusedFiles(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	raw(t, foreign, "CREATE TABLE recipes (name TEXT)")
	newer := fresh(t, Options{})
	raw(t, newer.file, "UPDATE almoner_meta SET value = '99' WHERE name = 'format'")
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{foreign: "not one of this program's", newer.file: "newer version", text: "not a database"} {
		if _, err := openFile(file, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", filepath.Base(file), err, want)
		}
	}
}

func TestMissingColumnIsAdded(t *testing.T) {
	file := emptyFile(t)
	db, err := openFile(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	db.fill(t, 2)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, file, "ALTER TABLE svc_event DROP COLUMN svc_goal", "DROP TABLE donoryear")

	kept, err := openFile(file, Options{KeepSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	pending, err := kept.Pending(context.Background())
	if err != nil || !slices.ContainsFunc(pending, func(s string) bool { return strings.Contains(s, "svc_goal") }) ||
		!slices.ContainsFunc(pending, func(s string) bool { return strings.Contains(s, "donoryear") }) {
		t.Errorf("pending: %q, %v", pending, err)
	}
	if err := kept.Migrate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if pending, err = kept.Pending(context.Background()); err != nil || len(pending) != 0 {
		t.Errorf("after migrating still pending: %q, %v", pending, err)
	}
	if got := kept.present(t, 2); len(got) != 2 {
		t.Errorf("rows left: %v", got)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, file, "ALTER TABLE svc_event DROP COLUMN svc_goal")
	again := reopen(t, file, Options{})
	again.mustWrite(t, func(tx store.Tx) error {
		return tx.Insert(context.Background(), again.event, id(1), []query.Assign{{Column: again.event.Column("svc_goal"), Value: value.Money(500)}})
	})
}

func TestLeftoverColumnIsReportedAndKept(t *testing.T) {
	db := fresh(t, Options{})
	raw(t, db.file, "ALTER TABLE svc_event ADD COLUMN svc_gone TEXT", "CREATE TABLE svc_old (a)")
	var log bytes.Buffer
	reopen(t, db.file, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), "svc_event.svc_gone svc_old") {
		t.Errorf("log: %s", log.String())
	}
	raw(t, db.file, "SELECT svc_gone FROM svc_event", "SELECT a FROM svc_old")
}

func TestOldFoldIsRewritten(t *testing.T) {
	file := emptyFile(t)
	db, err := openFile(file, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 2*store.RefoldPage + 7
	db.fill(t, rows)
	db.mustWrite(t, func(tx store.Tx) error {
		if _, err := tx.NextNumber(context.Background(), "Géant"); err != nil {
			return err
		}
		return tx.Update(context.Background(), db.department, id(5), db.name("Œuvre ÉTÉ "))
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, file, "UPDATE almoner_meta SET value = '0' WHERE name = 'fold'",
		"UPDATE svc_department SET svc_departmentname_f = 'stale'", "UPDATE counter SET name_f = 'stale'")
	again := reopen(t, file, Options{})
	c, err := connect(file, forReading)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for text, want := range map[string]string{
		"SELECT count(*) FROM svc_department WHERE svc_departmentname_f = 'stale'":                                                               "0",
		"SELECT svc_departmentname_f FROM svc_department WHERE svc_departmentcode IS NULL AND substr(hex(svc_departmentid), 8, 1) = '5' LIMIT 1": value.Fold("Œuvre ÉTÉ "),
		"SELECT name_f FROM counter WHERE name = 'Géant'":                                                                                        "geant",
		"SELECT value FROM almoner_meta WHERE name = 'fold'":                                                                                     fmt.Sprint(value.FoldVersion),
	} {
		if got, err := c.text(text); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	if got := again.count(t, again); got != rows {
		t.Errorf("%d rows", got)
	}
}

func TestCommandWithoutCalendarLeavesZoneAlone(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	db := fresh(t, Options{Calendar: query.Calendar{Zone: zone}})
	reopen(t, db.file, Options{})
	l, err := db.lend(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer l.end()
	if shifts, err := l.conn.shifts(); err != nil || len(shifts) == 0 {
		t.Errorf("%d shifts, %v", len(shifts), err)
	}
}

func TestClosedStoreAnswers(t *testing.T) {
	db := fresh(t, Options{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(context.Background(), func(store.Tx) error { return nil }); err == nil {
		t.Error("a closed store took a write")
	}
	if _, err := db.Read(context.Background(), db.departments(1)); err == nil {
		t.Error("a closed store took a read")
	}
}
