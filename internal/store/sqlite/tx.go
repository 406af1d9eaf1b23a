package sqlite

import (
	"context"
	"errors"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store/sqlgen"
	"almoner/internal/value"
)

// errOver is returned by a transaction used after its function has returned.
var errOver = errors.New("the transaction is over")

// tx is one request's turn in the writer's transaction.
type tx struct {
	session
	group *group
	lost  error // why the whole transaction is gone; every call then says so
	over  bool
}

func newTx(g *group) *tx {
	t := &tx{group: g}
	t.session = session{store: g.writer.store, conn: g.conn, owner: t}
	return t
}

// end closes what the request has left open.
func (t *tx) end() {
	t.closeAll()
	t.over = true
}

// begin refuses to go on in a transaction that is gone: a statement would then commit alone.
func (t *tx) begin(context.Context) error {
	switch {
	case t.lost != nil:
		return fault.Unavailable(t.lost, retryAfter)
	case t.over:
		return errOver
	default:
		return nil
	}
}

// note looks after every error whether the transaction is still there.
func (t *tx) note(err error) error {
	if t.lost == nil && (t.conn.db.AutocommitEnabled() || unsound(err)) {
		t.lost = err
	}
	return sqlFault(err)
}

func (t *tx) idle() {}

// exec runs a statement that changes rows and returns SQLite's own error beside the one for the caller.
func (t *tx) exec(ctx context.Context, st sqlgen.Statement) (cause, err error) {
	if err := t.begin(ctx); err != nil {
		return nil, err
	}
	p, err := t.conn.prepare(st.SQL)
	if err != nil {
		return err, t.note(err)
	}
	p.bind(st.Args)
	t.conn.room = st.Args[:0]
	cause = p.run()
	p.release()
	if cause != nil {
		return cause, t.note(cause)
	}
	return nil, nil
}

// GetLocked implements store.Tx. The transaction has held the database's only write lock from the start.
func (t *tx) GetLocked(ctx context.Context, table *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error) {
	return t.Get(ctx, table, id, cols)
}

// GetMany implements store.Tx.
func (t *tx) GetMany(ctx context.Context, keys []query.Key, _ int) ([]*query.Row, error) {
	rows := make([]*query.Row, len(keys))
	for i, k := range keys {
		var err error
		if rows[i], err = t.Get(ctx, k.Table, k.ID, nil); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Serial implements store.Tx.
func (t *tx) Serial() bool { return true }

// Insert implements store.Tx.
func (t *tx) Insert(ctx context.Context, table *schema.Table, id value.GUID, set []query.Assign) error {
	cause, err := t.exec(ctx, t.store.statements.Insert(t.conn.room, table, id, set))
	return t.refused(ctx, cause, err, table, id, set)
}

// Update implements store.Tx.
func (t *tx) Update(ctx context.Context, table *schema.Table, id value.GUID, set []query.Assign) error {
	cause, err := t.exec(ctx, t.store.statements.Update(t.conn.room, table, id, set))
	return t.refused(ctx, cause, err, table, id, set)
}

// Delete implements store.Tx.
func (t *tx) Delete(ctx context.Context, table *schema.Table, id value.GUID) error {
	cause, err := t.exec(ctx, t.store.statements.Delete(table, id))
	if dangling(cause) {
		return associatedFault(cause, table).At("id " + value.ID(id).String())
	}
	return err
}

// Put implements store.Tx.
func (t *tx) Put(ctx context.Context, table *schema.Table, set []query.Assign) error {
	return t.change(ctx, table, t.store.statements.Put(t.conn.room, table, set), set)
}

// Add implements store.Tx.
func (t *tx) Add(ctx context.Context, table *schema.Table, key, add []query.Assign) error {
	return t.change(ctx, table, t.store.statements.Add(t.conn.room, table, key, add), key)
}

// Remove implements store.Tx.
func (t *tx) Remove(ctx context.Context, table *schema.Table, where []query.Assign) error {
	cause, err := t.exec(ctx, t.store.statements.Remove(table, where))
	if dangling(cause) {
		return associatedFault(cause, table)
	}
	return err
}

// change runs a statement on a hidden table. When it is the table of counters, what was drawn goes there first.
func (t *tx) change(ctx context.Context, table *schema.Table, st sqlgen.Statement, set []query.Assign) error {
	if table == t.store.counter.table {
		if err := t.group.counters.flush(t.store, t.conn); err != nil {
			return t.note(err)
		}
		clear(t.group.counters)
	}
	cause, err := t.exec(ctx, st)
	return t.refused(ctx, cause, err, table, value.GUID{}, set)
}

// refused says in the client's terms which constraint a row hurts.
func (t *tx) refused(ctx context.Context, cause, err error, table *schema.Table, id value.GUID, set []query.Assign) error {
	switch {
	case duplicate(cause):
		return duplicateFault(cause, table, id)
	case dangling(cause):
		return t.missing(ctx, cause, table, set)
	default:
		return err
	}
}

// missing names the first lookup whose target is not there.
func (t *tx) missing(ctx context.Context, cause error, table *schema.Table, set []query.Assign) error {
	for _, a := range set {
		target := t.store.target(a)
		if target == nil {
			continue
		}
		row, err := t.Get(ctx, target, a.Value.ID(), []*schema.Column{target.Key})
		if err != nil {
			return err
		}
		if row == nil {
			return fault.NotFound(target.Name, a.Value.String()).At(table.Name, "column "+a.Column.Name)
		}
	}
	return fault.Wrap(cause, fault.ObjectDoesNotExist, "A row that a row of '%s' refers to does not exist.", table.Name).At(table.Name)
}

// target returns the table whose row a lookup is set to; nil when the column is no lookup or is cleared.
func (s *Store) target(a query.Assign) *schema.Table {
	switch {
	case a.Column.Type != schema.TypeLookup || a.Value.IsNull() || len(a.Column.Targets) == 0:
		return nil
	case a.Column.Polymorphic():
		return s.model.ByCode(a.Value.TypeCode())
	default:
		return a.Column.Targets[0]
	}
}

// NextVersion implements store.Tx.
func (t *tx) NextVersion(ctx context.Context) (int64, error) {
	return t.NextNumber(ctx, versionCounter)
}

// NextNumber implements store.Tx.
func (t *tx) NextNumber(ctx context.Context, counter string) (int64, error) {
	if err := t.begin(ctx); err != nil {
		return 0, err
	}
	n, err := t.group.counters.next(t.store, t.conn, counter)
	if err != nil {
		return 0, t.note(err)
	}
	return n, nil
}

// Touch implements store.Tx. What this transaction can see may come from a process that was killed between writing its
// log and syncing it; any change here makes the commit sync the whole log.
func (t *tx) Touch(ctx context.Context) error {
	_, err := t.exec(ctx, sqlgen.Statement{SQL: touchSQL})
	return err
}
