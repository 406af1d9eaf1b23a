package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/tables"
)

// database is where a command finds its rows: the --db and --overlay flags every command takes.
type database struct {
	dsn     string
	overlay string
	verbose bool
}

func (d *database) addFlags(f *pflag.FlagSet) {
	f.StringVar(&d.dsn, "db", envOr("ALMONER_DB", "almoner.db"), "database: a file (or sqlite:FILE), or postgres://…")
	f.StringVar(&d.overlay, "overlay", os.Getenv("ALMONER_OVERLAY"), "folder of the deployment's own tables and columns")
	f.BoolVarP(&d.verbose, "verbose", "v", false, "log every request")
}

func envOr(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// opened is a database ready for use.
type opened struct {
	store    store.Store
	model    *schema.Model
	settings *settings.Settings
	log      *slog.Logger
}

// opening says how a command wants its database.
type opening struct {
	serve      bool             // keep other processes from serving the same file
	keepSchema bool             // do not migrate
	load       bool             // a large load follows: spend memory on it
	given      []settings.Given // settings of this start, strongest last
	clock      func() time.Time
}

// calendared is a store that can be told the organization's calendar.
type calendared interface {
	SetCalendar(ctx context.Context, c query.Calendar) error
}

// open opens the database, creating and bootstrapping it when it is empty, and reads the settings kept in it.
func (d *database) open(ctx context.Context, o opening) (*opened, error) {
	log := d.logger()
	model, err := d.model(ctx, log)
	if err != nil {
		return nil, err
	}
	st, err := d.openStore(ctx, model, o, log)
	if err != nil {
		return nil, err
	}
	db := &opened{store: st, model: model, log: log}
	if err := db.prepare(ctx, o); err != nil {
		st.Close()
		return nil, err
	}
	return db, nil
}

// prepare reads and stores settings, tells the store its calendar and makes sure that the rows every database has are there.
func (db *opened) prepare(ctx context.Context, o opening) error {
	stored, err := readSettings(ctx, db.store, db.model)
	if err != nil {
		return err
	}
	before, err := settings.Resolve(settings.FromStored(stored))
	if err != nil {
		return err
	}
	if db.settings, err = settings.Resolve(settings.FromStored(stored), o.given); err != nil {
		return usageError{err}
	}
	if err := storeSettings(ctx, db, before); err != nil {
		return err
	}
	if c, ok := db.store.(calendared); ok {
		if err := c.SetCalendar(ctx, query.Calendar{Zone: db.settings.Location(), StartMonth: db.settings.YearStartMonth}); err != nil {
			return err
		}
	}
	now := time.Now
	if o.clock != nil {
		now = o.clock
	}
	return auth.Bootstrap(ctx, db.store, db.model, now(), db.settings)
}

func (d *database) openStore(ctx context.Context, model *schema.Model, o opening, log *slog.Logger) (store.Store, error) {
	process, err := settings.Resolve(o.given)
	if err != nil {
		return nil, usageError{err}
	}
	if isPostgres(d.dsn) {
		return postgres.Open(ctx, d.dsn, model, postgres.Options{Logger: log, KeepSchema: o.keepSchema, StatementTimeout: process.LimitStatement})
	}
	options := sqlite.Options{Logger: log, KeepSchema: o.keepSchema, Serve: o.serve, StatementTimeout: process.LimitStatement}
	if o.load {
		options.WriteCache = loadCache
	}
	return sqlite.Open(ctx, d.file(), model, options)
}

// loadCache is how many MiB of pages a large load keeps in memory, so that it does not write the same ones again and again.
const loadCache = 256

func isPostgres(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// file is the path of the embedded database.
func (d *database) file() string { return strings.TrimPrefix(d.dsn, "sqlite:") }

func (d *database) logger() *slog.Logger {
	level := slog.LevelInfo
	if d.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// model compiles the schema: the program's own tables and the overlay, from its folder or as it was applied to the database.
func (d *database) model(ctx context.Context, log *slog.Logger) (*schema.Model, error) {
	if d.overlay != "" {
		return tables.ModelWith(d.overlay)
	}
	base, err := tables.Model()
	if err != nil {
		return nil, err
	}
	files, err := d.appliedOverlay(ctx, base, log)
	if err != nil || len(files) == 0 {
		return base, err
	}
	return tables.ModelFrom("applied overlay", files)
}

// appliedOverlay reads the overlay documents kept in an existing database; nil when there are none.
func (d *database) appliedOverlay(ctx context.Context, base *schema.Model, log *slog.Logger) (map[string]string, error) {
	if !isPostgres(d.dsn) {
		if _, err := os.Stat(d.file()); err != nil {
			return nil, nil // a database yet to be made
		}
	}
	st, err := d.openStore(ctx, base, opening{keepSchema: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("read overlay: %w", err)
	}
	defer st.Close()
	stored, err := readSettings(ctx, st, base)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for name, text := range stored {
		if file, ok := strings.CutPrefix(name, overlayPrefix); ok {
			files[file] = text
		}
	}
	return files, nil
}
