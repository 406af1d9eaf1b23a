package sqlgen

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
	"almoner/tables"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example is a query whose SQL is kept.
type example struct {
	name  string
	query *query.Query
}

// gifts makes a page of gifts by donor, fund and date for the examples.
type gifts struct {
	gift, donor, fund *schema.Table
	root              *query.Link
}

func product(t testing.TB) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newGifts(t testing.TB) *gifts {
	m := product(t)
	g := &gifts{gift: m.Table("svc_gift"), donor: m.Table("svc_donor"), fund: m.Table("svc_fund")}
	g.root = &query.Link{Table: g.gift}
	return g
}

func (g *gifts) col(name string) query.Ref {
	return query.Ref{Link: g.root, Column: g.gift.MustColumn(name)}
}

func (g *gifts) key() query.Expr { return query.Ref{Link: g.root, Column: g.gift.Key} }

// read is a query for a few columns of gifts.
func (g *gifts) read(where query.Filter, order ...query.Order) *query.Query {
	q := &query.Query{Root: g.root, Where: where, Order: append(order, query.Order{Expr: g.key()})}
	q.Select = query.Node{Link: g.root, Outputs: query.Refs(g.root, []*schema.Column{g.gift.Key, g.gift.MustColumn("svc_giftnum")})}
	q.Page.Size = 50
	return q
}

func (g *gifts) after(q *query.Query, values ...value.Value) *query.Query {
	q.Page.After = &query.Position{Values: values}
	return q
}

func is(left query.Expr, op query.Op, values ...value.Value) query.Cond {
	c := query.Cond{Left: left, Op: op}
	for _, v := range values {
		c.Args = append(c.Args, query.Literal{Value: v})
	}
	return c
}

// examples are the shapes whose text matters: joins, two-valued logic, folds, ranges, pages, groups.
func examples(t testing.TB) []example {
	g := newGifts(t)
	donor := &query.Link{Table: g.donor, Parent: g.root, From: g.donor.Key, To: g.gift.MustColumn("svc_donor"), Kind: query.Outer}
	joined := g.read(is(query.Ref{Link: donor, Column: g.donor.Title}, query.OpBeginsWith, value.Text("Ábc")))
	joined.Links = []*query.Link{donor}
	joined.Select.Expands = []*query.Expand{{One: []*query.Node{{Link: donor, Outputs: query.Refs(donor, []*schema.Column{g.donor.Key, g.donor.Title})}}}}
	lookup := g.col("svc_donor")
	labelled := g.read(nil, query.Order{Expr: query.TitleOf(lookup)})
	labelled.Select.Outputs = append(labelled.Select.Outputs, query.Output{Expr: lookup, Column: lookup.Column, Label: query.TitleOf(lookup)})
	payments := g.gift.Childs[0]
	return []example{
		{"join and prefix", joined},
		{"label and order by title", labelled},
		{"negations", g.read(query.And{is(g.col("svc_amount1"), query.OpNe, value.Int(10)), query.Not{Filter: is(g.col("svc_giftnum"), query.OpContains, value.Text("x"))},
			query.Or{is(g.col("svc_giftdate"), query.OpNull), is(g.col("svc_giftdate"), query.OpNotBetween, value.Date(1), value.Date(9))}})},
		{"money against decimals", g.read(query.And{is(g.col("svc_amount1"), query.OpGt, value.Decimal(10005, 3)), is(g.col("svc_amount1"), query.OpEq, value.Float(0.001))})},
		{"patterns", g.read(query.Or{is(g.col("svc_giftnum"), query.OpLike, value.Text("G-[0-3]%")), is(g.col("svc_giftnum"), query.OpLike, value.Text("%a_c"))})},
		{"exists", g.read(&query.Exists{Link: &query.Link{Table: payments.Child, Parent: g.root, From: payments.Column, To: g.gift.Key}})},
		{"page of the key", g.after(g.read(nil), value.ID(value.GUID{1}))},
		{"page of dates ascending", g.after(g.read(nil, query.Order{Expr: g.col("svc_giftdate")}), value.Date(5), value.ID(value.GUID{1}))},
		{"page of dates ascending from a null", g.after(g.read(nil, query.Order{Expr: g.col("svc_giftdate")}), value.Null, value.ID(value.GUID{1}))},
		{"page of dates descending, key ascending", g.after(g.read(nil, query.Order{Expr: g.col("svc_giftdate"), Desc: true}), value.Date(5), value.ID(value.GUID{1}))},
		{"page of text and money", g.after(g.read(nil, query.Order{Expr: g.col("svc_giftnum")}, query.Order{Expr: g.col("svc_amount1"), Desc: true}),
			value.Text("Ä "), value.Money(5), value.ID(value.GUID{1}))},
		{"groups by month and name", g.grouped()},
	}
}

// grouped is a query of totals by month of creation and by number.
func (g *gifts) grouped() *query.Query {
	q := &query.Query{Root: g.root, Grouped: true, Order: []query.Order{{Expr: query.OutputRef{Index: 1}}, {Expr: query.OutputRef{Index: 2}, Desc: true}}}
	q.Select.Outputs = []query.Output{
		{Expr: query.Call{Fn: query.FnGroupMonth, Args: []query.Expr{g.col("createdon")}}},
		{Expr: g.col("svc_giftnum")},
		{Expr: g.col("svc_amount1"), Agg: query.AggSum},
		{Expr: g.col("svc_amount1"), Agg: query.AggAvg},
		{Agg: query.AggCount},
	}
	return q
}

func TestGolden(t *testing.T) {
	zone := time.FixedZone("Office", 3600)
	for _, dialect := range []struct {
		name string
		d    *Dialect
	}{{"sqlite", SQLite}, {"postgres", Postgres}} {
		t.Run(dialect.name, func(t *testing.T) {
			var b strings.Builder
			for _, e := range examples(t) {
				statements, err := Read(dialect.d, query.Calendar{Zone: zone, StartMonth: 7}, e.query)
				if err != nil {
					t.Fatalf("%s: %v", e.name, err)
				}
				fmt.Fprintf(&b, "# %s\n", e.name)
				for _, st := range statements {
					fmt.Fprintf(&b, "%s\n%s\n", st.SQL, printed(st.Args))
				}
			}
			compareGolden(t, filepath.Join("testdata", dialect.name+".golden"), b.String())
		})
	}
}

func printed(args []Arg) string {
	b := strings.Builder{}
	b.WriteString("--")
	for _, a := range args {
		fmt.Fprintf(&b, " %s:%q", a.Value.Kind(), a.Value.String())
	}
	return b.String()
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to rewrite it):\n%s", file, got)
	}
}
