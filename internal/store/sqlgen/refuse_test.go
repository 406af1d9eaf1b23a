package sqlgen

import (
	"errors"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

// Trees that no pass should let through are errors, never SQL.
func TestReadRefusesUnresolvedTrees(t *testing.T) {
	g := newGifts(t)
	fund := &query.Link{Table: g.fund}
	stranger := &query.Link{Table: g.donor}
	for _, test := range []struct {
		want  string
		query *query.Query
	}{
		{"virtual column svc_fund.svc_spendable", &query.Query{Root: fund, Where: is(query.Ref{Link: fund, Column: g.fund.MustColumn("svc_spendable")}, query.OpNotNull)}},
		{"out of reach", g.read(is(query.Ref{Link: stranger, Column: g.donor.Key}, query.OpNotNull))},
		{"has not been resolved", g.read(is(g.col("svc_giftdate"), query.OpToday))},
		{"with 0 values", g.read(query.Cond{Left: g.col("svc_giftdate"), Op: query.OpEq})},
		{"without arguments", g.read(query.Cond{Left: g.col("createdon"), Op: query.OpLt, Args: []query.Expr{query.Call{Fn: query.FnNow}}})},
		{"belongs to no hierarchy", g.read(is(g.key(), query.OpUnder, value.ID(value.GUID{1})))},
	} {
		if _, err := Read(SQLite, query.Calendar{}, test.query); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// What a client can overdo is a fault with a code.
func TestReadRefusesTooMuch(t *testing.T) {
	g := newGifts(t)
	many := query.Cond{Left: g.col("svc_giftnum"), Op: query.OpIn}
	for range maxArgs + 1 {
		many.Args = append(many.Args, query.Literal{Value: value.Text("x")})
	}
	var doubled query.Expr = g.col("svc_amount1")
	for range 60 {
		doubled = query.Call{Fn: query.FnMod, Args: []query.Expr{doubled, query.Literal{Value: value.Float(7)}}}
	}
	for _, test := range []struct {
		code  fault.Code
		query *query.Query
	}{
		{fault.TooManyConditions, g.read(many)},
		{fault.InvalidArgument, g.read(is(g.col("svc_giftnum"), query.OpLike, value.Text("%"+strings.Repeat("a_", maxPattern))))},
		{fault.BadRequest, g.read(is(doubled, query.OpGt, value.Float(0)))},
		{fault.BadPagingCookie, g.after(g.read(nil), value.Null)},
		{fault.BadPagingCookie, g.after(g.read(nil), value.ID(value.GUID{}), value.Int(1))},
	} {
		_, err := Read(Postgres, query.Calendar{}, test.query)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != test.code {
			t.Errorf("got %v, want %s", err, test.code)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	g := newGifts(b)
	q := g.after(g.read(query.And{is(g.col("svc_amount1"), query.OpGt, value.Money(100)), is(g.col("svc_giftnum"), query.OpBeginsWith, value.Text("G-1"))},
		query.Order{Expr: g.col("svc_giftdate")}), value.Date(5), value.ID(value.GUID{1}))
	q.Select.Outputs = query.Refs(g.root, g.gift.StoredColumns())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(Postgres, query.Calendar{}, q); err != nil {
			b.Fatal(err)
		}
	}
}
