package rulestest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/fault"
	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/rules/rulestest"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// lives are the settings histories are lived under in the database.
var lives = []map[string]string{
	{},
	{"giving.pledge_basis": "commitment", "year.start_month": "7"},
	{"balances.mode": "derived", "gift.assume_paid": "false"},
	{"org.timezone": "Pacific/Auckland", "splits.mismatch": "accept", "delete.posted_children": "cascade"},
}

// TestSameLifeOnSQLite and TestSameLifeOnPostgreSQL live random lives in memory and in the engine over a database: the same writes are
// refused with the same codes, and every row ends the same.
func TestSameLifeOnSQLite(t *testing.T) {
	for i := range lives {
		t.Run(fmt.Sprint(i), func(t *testing.T) { t.Parallel(); live(t, openSQLite, i, 800) })
	}
}

func TestSameLifeOnPostgreSQL(t *testing.T) {
	for i := range lives {
		t.Run(fmt.Sprint(i), func(t *testing.T) { t.Parallel(); live(t, openPostgreSQL, i, 400) })
	}
}

func openSQLite(t *testing.T, h *rulestest.History) store.Store {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "life.db"), h.Model(), sqlite.Options{Calendar: calendar(h)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openPostgreSQL(t *testing.T, h *rulestest.History) store.Store {
	s, err := postgres.Open(t.Context(), pgtest.DSN(t), h.Model(), postgres.Options{Calendar: calendar(h)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func calendar(h *rulestest.History) query.Calendar {
	return query.Calendar{Zone: h.Config.Location(), StartMonth: h.Config.YearStartMonth}
}

// live lives one life twice. Now and then totals are left to later for a while, in both places.
func live(t *testing.T, open func(*testing.T, *rulestest.History) store.Store, which, steps int) {
	seed := uint64(time.Now().UnixNano()) + uint64(which)
	t.Logf("seed %d", seed)
	h := rulestest.NewHistory(seed)
	for name, text := range lives[which] {
		if err := h.Config.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Write(func() error { return rules.Recalc(h, rules.Recalculation{}) }); err != nil {
		t.Fatal(err)
	}
	r := openReal(t, h, open(t, h))
	const stretch = 200
	for step := range steps {
		h.Deferred = step%stretch > stretch*3/4
		r.step()
		if step%stretch == stretch-1 {
			r.compare()
		}
	}
}

// real is the engine over a database that a history is lived in a second time.
type real struct {
	t      *testing.T
	h      *rulestest.History
	engine *engine.Engine
}

func openReal(t *testing.T, h *rulestest.History, s store.Store) *real {
	t.Helper()
	t.Cleanup(func() { s.Close() })
	m := h.Model()
	clock := func() time.Time { return time.Unix(h.Clock, 0) }
	if err := auth.Bootstrap(t.Context(), s, m, clock(), settings.Default()); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Options{Store: s, Model: m, Settings: h.Config, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	r := &real{t: t, h: h, engine: e}
	for _, id := range []value.GUID{h.CAD, h.JPY} {
		currency := h.Must("transactioncurrency", id)
		cells := rulestest.Cells{}
		for _, name := range []string{"currencyname", "isocurrencycode", "currencysymbol", "exchangerate"} {
			cells[name] = currency.Value(name)
		}
		r.must(&query.Change{Kind: query.Create, Table: currency.Table, ID: id, Set: h.Assigns(currency.Table, cells)})
	}
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

// session is a request of the service itself.
func (r *real) session() *engine.Session {
	s := r.engine.Session(auth.System(r.engine.Model(), value.GUID{}))
	s.Deferred = r.h.Deferred
	return s
}

// apply makes the changes in one transaction of the engine.
func (r *real) apply(changes []*query.Change) error {
	return r.session().Write(r.t.Context(), func(x *engine.Tx) error {
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

// step does the next thing in both places.
func (r *real) step() {
	r.t.Helper()
	h := r.h
	h.Step()
	err := r.apply(h.Last)
	if (err == nil) != (h.LastErr == nil) {
		r.t.Fatalf("the database says %v, memory %v, of %v", err, h.LastErr, h.Log[len(h.Log)-1])
	}
	if err != nil && fault.As(err).Code != fault.As(h.LastErr).Code {
		r.t.Fatalf("the database refuses with %v, memory with %v", err, h.LastErr)
	}
}

// compare brings deferred totals up to date in both places and compares all rows.
func (r *real) compare() {
	r.t.Helper()
	h := r.h
	h.Deferred = false
	if err := h.Write(func() error { return rules.Recompute(h, h.Left, nil) }); err != nil {
		r.t.Fatal(err)
	}
	h.Left = rules.NewTouched()
	if err := r.session().View(r.t.Context(), func(rules.Env) error { return nil }); err != nil { // a look at the books settles them
		r.t.Fatal(err)
	}
	for _, table := range []string{"svc_gift", "svc_giftpayment", "svc_giftfee", "svc_request", "svc_requestpayment", "svc_donor", "svc_fund", "svc_fundgroup"} {
		r.same(table)
	}
	err := r.engine.Recalc(r.t.Context(), rules.Recalculation{Check: true, Drift: func(d rules.Drift) error {
		r.t.Errorf("drift: %s", d)
		return nil
	}}, false)
	if err != nil || r.t.Failed() {
		r.t.Fatal(err)
	}
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

// administrative are the columns the engine keeps, not the rules, and numbers, of which a refused transaction may lose some.
var administrative = map[string]bool{
	"svc_giftnum": true, "svc_paymentnum": true, "svc_requestnum": true,
	"versionnumber": true, "modifiedon": true, "createdby": true, "modifiedby": true, "ownerid": true, "owninguser": true, "owningteam": true,
	"owningbusinessunit": true, "organizationid": true, "createdonbehalfby": true, "modifiedonbehalfby": true,
}
