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

// Changes is a query over what changed in a table after one version and up to another: every line of the change log that is the
// last word on its row, with the row, or without it where it was deleted.
type Changes struct {
	Plan    *Plan
	Version int // cell of the log line's version
	Object  int // cell of the row's id
}

// PrepareChanges turns a bound read of a whole table into the query of its changes in (since, until].
func (s *Session) PrepareChanges(q *query.Query, since, until int64) (*Changes, error) {
	if since > until {
		return nil, expired(q.Root.Table) // the database was put back to an earlier moment
	}
	if err := auth.Secure(s.caller, q); err != nil {
		return nil, err
	}
	audit, row := s.e.columns.audit, q.Root
	line := &query.Link{Table: audit}
	version := query.Ref{Link: line, Column: audit.MustColumn("logversion")}
	object := query.Ref{Link: line, Column: audit.MustColumn("objectid")}
	row.Parent, row.From, row.To, row.Kind = line, row.Table.Key, object.Column, query.Outer
	row.On = query.Cond{Left: query.Ref{Link: row, Column: row.Table.MustColumn("versionnumber")}, Op: query.OpEq, Args: []query.Expr{version}}
	q.Links = append([]*query.Link{row}, q.Links...)
	q.Root = line
	q.Where = query.And{
		query.Cond{Left: query.TypeCode{Ref: object}, Op: query.OpEq, Args: []query.Expr{query.Literal{Value: value.Int(int64(row.Table.TypeCode))}}},
		query.Cond{Left: version, Op: query.OpGt, Args: []query.Expr{query.Literal{Value: value.Int(since)}}},
		query.Cond{Left: version, Op: query.OpLe, Args: []query.Expr{query.Literal{Value: value.Int(until)}}},
		query.Or{query.Cond{Left: query.Ref{Link: row, Column: row.Table.Key}, Op: query.OpNotNull}, gone(line, object, row.Table)},
	}
	q.Order = []query.Order{{Expr: version}}
	return s.planChanges(q, version, object)
}

// gone is the condition that a line speaks of a deleted row that nobody has made again.
func gone(line *query.Link, object query.Ref, t *schema.Table) query.Filter {
	deleted := query.Equal(line, line.Table.MustColumn("operation"), value.Int(operationDelete))
	again := &query.Exists{Link: &query.Link{Table: t, Parent: line, From: t.Key, To: object.Column}}
	return query.And{deleted, query.Not{Filter: again}}
}

func (s *Session) planChanges(q *query.Query, version, object query.Ref) (*Changes, error) {
	at := len(q.Select.Outputs)
	q.Select.Outputs = append(q.Select.Outputs,
		query.Output{Expr: version, Column: version.Column}, query.Output{Expr: object, Column: object.Column})
	if err := query.Resolve(q, s.e.resolveContext(s.caller, s.now)); err != nil {
		return nil, err
	}
	plan := newPlan(q, 0)
	return &Changes{Plan: plan, Version: plan.Root.Cells[at], Object: plan.Root.Cells[at+1]}, nil
}
