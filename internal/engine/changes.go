package engine

import (
	"context"
	"time"

	"almoner/internal/auth"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// deltaToken is the content of a $deltatoken: up to where its holder has seen the table, and when that was.
type deltaToken struct {
	Version int64  `json:"v"`
	Taken   int64  `json:"t"`
	Epoch   string `json:"e"`
	Columns string `json:"c,omitempty"` // the $select it was taken with
}

// CheckTracking refuses a tracked read of a table that does not track, or by a caller who may not read all of it.
func (s *Session) CheckTracking(t *schema.Table) error {
	if !t.Track {
		return fault.New(fault.NotTracked, "Entity %s isn't enabled for change tracking.", t.Name).At(t.Name)
	}
	if err := auth.Require(s.caller, t, auth.Read); err != nil {
		return err
	}
	if s.caller.Depth(t, auth.Read) != auth.Global {
		return auth.Denied(s.caller, t, auth.Read)
	}
	return nil
}

// Watermark fixes the version up to which a tracked read will be complete. It covers every write answered before.
func (s *Session) Watermark(ctx context.Context) (int64, error) { return s.e.store.Watermark(ctx) }

// SealDelta makes the $deltatoken of a finished pull. It belongs to one table, set of columns and caller (decision 28).
func (s *Session) SealDelta(t *schema.Table, columns string, version, taken int64) string {
	return s.e.tokens.seal(s.deltaPurpose(t), deltaToken{version, taken, s.e.store.Epoch(), columns})
}

// OpenDelta reads a $deltatoken and returns the version it stands at. columns is the $select it is used with; nil where any will do,
// as for counting (decision 49).
func (s *Session) OpenDelta(t *schema.Table, columns *string, token string) (int64, error) {
	var d deltaToken
	err := s.e.tokens.open(s.deltaPurpose(t), token, &d)
	if err != nil || columns != nil && *columns != d.Columns {
		return 0, fault.Wrap(err, fault.BadRequest, "The $deltatoken does not belong to this table, columns and caller. Perform a full synchronization.").At(t.Name)
	}
	age := time.Duration(s.now-d.Taken) * time.Second
	if d.Epoch != s.e.store.Epoch() || age > s.e.Settings().ChangesRetention {
		return 0, expired(t)
	}
	return d.Version, nil
}

func expired(t *schema.Table) error {
	return fault.New(fault.ExpiredVersionStamp, "Version stamp associated with the client has expired. Please perform a full synchronization.").At(t.Name)
}

func (s *Session) deltaPurpose(t *schema.Table) string {
	return "delta " + s.caller.User.String() + " " + t.Name
}

// Changes are two queries over what changed in a table after one version and up to another, each in the order of versions: the rows that
// were made or changed and are there, as they are now, and the rows that are gone.
type Changes struct {
	Live    *Plan
	Removed *Plan
	Object  int // cell of Removed with the id of the row
}

// PrepareChanges turns a bound read of a whole table into the queries of its changes in (since, until]. A line of the change log counts
// when it is the last word on its row: a row changed again later than until belongs to the next pull.
func (s *Session) PrepareChanges(q *query.Query, since, until int64) (*Changes, error) {
	t := q.Root.Table
	if since > until {
		return nil, expired(t) // the database was put back to an earlier moment
	}
	if err := auth.Secure(s.caller, q); err != nil {
		return nil, err
	}
	s.joinLog(q, since, until)
	c := &Changes{}
	var err error
	if c.Live, err = s.planChanges(q); err != nil {
		return nil, err
	}
	removed := s.removals(t, since, until)
	if c.Removed, err = s.planChanges(removed); err != nil {
		return nil, err
	}
	c.Object = c.Removed.Root.Cells[0]
	return c, nil
}

// joinLog makes a read of a table one of its lines in the log that speak of the rows as they are, each with its row.
func (s *Session) joinLog(q *query.Query, since, until int64) {
	row, line := q.Root, &query.Link{Table: s.e.columns.audit}
	version := logVersion(line)
	row.Parent, row.From, row.To = line, row.Table.Key, line.Table.MustColumn("objectid")
	row.On = query.Cond{Left: query.Ref{Link: row, Column: row.Table.MustColumn("versionnumber")}, Op: query.OpEq, Args: []query.Expr{version}}
	q.Links = append([]*query.Link{row}, q.Links...)
	q.Root = line
	q.Where = query.AllOf(window(line, row.Table, since, until), q.Where)
	q.Order = []query.Order{{Expr: version}}
}

// removals is the query of the rows of a table that are gone: the last line about each says that it was deleted, and nobody has made it
// again.
func (s *Session) removals(t *schema.Table, since, until int64) *query.Query {
	line := &query.Link{Table: s.e.columns.audit}
	object := query.Ref{Link: line, Column: line.Table.MustColumn("objectid")}
	again := &query.Exists{Link: &query.Link{Table: t, Parent: line, From: t.Key, To: object.Column}}
	later := &query.Link{Table: line.Table, Parent: line, From: object.Column, To: object.Column}
	q := &query.Query{Root: line, Order: []query.Order{{Expr: logVersion(line)}}}
	q.Select = query.Node{Link: line, Outputs: []query.Output{{Expr: object, Column: object.Column}}}
	deleted := query.And{isDelete(later), after(later, logVersion(line))}
	if t.Audit {
		deleted = append(deleted, shownLine(later)) // as every delete of such a table is; the index by row has no others
	}
	q.Where = query.And{
		window(line, t, since, until),
		isDelete(line),
		query.Not{Filter: again},
		query.Not{Filter: &query.Exists{Link: later, Where: deleted}},
	}
	return q
}

// window is the condition that a line of the log speaks of a row of a table and is of a version in (since, until].
func window(line *query.Link, t *schema.Table, since, until int64) query.Filter {
	object := query.Ref{Link: line, Column: line.Table.MustColumn("objectid")}
	return query.And{
		query.Cond{Left: query.TypeCode{Ref: object}, Op: query.OpEq, Args: []query.Expr{query.Literal{Value: value.Int(int64(t.TypeCode))}}},
		after(line, query.Literal{Value: value.Int(since)}),
		query.Cond{Left: logVersion(line), Op: query.OpLe, Args: []query.Expr{query.Literal{Value: value.Int(until)}}},
	}
}

func after(line *query.Link, version query.Expr) query.Filter {
	return query.Cond{Left: logVersion(line), Op: query.OpGt, Args: []query.Expr{version}}
}

func isDelete(line *query.Link) query.Filter {
	return query.Equal(line, line.Table.MustColumn("operation"), value.Int(operationDelete))
}

func logVersion(line *query.Link) query.Ref {
	return query.Ref{Link: line, Column: line.Table.MustColumn("logversion")}
}

func (s *Session) planChanges(q *query.Query) (*Plan, error) {
	if err := query.Resolve(q, s.e.resolveContext(s.caller, s.now)); err != nil {
		return nil, err
	}
	return newPlan(q, 0), nil
}
