package engine

import (
	"context"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// Answers to repeatable requests live in a hidden table, written in the transaction of the write they protect. They age by the
// machine's clock, not the service's (decision 45).

// Answered returns the stored answer to a caller's request; "" when there is none.
func (s *Session) Answered(ctx context.Context, request value.GUID) (hash, payload string, err error) {
	row, err := s.e.store.Get(ctx, s.e.model.Table("repeatability"), answerKey(s.caller, request), nil)
	if err != nil || row == nil {
		return "", "", err
	}
	return row.Value("bodyhash").Text(), row.Value("body").Text(), nil
}

// Confirm commits a write that changes nothing. What the session has read is then as durable as a write that was answered, even where
// the commit it came from never was.
func (s *Session) Confirm(ctx context.Context) error {
	return s.Write(ctx, func(x *Tx) error { return x.store.Touch(x.ctx) })
}

// answerKey is the key under which a caller's request is remembered: request ids of different callers never meet.
func answerKey(caller *auth.Caller, request value.GUID) value.GUID {
	return schema.MetadataID("repeatability", caller.Real.String(), request.String())
}

// Reserve claims a request id for this transaction: a second one with the same id waits for it and then fails as a duplicate.
func (x *Tx) Reserve(request value.GUID, hash string) error {
	t := x.e.model.Table("repeatability")
	return x.store.Insert(x.ctx, t, answerKey(x.caller, request), []query.Assign{
		assign(t, "bodyhash", value.Text(hash)), assign(t, "createdon", value.Time(machineNow())),
	})
}

// Answer stores what the request is answered with.
func (x *Tx) Answer(request value.GUID, payload string) error {
	t := x.e.model.Table("repeatability")
	return x.store.Update(x.ctx, t, answerKey(x.caller, request), []query.Assign{assign(t, "body", value.Text(payload))})
}
