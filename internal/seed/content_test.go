package seed

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"almoner/internal/auth"
	"almoner/internal/engine"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// TestSampleShowsEveryCase names what a sample must have at least one of, whatever its size.
func TestSampleShowsEveryCase(t *testing.T) {
	e := newSample(t, openSQLite, 1)
	rows := businessTables(t, e)
	is := func(column string, want int64) func(*query.Row) bool {
		return func(r *query.Row) bool { return r.Value(column).Int() == want && !r.Value(column).IsNull() }
	}
	has := func(column string) func(*query.Row) bool {
		return func(r *query.Row) bool { return !r.Value(column).IsNull() }
	}
	folio := func(text string) func(*query.Row) bool {
		return func(r *query.Row) bool { return r.Value("svc_folio").Text() == text }
	}
	isPledge := is("svc_gifttype", giftPledge)
	pledge := func(sign int, paid, writtenOff bool) func(*query.Row) bool {
		return func(r *query.Row) bool {
			balance := r.Value("svc_balance").Int()
			return isPledge(r) && sign == compare(balance, 0) && paid == (r.Value("svc_paid").Int() > 0) &&
				writtenOff == (r.Value("svc_commitment").Int() > r.Value("svc_totalgift").Int())
		}
	}
	cases := []struct {
		name, table string
		found       func(*query.Row) bool
	}{
		{"unpaid pledge", "svc_gift", pledge(1, false, false)},
		{"partly paid pledge", "svc_gift", pledge(1, true, false)},
		{"paid pledge", "svc_gift", pledge(0, true, false)},
		{"overpaid pledge", "svc_gift", pledge(-1, true, false)},
		{"written-off pledge", "svc_gift", pledge(0, true, true)},
		{"closing payment", "svc_giftpayment", func(r *query.Row) bool { return r.Value("svc_pledgepaid").Bool() }},
		{"scheduled row", "svc_giftpayment", is("svc_paymenttype", payScheduled)},
		{"accrual row", "svc_giftpayment", is("svc_paymenttype", payAccrual)},
		{"stock gift", "svc_gift", func(r *query.Row) bool {
			return has("svc_shares")(r) && has("svc_fmvtotal")(r) && has("svc_stockhigh")(r)
		}},
		{"anonymous gift", "svc_gift", func(r *query.Row) bool { return r.Value("svc_giftanonymous").Bool() }},
		{"matching gift", "svc_gift", has("svc_matchinggift")},
		{"inactive gift", "svc_gift", is("statecode", 1)},
		{"foreign gift", "svc_gift", func(r *query.Row) bool { return r.Value("exchangerate").Int() == 13_650_000_000 }},
		{"many splits", "svc_gift", has("svc_amount3")},
		{"adjusted gift", "svc_gift", has("svc_giftadjustment")},
		{"folio ' Void'", "svc_giftpayment", folio(" Void")},
		{"folio 'paid'", "svc_giftpayment", folio("paid")},
		{"folio 'PAID '", "svc_giftpayment", folio("PAID ")},
		{"folio 'returned'", "svc_giftpayment", folio("returned")},
		{"partial reversal", "svc_giftpayment", func(r *query.Row) bool {
			return r.Value("svc_reversalamount").Int() > 0 && r.Value("svc_netamount").Int() > 0
		}},
		{"full reversal", "svc_giftpayment", func(r *query.Row) bool {
			return r.Value("svc_reversalamount").Int() > 0 && r.Value("svc_netamount").Int() == 0
		}},
		{"refund row", "svc_giftpayment", func(r *query.Row) bool { return r.Value("svc_amount").Int() < 0 }},
		{"computed fee line", "svc_giftpayment", func(r *query.Row) bool { return r.Value("x_auto").Int()&1 != 0 && has("svc_feeamount")(r) }},
		{"fee of a gift", "svc_giftfee", has("svc_gift")},
		{"interfund transfer", "svc_interfundgrants", func(r *query.Row) bool { return has("svc_gift")(r) && has("svc_request")(r) }},
		{"organization donor", "svc_donor", func(r *query.Row) bool { return r.Value("svc_donortype").Bool() && has("svc_organization")(r) }},
		{"prospect", "svc_donor", is("svc_countofgifts", 0)},
		{"endowed fund", "svc_fund", func(r *query.Row) bool { return r.Value("svc_endowed").Bool() && has("svc_spendpercent")(r) }},
		{"fund group with assets", "svc_fundgroup", func(r *query.Row) bool { return r.Value("svc_netassets").Int() > 0 }},
		{"default department", "svc_department", func(r *query.Row) bool { return r.Value("svc_isdefault").Bool() }},
		{"dynamic list", "list", has("query")},
		{"static list with members", "list", func(r *query.Row) bool { return r.Value("membercount").Int() > 0 }},
		{"open requirement", "svc_requestpayment", func(r *query.Row) bool {
			return has("svc_requirementdue")(r) && !has("svc_requirementfulfilled")(r)
		}},
		{"fulfilled requirement", "svc_requestpayment", has("svc_requirementfulfilled")},
		{"request with balance", "svc_request", func(r *query.Row) bool { return r.Value("svc_balance").Int() > 0 && has("svc_nextpaymentdue")(r) }},
		{"GL account", "svc_account", has("svc_accounttype")},
		{"campaign", "campaign", has("name")},
		{"function", "svc_function", has("svc_functionname")},
	}
	for _, c := range cases {
		if !slices.ContainsFunc(rows[c.table], c.found) {
			t.Errorf("no %s in %s", c.name, c.table)
		}
	}
	checkOptions(t, rows)
	checkSharedMail(t, rows["contact"])
	checkTree(t, rows["svc_fund"])
	checkSteady(t, rows["svc_donor"])
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// checkOptions wants every gift type, request status and requirement type to occur.
func checkOptions(t *testing.T, rows map[string][]*query.Row) {
	t.Helper()
	for table, column := range map[string]string{"svc_gift": "svc_gifttype", "svc_request": "svc_requeststatus", "svc_requestpayment": "svc_requirementtype"} {
		seen := map[int64]bool{}
		for _, r := range rows[table] {
			seen[r.Value(column).Int()] = true
		}
		for _, o := range rows[table][0].Table.MustColumn(column).Options.Options {
			if !seen[o.Value] {
				t.Errorf("no %s is %s", column, o.Label)
			}
		}
	}
}

func checkSharedMail(t *testing.T, contacts []*query.Row) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range contacts {
		if mail := c.Value("emailaddress1").Text(); mail != "" && seen[mail] {
			return
		} else if mail != "" {
			seen[mail] = true
		}
	}
	t.Error("no two contacts share an e-mail address")
}

