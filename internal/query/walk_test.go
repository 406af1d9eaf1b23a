package query

import (
	"errors"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// conditions makes a query with n conditions on a gift.
func conditions(t *testing.T, n int) *Query {
	gift := model(t).Table("svc_gift")
	root := &Link{Table: gift}
	q := &Query{Root: root}
	var all And
	for range n {
		all = append(all, Equal(root, gift.MustColumn("svc_giftnum"), value.Text("G-1")))
	}
	q.Where = all
	return q
}

func TestCheckSize(t *testing.T) {
	if err := CheckSize(conditions(t, MaxConditions)); err != nil {
		t.Errorf("500 conditions: %v", err)
	}
	wantCode(t, CheckSize(conditions(t, MaxConditions+1)), fault.TooManyConditions)

	q := conditions(t, 1)
	gift := q.Root.Table
	link := func(parent *Link) *Link {
		return &Link{Table: gift, Parent: parent, From: gift.Key, To: gift.MustColumn("svc_matchinggift")}
	}
	for range MaxLinks - 2 {
		q.Links = append(q.Links, link(q.Root))
	}
	test := link(q.Root)
	q.Where = AllOf(q.Where, &Exists{Link: test, Links: []*Link{link(test)}})
	if got := Measure(q); got != (Size{Conditions: 1, Links: MaxLinks}) {
		t.Errorf("measured %+v", got)
	}
	if err := CheckSize(q); err != nil {
		t.Errorf("15 links: %v", err)
	}
	q.Links = append(q.Links, link(q.Root))
	wantCode(t, CheckSize(q), fault.TooManyLinks)
}

func TestRewriteReplacesAndStops(t *testing.T) {
	q := conditions(t, 3)
	r := Rewriter{Filter: func(f Filter) (Filter, error) {
		if _, ok := f.(Cond); ok {
			return Const(true), nil
		}
		return f, nil
	}}
	if err := r.Rewrite(q); err != nil {
		t.Fatal(err)
	}
	if want := "from svc_gift t0\n  where (true and true and true)"; q.String() != want {
		t.Errorf("got %q, want %q", q, want)
	}
	stop := errors.New("stop")
	calls := 0
	r = Rewriter{Expr: func(e Expr) (Expr, error) { calls++; return e, stop }}
	if err := r.Rewrite(conditions(t, 3)); err != stop || calls != 1 {
		t.Errorf("got %v after %d calls", err, calls)
	}
}

func TestVisitSeesEverySource(t *testing.T) {
	gift := model(t).Table("svc_gift")
	root := &Link{Table: gift}
	title := TitleOf(Ref{root, gift.MustColumn("svc_donor")})
	sub := conditions(t, 1)
	q := &Query{
		Root: root, Where: &InQuery{Left: Ref{root, gift.Key}, Query: sub}, Order: []Order{{Expr: title}},
		Select: Node{Link: root, Outputs: []Output{{Expr: Ref{root, gift.MustColumn("svc_donor")}, Label: TitleOf(Ref{root, gift.MustColumn("ownerid")})}}},
	}
	seen := map[string]int{}
	queries := 0
	Visit(q, Visitor{Link: func(l *Link) { seen[l.Table.Name]++ }, Query: func(*Query) { queries++ }})
	if queries != 2 || seen["svc_gift"] != 2 || seen["svc_donor"] != 1 || seen["systemuser"] != 1 || seen["team"] != 1 {
		t.Errorf("saw %v in %d queries", seen, queries)
	}
}

func TestOperatorsAndFunctionsHaveNames(t *testing.T) {
	seen := map[string]Op{}
	for _, f := range Ops {
		name := f.Op.String()
		if name == "" || seen[name] != 0 {
			t.Errorf("operator %d prints as %q, like %d", f.Op, name, seen[name])
		}
		seen[name] = f.Op
	}
	for fn := FnToLower; fn <= FnMoney; fn++ {
		if _, ok := fnNames[fn]; !ok {
			t.Errorf("function %d has no name", fn)
		}
	}
	if got := Op(250).String(); got != "operator 250" {
		t.Errorf("an unknown operator prints as %q", got)
	}
}

func TestPrint(t *testing.T) {
	m := model(t)
	gift, donor, payment := m.Table("svc_gift"), m.Table("svc_donor"), m.Table("svc_giftpayment")
	root := &Link{Table: gift}
	joined := &Link{Table: donor, Parent: root, From: donor.Key, To: gift.MustColumn("svc_donor"), Kind: Outer, Alias: "d"}
	joined.On = Equal(joined, donor.MustColumn("statecode"), value.Int(0))
	child := &Link{Table: payment, Parent: root, From: payment.MustColumn("svc_giftnumber"), To: gift.Key}
	many := &Link{Table: payment}
	q := &Query{
		Root: root, Links: []*Link{joined}, Distinct: true,
		Select: Node{Link: root, Outputs: []Output{
			{Name: "svc_giftnum", Expr: Ref{root, gift.MustColumn("svc_giftnum")}},
			{Name: "n", Expr: Ref{joined, donor.Key}, Agg: AggCountColumn, Distinct: true},
		}, Expands: []*Expand{{
			Nav: gift.Nav("svc_svc_gift_svc_giftpayment_GiftNumber"), Top: 2, Parent: Ref{many, payment.MustColumn("svc_giftnumber")},
			Many: &Query{Root: many, Select: Node{Link: many, Outputs: []Output{{Name: "svc_amount", Expr: Ref{many, payment.MustColumn("svc_amount")}}}}},
		}}},
		Where: Or{
			Not{&Exists{Link: child, Where: Cond{Left: Ref{child, payment.MustColumn("svc_amount")}, Op: OpGt, Args: []Expr{Literal{value.Money(12345)}}}}},
			Cond{Ref{root, gift.MustColumn("svc_giftnum")}, OpIn, []Expr{Literal{value.Text(`a"b`)}, Literal{value.Null}}},
		},
		Order: []Order{{Expr: OutputRef{0}, Desc: true}, {Expr: Call{FnYear, []Expr{Ref{root, gift.MustColumn("svc_giftdate")}}}}},
		Page:  Page{Size: 50, Offset: 100, After: &Position{[]value.Value{value.Text("x"), value.Int(3)}}},
	}
	want := `from svc_gift t0 distinct
  outer svc_donor t1 as d on t1.svc_donorid = t0.svc_donor and t1.statecode eq 0
  select svc_giftnum: t0.svc_giftnum
  select n: countcolumn(distinct t1.svc_donorid)
  expand svc_svc_gift_svc_giftpayment_GiftNumber top 2
    from svc_giftpayment t2
      select svc_amount: t2.svc_amount
    per t2.svc_giftnumber
  where (not exists {inner svc_giftpayment t3 on t3.svc_giftnumber = t0.svc_giftid where t3.svc_amount gt 123.45} or t0.svc_giftnum in "a\"b", null)
  order by output 0 desc, year(t0.svc_giftdate)
  limit 50
  offset 100
  after ("x", 3)`
	if got := q.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
