package query

import (
	"errors"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/schema"
	"almoner/internal/value"
	"almoner/tables"
)

func model(t *testing.T) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var (
	user   = value.MustGUID("00000000-0000-0000-0000-00000000000a")
	report = value.MustGUID("00000000-0000-0000-0000-00000000000b")
	unit   = value.MustGUID("00000000-0000-0000-0000-00000000000c")
	team   = value.MustGUID("00000000-0000-0000-0000-00000000000d")
)

// context is a Wednesday noon, 2024-05-15, in New York, of an organization whose years begin in July.
func context(t *testing.T) ResolveContext {
	return ResolveContext{
		Model: model(t), Now: seconds(t, "2024-05-15T16:20:30Z"), Zone: zone(t, "America/New_York"), StartMonth: 7,
		User: user, BusinessUnit: unit, Teams: []value.GUID{team}, Reports: []value.GUID{report}, Language: 1033,
	}
}

// resolved prints a condition on a gift after the resolve pass.
func resolved(t *testing.T, ctx ResolveContext, column string, op Op, args ...value.Value) (string, error) {
	t.Helper()
	gift := model(t).Table("svc_gift")
	root := &Link{Table: gift}
	c := Cond{Left: Ref{root, gift.MustColumn(column)}, Op: op}
	for _, a := range args {
		c.Args = append(c.Args, Literal{a})
	}
	q := &Query{Root: root, Where: c}
	if err := Resolve(q, ctx); err != nil {
		return "", err
	}
	_, where, _ := strings.Cut(q.String(), "where ")
	where = strings.ReplaceAll(where, "t0."+column, "x")
	return strings.TrimSuffix(strings.TrimPrefix(where, "("), ")"), nil
}

