package query

import (
	"math/big"
	"strings"
	"testing"

	"almoner/internal/schema"
	"almoner/internal/value"
)

// memory is a store of rows for evaluating expressions by hand.
type memory map[string][]map[string]value.Value

// frame binds sources to rows; a nil row is one an outer join did not find.
type frame map[*Link]map[string]value.Value

func (m memory) eval(t *testing.T, e Expr, f frame) value.Value {
	t.Helper()
	switch e := e.(type) {
	case Ref:
		return f[e.Link][e.Column.Name]
	case Literal:
		return e.Value
	case TypeCode:
		return value.Int(int64(f[e.Ref.Link][e.Ref.Column.Name].TypeCode()))
	case *Scalar:
		return m.scalar(t, e, f)
	case Call:
		return m.call(t, e, f)
	default:
		t.Fatalf("cannot evaluate %T", e)
		return value.Null
	}
}

func (m memory) call(t *testing.T, c Call, f frame) value.Value {
	t.Helper()
	if c.Fn == FnIf {
		if m.holds(t, c.Args[0].(Test).Filter, f) {
			return m.eval(t, c.Args[1], f)
		}
		return m.eval(t, c.Args[2], f)
	}
	args := make([]value.Value, len(c.Args))
	for i, a := range c.Args {
		args[i] = m.eval(t, a, f)
	}
	if c.Fn == FnCoalesce {
		for _, a := range args {
			if !a.IsNull() {
				return a
			}
		}
		return value.Null
	}
	if args[0].IsNull() {
		return value.Null
	}
	switch a := args[0].Int(); c.Fn {
	case FnMoney:
		return value.Money(a)
	case FnAdd:
		return value.Money(a + args[1].Int())
	case FnSub:
		return value.Money(a - args[1].Int())
	case FnGreatest:
		return value.Money(max(a, args[1].Int()))
	case FnFromBase:
		return rounded(t, new(big.Rat).Mul(args[0].Rat(), args[1].Rat()))
	case FnToBase:
		return rounded(t, new(big.Rat).Quo(args[0].Rat(), args[1].Rat()))
	default:
		t.Fatalf("cannot evaluate %s", c.Fn)
		return value.Null
	}
}

func rounded(t *testing.T, r *big.Rat) value.Value {
	t.Helper()
	n, err := value.RoundRat(r, 2)
	if err != nil {
		t.Fatal(err)
	}
	return value.Money(n)
}

func (m memory) scalar(t *testing.T, s *Scalar, f frame) value.Value {
	t.Helper()
	sum, found := int64(0), value.Null
	for _, row := range m[s.Source.Table.Name] {
		f[s.Source] = row
		if row[s.Source.From.Name] != f[s.Source.Parent][s.Source.To.Name] || !m.holds(t, s.Where, f) {
			continue
		}
		if v := m.eval(t, s.Pick, f); !v.IsNull() {
			found = v
			sum += v.Int()
		}
	}
	if s.Agg == AggSum && !found.IsNull() {
		return value.Money(sum)
	}
	return found
}

func (m memory) holds(t *testing.T, f Filter, fr frame) bool {
	t.Helper()
	switch f := f.(type) {
	case nil:
		return true
	case And:
		for _, part := range f {
			if !m.holds(t, part, fr) {
				return false
			}
		}
		return true
	case Or:
		for _, part := range f {
			if m.holds(t, part, fr) {
				return true
			}
		}
		return false
	case Not:
		return !m.holds(t, f.Filter, fr)
	case Cond:
		left := m.eval(t, f.Left, fr)
		switch f.Op {
		case OpNull:
			return left.IsNull()
		case OpNotNull:
			return !left.IsNull()
		case OpEq:
			return !left.IsNull() && left == m.eval(t, f.Args[0], fr)
		}
	}
	t.Fatalf("cannot test %T", f)
	return false
}

