package engine_test

import (
	"strings"
	"testing"

	"almoner/internal/auth"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// What a delta asks of the log is found by indexes: the lines of a stretch of versions, and for each deleted row whether it was deleted
// again later.
func TestPlansOfChanges(t *testing.T) {
	f := onSQLite(t)
	gift := f.model.Table("svc_gift")
	root := &query.Link{Table: gift}
	q := &query.Query{Root: root, Select: query.Node{Link: root, Outputs: query.Refs(root, []*schema.Column{gift.Key})}}
	changes, err := f.engine.Session(auth.System(f.model, value.GUID{})).PrepareChanges(q, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	const window = "ix_audit_objecttypecode_logversion_operation_objectid (objectid_t=? AND logversion>? AND logversion<?)"
	for _, test := range []struct {
		name  string
		query *query.Query
		want  []string
	}{
		{"rows there", changes.Live.Query, []string{window}},
		{"rows gone", changes.Removed.Query, []string{window, "ix_audit_objectid_logversion (objectid=? AND logversion>?)"}},
	} {
		plan, err := f.store.Explain(t.Context(), test.query)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(plan, want) {
				t.Errorf("%s: the plan lacks %q:\n%s", test.name, want, plan)
			}
		}
	}
}
