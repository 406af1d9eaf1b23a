package fetchxml

import (
	"strings"
	"testing"

	"almoner/internal/query"
)

// TestOperators has a line for every operator FetchXML knows.
func TestOperators(t *testing.T) {
	const g = "00000000-0000-0000-0000-00000000000a"
	tests := []struct{ table, column, op, values, want string }{
		{"svc_gift", "svc_giftnum", "eq", "G-1", `x eq "G-1"`},
		{"svc_gift", "svc_giftnum", "neq", " G ", `x ne " G "`},
		{"svc_gift", "svc_gifttype", "ne", "730850000", "x ne 730850000"},
		{"svc_gift", "svc_totalgift", "gt", "12.5", "x gt 12.50"},
		{"svc_gift", "svc_totalgift", "ge", "-1", "x ge -1.00"},
		{"svc_gift", "svc_totalgift", "lt", "12.345", "x lt 12.345"},
		{"svc_gift", "exchangerate", "le", "1.5", "x le 1.5000000000"},
		{"svc_fund", "svc_spendpercent", "eq", "4.5", "x eq 4.5"},
		{"svc_gift", "svc_giftanonymous", "eq", "1", "x eq true"},
		{"svc_gift", "svc_giftanonymous", "eq", "False", "x eq false"},
		{"svc_gift", "svc_giftdate", "eq", "2024-03-01", "x eq 2024-03-01"},
		{"svc_gift", "svc_giftdate", "eq", "2024-03-01T23:30:00-05:00", "x eq 2024-03-01"},
		{"svc_gift", "createdon", "ge", "2024-03-01", "x ge 2024-03-01T00:00:00Z"},
		{"svc_gift", "createdon", "ge", "2024-03-01T23:30:00-05:00", "x ge 2024-03-02T04:30:00Z"},
		{"svc_gift", "svc_donor", "eq", "{" + strings.ToUpper(g) + "}", "x eq {" + g + "}"},
		{"svc_gift", "svc_giftid", "gt", g, "x gt {" + g + "}"},
		{"svc_gift", "svc_gifttype", "in", "730850000|730850001", "x in 730850000, 730850001"},
		{"svc_gift", "svc_donor", "not-in", g, "x not-in {" + g + "}"},
		{"svc_gift", "svc_totalgift", "between", "1|2", "x between 1.00, 2.00"},
		{"svc_gift", "svc_giftdate", "not-between", "2024-01-01|2024-02-01", "x not-between 2024-01-01, 2024-02-01"},
		{"svc_gift", "svc_giftnum", "null", "", "x null"},
		{"svc_gift", "svc_giftnum", "not-null", "", "x not-null"},
		{"svc_gift", "svc_giftnum", "like", "G%", `x like "G%"`},
		{"svc_gift", "svc_giftnum", "not-like", "G%", `x not-like "G%"`},
		{"svc_gift", "svc_donor", "like", "%Ito%", `(t1.svc_formaldefault of inner svc_donor t1 on t1.svc_donorid = x) like "%Ito%"`},
		{"svc_gift", "svc_giftnum", "begins-with", "G", `x begins-with "G"`},
		{"svc_gift", "svc_giftnum", "not-begin-with", "G", `x not-begin-with "G"`},
		{"svc_gift", "svc_giftnum", "ends-with", "G", `x ends-with "G"`},
		{"svc_gift", "svc_giftnum", "not-end-with", "G", `x not-end-with "G"`},
		{"svc_fund", "svc_fundid", "above", g, "x above {" + g + "}"},
		{"svc_fund", "svc_parent", "eq-or-above", g, "x eq-or-above {" + g + "}"},
		{"svc_fund", "svc_fundid", "under", g, "x under {" + g + "}"},
		{"svc_fund", "svc_fundid", "eq-or-under", g, "x eq-or-under {" + g + "}"},
		{"svc_fund", "svc_fundid", "not-under", g, "x not-under {" + g + "}"},
		{"svc_gift", "ownerid", "eq-userid", "", "x eq-userid"},
		{"svc_gift", "ownerid", "ne-userid", "", "x ne-userid"},
		{"svc_gift", "owningbusinessunit", "eq-businessid", "", "x eq-businessid"},
		{"svc_gift", "owningbusinessunit", "ne-businessid", "", "x ne-businessid"},
		{"svc_gift", "importsequencenumber", "eq-userlanguage", "", "x eq-userlanguage"},
		{"svc_gift", "ownerid", "eq-userteams", "", "x eq-userteams"},
		{"svc_gift", "ownerid", "eq-useroruserteams", "", "x eq-useroruserteams"},
		{"svc_gift", "ownerid", "eq-useroruserhierarchy", "", "x eq-useroruserhierarchy"},
		{"svc_gift", "ownerid", "eq-useroruserhierarchyandteams", "", "x eq-useroruserhierarchyandteams"},
		{"svc_gift", "svc_giftdate", "on", "2024-03-01", "x on 2024-03-01"},
		{"svc_gift", "createdon", "on-or-after", "2024-03-01T10:00:00Z", "x on-or-after 2024-03-01T10:00:00Z"},
		{"svc_gift", "svc_giftdate", "on-or-before", "2024-03-01T10:00:00Z", "x on-or-before 2024-03-01"},
	}
	seen := map[string]bool{"contain-values": true, "not-contain-values": true} // no table has a multi-choice column
	for _, tt := range tests {
		seen[tt.op] = true
		b, err := bound(t, conditionText(tt.table, tt.column, tt.op, tt.values))
		if err != nil {
			t.Errorf("%s %s %s: %v", tt.column, tt.op, tt.values, err)
			continue
		}
		if got := strings.ReplaceAll(after(b.Query, "where"), "t0."+tt.column, "x"); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.op, got, tt.want)
		}
	}
	for _, f := range query.Ops {
		if f.Fetch == "" || seen[f.Fetch] {
			continue
		}
		if !f.Dates {
			t.Errorf("no test for %s", f.Fetch)
			continue
		}
		values := map[query.Arity]string{query.NoValue: "", query.OneValue: "3", query.TwoValues: "3|2024"}[f.Arity]
		b := mustBind(t, conditionText("svc_gift", "createdon", f.Fetch, values))
		want := strings.TrimSpace("t0.createdon " + f.Fetch + " " + strings.ReplaceAll(values, "|", ", "))
		if got := after(b.Query, "where"); got != want {
			t.Errorf("%s: got %s, want %s", f.Fetch, got, want)
		}
	}
}

