package seed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/pgtest"
	"almoner/internal/query"
	"almoner/internal/rules"
	"almoner/internal/schema"
	"almoner/internal/settings"
	"almoner/internal/store"
	"almoner/internal/store/postgres"
	"almoner/internal/store/sqlite"
	"almoner/internal/value"
	"almoner/tables"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// tiny is a sample small enough for tests: a twentieth of the small one.
var tiny = Size{Name: "tiny", Donors: 75, Funds: 12, Gifts: 750, GiftPayments: 900, RequestPayments: 200, Steady: 100}

// asOf is the day the tests' samples hang on.
var asOf = value.CivilDays(2026, 6, 30)

// stores opens each kind of store, empty.
var stores = map[string]func(*testing.T, *schema.Model) store.Store{
	"sqlite": openSQLite,
	"postgres": func(t *testing.T, m *schema.Model) store.Store {
		st, err := postgres.Open(t.Context(), pgtest.DSN(t), m, postgres.Options{Calendar: query.Calendar{StartMonth: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return st
	},
}

func openSQLite(t *testing.T, m *schema.Model) store.Store {
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "seed.db"), m, sqlite.Options{Calendar: query.Calendar{StartMonth: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// newEngine makes an engine over an empty database.
func newEngine(t *testing.T, open func(*testing.T, *schema.Model) store.Store, cfg *settings.Settings) *engine.Engine {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	st := open(t, m)
	t.Cleanup(func() { st.Close() })
	now := time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)
	if err := auth.Bootstrap(t.Context(), st, m, now, cfg); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(t.Context(), engine.Options{Store: st, Model: m, Settings: cfg, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// newSample fills a database with the tiny sample.
func newSample(t *testing.T, open func(*testing.T, *schema.Model) store.Store, seed uint64) *engine.Engine {
	t.Helper()
	e := newEngine(t, open, settings.Default())
	if err := Fill(t.Context(), e, Options{Size: tiny, Seed: seed, AsOf: asOf}); err != nil {
		t.Fatal(err)
	}
	return e
}

// rowsOf reads all rows of a table with all stored columns, in key order.
func rowsOf(t *testing.T, e *engine.Engine, table string) []*query.Row {
	t.Helper()
	tab := e.Model().Table(table)
	var cols []*schema.Column
	for _, c := range tab.Columns {
		if c.Stored() {
			cols = append(cols, c)
		}
	}
	root := &query.Link{Table: tab}
	q := &query.Query{Root: root, Order: []query.Order{{Expr: query.Ref{Link: root, Column: tab.Key}}}}
	q.Select = query.Node{Link: root, Outputs: query.Refs(root, append([]*schema.Column{tab.Key}, cols...))}
	rows, err := e.Store().Read(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []*query.Row
	for rows.Next() {
		out = append(out, query.ScanRow(tab, value.GUID(rows.Bytes(0)), cols, rows, 1))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// businessTables lists the tables a sample fills, for each its rows.
func businessTables(t *testing.T, e *engine.Engine) map[string][]*query.Row {
	out := map[string][]*query.Row{}
	for _, table := range e.Model().Tables {
		if !table.Hidden && !table.Platform && table.Key != nil {
			out[table.Name] = rowsOf(t, e, table.Name)
		}
	}
	out["transactioncurrency"] = rowsOf(t, e, "transactioncurrency")
	return out
}

func TestSampleHasExactCountsAndNoDrift(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			e := newSample(t, open, 1)
			for table, want := range map[string]int{
				"svc_donor": tiny.Donors, "svc_fund": tiny.Funds, "svc_gift": tiny.Gifts, "svc_giftpayment": tiny.GiftPayments,
				"svc_requestpayment": tiny.RequestPayments, "audit": 0,
			} {
				if got := len(rowsOf(t, e, table)); got != want {
					t.Errorf("%s has %d rows, want %d", table, got, want)
				}
			}
			checkNoDrift(t, e)
		})
	}
}

func checkNoDrift(t *testing.T, e *engine.Engine) {
	t.Helper()
	err := e.Recalc(t.Context(), rules.Recalculation{Check: true, Drift: func(d rules.Drift) error {
		t.Errorf("drift: %s", d)
		return nil
	}}, false)
	if err != nil {
		t.Fatal(err)
	}
}

// sameEverywhere are all columns but those that name the database itself or count its writes.
func sameEverywhere(c *schema.Column) bool {
	return c.Stored() && c.Name != "organizationid" && c.Name != "versionnumber"
}

func TestSameArgumentsGiveSameRows(t *testing.T) {
	first := businessTables(t, newSample(t, stores["sqlite"], 7))
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			second := businessTables(t, newSample(t, open, 7))
			for table, rows := range first {
				compareRows(t, table, rows, second[table])
			}
		})
	}
}

// bootstrapped tells whether a row was in the database before the sample.
func bootstrapped(r *query.Row) bool { return r.Table.Name == "transactioncurrency" && r.ID[6]>>4 != 7 }

func compareRows(t *testing.T, table string, a, b []*query.Row) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%s has %d rows in one database and %d in the other", table, len(a), len(b))
	}
	for i := range a {
		if bootstrapped(a[i]) {
			continue
		}
		for _, c := range a[i].Table.Columns {
			if sameEverywhere(c) && a[i].Get(c) != b[i].Get(c) {
				t.Fatalf("%s %s: %s is %s in one database and %s in the other", table, a[i].ID, c.Name, a[i].Get(c), b[i].Get(c))
			}
		}
	}
}

func TestOtherSeedGivesOtherRows(t *testing.T) {
	a, b := rowsOf(t, newSample(t, openSQLite, 1), "svc_gift"), rowsOf(t, newSample(t, openSQLite, 2), "svc_gift")
	same := 0
	for i := range a {
		if a[i].ID == b[i].ID {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d of %d gifts have the same key under two seeds", same, len(a))
	}
}

func TestFilledDatabaseIsRefused(t *testing.T) {
	e := newEngine(t, openSQLite, settings.Default())
	err := e.Session(auth.System(e.Model(), e.Organization())).Write(t.Context(), func(x *engine.Tx) error {
		account := e.Model().Table("account")
		_, err := x.Create(&query.Change{Kind: query.Create, Table: account, Set: []query.Assign{{Column: account.MustColumn("name"), Value: value.Text("Acme")}}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := Fill(t.Context(), e, Options{Size: tiny, Seed: 1, AsOf: asOf}); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("filling a database with an account: %v, want %v", err, ErrNotEmpty)
	}
	if n := len(rowsOf(t, e, "svc_gift")); n != 0 {
		t.Errorf("%d gifts were written all the same", n)
	}
}

func TestInterruptedSampleEnds(t *testing.T) {
	e := newEngine(t, openSQLite, settings.Default())
	ctx, cancel := context.WithCancel(t.Context())
	size := tiny
	size.Gifts, size.GiftPayments = 20_000, 24_000
	err := Fill(ctx, e, Options{Size: size, Seed: 1, AsOf: asOf, Progress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted sample ends with %v, want %v", err, context.Canceled)
	}
}

// strict are settings under which the rules refuse more than by default.
func strict() *settings.Settings {
	s := settings.Default()
	s.Overpay = settings.OverpayReject
	s.ListMembertype = settings.MembersPlatform
	s.YearStartMonth = 7
	s.BaseCurrency = "CAD"
	s.Balances = settings.BalancesDerived
	return s
}

func TestSampleUnderOtherSettings(t *testing.T) {
	e := newEngine(t, openSQLite, strict())
	if err := Fill(t.Context(), e, Options{Size: tiny, Seed: 3, AsOf: asOf}); err != nil {
		t.Fatal(err)
	}
	checkNoDrift(t, e)
}