func TestResolveDates(t *testing.T) {
	date := value.Date(days(t, "2024-03-10"))
	n := func(n int64) []value.Value { return []value.Value{value.Int(n)} }
	tests := []struct {
		op     Op
		args   []value.Value
		moment string // on a column with time of day
		day    string // on a DateOnly column; "" when the operator does not fit one
	}{
		{OpOn, []value.Value{date}, "x ge 2024-03-10T05:00:00Z and x lt 2024-03-11T04:00:00Z", "x ge 2024-03-10 and x lt 2024-03-11"},
		{OpOn, []value.Value{value.Time(seconds(t, "2024-03-11T03:00:00Z"))}, "x ge 2024-03-10T05:00:00Z and x lt 2024-03-11T04:00:00Z", "x ge 2024-03-10 and x lt 2024-03-11"},
		{OpOnOrAfter, []value.Value{date}, "x ge 2024-03-10T05:00:00Z", "x ge 2024-03-10"},
		{OpOnOrBefore, []value.Value{date}, "x lt 2024-03-11T04:00:00Z", "x lt 2024-03-11"},
		{OpToday, nil, "x ge 2024-05-15T04:00:00Z and x lt 2024-05-16T04:00:00Z", "x ge 2024-05-15 and x lt 2024-05-16"},
		{OpYesterday, nil, "x ge 2024-05-14T04:00:00Z and x lt 2024-05-15T04:00:00Z", "x ge 2024-05-14 and x lt 2024-05-15"},
		{OpTomorrow, nil, "x ge 2024-05-16T04:00:00Z and x lt 2024-05-17T04:00:00Z", "x ge 2024-05-16 and x lt 2024-05-17"},
		{OpLast7Days, nil, "x ge 2024-05-08T04:00:00Z and x lt 2024-05-15T16:20:31Z", "x ge 2024-05-08 and x lt 2024-05-16"},
		{OpNext7Days, nil, "x ge 2024-05-15T16:20:30Z and x lt 2024-05-23T04:00:00Z", "x ge 2024-05-16 and x lt 2024-05-23"},
		{OpThisWeek, nil, "x ge 2024-05-12T04:00:00Z and x lt 2024-05-19T04:00:00Z", "x ge 2024-05-12 and x lt 2024-05-19"},
		{OpLastWeek, nil, "x ge 2024-05-05T04:00:00Z and x lt 2024-05-12T04:00:00Z", "x ge 2024-05-05 and x lt 2024-05-12"},
		{OpNextWeek, nil, "x ge 2024-05-19T04:00:00Z and x lt 2024-05-26T04:00:00Z", "x ge 2024-05-19 and x lt 2024-05-26"},
		{OpThisMonth, nil, "x ge 2024-05-01T04:00:00Z and x lt 2024-06-01T04:00:00Z", "x ge 2024-05-01 and x lt 2024-06-01"},
		{OpLastMonth, nil, "x ge 2024-04-01T04:00:00Z and x lt 2024-05-01T04:00:00Z", "x ge 2024-04-01 and x lt 2024-05-01"},
		{OpNextMonth, nil, "x ge 2024-06-01T04:00:00Z and x lt 2024-07-01T04:00:00Z", "x ge 2024-06-01 and x lt 2024-07-01"},
		{OpThisYear, nil, "x ge 2024-01-01T05:00:00Z and x lt 2025-01-01T05:00:00Z", "x ge 2024-01-01 and x lt 2025-01-01"},
		{OpLastYear, nil, "x ge 2023-01-01T05:00:00Z and x lt 2024-01-01T05:00:00Z", "x ge 2023-01-01 and x lt 2024-01-01"},
		{OpNextYear, nil, "x ge 2025-01-01T05:00:00Z and x lt 2026-01-01T05:00:00Z", "x ge 2025-01-01 and x lt 2026-01-01"},
		{OpThisFiscalYear, nil, "x ge 2023-07-01T04:00:00Z and x lt 2024-07-01T04:00:00Z", "x ge 2023-07-01 and x lt 2024-07-01"},
		{OpLastFiscalYear, nil, "x ge 2022-07-01T04:00:00Z and x lt 2023-07-01T04:00:00Z", "x ge 2022-07-01 and x lt 2023-07-01"},
		{OpNextFiscalYear, nil, "x ge 2024-07-01T04:00:00Z and x lt 2025-07-01T04:00:00Z", "x ge 2024-07-01 and x lt 2025-07-01"},
		{OpThisFiscalPeriod, nil, "x ge 2024-04-01T04:00:00Z and x lt 2024-07-01T04:00:00Z", "x ge 2024-04-01 and x lt 2024-07-01"},
		{OpLastFiscalPeriod, nil, "x ge 2024-01-01T05:00:00Z and x lt 2024-04-01T04:00:00Z", "x ge 2024-01-01 and x lt 2024-04-01"},
		{OpNextFiscalPeriod, nil, "x ge 2024-07-01T04:00:00Z and x lt 2024-10-01T04:00:00Z", "x ge 2024-07-01 and x lt 2024-10-01"},
		{OpLastXHours, n(3), "x ge 2024-05-15T13:00:00Z and x lt 2024-05-15T16:20:31Z", ""},
		{OpNextXHours, n(3), "x ge 2024-05-15T16:20:30Z and x lt 2024-05-15T20:00:00Z", ""},
		{OpLastXDays, n(2), "x ge 2024-05-13T04:00:00Z and x lt 2024-05-15T16:20:31Z", "x ge 2024-05-13 and x lt 2024-05-16"},
		{OpNextXDays, n(2), "x ge 2024-05-15T16:20:30Z and x lt 2024-05-18T04:00:00Z", "x ge 2024-05-16 and x lt 2024-05-18"},
		{OpLastXWeeks, n(2), "x ge 2024-05-01T04:00:00Z and x lt 2024-05-15T16:20:31Z", "x ge 2024-05-01 and x lt 2024-05-16"},
		{OpNextXWeeks, n(2), "x ge 2024-05-15T16:20:30Z and x lt 2024-05-30T04:00:00Z", "x ge 2024-05-16 and x lt 2024-05-30"},
		{OpLastXMonths, n(3), "x ge 2024-02-15T05:00:00Z and x lt 2024-05-15T16:20:31Z", "x ge 2024-02-15 and x lt 2024-05-16"},
		{OpNextXMonths, n(3), "x ge 2024-05-15T16:20:30Z and x lt 2024-08-16T04:00:00Z", "x ge 2024-05-16 and x lt 2024-08-16"},
		{OpLastXYears, n(1), "x ge 2023-05-15T04:00:00Z and x lt 2024-05-15T16:20:31Z", "x ge 2023-05-15 and x lt 2024-05-16"},
		{OpNextXYears, n(1), "x ge 2024-05-15T16:20:30Z and x lt 2025-05-16T04:00:00Z", "x ge 2024-05-16 and x lt 2025-05-16"},
		{OpLastXFiscalPeriods, n(2), "x ge 2023-10-01T04:00:00Z and x lt 2024-04-01T04:00:00Z", "x ge 2023-10-01 and x lt 2024-04-01"},
		{OpNextXFiscalPeriods, n(2), "x ge 2024-07-01T04:00:00Z and x lt 2025-01-01T05:00:00Z", "x ge 2024-07-01 and x lt 2025-01-01"},
		{OpLastXFiscalYears, n(1), "x ge 2022-07-01T04:00:00Z and x lt 2023-07-01T04:00:00Z", "x ge 2022-07-01 and x lt 2023-07-01"},
		{OpNextXFiscalYears, n(2), "x ge 2024-07-01T04:00:00Z and x lt 2026-07-01T04:00:00Z", "x ge 2024-07-01 and x lt 2026-07-01"},
		{OpOlderThanXMinutes, n(5), "x lt 2024-05-15T16:15:00Z", ""},
		{OpOlderThanXHours, n(5), "x lt 2024-05-15T11:00:00Z", ""},
		{OpOlderThanXDays, n(5), "x lt 2024-05-10T04:00:00Z", "x lt 2024-05-10"},
		{OpOlderThanXWeeks, n(1), "x lt 2024-05-08T04:00:00Z", "x lt 2024-05-08"},
		{OpOlderThanXMonths, n(1), "x lt 2024-04-15T04:00:00Z", "x lt 2024-04-15"},
		{OpOlderThanXYears, n(1), "x lt 2023-05-15T04:00:00Z", "x lt 2023-05-15"},
		{OpInFiscalYear, n(2023), "x ge 2023-07-01T04:00:00Z and x lt 2024-07-01T04:00:00Z", "x ge 2023-07-01 and x lt 2024-07-01"},
		{OpInFiscalPeriod, n(4), "groupfiscalperiod(x) eq 4", "groupfiscalperiod(x) eq 4"},
		{OpInFiscalPeriodAndYear, []value.Value{value.Int(4), value.Int(2023)}, "x ge 2024-04-01T04:00:00Z and x lt 2024-07-01T04:00:00Z", "x ge 2024-04-01 and x lt 2024-07-01"},
		{OpInOrAfterFiscalPeriodAndYear, []value.Value{value.Int(1), value.Int(2023)}, "x ge 2023-07-01T04:00:00Z", "x ge 2023-07-01"},
		{OpInOrBeforeFiscalPeriodAndYear, []value.Value{value.Int(1), value.Int(2023)}, "x lt 2023-10-01T04:00:00Z", "x lt 2023-10-01"},
	}
	seen := map[Op]bool{}
	for _, tt := range tests {
		seen[tt.op] = true
		got, err := resolved(t, context(t), "svc_dateacknowledged", tt.op, tt.args...)
		if err != nil || got != tt.moment {
			t.Errorf("%s on a moment: got %q, %v; want %q", tt.op, got, err, tt.moment)
		}
		got, err = resolved(t, context(t), "svc_giftdate", tt.op, tt.args...)
		if tt.day == "" {
			wantCode(t, err, fault.OperatorUnfit)
		} else if err != nil || got != tt.day {
			t.Errorf("%s on a date: got %q, %v; want %q", tt.op, got, err, tt.day)
		}
	}
	for _, f := range Ops {
		if f.Dates && !seen[f.Op] {
			t.Errorf("no test for %s", f.Op)
		}
	}
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || f.Status != 400 {
		t.Errorf("got %v, want code %s", err, code)
	}
}