// conditionText is a query with one condition; values are separated by bars.
func conditionText(table, column, op, values string) string {
	inside := ""
	if values != "" {
		for v := range strings.SplitSeq(values, "|") {
			inside += "<value>" + v + "</value>"
		}
	}
	return on(table, `<filter><condition attribute="`+column+`" operator="`+op+`">`+inside+`</condition></filter>`)
}

func TestValueAsAttribute(t *testing.T) {
	b := mustBind(t, gifts(`<filter><condition attribute="svc_donor" operator="eq" uiname="Aya Ito" uitype="svc_donor" value="{00000000-0000-0000-0000-00000000000a}"/></filter>`))
	if got := after(b.Query, "where"); got != "t0.svc_donor eq {00000000-0000-0000-0000-00000000000a}" {
		t.Error(got)
	}
}

func TestValueOf(t *testing.T) {
	b := mustBind(t, gifts(`<link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" alias="p"><filter><condition attribute="svc_amount" operator="ge" valueof="svc_gift.svc_totalgift"/></filter></link-entity>`+
		`<filter type="or"><condition attribute="svc_paid" operator="lt" valueof="svc_totalgift"/><condition attribute="svc_totalgift" operator="eq" valueof="p.svc_amount"/></filter>`))
	if got := after(b.Query, "where"); got != "(t0.svc_paid lt t0.svc_totalgift or t0.svc_totalgift eq t1.svc_amount)" {
		t.Error(got)
	}
	if got := after(b.Query, "inner"); !strings.HasSuffix(got, "and t1.svc_amount ge t0.svc_totalgift") {
		t.Error(got)
	}
}

func TestFilterShapes(t *testing.T) {
	const a, b, c = `<condition attribute="svc_giftnum" operator="eq" value="a"/>`, `<condition attribute="svc_giftnum" operator="eq" value="b"/>`, `<condition attribute="svc_giftnum" operator="eq" value="c"/>`
	for inside, want := range map[string]string{
		`<filter/>`:                                "",
		`<filter type="or"/>`:                      "",
		`<filter>` + a + b + `</filter>`:           "(A and B)",
		`<filter type="or">` + a + b + `</filter>`: "(A or B)",
		`<filter type="or">` + a + `</filter>`:     "A",
		`<filter>` + a + `<filter type="or">` + b + c + `</filter></filter>`:                                 "(A and (B or C))",
		`<filter type="or">` + a + `<filter>` + b + c + `</filter></filter>`:                                 "(A or (B and C))",
		`<filter>` + a + `</filter><filter type="or" hint="union">` + b + c + `</filter>`:                    "(A and (B or C))",
		`<filter type="or" isquickfindfields="1">` + a + `<filter/>` + `<filter>` + b + `</filter></filter>`: "(A or B)",
	} {
		got := after(mustBind(t, gifts(inside)).Query, "where")
		for _, x := range []string{"a", "b", "c"} {
			got = strings.ReplaceAll(got, `t0.svc_giftnum eq "`+x+`"`, strings.ToUpper(x))
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", inside, got, want)
		}
	}
}
