package engine

import (
	"encoding/binary"
	"strconv"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// The change log is the audit table: one line per written row and transaction, ordered by version. Deltas, audit and
// outgoing events read from it. A line marked derived speaks of a change the service made by itself; it feeds deltas and
// is not shown as audit.

// Operations and actions of audit lines, as the platform numbers them.
const (
	operationCreate = 1
	operationUpdate = 2
	operationDelete = 3

	actionCreate     = 1
	actionUpdate     = 2
	actionDelete     = 3
	actionActivate   = 4
	actionDeactivate = 5
	actionAssign     = 13
)

func (x *Tx) logChange(e *entry, set []query.Assign, version int64) error {
	if !x.logged(e) {
		return nil
	}
	operation, action := int64(operationUpdate), actionOf(e, set)
	if e.stored == nil {
		operation, action = operationCreate, actionCreate
	}
	line := x.logLine(e, version, operation, action)
	if e.table.Audit && e.shown {
		line = append(line, x.logDetail(e.stored, set)...)
	}
	return x.insertLine(version, line)
}

// logDelete logs the end of a row, with what it held.
func (x *Tx) logDelete(e *entry, was *query.Row, version int64) error {
	if !x.logged(e) {
		return nil
	}
	e.shown = true
	line := x.logLine(e, version, operationDelete, actionDelete)
	if e.table.Audit {
		line = append(line, x.logDetail(was, cleared(was))...)
	}
	return x.insertLine(version, line)
}

// cleared lists the columns of a row that held something, as null.
func cleared(was *query.Row) []query.Assign {
	held := was.Held()
	for i := range held {
		held[i].Value = value.Null
	}
	return held
}

// logged tells whether changes of a row are logged: its table tracks or audits, and this is not the filling of a new database.
func (x *Tx) logged(e *entry) bool {
	return (e.table.Track || e.table.Audit) && !x.session.Unlogged
}

func actionOf(e *entry, set []query.Assign) int64 {
	for _, a := range set {
		switch a.Column.Name {
		case "statecode":
			if a.Value.Int() == 0 {
				return actionActivate
			}
			return actionDeactivate
		case "ownerid":
			return actionAssign
		}
	}
	return actionUpdate
}

func (x *Tx) logLine(e *entry, version, operation, action int64) []query.Assign {
	t := x.e.columns.audit
	line := []query.Assign{
		assign(t, "createdon", value.Time(x.now)),
		assign(t, "operation", value.Int(operation)),
		assign(t, "action", value.Int(action)),
		assign(t, "objectid", value.Ref(e.id, e.table.TypeCode)),
		assign(t, "userid", value.ID(x.caller.User)),
		assign(t, "transactionid", value.ID(x.id)),
		assign(t, "logversion", value.Int(version)),
		assign(t, "derived", value.Bool(!e.shown || !e.table.Audit)),
	}
	if x.caller.Impersonating() {
		line = append(line, assign(t, "callinguserid", value.ID(x.caller.Real)))
	}
	return line
}

// insertLine writes a line under a key made of its version, so that the log is clustered in commit order.
func (x *Tx) insertLine(version int64, line []query.Assign) error {
	id := x.id
	binary.BigEndian.PutUint64(id[:8], uint64(version))
	return x.store.Insert(x.ctx, x.e.columns.audit, id, line)
}

// logDetail says what a row held before, nil when it was not there, and what it holds now.
func (x *Tx) logDetail(was *query.Row, set []query.Assign) []query.Assign {
	mask := make([]byte, 0, 8*len(set))
	detail := make([]byte, 0, 48*len(set))
	for _, a := range set {
		if !audited(a.Column) || was == nil && a.Value.IsNull() {
			continue
		}
		if len(mask) > 0 {
			mask = append(mask, ',')
		}
		mask = strconv.AppendInt(mask, int64(a.Column.Number), 10)
		var old value.Value
		if was != nil {
			old = was.Get(a.Column)
		}
		detail = x.appendChange(detail, a.Column, was != nil, old, a.Value)
	}
	t := x.e.columns.audit
	return []query.Assign{
		assign(t, "attributemask", value.Text(string(mask))),
		assign(t, "changedata", value.Text(string(detail))),
	}
}

// audited tells whether changes of a column are worth a word: the service's own bookkeeping is not.
func audited(c *schema.Column) bool {
	switch c.Name {
	case "statecode", "statuscode", "ownerid", "transactioncurrencyid":
		return true
	default:
		return !c.Hidden && !c.System && c.BaseOf == nil
	}
}