func TestNextAtMidnightHoldsToday(t *testing.T) {
	ctx := context(t)
	ctx.Now = seconds(t, "2024-05-15T04:00:00Z")
	got, err := resolved(t, ctx, "svc_giftdate", OpNext7Days)
	if want := "x ge 2024-05-15 and x lt 2024-05-23"; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestResolveCaller(t *testing.T) {
	a, b, c, d := "{"+user.String()+"}", "{"+report.String()+"}", "{"+unit.String()+"}", "{"+team.String()+"}"
	tests := []struct {
		op     Op
		column string
		want   string
	}{
		{OpEqualUserID, "ownerid", "x eq " + a},
		{OpNotEqualUserID, "ownerid", "x ne " + a},
		{OpEqualBusinessID, "owningbusinessunit", "x eq " + c},
		{OpNotEqualBusinessID, "owningbusinessunit", "x ne " + c},
		{OpEqualUserTeams, "ownerid", "x eq " + d},
		{OpEqualUserOrUserTeams, "ownerid", "x in " + a + ", " + d},
		{OpEqualUserOrUserHierarchy, "ownerid", "x in " + a + ", " + b},
		{OpEqualUserOrUserHierarchyAndTeams, "ownerid", "x in " + a + ", " + b + ", " + d},
		{OpEqualUserLanguage, "importsequencenumber", "x eq 1033"},
	}
	for _, tt := range tests {
		if got, err := resolved(t, context(t), tt.column, tt.op); err != nil || got != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.op, got, err, tt.want)
		}
		_, err := resolved(t, context(t), "svc_giftnum", tt.op)
		wantCode(t, err, fault.OperatorUnfit)
	}
	ctx := context(t)
	ctx.Teams = nil
	if got, err := resolved(t, ctx, "ownerid", OpEqualUserTeams); err != nil || got != "false" {
		t.Errorf("without teams: got %q, %v", got, err)
	}
}

