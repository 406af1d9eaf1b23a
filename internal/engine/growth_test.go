package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
	"almoner/tables"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// foundation is an engine over a new database with a department.
type foundation struct {
	tb     testing.TB
	model  *schema.Model
	store  store.Store
	engine *engine.Engine
}

var noon = time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)

func onSQLite(tb testing.TB) *foundation {
	return found(tb, func(m *schema.Model) (store.Store, error) {
		return sqlite.Open(context.Background(), filepath.Join(tb.TempDir(), "test.db"), m, sqlite.Options{})
	})
}

func onPostgreSQL(tb testing.TB) *foundation {
	dsn := pgtest.DSN(tb)
	return found(tb, func(m *schema.Model) (store.Store, error) {
		return postgres.Open(context.Background(), dsn, m, postgres.Options{})
	})
}

func found(tb testing.TB, open func(*schema.Model) (store.Store, error)) *foundation {
	tb.Helper()
	f := &foundation{tb: tb}
	var err error
	if f.model, err = tables.Model(); err != nil {
		tb.Fatal(err)
	}
	if f.store, err = open(f.model); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.store.Close() })
	if err := auth.Bootstrap(tb.Context(), f.store, f.model, noon, settings.Default()); err != nil {
		tb.Fatal(err)
	}
	f.engine, err = engine.New(tb.Context(), engine.Options{Store: f.store, Model: f.model, Settings: settings.Default(), Clock: func() time.Time { return noon }})
	if err != nil {
		tb.Fatal(err)
	}
	f.create("svc_department", map[string]value.Value{"svc_departmentname": value.Text("Programs"), "svc_isdefault": value.Bool(true)})
	return f
}

func (f *foundation) change(table string, cells map[string]value.Value) *query.Change {
	t := f.model.Table(table)
	ch := &query.Change{Kind: query.Create, Table: t}
	for name, v := range cells {
		ch.Set = append(ch.Set, query.Assign{Column: t.MustColumn(name), Value: v})
	}
	return ch
}

// write makes the changes in one transaction, one after the other.
func (f *foundation) write(bulk bool, changes ...*query.Change) (id value.GUID) {
	f.tb.Helper()
	s := f.engine.Session(auth.System(f.model, value.GUID{}))
	begin := s.Write
	if bulk {
		begin = s.Bulk
	}
	err := begin(f.tb.Context(), func(x *engine.Tx) (err error) {
		for _, ch := range changes {
			if id, err = x.Create(ch); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		f.tb.Fatal(err)
	}
	return id
}

func (f *foundation) create(table string, cells map[string]value.Value) value.GUID {
	f.tb.Helper()
	return f.write(false, f.change(table, cells))
}

// giver is a donor who always gives to one fund.
type giver struct {
	f           *foundation
	donor, fund value.GUID
}

func (f *foundation) giver() giver {
	return giver{f, f.create("svc_donor", map[string]value.Value{"svc_formaldefault": value.Text("Donor")}),
		f.create("svc_fund", map[string]value.Value{"svc_fundname": value.Text("Fund"), "svc_fundclass": value.Int(730850000), "svc_fundtype": value.Int(730850003)})}
}

// gift is one of many equal gifts, so that the largest and the latest are decided by the last of their orders.
func (g giver) gift(i int) *query.Change {
	return g.f.change("svc_gift", map[string]value.Value{
		"svc_giftdate": value.Date(value.CivilDays(2026, 1, 1) - int64(i%2000)), "svc_amount1": value.Money(5000),
		"svc_donor": value.ID(g.donor), "svc_fund1": value.ID(g.fund),
	})
}

func (g giver) give(gifts int) {
	const together = 1000
	for at := 0; at < gifts; at += together {
		var changes []*query.Change
		for i := at; i < min(at+together, gifts); i++ {
			changes = append(changes, g.gift(i))
		}
		g.f.write(true, changes...)
	}
}

// BenchmarkGiftOfABigDonor creates gifts for a donor and fund with 100,000 gifts and for ones with three, in turn, and reports how much
// more the former costs.
func BenchmarkGiftOfABigDonor(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *foundation{"SQLite": onSQLite, "PostgreSQL": onPostgreSQL} {
		b.Run(name, func(b *testing.B) {
			f := open(b)
			small, big := f.giver(), f.giver()
			small.give(3)
			big.give(100_000)
			var few, many []time.Duration
			for b.Loop() {
				few = append(few, timed(func() { f.write(false, small.gift(0)) }))
				many = append(many, timed(func() { f.write(false, big.gift(0)) }))
			}
			b.ReportMetric(float64(median(many))/float64(median(few)), "ratio")
			b.ReportMetric(float64(median(few).Microseconds()), "small-µs")
			b.ReportMetric(float64(median(many).Microseconds()), "big-µs")
		})
	}
}

func timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// TestRanksComeFromIndexes looks at the plans of what the books ask when a donor loses the gift that was first, latest and largest: they
// read one row of an index and sort nothing, however many gifts there are.
func TestRanksComeFromIndexes(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *foundation{"SQLite": onSQLite, "PostgreSQL": onPostgreSQL} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			g := f.giver()
			g.give(2000)
			var asked []*query.Query
			f.watch(func(q *query.Query) { asked = append(asked, q) })
			f.remove(g.most())
			f.remove(g.first())
			if len(asked) < 3 {
				t.Fatalf("only %d questions were asked", len(asked))
			}
			for _, q := range asked {
				f.checkPlan(q)
			}
		})
	}
}