func checkTree(t *testing.T, funds []*query.Row) {
	t.Helper()
	parents := map[value.GUID]value.GUID{}
	for _, f := range funds {
		parents[f.ID] = f.Value("svc_parent").ID()
	}
	deepest := 0
	for id := range parents {
		depth := 0
		for at := id; !at.IsZero(); at = parents[at] {
			depth++
		}
		deepest = max(deepest, depth)
	}
	if deepest != 3 {
		t.Errorf("the fund tree is %d deep, want 3", deepest)
	}
}

func checkSteady(t *testing.T, donors []*query.Row) {
	t.Helper()
	var most int64
	for _, d := range donors {
		most = max(most, d.Value("svc_countofgifts").Int())
	}
	if most < int64(tiny.Steady)*9/10 {
		t.Errorf("the steadiest donor has %d gifts, want nearly %d", most, tiny.Steady)
	}
}

// TestRowsFitTheirColumns checks what the boundary would refuse from a client: lengths, options, ranges and lookups.
func TestRowsFitTheirColumns(t *testing.T) {
	e := newSample(t, openSQLite, 4)
	now := asOf * value.SecondsPerDay
	for table, rows := range businessTables(t, e) {
		for _, r := range rows {
			for _, c := range r.Table.Columns {
				if v := r.Get(c); !v.IsNull() && !bootstrapped(r) {
					if problem := misfit(c, v, now); problem != "" {
						t.Fatalf("%s %s: %s %s %s", table, r.ID, c.Name, v, problem)
					}
				}
			}
		}
	}
}