func TestResolveRefusesBadArguments(t *testing.T) {
	tests := []struct {
		op   Op
		args []value.Value
		code fault.Code
	}{
		{OpLastXDays, []value.Value{value.Int(0)}, fault.FetchBadX},
		{OpLastXDays, []value.Value{value.Int(-1)}, fault.FetchBadX},
		{OpLastXDays, []value.Value{value.Text("3")}, fault.FetchBadX},
		{OpLastXDays, nil, fault.FetchBadX},
		{OpOn, []value.Value{value.Int(1)}, fault.FetchBadValue},
		{OpInFiscalPeriod, []value.Value{value.Int(5)}, fault.FetchBadValue},
		{OpInFiscalYear, []value.Value{value.Int(12345)}, fault.FetchBadValue},
		{OpInFiscalPeriodAndYear, []value.Value{value.Int(1)}, fault.FetchBadValue},
	}
	for _, tt := range tests {
		_, err := resolved(t, context(t), "svc_dateacknowledged", tt.op, tt.args...)
		wantCode(t, err, tt.code)
	}
	_, err := resolved(t, context(t), "svc_amount1", OpToday)
	wantCode(t, err, fault.OperatorUnfit)
}

func TestResolveHugeCountsStayOrdered(t *testing.T) {
	for _, f := range Ops {
		if !f.Dates || f.Op < OpLastXHours || f.Op > OpOlderThanXYears {
			continue
		}
		if _, err := resolved(t, context(t), "svc_dateacknowledged", f.Op, value.Int(1<<62)); err != nil {
			t.Errorf("%s: %v", f.Op, err)
		}
	}
}

// TestResolveReachesEverywhere puts the same operator into every corner of a tree.
func TestResolveReachesEverywhere(t *testing.T) {
	m := model(t)
	gift, payment, donor := m.Table("svc_gift"), m.Table("svc_giftpayment"), m.Table("svc_donor")
	today := func(l *Link) Filter { return Cond{Left: Ref{l, l.Table.MustColumn("createdon")}, Op: OpToday} }
	root := &Link{Table: gift}
	child := func(parent *Link) *Link {
		return &Link{Table: payment, Parent: parent, From: payment.MustColumn("svc_giftnumber"), To: gift.Key}
	}
	joined := &Link{Table: donor, Parent: root, From: donor.Key, To: gift.MustColumn("svc_donor")}
	joined.On = today(joined)
	exists, scalar, sub, many := child(root), child(root), &Link{Table: gift}, &Link{Table: payment}
	inner := &Link{Table: gift, Parent: exists, From: gift.Key, To: payment.MustColumn("svc_giftnumber")}
	inner.On = today(inner)
	q := &Query{
		Root: root, Links: []*Link{joined},
		Where: Or{
			Not{today(root)},
			And{&Exists{Link: exists, Links: []*Link{inner}, Where: today(exists)}},
			&InQuery{Left: Ref{root, gift.Key}, Query: &Query{Root: sub, Where: today(sub), Select: Node{Link: sub, Outputs: Refs(sub, []*schema.Column{gift.Key})}}},
		},
		Select: Node{Link: root, Outputs: []Output{
			{Expr: &Scalar{Source: scalar, Where: today(scalar), Pick: Call{Fn: FnNow}, Agg: AggMax}},
			{Expr: Call{FnIf, []Expr{Test{today(root)}, Call{Fn: FnNow}, Literal{value.Null}}}, Label: Call{Fn: FnNow}},
		}, Expands: []*Expand{
			{One: []*Node{{Link: joined, Outputs: []Output{{Expr: Call{Fn: FnNow}}}}}},
			{Many: &Query{Root: many, Where: today(many), Select: Node{Link: many}}, Parent: Ref{many, payment.MustColumn("svc_giftnumber")}},
		}},
		Order: []Order{{Expr: Call{Fn: FnNow}}},
	}
	if err := Resolve(q, context(t)); err != nil {
		t.Fatal(err)
	}
	text := q.String()
	if strings.Contains(text, "today") || strings.Contains(text, "now(") {
		t.Errorf("left over:\n%s", text)
	}
	if n := strings.Count(text, "ge 2024-05-15T04:00:00Z"); n != 8 {
		t.Errorf("resolved %d of 8 conditions:\n%s", n, text)
	}
	if n := strings.Count(text, "2024-05-15T16:20:30Z"); n != 5 {
		t.Errorf("resolved %d of 5 clocks:\n%s", n, text)
	}
}