// derived evaluates a virtual column of a row after the resolve pass.
func (m memory) derived(t *testing.T, table, column string, row map[string]value.Value) value.Value {
	t.Helper()
	tab := model(t).Table(table)
	root := &Link{Table: tab}
	c := tab.MustColumn(column)
	q := &Query{Root: root, Select: Node{Link: root, Outputs: []Output{{Expr: Ref{root, c}, Column: c}}}}
	if err := Resolve(q, context(t)); err != nil {
		t.Fatal(err)
	}
	out := q.Select.Outputs[0]
	if out.Column != c {
		t.Errorf("%s: the output lost its column", column)
	}
	if kind := KindOf(out.Expr); kind != c.Type.Kind() {
		t.Errorf("%s: resolved to %s, want %s", column, kind, c.Type.Kind())
	}
	return m.eval(t, out.Expr, frame{root: row})
}

func id(n byte) value.Value { return value.ID(value.GUID{15: n}) }

func rate(text string) value.Value {
	n, _, err := value.ParseDecimal(text, 10)
	if err != nil {
		panic(err)
	}
	return value.Decimal(n, 10)
}

func TestGivingYears(t *testing.T) {
	// The context's moment lies in giving year 2023 (July 2023 to June 2024).
	m := memory{"donoryear": {
		{"donor": id(1), "year": value.Int(2023), "amount": value.Int(100000)},
		{"donor": id(1), "year": value.Int(2022), "amount": value.Int(20000)},
		{"donor": id(1), "year": value.Int(2018), "amount": value.Int(-700)},
		{"donor": id(1), "year": value.Int(2024), "amount": value.Int(99999)},
		{"donor": id(2), "year": value.Int(2023), "amount": value.Int(5)},
		{"donor": id(3), "year": value.Int(2023), "amount": value.Int(1340), "amountown": value.Int(100000), "amountownbase": value.Int(670)},
		{"donor": id(3), "year": value.Int(2022), "amount": value.Int(670)},
	}}
	row := map[string]value.Value{"svc_donorid": id(1)}
	foreign := map[string]value.Value{"svc_donorid": id(1), "exchangerate": rate("1.365")}
	yen := map[string]value.Value{"svc_donorid": id(3), "exchangerate": rate("149.33")}
	tests := []struct {
		column string
		row    map[string]value.Value
		want   string
	}{
		{"svc_totalgivingthisyear", row, "1000.00"},
		{"svc_totalgivinglastyear", row, "200.00"},
		{"svc_totalgiving2yearsago", row, "0.00"},
		{"svc_totalgiving5yearsago", row, "-7.00"},
		{"svc_totalgivingthisyear_base", row, "1000.00"},
		{"svc_totalgivingthisyear", foreign, "1365.00"},
		{"svc_totalgivingthisyear_base", foreign, "1000.00"},
		{"svc_totalgivinglastyear", foreign, "273.00"},
		{"svc_totalgiving5yearsago", foreign, "-9.56"}, // -9.555 away from zero
		{"svc_totalgivingthisyear", yen, "2000.51"},    // 1000 as they came, and 6.70 converted
		{"svc_totalgivingthisyear_base", yen, "13.40"},
		{"svc_totalgivinglastyear", yen, "1000.51"},
	}
	for _, tt := range tests {
		if got := m.derived(t, "svc_donor", tt.column, tt.row).String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.column, got, tt.want)
		}
	}
	fund := memory{"fundyear": {{"fund": id(9), "year": value.Int(2022), "giving": value.Int(4200), "inflow": value.Int(1)}}}
	if got := fund.derived(t, "svc_fund", "svc_totalgivinglastyear", map[string]value.Value{"svc_fundid": id(9)}).String(); got != "42.00" {
		t.Errorf("fund giving: %s", got)
	}
}

