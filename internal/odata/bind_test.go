package odata

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
)

func outputNames(n *query.Node) string {
	var names []string
	for _, o := range n.Outputs {
		names = append(names, o.Name)
	}
	return strings.Join(names, ",")
}

func TestSelect(t *testing.T) {
	cases := []struct{ table, sel, outputs, context string }{
		{"svc_gift", "svc_giftnum,svc_totalgift", "svc_giftnum,svc_totalgift,_transactioncurrencyid_value,svc_giftid", "(svc_giftnum,svc_totalgift)"},
		{"svc_gift", "svc_giftnum", "svc_giftnum,svc_giftid", "(svc_giftnum)"},
		{"svc_gift", "svc_giftid, svc_giftnum", "svc_giftid,svc_giftnum", "(svc_giftid,svc_giftnum)"},
		{"svc_gift", "svc_giftnum,svc_giftnum", "svc_giftnum,svc_giftid", "(svc_giftnum)"},
		{"svc_gift", "_svc_donor_value", "_svc_donor_value,svc_giftid", "(_svc_donor_value)"},
		{"svc_gift", "svc_Donor", "_svc_donor_value,svc_giftid", "(_svc_donor_value)"},
		{"svc_gift", "svc_amount1_Base", "svc_amount1_base,_transactioncurrencyid_value,svc_giftid", "(svc_amount1_base)"},
		{"svc_requestpayment", "svc_Payee", "_svc_payee_value,svc_requestpaymentid", "(_svc_payee_value)"},
		{"svc_donor", "svc_donor", "svc_donor,svc_donorid", "(svc_donor)"},
	}
	for _, c := range cases {
		b, err := bindQuery(t, c.table, "$select="+url.QueryEscape(c.sel))
		if err != nil {
			t.Errorf("%s: %v", c.sel, err)
			continue
		}
		if got := outputNames(&b.Query.Select); got != c.outputs || b.Context != c.context {
			t.Errorf("%s: %s %s, want %s %s", c.sel, got, b.Context, c.outputs, c.context)
		}
	}
}

func TestSelectAll(t *testing.T) {
	b, err := bindQuery(t, "svc_gift", "")
	if err != nil {
		t.Fatal(err)
	}
	visible := 0
	for _, c := range testTable(t, "svc_gift").Columns {
		if !c.Hidden {
			visible++
		}
	}
	if len(b.Query.Select.Outputs) != visible || b.Context != "" {
		t.Errorf("%d outputs of %d columns, context %q", len(b.Query.Select.Outputs), visible, b.Context)
	}
	for _, o := range b.Query.Select.Outputs {
		if o.Column.Hidden {
			t.Errorf("the hidden column %s is shown", o.Name)
		}
	}
	if b, err = bindQuery(t, "svc_gift", "$select=*"); err != nil || len(b.Query.Select.Outputs) != visible || b.Context != "(*)" {
		t.Errorf("$select=*: %v", err)
	}
}

func TestExpandShapes(t *testing.T) {
	b, err := bindQuery(t, "svc_gift", "$select=svc_giftnum&$expand=svc_Donor($select=svc_formaldefault;$expand=svc_PrimaryContact($select=fullname)),"+
		"svc_Fund1,svc_Payor/$ref,svc_svc_gift_svc_giftpayment_GiftNumber($select=svc_amount;$filter=statecode eq 0)")
	if err != nil {
		t.Fatal(err)
	}
	want := "(svc_giftnum,svc_Donor(svc_formaldefault,svc_PrimaryContact(fullname)),svc_Fund1(),svc_Payor/$ref,svc_svc_gift_svc_giftpayment_GiftNumber(svc_amount))"
	if b.Context != want || !b.Nested {
		t.Errorf("context %s nested %v", b.Context, b.Nested)
	}
	x := b.Query.Select.Expands
	if got := outputNames(x[0].One[0]); got != "svc_formaldefault,svc_donorid" {
		t.Errorf("donor outputs %s", got)
	}
	if !x[2].Ref || outputNames(x[2].One[0]) != "contactid" {
		t.Errorf("reference %+v", x[2])
	}
	many := x[3]
	parent := many.Parent.(query.Ref)
	if many.Many == nil || parent.Link != many.Many.Root || parent.Column.Name != "svc_giftnumber" || printWhere(many.Many) != "statecode eq 0" {
		t.Errorf("collection %+v", many)
	}
	if got := outputNames(&many.Many.Select); got != "svc_amount,_transactioncurrencyid_value,svc_giftpaymentid" {
		t.Errorf("payment outputs %s", got)
	}
}

