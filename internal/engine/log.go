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

	actionCreate      = 1
	actionUpdate      = 2
	actionDelete      = 3
	actionActivate    = 4
	actionDeactivate  = 5
	actionMerge       = 12
	actionAssign      = 13
	actionShare       = 14
	actionAssociate   = 33
	actionDissociate  = 34
	actionModifyShare = 48
	actionUnshare     = 49
)

// logLine is a line of the log that waits to be written.
type logLine struct {
	version int64
	set     []query.Assign
}

// logChange logs that a row was made or changed.
func (x *Tx) logChange(e *entry, set []query.Assign, version int64) {
	if !x.logged(e) {
		return
	}
	operation, action := int64(operationUpdate), actionOf(set)
	if e.stored == nil {
		operation, action = operationCreate, actionCreate
	}
	var mask, detail value.Value
	if e.table.Audit && e.shown {
		mask, detail = x.logDetail(e.stored, set)
	}
	x.addLine(e, version, operation, action, mask, detail)
}

// logDelete logs the end of a row, with what it held.
func (x *Tx) logDelete(e *entry, was *query.Row, version int64) {
	if !x.logged(e) {
		return
	}
	e.shown = true
	var mask, detail value.Value
	if e.table.Audit {
		mask, detail = x.logDetail(was, cleared(was))
	}
	x.addLine(e, version, operationDelete, actionDelete, mask, detail)
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

// actionOf names what an update did, by the first column that tells. Columns come in the order of their table: what a merge sets before
// the owner and the state.
func actionOf(set []query.Assign) int64 {
	for _, a := range set {
		switch a.Column.Name {
		case "masterid":
			if !a.Value.IsNull() {
				return actionMerge
			}
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

// addLine adds a line. All lines of a transaction have the same columns, so that a store can write them together.
func (x *Tx) addLine(e *entry, version, operation, action int64, mask, detail value.Value) {
	c := &x.e.columns.line
	caller := value.Null
	if x.caller.Impersonating() {
		caller = value.ID(x.caller.Real)
	}
	x.lines = append(x.lines, logLine{version, []query.Assign{
		{Column: c.createdon, Value: value.Time(x.now)},
		{Column: c.operation, Value: value.Int(operation)},
		{Column: c.action, Value: value.Int(action)},
		{Column: c.objectid, Value: value.Ref(e.id, e.table.TypeCode)},
		{Column: c.userid, Value: value.ID(x.caller.User)},
		{Column: c.callinguserid, Value: caller},
		{Column: c.transactionid, Value: value.ID(x.id)},
		{Column: c.logversion, Value: value.Int(version)},
		{Column: c.derived, Value: value.Bool(!e.shown || !e.table.Audit)},
		{Column: c.attributemask, Value: mask},
		{Column: c.changedata, Value: detail},
	}})
}

// lineColumns are the columns of the log.
type lineColumns struct {
	createdon, operation, action, objectid, userid, callinguserid, transactionid, logversion, derived, attributemask, changedata *schema.Column
}

func findLineColumns(audit *schema.Table) lineColumns {
	c := audit.MustColumn
	return lineColumns{
		c("createdon"), c("operation"), c("action"), c("objectid"), c("userid"), c("callinguserid"), c("transactionid"), c("logversion"), c("derived"),
		c("attributemask"), c("changedata"),
	}
}

// writeLog writes the lines that wait, each under a key made of its version, so that the log is clustered in commit order.
func (x *Tx) writeLog() error {
	lines := x.lines
	x.lines = nil
	for _, line := range lines {
		id := x.id
		binary.BigEndian.PutUint64(id[:8], uint64(line.version))
		if err := x.store.Insert(x.ctx, x.e.columns.audit, id, line.set); err != nil {
			return err
		}
	}
	return nil
}

// logDetail says which columns changed, what the row held before, nil when it was not there, and what it holds now.
func (x *Tx) logDetail(was *query.Row, set []query.Assign) (columns, values value.Value) {
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
	return value.Text(string(mask)), value.Text(string(detail))
}

// audited tells whether changes of a column are worth a word: the service's own bookkeeping is not.
func audited(c *schema.Column) bool {
	return !c.Hidden && c.Type != schema.TypeID && !(c.System && c.Computed)
}