func TestSpendable(t *testing.T) {
	usd, cad := id(101), id(102)
	fund := func(n byte, endowed bool, more map[string]value.Value) map[string]value.Value {
		row := map[string]value.Value{
			"svc_fundid": id(n), "svc_endowed": value.Bool(endowed), "statecode": value.Int(0), "transactioncurrencyid": usd, "exchangerate": rate("1"),
		}
		for k, v := range more {
			row[k] = v
		}
		return row
	}
	with := func(pairs ...any) map[string]value.Value {
		out := map[string]value.Value{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1].(value.Value)
		}
		return out
	}
	allotment := func(n int64) value.Value { return value.Int(n) }
	rows := []map[string]value.Value{
		fund(1, true, with("x_allotment", allotment(1125000), "svc_grantspending", value.Money(250000), "svc_netassets", value.Money(25000000))),
		fund(2, false, with("svc_netassets", value.Money(500000), "svc_grantspending", value.Money(100000))),
		fund(3, false, with("svc_netassets", value.Money(100), "svc_grantspending", value.Money(100000))),
		fund(4, true, with("x_allotment", allotment(300000), "svc_alternatespendablefund", id(5))),                           // passes on
		fund(5, false, with("svc_netassets", value.Money(10000))),                                                            // receives from 4 and 7
		fund(6, true, with("x_allotment", allotment(50000), "svc_alternatespendablefund", id(5), "statecode", value.Int(1))), // inactive source
		fund(7, true, with("x_allotment", allotment(136500), "svc_alternatespendablefund", id(5), "transactioncurrencyid", cad, "exchangerate", rate("1.365"))),
		fund(8, false, with("x_allotment", allotment(77700), "svc_alternatespendablefund", id(5))), // not endowed: passes nothing on
		fund(9, true, with("x_allotment", allotment(20000), "svc_alternatespendablefund", id(9))),  // points at itself
		fund(10, true, with("x_allotment", allotment(10000), "transactioncurrencyid", cad, "exchangerate", rate("1.365"))),
		fund(11, true, nil),
		fund(12, false, with("svc_netassets", value.Money(500), "svc_hidespendablebalanceinportalfund", value.Bool(true))),
	}
	m := memory{"svc_fund": rows, "fundyear": {
		{"fund": id(1), "year": value.Int(2023), "grantspaid": value.Int(400000)},
		{"fund": id(1), "year": value.Int(2022), "grantspaid": value.Int(999999)},
		{"fund": id(2), "year": value.Int(2023), "grantspaid": value.Int(100)},
		{"fund": id(10), "year": value.Int(2023), "grantspaid": value.Int(2000), "grantspaidown": value.Int(1499), "grantspaidownbase": value.Int(1000)},
	}}
	tests := []struct {
		fund             int
		own, base, shown string
		why              string
	}{
		{1, "4750.00", "4750.00", "4750.00", "endowed: allotment less paid this year less pending"},
		{2, "4000.00", "4000.00", "4000.00", "not endowed: net assets less pending, paid grants not counted again"},
		{3, "0.00", "0.00", "0.00", "never below zero"},
		{4, "0.00", "0.00", "0.00", "a source that passes its allotment on shows nothing"},
		{5, "4100.00", "4100.00", "4100.00", "own 100, 3000 in its own currency, 1365 Canadian at 1.365"},
		{8, "0.00", "0.00", "0.00", "not endowed and empty"},
		{9, "200.00", "200.00", "200.00", "a fund that passes on to itself receives it"},
		{10, "71.36", "52.28", "71.36", "paid 14.99 in its own currency and 10.00 base, which is 13.65 of its own"},
		{11, "0.00", "0.00", "0.00", "no allotment yet"},
		{12, "5.00", "5.00", "null", "hidden in the portal"},
	}
	for _, tt := range tests {
		row := rows[tt.fund-1]
		own, base := m.derived(t, "svc_fund", "svc_spendable", row), m.derived(t, "svc_fund", "svc_spendable_base", row)
		shown := m.derived(t, "svc_fund", "svc_portalfundspendable", row)
		if own.String() != tt.own || base.String() != tt.base || shown.String() != tt.shown {
			t.Errorf("fund %d (%s): got %s, %s, %s; want %s, %s, %s", tt.fund, tt.why, own, base, shown, tt.own, tt.base, tt.shown)
		}
		if got := m.derived(t, "svc_fund", "svc_portalfundspendable_base", row); got.IsNull() != shown.IsNull() {
			t.Errorf("fund %d: portal base is %s", tt.fund, got)
		}
	}
}