func TestExpandManyToMany(t *testing.T) {
	b, err := bindQuery(t, "list", "$expand=listcontact_association($select=fullname;$orderby=lastname desc;$top=3)")
	if err != nil {
		t.Fatal(err)
	}
	x := b.Query.Select.Expands[0]
	pair := x.Many.Links[0]
	if x.Many.Root.Table.Name != "contact" || pair.Table.Name != "listmember" || pair.From.Name != "entityid" || pair.To.Name != "contactid" || pair.Kind != query.Inner {
		t.Errorf("the pair is joined by %v", pair)
	}
	if x.Parent != (query.Ref{Link: pair, Column: pair.Table.MustColumn("listid")}) || x.Top != 3 || !x.Many.Order[0].Desc {
		t.Errorf("expand %+v", x)
	}
}

func TestExpandSeveralTargets(t *testing.T) {
	b, err := bindQuery(t, "svc_requestpayment", "$expand=svc_Payee($select=fullname,name),ownerid,svc_Payee_contact($select=lastname)")
	if err != nil {
		t.Fatal(err)
	}
	payee := b.Query.Select.Expands[0]
	if len(payee.One) != 2 || outputNames(payee.One[0]) != "fullname,contactid" || outputNames(payee.One[1]) != "name,accountid" {
		t.Errorf("payee %v", payee.One)
	}
	if owner := b.Query.Select.Expands[1]; len(owner.One) != 2 {
		t.Errorf("owner has %d nodes", len(owner.One))
	}
	if typed := b.Query.Select.Expands[2].One; len(typed) != 1 || typed[0].Link.Table.Name != "contact" {
		t.Errorf("typed payee %v", typed)
	}
	if want := "(svc_Payee(fullname,name),ownerid(),svc_Payee_contact(lastname))"; b.Context != want {
		t.Errorf("context %s", b.Context)
	}
}

