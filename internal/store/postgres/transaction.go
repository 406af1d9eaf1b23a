package postgres

import (
	"context"
	"slices"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

const (
	lockedVersions = 4   // versions drawn along with a row lock
	mostVersions   = 256 // versions drawn at once, at most
	mostRead       = 200 // rows read by key in one round trip, at most
	bulkNumbers    = 64  // numbers of a counter drawn at once by a large load
)

// transaction implements store.Tx. Its first round trip carries BEGIN and the change clock's shared lock.
type transaction struct {
	*session
	bulk     bool
	versions []int64 // drawn after the last lock was taken, and not used yet
	draw     int     // how many to draw next
	numbers  map[string][]int64
}

var _ store.Tx = (*transaction)(nil)

func newTransaction(x *session, how entry) *transaction {
	t := &transaction{session: x, bulk: how == loading, draw: lockedVersions, numbers: map[string][]int64{}}
	if t.bulk {
		x.limit = bulkLimit
	}
	x.beginWrite()
	if st, ok := x.store.enter(how); ok {
		x.queue.add(st)
	}
	return t
}

// GetLocked implements store.Tx. The lock lets foreign keys of others pass (FOR NO KEY UPDATE). Fresh versions are drawn in
// the same round trip, after the lock: versions of one row then never run backwards.
func (t *transaction) GetLocked(ctx context.Context, table *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error) {
	st, cols := t.store.pointRead(table, id, cols, true)
	e, err := t.send(ctx, st, drawStatement(lockedVersions))
	if err != nil {
		return nil, err
	}
	var row *query.Row
	readEach(e, func(c *cursor) { row = query.ScanRow(table, id, cols, c, 0) })
	t.versions = readIntegers(e)
	return row, e.close()
}

// GetMany implements store.Tx in one round trip for up to mostRead rows. Versions are drawn after the last lock.
func (t *transaction) GetMany(ctx context.Context, keys []query.Key, locked int) ([]*query.Row, error) {
	var out []*query.Row
	for part := range slices.Chunk(keys, mostRead) {
		rows, err := t.getPart(ctx, part, locked-len(out))
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

func (t *transaction) getPart(ctx context.Context, keys []query.Key, locked int) ([]*query.Row, error) {
	var statements []statement
	for run, lock := range runs(keys, locked) {
		statements = append(statements, t.store.keyedRead(run, lock))
	}
	if locked > 0 {
		statements = append(statements, drawStatement(lockedVersions+len(keys)))
	}
	e, err := t.send(ctx, statements...)
	if err != nil {
		return nil, err
	}
	rows := make([]*query.Row, 0, len(keys))
	for run := range runs(keys, locked) {
		rows = append(rows, readKeyed(e, run, t.store.whole[run[0].Table])...)
	}
	if locked > 0 {
		t.versions = readIntegers(e)
		t.draw = max(t.draw, len(keys)) // who locks many rows writes many
	}
	return rows, e.close()
}

// Serial implements store.Tx.
func (t *transaction) Serial() bool { return false }

// Insert implements store.Tx.
func (t *transaction) Insert(ctx context.Context, table *schema.Table, id value.GUID, set []query.Assign) error {
	return t.later(ctx, &work{kind: inserts, table: table, id: id, set: set})
}

// Update implements store.Tx.
func (t *transaction) Update(ctx context.Context, table *schema.Table, id value.GUID, set []query.Assign) error {
	return t.later(ctx, &work{kind: updates, table: table, id: id, set: set})
}

// Delete implements store.Tx.
func (t *transaction) Delete(ctx context.Context, table *schema.Table, id value.GUID) error {
	return t.later(ctx, &work{kind: removes, table: table, id: id, set: []query.Assign{{Column: table.Key, Value: value.ID(id)}}})
}

// Put implements store.Tx.
func (t *transaction) Put(ctx context.Context, table *schema.Table, set []query.Assign) error {
	return t.later(ctx, &work{kind: puts, table: table, set: set})
}

// Add implements store.Tx.
func (t *transaction) Add(ctx context.Context, table *schema.Table, key, add []query.Assign) error {
	return t.later(ctx, &work{kind: adds, table: table, set: key, sums: add})
}

// Remove implements store.Tx.
func (t *transaction) Remove(ctx context.Context, table *schema.Table, where []query.Assign) error {
	return t.later(ctx, &work{kind: removes, table: table, set: where})
}

// Touch implements store.Tx.
func (t *transaction) Touch(context.Context) error {
	if t.failed == nil {
		t.queue.add(statement{sql: t.store.touchSQL})
	}
	return t.failed
}

// later queues a write; when many wait they are sent.
func (t *transaction) later(ctx context.Context, w *work) error {
	if t.failed != nil {
		return t.failed
	}
	t.queue.write(w)
	if t.queue.length < maxQueued {
		return nil
	}
	return t.flush(ctx)
}

// NextVersion implements store.Tx. Versions come in blocks, so that most calls cost no round trip; what a block has left is
// lost with the transaction.
func (t *transaction) NextVersion(ctx context.Context) (int64, error) {
	if len(t.versions) == 0 {
		e, err := t.send(ctx, drawStatement(t.draw))
		if err != nil {
			return 0, err
		}
		t.versions = readIntegers(e)
		if err := e.close(); err != nil {
			return 0, err
		}
		t.draw = min(2*t.draw, mostVersions)
	}
	return pop(&t.versions), nil
}

// NextNumber implements store.Tx.
func (t *transaction) NextNumber(ctx context.Context, counter string) (int64, error) {
	waiting := t.numbers[counter]
	if len(waiting) == 0 {
		var err error
		if waiting, err = t.drawNumbers(ctx, counter); err != nil {
			return 0, err
		}
	}
	n := pop(&waiting)
	t.numbers[counter] = waiting
	return n, nil
}

func (t *transaction) drawNumbers(ctx context.Context, counter string) ([]int64, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	block := 1
	if t.bulk {
		block = bulkNumbers
	}
	sequence, err := t.store.counters.sequence(ctx, counter)
	if err != nil {
		return nil, err
	}
	e, err := t.send(ctx, statement{"SELECT nextval($1::text::regclass) FROM generate_series(1, $2::int)", []any{sequence, block}})
	if err != nil {
		return nil, err
	}
	numbers := readIntegers(e)
	return numbers, e.close()
}

func pop(numbers *[]int64) int64 {
	n := (*numbers)[0]
	*numbers = (*numbers)[1:]
	return n
}

// readIntegers reads the cells of an exchange's next result.
func readIntegers(e *exchange) []int64 {
	var out []int64
	readEach(e, func(c *cursor) {
		for _, cell := range c.cells {
			out = append(out, integer(cell))
		}
	})
	return out
}

// readEach calls fn on each row of an exchange's next result. What fails is noted by the exchange.
func readEach(e *exchange, fn func(*cursor)) {
	rows, err := e.next()
	if err != nil {
		return
	}
	c := &cursor{rows: rows, closed: true}
	c.describe()
	for rows.Next() {
		c.cells = rows.RawValues()
		fn(c)
	}
	e.fail(rows.Err(), nil)
}