func TestVirtualOfAbsentRowIsNull(t *testing.T) {
	m := model(t)
	gift, donor := m.Table("svc_gift"), m.Table("svc_donor")
	root := &Link{Table: gift}
	joined := &Link{Table: donor, Parent: root, From: donor.Key, To: gift.MustColumn("svc_donor"), Kind: Outer}
	q := &Query{Root: root, Links: []*Link{joined}, Where: Cond{Ref{joined, donor.MustColumn("svc_totalgivingthisyear")}, OpEq, []Expr{Literal{value.Money(0)}}}}
	if err := Resolve(q, context(t)); err != nil {
		t.Fatal(err)
	}
	left := q.Where.(Cond).Left
	store := memory{}
	if got := store.eval(t, left, frame{joined: nil}); !got.IsNull() {
		t.Errorf("of no donor: %s", got)
	}
	if got := store.eval(t, left, frame{joined: {"svc_donorid": id(1)}}); got.String() != "0.00" {
		t.Errorf("of a donor without gifts: %s", got)
	}
}

func TestSelfAndTypeName(t *testing.T) {
	m := model(t)
	users := m.Table("systemuser")
	if got := (memory{}).derived(t, "systemuser", "ownerid", map[string]value.Value{users.Key.Name: id(3)}); got != id(3) {
		t.Errorf("self: %s", got)
	}
	contact := m.Table("contact")
	member := map[string]value.Value{"entityid": value.Ref(value.GUID{15: 7}, contact.TypeCode)}
	if got := (memory{}).derived(t, "listmember", "entitytype", member).Text(); got != "contact" {
		t.Errorf("type name: %q", got)
	}
	if got := (memory{}).derived(t, "listmember", "entitytype", map[string]value.Value{}); !got.IsNull() {
		t.Errorf("type name of nothing: %s", got)
	}
}

func TestTypeNameConditionsCompareCodes(t *testing.T) {
	m := model(t)
	members := m.Table("listmember")
	root := &Link{Table: members}
	left := Ref{root, members.MustColumn("entitytype")}
	contact, account := value.Int(int64(m.Table("contact").TypeCode)).String(), value.Int(int64(m.Table("account").TypeCode)).String()
	text := func(names ...string) (args []Expr) {
		for _, n := range names {
			args = append(args, Literal{value.Text(n)})
		}
		return args
	}
	tests := []struct {
		cond Cond
		want string
	}{
		{Cond{left, OpEq, text("Contact")}, "typecode(t0.entityid) in " + contact},
		{Cond{left, OpNe, text("contact")}, "typecode(t0.entityid) not-in " + contact},
		{Cond{left, OpIn, text("contact", "account", "nothing")}, "typecode(t0.entityid) in " + contact + ", " + account},
		{Cond{left, OpEq, text("svc_gift")}, "false"},
		{Cond{left, OpNotIn, text("svc_gift")}, "true"},
		{Cond{Left: left, Op: OpNull}, "t0.entityid null"},
	}
	for _, tt := range tests {
		q := &Query{Root: root, Where: tt.cond}
		if err := Resolve(q, context(t)); err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(q.String(), "where "); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	q := &Query{Root: root, Where: Cond{left, OpBeginsWith, text("con")}}
	if err := Resolve(q, context(t)); err != nil || !strings.Contains(q.String(), `if(typecode(t0.entityid)`) {
		t.Errorf("other operators compare the name: %v\n%s", err, q)
	}
}

// TestEveryVirtualColumnResolves keeps the derivations in step with the tables.
func TestEveryVirtualColumnResolves(t *testing.T) {
	found := 0
	for _, table := range model(t).Tables {
		for _, c := range table.Columns {
			if c.Stored() {
				continue
			}
			found++
			root := &Link{Table: table}
			q := &Query{Root: root, Order: []Order{{Expr: Ref{root, c}}}, Select: Node{Link: root, Outputs: Refs(root, []*schema.Column{c})}}
			if err := Resolve(q, context(t)); err != nil {
				t.Error(err)
				continue
			}
			Visit(q, Visitor{Expr: func(e Expr) {
				if ref, ok := e.(Ref); ok && !ref.Column.Stored() {
					t.Errorf("%s.%s leaves %s virtual", table.Name, c.Name, ref.Column.Name)
				}
			}})
		}
	}
	if found < 20 {
		t.Errorf("found only %d virtual columns", found)
	}
}