func TestReadRefusals(t *testing.T) {
	many := "svc_svc_gift_svc_giftpayment_GiftNumber"
	sixteen := "svc_Fund1"
	for i := 2; i <= 12; i++ {
		sixteen += ",svc_Fund" + string(rune('0'+i/10)) + string(rune('0'+i%10))
	}
	sixteen = strings.ReplaceAll(sixteen, "svc_Fund0", "svc_Fund")
	cases := []struct {
		query, text string
		code        fault.Code
	}{
		{"$select=svc_nosuch", "Could not find a property named 'svc_nosuch'", fault.BadRequest},
		{"$select=Svc_Giftnum", "Did you mean 'svc_giftnum'?", fault.BadRequest},
		{"$select=svc_donorname", "Could not find a property named 'svc_donorname'", fault.BadRequest},
		{"$select=svc_Donor/svc_formaldefault", "is not a property name", fault.BadRequest},
		{"$select=svc_giftnum,", "is not a property name", fault.BadRequest},
		{"$select=x_auto", "Could not find a property named 'x_auto'", fault.BadRequest},
		{"$expand=svc_Nosuch", "Could not find a property named 'svc_Nosuch'", fault.BadRequest},
		{"$expand=svc_donor", "Did you mean 'svc_Donor'?", fault.BadRequest},
		{"$expand=svc_Donor,svc_Donor", "expanded twice", fault.BadRequest},
		{"$expand=svc_Donor($select=svc_nosuch)", "on type 'Microsoft.Dynamics.CRM.svc_donor'", fault.BadRequest},
		{"$expand=svc_Donor($orderby=svc_donor)", "Only $select and $filter clause can be provided", fault.BadRequest},
		{"$expand=svc_Donor($top=1)", "Only $select and $filter clause can be provided", fault.BadRequest},
		{"$expand=" + many + "($top=1;$expand=svc_Fund)", "Only $select and $filter clause can be provided", fault.BadRequest},
		{"$expand=svc_Donor($expand=" + gifts + "($orderby=svc_giftnum))", "Only $select and $filter clause can be provided", fault.BadRequest},
		{"$expand=svc_Donor($expand=svc_PrimaryContact)," + many + "($top=1)", "Only $select and $filter clause can be provided", fault.BadRequest},
		{"$expand=" + many + "/$ref", "is not supported", fault.BadRequest},
		{"$expand=" + many + "/$count", "is not valid in a $expand expression", fault.BadRequest},
		{"$expand=svc_Donor/$ref($select=svc_donor)", "is not valid in a $expand expression", fault.BadRequest},
		{"$expand=" + many + "($count=true)", "is not supported in $expand", fault.BadRequest},
		{"$expand=" + many + "($skip=1)", "'$skip' is not supported in $expand", fault.BadRequest},
		{"$expand=svc_Donor($levels=2)", "'$levels' is not supported in $expand", fault.BadRequest},
		{"$expand=svc_Donor()", "is not a valid option of 'svc_Donor'", fault.BadRequest},
		{"$expand=svc_Donor($select=svc_donor", "not closed", fault.BadRequest},
		{"$expand=svc_Donor($filter=svc_PrimaryContact/lastname eq 'x')", "cannot walk", fault.BadRequest},
		{"$expand=*", "is not valid in a $expand expression", fault.BadRequest},
		{"$expand=" + sixteen + ",svc_Donor,svc_MatchingDonor,svc_MatchingGift,svc_Payor", "At most 15", fault.TooManyLinks},
		{"$expand=" + strings.Repeat("svc_MatchingGift($expand=", 40) + "svc_Donor" + strings.Repeat(")", 40), "At most 15", fault.TooManyLinks},
		{"$filter=" + strings.Repeat("svc_MatchingGift/", 16) + "svc_giftnum eq 'a'", "At most 15", fault.TooManyLinks},
		{"$orderby=svc_nosuch", "Could not find a property", fault.BadRequest},
		{"$orderby=svc_giftnum up", "Syntax error", fault.BadRequest},
		{"$orderby=svc_giftnum,", "Syntax error", fault.BadRequest},
		{"$orderby=5", "takes properties, not constants", fault.BadRequest},
		{"$orderby=svc_paid eq 5", "not conditions", fault.BadRequest},
		{"$top=-1", "requires a non-negative integer", fault.BadRequest},
		{"$top=x", "requires a non-negative integer", fault.BadRequest},
		{"$count=yes", "Valid values are 'true' and 'false'", fault.BadRequest},
		{"$apply=topcount(2,svc_paid)", "'topcount' is not supported", fault.BadRequest},
		{"$apply=groupby((svc_gifttype))/filter(statecode eq 0)", "nothing may follow", fault.BadRequest},
		{"$apply=groupby((createdon))", "grouping by 'createdon'", fault.BadRequest},
		{"$apply=aggregate(svc_giftnum with sum as s)", "cannot be aggregated with sum", fault.BadRequest},
		{"$apply=aggregate(svc_gifttype with sum as s)", "cannot be aggregated with sum", fault.BadRequest},
		{"$apply=aggregate(svc_paid with median as s)", "'median' is not supported", fault.BadRequest},
		{"$apply=aggregate(svc_paid with sum as s,svc_paid with max as s)", "used twice", fault.BadRequest},
		{"$apply=aggregate(svc_paid with sum)", "Syntax error", fault.BadRequest},
		{"$apply=aggregate()", "Syntax error", fault.BadRequest},
		{"$apply=aggregate($count with sum as n)", "Syntax error", fault.BadRequest},
		{"$apply=groupby((svc_gifttype),aggregate(svc_paid with sum as total))&$orderby=total desc", "SingleValueOpenPropertyAccess is not supported", fault.BadRequest},
		{"$apply=groupby((svc_gifttype))&$select=svc_gifttype", "'$select' cannot be used together with $apply", fault.BadRequest},
		{"$apply=groupby((svc_gifttype))&$filter=statecode eq 0", "'$filter' cannot be used together with $apply", fault.BadRequest},
	}
	for _, c := range cases {
		_, err := bindQuery(t, "svc_gift", strings.ReplaceAll(c.query, " ", "+"))
		t.Run("", func(t *testing.T) {
			t.Log(c.query[:min(len(c.query), 120)])
			wantFault(t, err, 400, c.code, c.text)
		})
	}
	_, err := bindQuery(t, "list", "$expand=listcontact_association($expand=parentcustomerid_account)")
	wantFault(t, err, 400, fault.BadRequest, "Only many-to-one relationships are supported for nested expansion")
	_, err = bindQuery(t, "list", "$expand=listmember_association")
	wantFault(t, err, 400, fault.BadRequest, "not expanded")
	_, err = bindQuery(t, "svc_requestpayment", "$expand=svc_Payee($select=nosuch)")
	wantFault(t, err, 400, fault.BadRequest, "Could not find a property named 'nosuch'")
}

