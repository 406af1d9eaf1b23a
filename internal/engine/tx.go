package engine

import (
	"context"
	"slices"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Tx is one transaction of the engine: a unit of work over rows. Changed rows are kept in memory and written together, each
// once, with one version and one line of the change log, when a query needs to see them or the transaction ends.
type Tx struct {
	reader
	ctx      context.Context
	session  *Session
	store    store.Tx
	books    *rules.Books
	id       value.GUID // names the transaction in the change log
	rows     map[rowKey]*entry
	dirty    []*entry // in the order in which they were first changed
	lines    []logLine
	warnings []string
	depth    int  // nesting of writes made by rules, to bound cascades
	sole     bool // the transaction is a single write
	secured  bool // what callers may do may have changed
	repriced bool // a currency was written
}

type rowKey struct {
	table *schema.Table
	id    value.GUID
}

// entry is a row as the transaction knows it.
type entry struct {
	rowKey
	stored  *query.Row // as the database has it; nil when it has none
	row     *query.Row // as it is now; nil when deleted
	locked  bool
	pending bool // waits to be written
	shown   bool // changed by a write, not merely by a derivation: the audit shows it
	touched bool // its version moves although no stored column does
}

func newTx(ctx context.Context, s *Session, st store.Tx) *Tx {
	x := &Tx{ctx: ctx, session: s, store: st, id: value.NewGUID(s.e.clock()), rows: map[rowKey]*entry{}}
	x.reader = reader{e: s.e, caller: s.caller, now: s.now, source: flushing{x}}
	x.books = newBooks(env{x}, s.Deferred)
	return x
}

// Warnings returns what the rules want the client to be told.
func (x *Tx) Warnings() []string { return x.warnings }

// Env returns the transaction as the rules see it, for actions of theirs. What they do needs no privilege of the caller.
func (x *Tx) Env() rules.Env { return env{x} }

// Store returns the transaction below, with everything written so far in it.
func (x *Tx) Store() (store.Tx, error) { return x.store, x.flush() }

// Secured notes that what callers may do was changed through Store.
func (x *Tx) Secured() { x.secured = true }

// As makes the writes that follow run for another caller: parts of a change set may be sent for different users. What waits is
// written first, so that the log names who did it.
func (x *Tx) As(caller *auth.Caller) error {
	if caller == x.caller {
		return nil
	}
	err := x.flush()
	x.caller = caller
	return err
}

// finish settles the books once for everything the transaction did, and writes what is pending.
func (x *Tx) finish() error {
	left := x.books.Touched()
	if err := x.books.Settle(); err != nil {
		return err
	}
	if err := x.flush(); err != nil || !x.books.Deferred {
		return err
	}
	return x.markDirty(left)
}

// Settle brings derived values up to date with the writes so far, for rows that are read back before the transaction ends.
func (x *Tx) Settle() error {
	if x.books.Deferred {
		return nil
	}
	return x.books.Settle()
}

// load returns a row from memory or the database; nil when there is none.
func (x *Tx) load(t *schema.Table, id value.GUID, lock bool) (*entry, error) {
	k := rowKey{t, id}
	if e := x.rows[k]; e != nil && (e.locked || !lock || e.stored == nil) {
		return e, nil
	}
	get := x.store.Get
	if lock {
		get = x.store.GetLocked
	}
	row, err := get(x.ctx, t, id, nil)
	if err != nil {
		return nil, err
	}
	return x.keep(k, row, lock)
}

// keep notes a row as it was just read; nil when there is none.
func (x *Tx) keep(k rowKey, row *query.Row, lock bool) (*entry, error) {
	e := x.rows[k]
	if e == nil {
		e = &entry{rowKey: k}
		x.rows[k] = e
	}
	if row == nil && e.row != nil && !e.pending {
		// Others have deleted it since it was looked at. A row of the same id that was made meanwhile would be another one.
		return nil, fault.NotFound(k.table.Name, k.id.String())
	}
	e.locked = lock || x.store.Serial()
	if !e.pending {
		e.stored, e.row = row, row
	}
	return e, nil
}

// fetch makes sure that rows are in memory: those to be locked, in the order given, and those to be read. It costs one round trip,
// where load for each would cost as many as there are rows.
func (x *Tx) fetch(lock, read []query.Key) error {
	missing := x.missing(nil, lock, true)
	locked := len(missing)
	missing = x.missing(missing, read, false)
	if len(missing) == 0 || len(missing) == 1 && locked == 0 {
		return nil // load does as well
	}
	rows, err := x.store.GetMany(x.ctx, missing, locked)
	if err != nil {
		return err
	}
	for i, k := range missing {
		if _, err := x.keep(rowKey{k.Table, k.ID}, rows[i], i < locked); err != nil {
			return err
		}
	}
	return nil
}

// missing appends the keys of rows that are not in memory, or not locked as they should be.
func (x *Tx) missing(to, keys []query.Key, lock bool) []query.Key {
	for _, k := range keys {
		if e := x.rows[rowKey{k.Table, k.ID}]; e == nil || lock && !e.locked && e.stored != nil {
			to = append(to, k)
		}
	}
	return to
}

// put makes row the current state of its entry and remembers to write it.
func (x *Tx) put(e *entry, row *query.Row, shown bool) {
	e.row = row
	e.shown = e.shown || shown
	if !e.pending {
		e.pending = true
		x.dirty = append(x.dirty, e)
	}
}

// maxKept is how many rows a transaction keeps in memory once they are written.
const maxKept = 20_000

// flush writes all pending rows in the order in which they were changed.
func (x *Tx) flush() error {
	dirty := x.dirty
	x.dirty = nil
	if len(dirty) == 0 && len(x.rows) > maxKept {
		clear(x.rows) // a long transaction does not keep every row it has seen
	}
	var later []patch
	for _, e := range dirty {
		e.pending = false
		held, err := x.writeEntry(e)
		if err != nil {
			return err
		}
		later = append(later, held...)
	}
	x.repriced = x.repriced || slices.ContainsFunc(dirty, func(e *entry) bool { return e.table == x.e.columns.currency })
	if slices.ContainsFunc(dirty, func(e *entry) bool { return auth.AffectsSecurity(e.table) }) {
		x.secured = true
		if err := auth.BumpSecurity(x.ctx, x.store, x.e.model); err != nil {
			return err
		}
	}
	for _, p := range later {
		if err := x.store.Update(x.ctx, p.table, p.id, p.set); err != nil {
			return err
		}
	}
	return x.writeLog()
}

// patch is a part of an insert that must wait until the row it points at is there.
type patch struct {
	rowKey
	set []query.Assign
}

// writeEntry brings one row into the database with its version, and logs it. What it returns is still to be updated once all
// rows of the flush are there.
func (x *Tx) writeEntry(e *entry) ([]patch, error) {
	switch {
	case e.row == nil && e.stored == nil:
		return nil, nil // created and deleted before it was ever written
	case e.row == nil:
		return nil, x.writeDelete(e)
	}
	set := x.unwritten(e)
	if len(set) == 0 && !e.touched {
		return nil, nil
	}
	if visible(set) || e.touched {
		version, err := x.stamp(e, set)
		if err != nil {
			return nil, err
		}
		if version != nil {
			set = append(set, *version)
		}
	}
	defer x.settleEntry(e)
	if e.stored != nil {
		return nil, x.store.Update(x.ctx, e.table, e.id, set)
	}
	now, held := x.holdBack(e, set)
	return held, x.store.Insert(x.ctx, e.table, e.id, now)
}

// unwritten lists what the database does not know of a row yet, but for its key and version. A row changed again after it was written
// still carries its old one; the next is drawn when the row is stamped.
func (x *Tx) unwritten(e *entry) []query.Assign {
	var set []query.Assign
	if e.stored == nil {
		set = e.row.Held()
	} else {
		set = e.row.Diff(e.stored)
	}
	key, version := e.table.Key, e.table.Column("versionnumber")
	return slices.DeleteFunc(set, func(a query.Assign) bool { return a.Column == key || a.Column == version })
}

func (x *Tx) settleEntry(e *entry) {
	e.stored = e.row
	e.shown, e.touched = false, false
	e.locked = true
}

// visible tells whether a change shows outside the service: hidden columns alone do not.
func visible(set []query.Assign) bool {
	for _, a := range set {
		if !a.Column.Hidden {
			return true
		}
	}
	return false
}

// stamp draws the row's version and logs the change.
func (x *Tx) stamp(e *entry, set []query.Assign) (*query.Assign, error) {
	c := e.table.Column("versionnumber")
	if c == nil {
		return nil, nil
	}
	version, err := x.store.NextVersion(x.ctx)
	if err != nil {
		return nil, err
	}
	e.row.Set(c, value.Int(version))
	x.logChange(e, set, version)
	return &query.Assign{Column: c, Value: value.Int(version)}, nil
}

func (x *Tx) writeDelete(e *entry) error {
	if err := x.store.Delete(x.ctx, e.table, e.id); err != nil {
		return err
	}
	was := e.stored
	e.stored = nil
	if e.table.Column("versionnumber") == nil {
		return nil
	}
	version, err := x.store.NextVersion(x.ctx)
	if err != nil {
		return err
	}
	x.logDelete(e, was, version)
	return nil
}

// holdBack splits an insert: lookups to rows that are themselves only waiting to be inserted are set afterwards.
func (x *Tx) holdBack(e *entry, set []query.Assign) (now []query.Assign, held []patch) {
	if !slices.ContainsFunc(set, x.awaited) {
		return set, nil
	}
	var later []query.Assign
	for _, a := range set {
		if x.awaited(a) {
			later = append(later, a)
		} else {
			now = append(now, a)
		}
	}
	return now, []patch{{e.rowKey, later}}
}

// awaited tells whether an assignment is a lookup to a row that is not in the database yet.
func (x *Tx) awaited(a query.Assign) bool {
	if a.Column.Type != schema.TypeLookup {
		return false
	}
	for _, target := range a.Column.Targets {
		if e := x.rows[rowKey{target, a.Value.ID()}]; e != nil && e.stored == nil && e.row != nil {
			return true
		}
	}
	return false
}

// Row returns the current state of a row, locked or not; nil when there is none. The row is not to be changed.
func (x *Tx) Row(t *schema.Table, id value.GUID, lock bool) (*query.Row, error) {
	e, err := x.load(t, id, lock)
	if err != nil {
		return nil, err
	}
	return e.row, nil
}

// mustRow is Row that refuses a row that is not there.
func (x *Tx) mustRow(t *schema.Table, id value.GUID, lock bool) (*query.Row, error) {
	row, err := x.Row(t, id, lock)
	if err == nil && row == nil {
		err = fault.NotFound(t.Name, id.String())
	}
	return row, err
}

// flushing is the transaction's reader for queries: pending rows are written first, so that the query sees them.
type flushing struct{ x *Tx }

var _ store.Reader = flushing{}

func (f flushing) Read(ctx context.Context, q *query.Query) (query.Rows, error) {
	if err := f.x.flush(); err != nil {
		return nil, err
	}
	return f.x.store.Read(ctx, q)
}

func (f flushing) ReadChildren(ctx context.Context, e *query.Expand, parents []value.GUID) (query.Rows, error) {
	return f.x.store.ReadChildren(ctx, e, parents)
}

func (f flushing) Count(ctx context.Context, q *query.Query) (int64, error) {
	if err := f.x.flush(); err != nil {
		return 0, err
	}
	return f.x.store.Count(ctx, q)
}

func (f flushing) Get(ctx context.Context, t *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error) {
	return f.x.Row(t, id, false)
}