// checkPlan fails the test when a query reads or sorts more than it answers.
func (f *foundation) checkPlan(q *query.Query) {
	f.tb.Helper()
	plan, err := f.store.Explain(f.tb.Context(), q)
	if err != nil {
		f.tb.Fatal(err)
	}
	for _, sign := range []string{"TEMP B-TREE", "SCAN", "Sort", "Seq Scan"} {
		if strings.Contains(plan, sign) {
			f.tb.Errorf("the plan has %q:\n%s", sign, plan)
		}
	}
}

// most and first are the gifts that a donor shows as the largest and that was given first.
func (g giver) most() value.GUID {
	row, err := g.f.store.Get(g.f.tb.Context(), g.f.model.Table("svc_donor"), g.donor, nil)
	if err != nil {
		g.f.tb.Fatal(err)
	}
	return row.Value("svc_largestgiftid").ID()
}

func (g giver) first() value.GUID {
	return g.f.write(false, g.f.change("svc_gift", map[string]value.Value{
		"svc_giftdate": value.Date(value.CivilDays(1999, 1, 1)), "svc_amount1": value.Money(1), "svc_donor": value.ID(g.donor), "svc_fund1": value.ID(g.fund),
	}))
}

func (f *foundation) remove(gift value.GUID) {
	f.tb.Helper()
	s := f.engine.Session(auth.System(f.model, value.GUID{}))
	err := s.Write(f.tb.Context(), func(x *engine.Tx) error {
		return x.Delete(&query.Change{Kind: query.Delete, Table: f.model.Table("svc_gift"), ID: gift})
	})
	if err != nil {
		f.tb.Fatal(err)
	}
}

// watch tells of every query that asks for one gift inside a transaction.
func (f *foundation) watch(tell func(*query.Query)) {
	f.tb.Helper()
	var err error
	f.engine, err = engine.New(f.tb.Context(), engine.Options{
		Store: watched{f.store, tell}, Model: f.model, Settings: settings.Default(), Clock: func() time.Time { return noon },
	})
	if err != nil {
		f.tb.Fatal(err)
	}
}

// watched is a store whose transactions tell what they are asked.
type watched struct {
	store.Store
	tell func(*query.Query)
}

func (w watched) Write(ctx context.Context, fn func(store.Tx) error) error {
	return w.Store.Write(ctx, func(tx store.Tx) error { return fn(watchedTx{tx, w.tell}) })
}

type watchedTx struct {
	store.Tx
	tell func(*query.Query)
}

func (w watchedTx) Read(ctx context.Context, q *query.Query) (query.Rows, error) {
	if q.Root.Table.Name == "svc_gift" && q.Page.Size == 1 {
		w.tell(q)
	}
	return w.Tx.Read(ctx, q)
}