func TestOrder(t *testing.T) {
	b, err := bindQuery(t, "svc_gift", "$orderby=svc_giftdate desc,_svc_donor_value,svc_gifttype asc,svc_Fund1/svc_fundname,svc_giftdate,length(svc_giftnum) desc")
	if err != nil {
		t.Fatal(err)
	}
	o := b.Query.Order
	if len(o) != 5 || !o[0].Desc || o[1].Desc {
		t.Fatalf("order %v", o)
	}
	if s, ok := o[1].Expr.(*query.Scalar); !ok || s.Pick.(query.Ref).Column.Name != "svc_formaldefault" {
		t.Errorf("a lookup is not sorted by its target's name: %v", o[1].Expr)
	}
	if ref := o[2].Expr.(query.Ref); ref.Column.Name != "svc_gifttype" {
		t.Errorf("choice sorted by %v", ref)
	}
	b, err = bindQuery(t, "svc_requestpayment", "$orderby=_svc_payee_value")
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := b.Query.Order[0].Expr.(query.Call); !ok || c.Fn != query.FnCoalesce || len(c.Args) != 2 {
		t.Errorf("a lookup with several targets is sorted by %v", b.Query.Order[0].Expr)
	}
	for _, q := range []string{"$orderby=@o desc&@o=svc_giftnum", "$orderby=@o desc&@o='svc_giftnum'"} {
		if b, err = bindQuery(t, "svc_gift", q); err != nil || b.Query.Order[0].Expr.(query.Ref).Column.Name != "svc_giftnum" || !b.Query.Order[0].Desc {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestApply(t *testing.T) {
	b, err := bindQuery(t, "svc_gift", "$apply=filter(statecode eq 0)/filter(svc_paid gt 0)/groupby((_svc_donor_value,svc_Donor/svc_formaldefault,svc_gifttype),"+
		"aggregate(svc_totalgift with sum as total,svc_totalgift with average as mean,svc_giftdate with max as latest,$count as n,_svc_fund1_value with countdistinct as funds,"+
		"svc_totalgift sub svc_paid with sum as due,svc_Fund1/svc_netassets with min as least))&$orderby=svc_gifttype desc,svc_Donor/svc_formaldefault&$top=3")
	if err != nil {
		t.Fatal(err)
	}
	q := b.Query
	if want := "_svc_donor_value,svc_donor_svc_formaldefault,svc_gifttype,total,mean,latest,n,funds,due,least"; outputNames(&q.Select) != want {
		t.Errorf("outputs %s", outputNames(&q.Select))
	}
	if !b.Apply || !q.Grouped || q.Page.Size != 3 || printWhere(q) != "statecode eq 0 and svc_paid gt 0.00" || b.Context != "" {
		t.Errorf("bound %+v", b)
	}
	if q.Order[0] != (query.Order{Expr: query.OutputRef{Index: 2}, Desc: true}) || q.Order[1] != (query.Order{Expr: query.OutputRef{Index: 1}}) {
		t.Errorf("order %v", q.Order)
	}
	aggs := []query.Agg{query.AggNone, query.AggNone, query.AggNone, query.AggSum, query.AggAvg, query.AggMax, query.AggCount, query.AggCountColumn, query.AggSum, query.AggMin}
	for i, o := range q.Select.Outputs {
		if o.Agg != aggs[i] || o.Distinct != (o.Name == "funds") {
			t.Errorf("%s is aggregated by %v", o.Name, o.Agg)
		}
	}
	b, err = bindQuery(t, "svc_gift", "$apply=filter(statecode eq 0)&$orderby=svc_giftnum")
	if err != nil || b.Apply || b.Query.Grouped || printWhere(b.Query) != "statecode eq 0" || len(b.Query.Order) != 1 {
		t.Errorf("an $apply that only filters: %v", err)
	}
}

func TestTopAndCount(t *testing.T) {
	b, err := bindQuery(t, "svc_gift", "$top=0&$count=true")
	if err != nil || b.Top == nil || *b.Top != 0 || !b.Count {
		t.Errorf("%+v %v", b, err)
	}
	b, err = bindQuery(t, "svc_gift", "$top=99999999999999999999")
	if err != nil || b.Query.Page.Size < 5000 {
		t.Errorf("%v", err)
	}
}

// TestPrintRoundTrip prints bound queries and binds the text again: the trees must be equal.
func TestPrintRoundTrip(t *testing.T) {
	type read struct{ table, query string }
	reads := []read{
		{"svc_gift", "$select=svc_giftnum,_svc_donor_value,svc_paid&$orderby=_svc_donor_value desc,svc_giftnum,length(svc_giftnum)&$top=7"},
		{"svc_gift", "$expand=svc_Donor($select=svc_donor;$filter=statecode eq 0),svc_Fund1($expand=svc_Parent($select=svc_fundname)),svc_Payor/$ref"},
		{"svc_donor", "$expand=" + gifts + "($select=svc_giftnum;$filter=contains(svc_giftnum,';,)');$orderby=svc_giftdate desc;$top=2)"},
		{"list", "$expand=listcontact_association($select=fullname)"},
		{"svc_requestpayment", "$expand=svc_Payee($select=fullname,name),svc_Payee_account&$orderby=_svc_payee_value"},
		{"svc_gift", "$apply=filter(statecode eq 0)/groupby((_svc_donor_value,svc_Donor/svc_formaldefault),aggregate(svc_paid with sum as s,$count as n,svc_giftnum with countdistinct as d))&$orderby=_svc_donor_value desc"},
		{"svc_gift", "$apply=groupby((svc_gifttype))"},
		{"svc_gift", "$apply=aggregate(svc_paid with average as a)"},
	}
	for _, c := range filterCases {
		reads = append(reads, read{c.table, "$filter=" + url.QueryEscape(c.filter)})
	}
	for _, r := range reads {
		first, err := bindQuery(t, r.table, r.query)
		if err != nil {
			t.Errorf("%s: %v", r.query, err)
			continue
		}
		text := Print(first.Query)
		second, err := bindQuery(t, r.table, text)
		if err != nil {
			t.Errorf("%s printed as %s: %v", r.query, text, err)
			continue
		}
		forgetTexts(&first.Query.Select)
		forgetTexts(&second.Query.Select)
		if !reflect.DeepEqual(first.Query, second.Query) {
			t.Errorf("%s\nprinted as %s\nis\n%v\nnot\n%v", r.query, text, second.Query, first.Query)
		}
	}
}

// forgetTexts drops the options of expands as they were written, which a printed query spells out.
func forgetTexts(n *query.Node) {
	for _, x := range n.Expands {
		x.Text = ""
		for _, one := range x.One {
			forgetTexts(one)
		}
		if x.Many != nil {
			forgetTexts(&x.Many.Select)
		}
	}
}
