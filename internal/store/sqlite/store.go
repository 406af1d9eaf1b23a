// Package sqlite is the embedded store: one file, one connection that writes, several that read.
//
// The file is in write-ahead-log mode and every commit is synced before anyone is answered; writes that wait share a
// commit. Readers never wait for the writer nor it for them. Other processes (commands) may read and write the same file
// meanwhile, so nothing that counts is kept in memory between two transactions; only one process at a time may serve it.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/store/sqlgen"
)

// defaultReaders is the number of reader connections when Options names none.
const defaultReaders = 6

// Options are the choices of whoever opens a store. The zero value is good for a command.
type Options struct {
	Calendar         query.Calendar // how days and years are cut in groupings
	Readers          int            // most reader connections; 0: 6
	StatementTimeout time.Duration  // most a read may take, from its start to the end of its rows; 0: any time
	WriteCache       int            // MiB of pages the writer keeps, for large loads; 0: 8
	Serve            bool           // refuse the file when another process serves it, and keep others from serving it
	KeepSchema       bool           // leave the tables of an existing database as they are; Pending lists what is missing
	Logger           *slog.Logger   // nil: nothing is logged
}

// Store is an open database file. It implements store.Store.
type Store struct {
	path       string
	model      *schema.Model
	options    Options
	log        *slog.Logger
	dialect    *sqlgen.Dialect
	statements *sqlgen.Writer
	calendar   atomic.Pointer[query.Calendar]
	objects    []sqlgen.Object // what the database must have for the model
	whole      map[*schema.Table]wholeRow
	counter    counterColumns
	epoch      string
	lock       *os.File // nil when the store does not serve
	readers    *pool
	writer     *writer
	closed     sync.Once
	closeErr   error
}

var _ store.Store = (*Store)(nil)

// wholeRow is how all stored columns of a row are read by key.
type wholeRow struct {
	columns []*schema.Column
	sql     string
}

// Open opens the database file of a model and creates it when there is none. Unless KeepSchema is set it also adds the
// tables, columns and indexes that an existing database lacks. A file that is not a database of this program's, or one
// written by a newer version of it, is refused.
func Open(ctx context.Context, path string, model *schema.Model, options Options) (*Store, error) {
	s, err := newStore(path, model, options)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := s.start(ctx); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, errors.Join(err, s.unlock()))
	}
	return s, nil
}

// newStore makes a store that has nothing open yet.
func newStore(path string, model *schema.Model, options Options) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, model: model, options: options, log: options.Logger, dialect: sqlgen.SQLite, statements: sqlgen.NewWriter(sqlgen.SQLite)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.counter, err = findCounter(model); err != nil {
		return nil, err
	}
	s.objects = sqlgen.DDL(s.dialect, model)
	s.whole = make(map[*schema.Table]wholeRow, len(model.Tables))
	for _, t := range model.Tables {
		if t.Key != nil {
			columns := t.StoredColumns()
			s.whole[t] = wholeRow{columns, sqlgen.Get(s.dialect, t, columns, false)}
		}
	}
	s.calendar.Store(&options.Calendar)
	readers := options.Readers
	if readers <= 0 {
		readers = defaultReaders
	}
	s.readers = newPool(path, readers)
	return s, nil
}

// start opens the writer connection, brings the tables up to date and begins to serve.
func (s *Store) start(ctx context.Context) error {
	if s.options.Serve {
		if err := s.takeLock(); err != nil {
			return err
		}
	}
	if err := reserve(s.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	c, err := connect(s.path, forWriting)
	if err != nil {
		return err
	}
	if s.options.WriteCache > 0 {
		if err := c.exec(fmt.Sprintf("PRAGMA cache_size=-%d", s.options.WriteCache<<10)); err != nil {
			return errors.Join(err, c.close())
		}
	}
	s.writer = newWriter(s, c)
	if err := s.prepareFile(ctx, s.writer); err != nil {
		return errors.Join(err, c.close())
	}
	if s.options.Serve {
		s.writer.takeStatistics()
	}
	go s.writer.run()
	return nil
}

// Write implements store.Store.
func (s *Store) Write(ctx context.Context, fn func(store.Tx) error) error {
	return s.writer.do(ctx, false, fn)
}

// Bulk implements store.Store.
func (s *Store) Bulk(ctx context.Context, fn func(store.Tx) error) error {
	return s.writer.do(ctx, true, fn)
}

// Epoch implements store.Store.
func (s *Store) Epoch() string { return s.epoch }

// Name implements store.Store.
func (s *Store) Name() string { return "sqlite" }

// Explain implements store.Store.
func (s *Store) Explain(ctx context.Context, q *query.Query) (string, error) {
	statements, err := sqlgen.Read(s.dialect, *s.calendar.Load(), q)
	if err != nil {
		return "", err
	}
	l, err := s.lend(ctx)
	if err != nil {
		return "", err
	}
	defer l.end()
	var b strings.Builder
	for _, st := range statements {
		if err := l.explain(&b, st); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// Close implements store.Store: it finishes the writes under way, writes the log back into the file and closes it.
func (s *Store) Close() error {
	s.closed.Do(func() {
		s.closeErr = errors.Join(s.readers.close(), s.writer.close(), s.unlock())
	})
	return s.closeErr
}
