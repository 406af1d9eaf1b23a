// Package store is the contract between the engine and a database. Two packages below it keep it: sqlite, the embedded
// store, and postgres. storetest holds the suite both must pass. What is stored how is theirs; both promise:
//
//   - money, choices, dates and times are integers, GUIDs are 16 bytes or uuid, every text has its fold stored beside it;
//   - an acknowledged write is durable, and one request's failure never undoes another's answered write;
//   - order, comparison, null handling and cells are the same to the byte.
package store

import (
	"context"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Reader answers queries.
type Reader interface {
	// Read runs a query and returns a cursor. Cells follow Query.Select depth first: the node's outputs (see
	// query.Output for the cells of one), then for each single-valued expand the cells of each of its nodes.
	Read(ctx context.Context, q *query.Query) (query.Rows, error)
	// ReadChildren runs the Many query of an expand for all parents at once. Cell 0 is the parent's key, the cells of
	// Many.Select follow. Rows come ordered by parent, then by Many.Order; at most Top per parent when Top > 0.
	ReadChildren(ctx context.Context, e *query.Expand, parents []value.GUID) (query.Rows, error)
	// Count returns the number of rows a query would give without its page.
	Count(ctx context.Context, q *query.Query) (int64, error)
	// Get returns the stored columns asked for of one row; nil when there is none. cols nil means all stored columns.
	Get(ctx context.Context, t *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error)
}

// Tx is a write transaction. Its reads see its own writes. Writes may be sent later than they are called, together with
// the next read or the commit; an error then surfaces there, and what a write was given is not to be changed before. A Tx is used by
// one goroutine.
type Tx interface {
	Reader
	// GetLocked is Get that also locks the row until the end of the transaction, so that nobody else changes it meanwhile.
	GetLocked(ctx context.Context, t *schema.Table, id value.GUID, cols []*schema.Column) (*query.Row, error)
	// GetMany returns whole rows in the order of their keys, nil where there is none. The first ones, as many as locked says, are
	// locked in that order.
	GetMany(ctx context.Context, keys []query.Key, locked int) ([]*query.Row, error)
	// Serial tells whether nobody else writes during the transaction: every row read is then as good as locked.
	Serial() bool
	// Insert adds a row with all given columns; others are null. A taken key is fault.DuplicateRecord.
	Insert(ctx context.Context, t *schema.Table, id value.GUID, set []query.Assign) error
	// Update changes columns of a row that the transaction has read.
	Update(ctx context.Context, t *schema.Table, id value.GUID, set []query.Assign) error
	// Delete removes a row.
	Delete(ctx context.Context, t *schema.Table, id value.GUID) error
	// Put inserts or replaces a row of a hidden table by its composite key (the first of Table.Unique, whose columns are
	// among set).
	Put(ctx context.Context, t *schema.Table, set []query.Assign) error
	// Add adds integers to a row of a hidden table by its composite key, making the row when there is none.
	Add(ctx context.Context, t *schema.Table, key []query.Assign, add []query.Assign) error
	// Remove deletes the rows of a table for which a column holds a value: member rows of a contact, roles of a user.
	Remove(ctx context.Context, t *schema.Table, where []query.Assign) error
	// NextVersion draws the next row version, after the rows it is for have been locked.
	NextVersion(ctx context.Context) (int64, error)
	// NextNumber draws the next number of a named counter, starting at 1. Numbers of a failed transaction may be lost.
	NextNumber(ctx context.Context, counter string) (int64, error)
	// Touch makes the commit a real one although no row is written, so that an "already there" answer is as durable as
	// the write it speaks of.
	Touch(ctx context.Context) error
}

// Prepared is a query rendered once for many runs.
type Prepared interface {
	// Read runs the query with these ids in the place of those it was prepared with.
	Read(ctx context.Context, ids []value.GUID) (query.Rows, error)
}

// Store is a database of one model.
type Store interface {
	Reader // each call sees its own snapshot
	// Prepare renders a query whose shape will be asked for again. slots are the ids in its literals that differ from run to
	// run; each occurs nowhere else in the query.
	Prepare(q *query.Query, slots []value.GUID) (Prepared, error)
	// View runs fn with a Reader whose reads all see one snapshot.
	View(ctx context.Context, fn func(Reader) error) error
	// Write runs fn in one transaction and commits. fn may be run again from the start (conflict, deadlock, a lost commit
	// group): it changes nothing outside the transaction. When Write returns nil the write is durable. A ctx that ends
	// before fn has begun ends the wait; later it is ignored.
	Write(ctx context.Context, fn func(Tx) error) error
	// Bulk is Write for a large load: it does not share its commit with others.
	Bulk(ctx context.Context, fn func(Tx) error) error
	// Watermark returns a version W such that every write with a version up to W that is committed or will ever be is
	// visible to a read begun after, and that covers every write answered before the call.
	Watermark(ctx context.Context) (int64, error)
	// Epoch identifies this history of the database; it changes on restore.
	Epoch() string
	// Explain prints the SQL of a query and the database's plan for it.
	Explain(ctx context.Context, q *query.Query) (string, error)
	// Pending lists the additive DDL that would bring the database to its model; Migrate runs it.
	Pending(ctx context.Context) ([]string, error)
	Migrate(ctx context.Context) error
	// Ping tells whether the database answers.
	Ping(ctx context.Context) error
	// Backup writes a consistent copy into a new file (embedded store only).
	Backup(ctx context.Context, file string) error
	// Name is "sqlite" or "postgres".
	Name() string
	Close() error
}