func misfit(c *schema.Column, v value.Value, now int64) string {
	switch {
	case c.IsText() && c.Max > 0 && len(utf16.Encode([]rune(v.Text()))) > c.Max:
		return fmt.Sprintf("is longer than %d", c.Max)
	case c.IsText() && strings.TrimSpace(v.Text()) == "":
		return "is empty"
	case c.Options != nil && c.Type != schema.TypeBool && !c.Options.Accepts(v.Int()):
		return "is none of its options"
	case (c.Low != 0 || c.High != 0) && (v.Int() < c.Low || v.Int() > c.High):
		return "is out of range"
	case (c.Name == "createdon" || c.Name == "modifiedon") && v.Int() >= now:
		return "lies in the future"
	case c.Type.Kind() != v.Kind():
		return "is of the wrong kind"
	default:
		return ""
	}
}

// TestSampleTakesWrites changes rows of every table as a client would; the rules must not refuse one for what the sample made.
func TestSampleTakesWrites(t *testing.T) {
	e := newSample(t, openSQLite, 5)
	session := e.Session(auth.System(e.Model(), e.Organization()))
	columns := map[string]string{
		"contact": "nickname", "account": "description", "list": "source", "svc_gift": "svc_purpose", "svc_giftpayment": "svc_glmemo",
		"svc_donor": "svc_county", "svc_fund": "svc_handlingnote", "svc_request": "svc_notes", "svc_requestpayment": "svc_memo",
		"svc_giftfee": "svc_description", "svc_interfundgrants": "svc_granttitle", "svc_department": "svc_description",
		"campaign": "codename", "svc_account": "svc_subcategory", "svc_fundgroup": "svc_description",
	}
	for name, column := range columns {
		table := e.Model().Table(name)
		for _, r := range rowsOf(t, e, name) {
			err := session.Write(t.Context(), func(x *engine.Tx) error {
				return x.Update(&query.Change{Kind: query.Update, Table: table, ID: r.ID, Set: []query.Assign{{Column: table.MustColumn(column), Value: value.Text("x")}}})
			})
			if err != nil {
				t.Fatalf("%s %s: %v", name, r.ID, err)
			}
		}
	}
	checkBooksMove(t, e, session)
	checkNoDrift(t, e)
}

// checkBooksMove writes what the books depend on, and draws the next numbers.
func checkBooksMove(t *testing.T, e *engine.Engine, session *engine.Session) {
	t.Helper()
	gift, payment := e.Model().Table("svc_gift"), e.Model().Table("svc_giftpayment")
	rows := rowsOf(t, e, "svc_giftpayment")
	var made value.GUID
	err := session.Write(t.Context(), func(x *engine.Tx) error {
		for i, r := range rows {
			if i%9 > 0 || r.Value("svc_amount").Int() < 0 {
				continue
			}
			set := []query.Assign{{Column: payment.MustColumn("svc_amount"), Value: value.Money(r.Value("svc_amount").Int() + 1_00)}}
			if err := x.Update(&query.Change{Kind: query.Update, Table: payment, ID: r.ID, Set: set}); err != nil {
				return err
			}
		}
		set := []query.Assign{
			{Column: payment.MustColumn("svc_giftnumber"), Value: rows[0].Value("svc_giftnumber")}, {Column: payment.MustColumn("svc_amount"), Value: value.Money(5_00)},
		}
		var err error
		made, err = x.Create(&query.Change{Kind: query.Create, Table: payment, Set: set})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	row, err := e.Store().Get(t.Context(), payment, made, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := row.Value("svc_paymentnum").Text(), fmt.Sprintf("P-%07d", tiny.GiftPayments+1); got != want {
		t.Errorf("the next payment of %s is numbered %s, want %s", gift.Name, got, want)
	}
}
