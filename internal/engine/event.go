package engine

import (
	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// An event happens to a row and changes none of its columns: it is shared, or linked to another one. The audit tells it in a line of its
// own version. A delta looks for the lines of the versions rows have, and of deletions, so it passes over an event.

// ShareEvent says what happened to the shares of a row.
type ShareEvent int64

// The events of shares.
const (
	Shared        ShareEvent = actionShare
	ShareModified ShareEvent = actionModifyShare
	Unshared      ShareEvent = actionUnshare
)

// LogShare logs that what a user or team was given on a row has changed.
func (x *Tx) LogShare(event ShareEvent, row, principal *query.Row, was, now auth.Mask) error {
	whom, mask := x.e.columns.share.MustColumn("principalid"), x.e.columns.share.MustColumn("accessrightsmask")
	ref := value.Ref(principal.ID, principal.Table.TypeCode)
	return x.logEvent(rowKey{row.Table, row.ID}, int64(event), []eventValue{
		{whom, given(was, ref), given(now, ref)},
		{mask, given(was, value.Int(int64(was))), given(now, value.Int(int64(now)))},
	})
}

// given is a value that is there only where something was given.
func given(mask auth.Mask, v value.Value) value.Value {
	if mask == 0 {
		return value.Null
	}
	return v
}

// logLink logs that a row of a joining table was made or is about to go. The line is about the first of the two rows it joins: the list
// of a member, the user or team that has a role. Where that row goes as well there is nothing more to tell of it.
func (x *Tx) logLink(joining *query.Row, action int64) error {
	join := x.joinOf(joining.Table)
	if join == nil {
		return nil
	}
	id := joining.Get(join.A.Column).ID()
	if x.books.Leaving(id) {
		return nil
	}
	linked := eventValue{column: join.B.Column, now: joining.Get(join.B.Column)}
	if action == actionDissociate {
		linked.was, linked.now = linked.now, value.Null
	}
	return x.logEvent(rowKey{join.A.Table, id}, action, []eventValue{linked})
}

// joinOf returns the many-to-many relation whose rows a table holds; nil for any other table.
func (x *Tx) joinOf(t *schema.Table) *schema.ManyToMany {
	if !t.Link {
		return nil
	}
	for _, m := range x.e.model.ManyToMany {
		if m.Intersect == t {
			return m
		}
	}
	return nil
}

// eventValue is a piece of an event: a column of the table that keeps it, before and after.
type eventValue struct {
	column   *schema.Column
	was, now value.Value
}

// logEvent adds the line of an event, where its table is audited.
func (x *Tx) logEvent(row rowKey, action int64, values []eventValue) error {
	if !row.table.Audit || x.session.Unlogged {
		return nil
	}
	version, err := x.store.NextVersion(x.ctx)
	if err != nil {
		return err
	}
	var detail []byte
	for _, v := range values {
		detail = x.appendChange(detail, v.column, true, v.was, v.now)
	}
	x.addLine(&entry{rowKey: row, shown: true}, version, operationUpdate, action, value.Null, value.Text(string(detail)))
	return nil
}
