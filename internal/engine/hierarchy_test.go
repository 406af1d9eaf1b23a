package engine_test

import (
	"sync"
	"testing"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/value"
)

// Two who each put the other's fund above their own at the same time make no loop: one of them is refused.
func TestNoLoopIsMadeByTwo(t *testing.T) {
	f := onPostgreSQL(t)
	fund := f.model.Table("svc_fund")
	put := func(child, parent value.GUID) error {
		ch := &query.Change{Kind: query.Update, Table: fund, ID: child, Set: []query.Assign{{Column: fund.MustColumn("svc_parent"), Value: value.ID(parent)}}}
		return f.engine.Session(auth.System(f.model, value.GUID{})).Write(t.Context(), func(x *engine.Tx) error { return x.Update(ch) })
	}
	for range 10 {
		a, b := f.giver().fund, f.giver().fund
		var errs [2]error
		var both sync.WaitGroup
		both.Go(func() { errs[0] = put(a, b) })
		both.Go(func() { errs[1] = put(b, a) })
		both.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("the answers are %v and %v", errs[0], errs[1])
		}
	}
}
