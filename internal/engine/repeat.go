package engine

import (
	"context"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/store"
	"almoner/internal/value"
)

// Answers to repeatable requests live in a hidden table, written in the transaction of the write they protect. They age by the
// machine's clock, not the service's (decision 45).

// Answered returns the stored answer to a caller's request; "" when there is none.
func (s *Session) Answered(ctx context.Context, request value.GUID) (hash, payload string, err error) {
	row, err := answered(ctx, s.e, s.e.store, s.caller, request)
	if err != nil || row == nil {
		return "", "", err
	}
	return row.Value("bodyhash").Text(), row.Value("body").Text(), nil
}

func answered(ctx context.Context, e *Engine, r store.Reader, caller *auth.Caller, request value.GUID) (*query.Row, error) {
	t := e.model.Table("repeatability")
	root := &query.Link{Table: t}
	cols := []*schema.Column{t.MustColumn("bodyhash"), t.MustColumn("body")}
	q := &query.Query{Root: root, Where: query.And{
		query.Equal(root, t.MustColumn("callerid"), value.ID(caller.Real)),
		query.Equal(root, t.MustColumn("requestid"), value.ID(request)),
	}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, cols)}
	rows, err := r.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, rows.Err()
	}
	return query.ScanRow(t, request, cols, rows, 0), nil
}

// Reserve claims a request id for this transaction: a second one with the same id waits for it and then fails as a duplicate.
func (x *Tx) Reserve(request value.GUID, hash string) error {
	t := x.e.model.Table("repeatability")
	return x.store.Insert(x.ctx, t, value.GUID{}, x.answerRow(t, request, hash, ""))
}

// Answer stores what the request is answered with.
func (x *Tx) Answer(request value.GUID, hash, payload string) error {
	t := x.e.model.Table("repeatability")
	return x.store.Put(x.ctx, t, x.answerRow(t, request, hash, payload))
}

func (x *Tx) answerRow(t *schema.Table, request value.GUID, hash, payload string) []query.Assign {
	return []query.Assign{
		assign(t, "callerid", value.ID(x.caller.Real)), assign(t, "requestid", value.ID(request)),
		assign(t, "bodyhash", value.Text(hash)), assign(t, "body", value.Text(payload)),
		assign(t, "createdon", value.Time(machineNow())),
	}
}
