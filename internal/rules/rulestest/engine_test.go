package rulestest_test

import (
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/rules/rulestest"
	"almoner/internal/settings"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
	"almoner/tables"
)

// real is the engine over an embedded database that a history is lived in a second time.
type real struct {
	t      *testing.T
	h      *rulestest.History
	engine *engine.Engine
}

func openReal(t *testing.T, h *rulestest.History) *real {
	t.Helper()
	model, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "life.db"), model, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	clock := func() time.Time { return time.Unix(h.Clock, 0) }
	if err := auth.Bootstrap(t.Context(), s, model, clock(), settings.Default()); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Options{Store: s, Model: model, Settings: h.Config, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	r := &real{t: t, h: h, engine: e}
	cad := h.Must("transactioncurrency", h.CAD)
	r.must(&query.Change{Kind: query.Create, Table: cad.Table, ID: h.CAD, Set: h.Assigns(cad.Table, rulestest.Cells{
		"currencyname": "CAD", "isocurrencycode": "CAD", "currencysymbol": "$", "exchangerate": cad.Value("exchangerate"),
	})})
	for _, ch := range h.Founded {
		r.must(ch)
	}
	return r
}

func (r *real) must(ch *query.Change) {
	r.t.Helper()
	if err := r.apply([]*query.Change{ch}); err != nil {
		r.t.Fatal(err)
	}
}

// apply makes the changes in one transaction of the engine.
func (r *real) apply(changes []*query.Change) error {
	caller := auth.System(r.engine.Model(), value.GUID{})
	return r.engine.Session(caller).Write(r.t.Context(), func(x *engine.Tx) error {
		for _, ch := range changes {
			var err error
			switch ch.Kind {
			case query.Create:
				_, err = x.Create(ch)
			case query.Update:
				err = x.Update(ch)
			default:
				err = x.Delete(ch)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// same compares every row of a table with the one in memory.
func (r *real) same(table string) {
	r.t.Helper()
	want := r.h.Rows(table)
	for _, w := range want {
		got, err := r.engine.Store().Get(r.t.Context(), w.Table, w.ID, nil)
		if err != nil || got == nil {
			r.t.Fatalf("%s %s: %v, %v", table, w.ID, got, err)
		}
		for _, c := range w.Table.Columns {
			if c.Stored() && !administrative[c.Name] && got.Get(c) != w.Get(c) {
				r.t.Errorf("%s %s %s is %s in the database, %s in memory", table, w.ID, c.Name, got.Get(c), w.Get(c))
			}
		}
	}
	root := &query.Link{Table: r.h.Table(table)}
	n, err := r.engine.Store().Count(r.t.Context(), &query.Query{Root: root, Select: query.Node{Link: root}})
	if err != nil || n != int64(len(want)) {
		r.t.Errorf("%d rows of %s in the database, %d in memory (%v)", n, table, len(want), err)
	}
}

// administrative are the columns the engine keeps, not the rules.
var administrative = map[string]bool{
	"versionnumber": true, "modifiedon": true, "createdby": true, "modifiedby": true, "ownerid": true, "owninguser": true, "owningteam": true,
	"owningbusinessunit": true, "organizationid": true, "createdonbehalfby": true, "modifiedonbehalfby": true,
}

// TestSameLifeInTheDatabase lives one life in memory and in the engine over SQLite: the same writes are refused with the same
// codes, and every row ends the same.
func TestSameLifeInTheDatabase(t *testing.T) {
	h := rulestest.NewHistory(2026)
	r := openReal(t, h)
	for range 400 {
		h.Step()
		err := r.apply(h.Last)
		if (err == nil) != (h.LastErr == nil) {
			t.Fatalf("the database says %v, memory %v, of %v", err, h.LastErr, h.Log[len(h.Log)-1])
		}
		if err != nil && fault.As(err).Code != fault.As(h.LastErr).Code {
			t.Fatalf("the database refuses with %v, memory with %v", err, h.LastErr)
		}
	}
	for _, table := range []string{"svc_gift", "svc_giftpayment", "svc_giftfee", "svc_request", "svc_requestpayment", "svc_donor", "svc_fund", "svc_fundgroup"} {
		r.same(table)
	}
	err := r.engine.Recalc(t.Context(), rules.Recalculation{Check: true, Drift: func(d rules.Drift) error {
		t.Errorf("drift: %s", d)
		return nil
	}}, false)
	if err != nil {
		t.Fatal(err)
	}
}
