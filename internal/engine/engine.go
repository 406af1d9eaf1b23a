// Package engine runs reads, writes and change pulls: it applies the passes (privileges, caller and clock, pages) to a bound
// query, and it carries a bound change through privileges, rules, row, change log and books in one transaction. It knows
// neither HTTP nor SQL.
package engine

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Engine is the service without its wire.
type Engine struct {
	store        store.Store
	model        *schema.Model
	settings     atomic.Pointer[settings.Settings]
	clock        func() time.Time
	log          *slog.Logger
	currencies   currencies
	baseCurrency atomic.Pointer[query.Row]
	deferral     deferral
	purged       purged
	tokens       *signer
	columns      wellKnown
	organization value.GUID // the one row of organization
	secured      func(context.Context)
}

// Options are what an Engine is made of.
type Options struct {
	Store    store.Store
	Model    *schema.Model
	Settings *settings.Settings
	Clock    func() time.Time // the service's idea of now
	Logger   *slog.Logger
	// Secured is called after a write that may have changed what callers may do; nil for nothing.
	Secured func(context.Context)
}

// New makes an engine over an open, bootstrapped store.
func New(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{store: o.Store, model: o.Model, clock: o.Clock, log: o.Logger, secured: o.Secured}
	if e.clock == nil {
		e.clock = time.Now
	}
	if e.log == nil {
		e.log = slog.Default()
	}
	e.settings.Store(o.Settings)
	e.columns = findWellKnown(o.Model)
	var err error
	if e.tokens, err = openSigner(ctx, o.Store, o.Model); err != nil {
		return nil, err
	}
	return e, e.findOrganization(ctx)
}

// findOrganization reads the id of the one organization.
func (e *Engine) findOrganization(ctx context.Context) error {
	t := e.columns.organization
	root := &query.Link{Table: t}
	q := &query.Query{Root: root}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{t.Key})}
	ids, err := readIDs(ctx, e.store, q)
	if err == nil && len(ids) > 0 {
		e.organization = ids[0]
	}
	return err
}

// Model returns the schema the engine serves.
func (e *Engine) Model() *schema.Model { return e.model }

// Store returns the store the engine works on.
func (e *Engine) Store() store.Store { return e.store }

// Settings returns the settings in force now.
func (e *Engine) Settings() *settings.Settings { return e.settings.Load() }

// SetSettings puts new settings in force for requests that begin after it.
func (e *Engine) SetSettings(s *settings.Settings) { e.settings.Store(s) }

// Now returns the service's clock in whole seconds.
func (e *Engine) Now() int64 { return e.clock().Unix() }

// Clock returns the service's idea of now.
func (e *Engine) Clock() time.Time { return e.clock() }

// Session is one request's identity and moment.
type Session struct {
	reader
	Deferred bool // leave totals to a later recalculation (Prefer: rollups=deferred)
	Unlogged bool // write no change log: only while nobody can hold a delta token yet
}

// Session begins a request of a caller.
func (e *Engine) Session(caller *auth.Caller) *Session {
	return &Session{reader: reader{e: e, caller: caller, now: e.Now(), source: e.store}}
}

// Caller returns whose request it is.
func (s *Session) Caller() *auth.Caller { return s.caller }

// Now returns the moment the request began, by the service's clock.
func (s *Session) Now() int64 { return s.now }

// Engine returns the engine the session belongs to.
func (s *Session) Engine() *Engine { return s.e }

// In returns the session with its reads inside a transaction: they see what the transaction has done so far.
func (s *Session) In(x *Tx) *Session {
	inside := *s
	inside.source = flushing{x}
	return &inside
}

// Write runs fn in one transaction: all of its changes hold, with their books, or none does. fn may be run again from the
// start, so it must keep nothing but what its last run left.
func (s *Session) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.transact(ctx, s.e.store.Write, fn)
}

// Bulk is Write for large loads.
func (s *Session) Bulk(ctx context.Context, fn func(*Tx) error) error {
	return s.transact(ctx, s.e.store.Bulk, fn)
}

func (s *Session) transact(ctx context.Context, begin func(context.Context, func(store.Tx) error) error, fn func(*Tx) error) error {
	var last *Tx
	err := begin(ctx, func(st store.Tx) error {
		last = newTx(ctx, s, st)
		if err := fn(last); err != nil {
			return err
		}
		return last.finish()
	})
	if err != nil {
		return err
	}
	s.e.forget(ctx, last)
	if s.Deferred {
		s.e.deferral.marked.Add(1)
	}
	return nil
}

// forget drops what the process remembers of rows that a transaction has changed.
func (e *Engine) forget(ctx context.Context, tx *Tx) {
	if tx.repriced {
		e.ForgetCurrencies()
	}
	if tx.secured && e.secured != nil {
		e.secured(ctx)
	}
}

// wellKnown holds the tables the engine itself writes.
type wellKnown struct {
	audit, user, team, unit, organization, currency, share, dirty *schema.Table

	line lineColumns // of the audit table
}

func findWellKnown(m *schema.Model) wellKnown {
	return wellKnown{
		audit: m.Table("audit"), user: m.Table("systemuser"), team: m.Table("team"), unit: m.Table("businessunit"),
		organization: m.Table("organization"), currency: m.Table("transactioncurrency"), share: m.Table("principalobjectaccess"),
		dirty: m.Table("dirty"), line: findLineColumns(m.Table("audit")),
	}
}

// zone returns the organization's time zone.
func (e *Engine) zone() *time.Location { return e.Settings().Location() }

// resolveContext is what the resolve pass needs to know of caller and clock.
func (e *Engine) resolveContext(caller *auth.Caller, now int64) query.ResolveContext {
	s := e.Settings()
	return query.ResolveContext{
		Model: e.model,
		Now:   now, Zone: e.zone(), StartMonth: s.YearStartMonth, User: caller.User, BusinessUnit: caller.Unit,
		Teams: caller.Teams, Reports: caller.Reports, Language: caller.Language,
	}
}

// newBooks opens the rules for one transaction.
func newBooks(env rules.Env, deferred bool) *rules.Books {
	b := rules.NewBooks(env)
	b.Deferred = deferred
	return b
}

// assign is shorthand for one column's value by name.
func assign(t *schema.Table, name string, v value.Value) query.Assign {
	return query.Assign{Column: t.MustColumn(name), Value: v}
}

// machineNow is the machine's clock, for what must not follow a rehearsed one.
func machineNow() int64 { return time.Now().Unix() }

// upserted are the platform's own business tables, which take a write by an id that is not there as a create.
var upserted = map[string]bool{"contact": true, "account": true, "lead": true, "campaign": true, "campaignactivity": true}

// Upserts tells whether a write by id may create a row of a table (decision 3).
func (e *Engine) Upserts(t *schema.Table) bool {
	return t.Updatable() && (e.Settings().UpsertByID || upserted[t.Name])
}

// Organization returns the id of the one organization of the database.
func (e *Engine) Organization() value.GUID { return e.organization }
