package engine

import (
	"context"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// AuditLines returns the audited changes of a row, the latest first. The caller's right to see them has been checked.
func (s *Session) AuditLines(ctx context.Context, t *schema.Table, id value.GUID) ([]*query.Row, error) {
	return auditLines(ctx, s.e.store, s.e.columns.audit, t, id)
}

func auditLines(ctx context.Context, r store.Reader, audit, t *schema.Table, id value.GUID) ([]*query.Row, error) {
	root := &query.Link{Table: audit}
	cols := []*schema.Column{audit.MustColumn("operation"), audit.MustColumn("createdon"), audit.MustColumn("changedata")}
	q := &query.Query{Root: root, Where: query.And{
		query.Equal(root, audit.MustColumn("objectid"), value.Ref(id, t.TypeCode)),
		shownLine(root),
	}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, append([]*schema.Column{audit.Key}, cols...))}
	q.Order = []query.Order{{Expr: query.Ref{Link: root, Column: audit.Key}, Desc: true}}
	rows, err := r.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return query.ScanRows(audit, cols, rows)
}

// ForgetHistory takes a row's changes out of the audit and returns how many there were. The lines themselves stay for deltas.
func (x *Tx) ForgetHistory(t *schema.Table, id value.GUID) (int, error) {
	audit := x.e.columns.audit
	lines, err := auditLines(x.ctx, x.source, audit, t, id)
	if err != nil {
		return 0, err
	}
	for _, line := range lines {
		if err := conceal(x.ctx, x.store, audit, line.ID); err != nil {
			return 0, err
		}
	}
	return len(lines), nil
}

// hideDerived keeps the service's own lines of the log out of what clients read as audit, wherever in a query they read it.
func hideDerived(q *query.Query, audit *schema.Table) {
	query.Visit(q, query.Visitor{
		Query: func(q *query.Query) {
			if q.Root.Table == audit {
				q.Where = query.AllOf(q.Where, shownLine(q.Root))
			}
		},
		Link: func(l *query.Link) {
			if l.Table == audit && l.Parent != nil {
				l.On = query.AllOf(l.On, shownLine(l))
			}
		},
	})
}

// shownLine is the condition that a line of the log speaks of a change somebody made, not of one the service made by itself.
func shownLine(line *query.Link) query.Filter {
	return query.Equal(line, line.Table.MustColumn("derived"), value.Bool(false))
}
