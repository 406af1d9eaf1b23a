package fetchxml

import (
	"errors"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/tables"
)

func model(t testing.TB) *schema.Model {
	t.Helper()
	m, err := tables.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bound(t testing.TB, text string) (*Bound, error) {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return Bind(model(t), f)
}

func mustBind(t testing.TB, text string) *Bound {
	t.Helper()
	b, err := bound(t, text)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return b
}

func wantCode(t *testing.T, text string, err error, code fault.Code) {
	t.Helper()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code || f.Status != 400 {
		t.Errorf("%.200s\ngot %v, want %s", text, err, code)
	}
}

// on wraps the inside of an entity.
func on(table, inside string) string {
	return `<fetch><entity name="` + table + `">` + inside + `</entity></fetch>`
}

// gifts wraps the inside of the gift entity with one column asked for.
func gifts(inside string) string { return on("svc_gift", `<attribute name="svc_giftnum"/>`+inside) }

// after returns what a printed query says after a word, to the end of the line.
func after(q *query.Query, word string) string {
	_, rest, _ := strings.Cut(q.String(), "\n  "+word+" ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

func TestBind(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"columns", gifts(`<attribute name="svc_donor"/><attribute name="svc_totalgift" alias="total"/><attribute name="svc_giftnum"/>`), `from svc_gift t0
  select svc_giftnum: t0.svc_giftnum
  select _svc_donor_value: t0.svc_donor
  select total: t0.svc_totalgift
  select svc_giftid: t0.svc_giftid`},
		{"no columns", on("svc_gift", `<no-attrs/>`), `from svc_gift t0
  select svc_giftid: t0.svc_giftid`},
		{"joined columns", gifts(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor"><attribute name="svc_formaldefault"/><attribute name="svc_primarycontact"/>` +
			`<link-entity name="contact" from="contactid" to="svc_primarycontact" alias="c" link-type="outer"><attribute name="fullname"/><attribute name="lastname" alias="surname"/></link-entity></link-entity>`), `from svc_gift t0
  inner svc_donor t1 as svc_donor1 on t1.svc_donorid = t0.svc_donor
  outer contact t2 as c on t2.contactid = t1.svc_primarycontact
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  select svc_donor1.svc_formaldefault: t1.svc_formaldefault
  select svc_donor1.svc_primarycontact: t1.svc_primarycontact
  select c.fullname: t2.fullname
  select surname: t2.lastname`},
		{"a repeating join gets a total order", gifts(`<order attribute="svc_giftdate" descending="true"/><link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" alias="p"/>`), `from svc_gift t0
  inner svc_giftpayment t1 as p on t1.svc_giftnumber = t0.svc_giftid
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  order by t0.svc_giftdate desc, t0.svc_giftid, t1.svc_giftpaymentid`},
		{"first match", gifts(`<link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" alias="p" link-type="matchfirstrowusingcrossapply"><attribute name="svc_amount"/></link-entity>`), `from svc_gift t0
  first svc_giftpayment t1 as p on t1.svc_giftnumber = t0.svc_giftid
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  select p.svc_amount: t1.svc_amount`},
		{"natural is inner", gifts(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" link-type="natural" alias="d"/>`), `from svc_gift t0
  inner svc_donor t1 as d on t1.svc_donorid = t0.svc_donor
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid`},
		{"filter of a link is part of its join", gifts(`<link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" alias="p" link-type="outer"><filter><condition attribute="svc_amount" operator="gt" value="10"/></filter></link-entity>` +
			`<filter><condition entityname="p" attribute="svc_giftpaymentid" operator="null"/></filter>`), `from svc_gift t0
  outer svc_giftpayment t1 as p on t1.svc_giftnumber = t0.svc_giftid and t1.svc_amount gt 10.00
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  where t1.svc_giftpaymentid null
  order by t0.svc_giftid, t1.svc_giftpaymentid`},
		{"many to many", on("list", `<attribute name="listname"/><link-entity name="contact" alias="c"><attribute name="fullname"/></link-entity>`), `from list t0
  inner listmember t1 on t1.listid = t0.listid
  inner contact t2 as c on t2.contactid = t1.entityid
  select listname: t0.listname
  select listid: t0.listid
  select c.fullname: t2.fullname
  order by t0.listid, t1.listmemberid`},
		{"explicit intersect", on("contact", `<attribute name="fullname"/><link-entity name="listmember" from="entityid" to="contactid" visible="false" intersect="true"><link-entity name="list" from="listid" to="listid" alias="l"><filter><condition attribute="listname" operator="eq" value="A"/></filter></link-entity></link-entity>`), `from contact t0
  inner listmember t1 as listmember1 on t1.entityid = t0.contactid
  inner list t2 as l on t2.listid = t1.listid and t2.listname eq "A"
  select fullname: t0.fullname
  select contactid: t0.contactid
  order by t0.contactid, t1.listmemberid`},
		{"aggregate", `<fetch aggregate="true"><entity name="svc_gift"><attribute name="svc_totalgift" alias="total" aggregate="sum"/><attribute name="svc_giftid" alias="n" aggregate="count"/><attribute name="svc_donor" alias="donors" aggregate="countcolumn" distinct="true"/>` +
			`<attribute name="svc_gifttype" alias="kind" groupby="true"/><attribute name="svc_giftdate" alias="y" groupby="true" dategrouping="fiscal-year"/><order alias="total" descending="true"/></entity></fetch>`, `from svc_gift t0 grouped
  select total: sum(t0.svc_totalgift)
  select n: count(t0.svc_giftid)
  select donors: countcolumn(distinct t0.svc_donor)
  select kind: t0.svc_gifttype
  select y: groupfiscalyear(t0.svc_giftdate)
  order by output 0 desc, output 3, output 4`},
		{"sorted groups", `<fetch aggregate="true"><entity name="svc_gift"><attribute name="svc_gifttype" alias="kind" groupby="true"/><attribute name="svc_donor" alias="who" groupby="true"/>` +
			`<attribute name="svc_giftmethod" alias="methods" aggregate="countcolumn"/><order alias="kind" descending="true"/><order alias="who"/><order alias="methods"/></entity></fetch>`, `from svc_gift t0 grouped
  select kind: t0.svc_gifttype
  select who: t0.svc_donor
  select methods: countcolumn(t0.svc_giftmethod)
  select following labelrank(t0.svc_gifttype)
  select following (t1.svc_formaldefault of inner svc_donor t1 on t1.svc_donorid = t0.svc_donor)
  order by output 3 desc, output 4, output 2, output 0, output 1`},
		{"groups sorted by number", `<fetch aggregate="true" useraworderby="true"><entity name="svc_gift"><attribute name="svc_gifttype" alias="kind" groupby="true"/><order alias="kind"/></entity></fetch>`, `from svc_gift t0 grouped
  select kind: t0.svc_gifttype
  order by output 0`},
		{"distinct", `<fetch distinct="true"><entity name="svc_gift"><attribute name="svc_purpose"/><order attribute="svc_gifttype"/><order attribute="svc_purpose"/></entity></fetch>`, `from svc_gift t0 distinct
  select svc_purpose: t0.svc_purpose
  select labelrank(t0.svc_gifttype)
  order by output 1, output 0`},
		{"orders", gifts(`<order attribute="svc_gifttype"/><order attribute="svc_donor" descending="1"/><order entityname="f" attribute="svc_fundname"/><order attribute="statecode" descending="0"/>` +
			`<link-entity name="svc_fund" from="svc_fundid" to="svc_fund1" alias="f"><order attribute="svc_fundcode"/></link-entity>`), `from svc_gift t0
  inner svc_fund t1 as f on t1.svc_fundid = t0.svc_fund1
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  order by labelrank(t0.svc_gifttype), (t2.svc_formaldefault of inner svc_donor t2 on t2.svc_donorid = t0.svc_donor) desc, t1.svc_fundname, labelrank(t0.statecode), t1.svc_fundcode`},
		{"raw order", strings.Replace(gifts(`<order attribute="svc_gifttype"/>`), "<fetch>", `<fetch useraworderby="true">`, 1), `from svc_gift t0
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  order by t0.svc_gifttype`},
		{"children of a row", on("svc_fund", `<attribute name="svc_fundid" alias="below" rowaggregate="CountChildren"/>`), `from svc_fund t0
  select below: (count(t1.svc_fundid) of inner svc_fund t1 on t1.svc_parent = t0.svc_fundid)
  select svc_fundid: t0.svc_fundid`},
		{"top", strings.Replace(gifts(""), "<fetch>", `<fetch top="3" version="1.0" mapping="logical" output-format="xml-platform" no-lock="true">`, 1), `from svc_gift t0
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  limit 3`},
		{"page", strings.Replace(gifts(""), "<fetch>", `<fetch count="50" page="3">`, 1), `from svc_gift t0
  select svc_giftnum: t0.svc_giftnum
  select svc_giftid: t0.svc_giftid
  limit 50
  offset 100`},
	}
	for _, tt := range tests {
		b, err := bound(t, tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := b.Query.String(); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if len(b.Attributes) != len(b.Query.Select.Outputs) {
			t.Errorf("%s: %d attributes for %d outputs", tt.name, len(b.Attributes), len(b.Query.Select.Outputs))
		}
	}
}

func TestNoAttributeIsEveryColumn(t *testing.T) {
	b := mustBind(t, on("svc_fund", ""))
	visible := 0
	for _, c := range model(t).Table("svc_fund").Columns {
		if !c.Hidden {
			visible++
		}
	}
	if got := len(b.Query.Select.Outputs); got != visible {
		t.Errorf("put out %d of %d columns", got, visible)
	}
	all := mustBind(t, on("svc_fund", `<all-attributes/><attribute name="svc_fundname"/>`))
	if all.Query.String() != b.Query.String() {
		t.Error("all-attributes is not the same as none")
	}
	for i, o := range b.Query.Select.Outputs {
		if o.Column.Hidden || b.Attributes[i] != "" {
			t.Errorf("output %s", o.Name)
		}
	}
}

func TestAttributesNameTheColumn(t *testing.T) {
	b := mustBind(t, gifts(`<attribute name="svc_totalgift" alias="total"/><link-entity name="svc_donor" from="svc_donorid" to="svc_donor" alias="d"><attribute name="svc_formaldefault"/></link-entity>`))
	if got := strings.Join(b.Attributes, ","); got != ",svc_totalgift,,svc_formaldefault" {
		t.Errorf("got %q", got)
	}
	b = mustBind(t, `<fetch aggregate="true"><entity name="svc_gift"><attribute name="svc_giftid" alias="n" aggregate="count"/><attribute name="svc_giftdate" alias="m" groupby="true" dategrouping="month"/></entity></fetch>`)
	if got := strings.Join(b.Attributes, ","); got != "svc_giftid,svc_giftdate" {
		t.Errorf("got %q", got)
	}
}

func TestRowTests(t *testing.T) {
	const inner = `<filter><condition attribute="svc_amount" operator="gt" value="5"/></filter>`
	const plain = "exists {inner svc_giftpayment t1 on t1.svc_giftnumber = t0.svc_giftid where t1.svc_amount gt 5.00}"
	tests := []struct{ kind, want string }{
		{"any", plain},
		{"not any", "not " + plain},
		{"not all", plain},
		{"all", "(exists {inner svc_giftpayment t1 on t1.svc_giftnumber = t0.svc_giftid} and not exists {inner svc_giftpayment t2 on t2.svc_giftnumber = t0.svc_giftid where t2.svc_amount gt 5.00})"},
		{"exists", plain},
		{"in", plain},
	}
	for _, tt := range tests {
		link := `<link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" link-type="` + tt.kind + `"><attribute name="svc_amount"/>` + inner + `</link-entity>`
		for _, text := range []string{gifts(link), gifts(`<filter>` + link + `</filter>`)} {
			b := mustBind(t, text)
			if got := after(b.Query, "where"); got != tt.want {
				t.Errorf("%s: got\n%s\nwant\n%s", tt.kind, got, tt.want)
			}
			if len(b.Query.Links) != 0 || len(b.Query.Select.Outputs) != 2 {
				t.Errorf("%s joins or puts something out:\n%s", tt.kind, b.Query)
			}
		}
	}
}

func TestRowTestNested(t *testing.T) {
	b := mustBind(t, on("list", `<attribute name="listname"/><filter type="or"><condition attribute="listname" operator="eq" value="A"/>`+
		`<link-entity name="contact" link-type="not any"><filter><condition attribute="lastname" operator="eq" value="Ito"/></filter>`+
		`<link-entity name="account" from="accountid" to="parentcustomerid" alias="a"><filter><condition attribute="name" operator="not-null"/></filter></link-entity>`+
		`<filter><condition entityname="a" attribute="name" operator="begins-with" value="B"/></filter></link-entity></filter>`))
	want := `(t0.listname eq "A" or not exists {inner listmember t1 on t1.listid = t0.listid inner contact t2 on t2.contactid = t1.entityid` +
		` inner account t3 as a on t3.accountid = t2.parentcustomerid and t3.name not-null where (t2.lastname eq "Ito" and t3.name begins-with "B")})`
	if got := after(b.Query, "where"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRefusals(t *testing.T) {
	link := func(attrs, inside string) string {
		return gifts(`<link-entity ` + attrs + `>` + inside + `</link-entity>`)
	}
	cond := func(attrs string) string { return gifts(`<filter><condition ` + attrs + `/></filter>`) }
	agg := func(inside string) string {
		return `<fetch aggregate="true"><entity name="svc_gift">` + inside + `</entity></fetch>`
	}
	fetch := func(attrs string) string { return strings.Replace(gifts(""), "<fetch>", "<fetch "+attrs+">", 1) }
	tests := []struct {
		code  fault.Code
		texts []string
	}{
		{fault.FetchMalformed, []string{
			"", "no xml", "<fetch>", "<fetch/>", "<entity name='svc_gift'/>", "<fetch><entity/></fetch>", "<fetch></entity></fetch>",
			on("svc_gift", "<nonsense/>"), on("svc_gift", "text"), on("svc_gift", `<attribute/>`), on("svc_gift", `<attribute name="svc_giftnum" color="red"/>`),
			on("svc_gift", `<attribute name="svc_giftnum" name="svc_giftnum"/>`), on("svc_gift", `<attribute name="svc_giftnum" alias="1st"/>`),
			on("svc_gift", `<attribute name="svc_giftnum"><attribute name="svc_giftnum"/></attribute>`), gifts("") + gifts(""),
			`<fetch><entity name="svc_gift"/><entity name="svc_gift"/></fetch>`, fetch(`top="5001"`), fetch(`top="0"`), fetch(`top="-1"`), fetch(`top="x"`),
			fetch(`top="5" page="1"`), fetch(`top="5" count="2"`), fetch(`top="5" returntotalrecordcount="true"`), fetch(`count="-1"`), fetch(`page="-3"`),
			fetch(`aggregate="yes"`), fetch(`datasource="archive"`),
			link(`name="svc_donor" from="svc_donorid"`, ""), link(`name="svc_donor" from="svc_donorid" to="svc_donor" link-type="cross"`, ""),
			gifts(`<filter><link-entity name="svc_donor" from="svc_donorid" to="svc_donor"/></filter>`), gifts(`<filter type="xor"/>`),
			on("list", `<link-entity name="contact" link-type="matchfirstrowusingcrossapply"/>`), gifts(`<order/>`), on("svc_gift", `<attribute name="svc_totalgift" alias="n" aggregate="sum"/>`),
			agg(""), agg(`<attribute name="svc_totalgift" aggregate="sum"/>`), agg(`<attribute name="svc_totalgift" alias="a" aggregate="median"/>`),
			agg(`<attribute name="svc_gifttype" alias="a" aggregate="count" groupby="true"/>`), gifts(`<filter><condition attribute="svc_giftnum"/></filter>`),
			gifts(`<filter><condition attribute="svc_giftnum" operator="eq"><item>1</item></condition></filter>`),
			on("svc_gift", `<attribute name="svc_giftnum" alias="a" rowaggregate="CountChildren"/>`),
		}},
		{fault.FetchUnknownEntity, []string{
			on("nothing", ""), on("donoryear", ""), on("svc_gifts", ""), link(`name="nothing" from="a" to="b"`, ""), link(`name="svc_donor"`, ""),
			cond(`entityname="zz" attribute="svc_giftnum" operator="null"`), gifts(`<order attribute="svc_giftnum" entityname="zz"/>`),
			// A link may not speak of one that is joined after it.
			gifts(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" alias="a"><filter><condition entityname="b" attribute="svc_fundname" operator="null"/></filter></link-entity><link-entity name="svc_fund" from="svc_fundid" to="svc_fund1" alias="b"/>`),
		}},
		{fault.FetchUnknownAttribute, []string{
			on("svc_gift", `<attribute name="nothing"/>`), on("svc_gift", `<attribute name="x_value"/>`), on("svc_gift", `<attribute name="_svc_donor_value"/>`),
			cond(`attribute="nothing" operator="null"`), gifts(`<order attribute="nothing"/>`), link(`name="svc_donor" from="nothing" to="svc_donor"`, ""),
			link(`name="svc_donor" from="svc_donorid" to="nothing"`, ""), cond(`attribute="svc_paid" operator="lt" valueof="nothing"`),
			link(`name="svc_donor" from="svc_donorid" to="svc_donor" link-type="any"`, `<attribute name="nothing"/>`),
		}},
		{fault.FetchLinkTypeMismatch, []string{
			link(`name="svc_donor" from="svc_formaldefault" to="svc_donor"`, ""), link(`name="svc_donor" from="svc_totalgivingthisyear" to="svc_totalgift"`, ""),
		}},
		{fault.FetchPlainInAggregate, []string{agg(`<attribute name="svc_giftnum" alias="a"/>`), agg(`<all-attributes/>`)}},
		{fault.FetchBadDistinct, []string{fetch(`distinct="maybe"`), on("svc_gift", `<attribute name="svc_giftnum" distinct="2"/>`)}},
		{fault.FetchBadNoLock, []string{fetch(`no-lock="yes"`)}},
		{fault.FetchBadDescending, []string{gifts(`<order attribute="svc_giftnum" descending="down"/>`)}},
		{fault.FetchBadGroupBy, []string{agg(`<attribute name="svc_gifttype" alias="a" groupby="yes"/>`)}},
		{fault.FetchDuplicateAlias, []string{
			on("svc_gift", `<attribute name="svc_giftnum" alias="a"/><attribute name="svc_paid" alias="a"/>`),
			on("svc_gift", `<attribute name="svc_giftnum"/><attribute name="svc_paid" alias="svc_giftnum"/>`),
			gifts(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" alias="a"/><link-entity name="svc_fund" from="svc_fundid" to="svc_fund1" alias="a"/>`),
		}},
		{fault.FetchOrderByAttribute, []string{agg(`<attribute name="svc_totalgift" alias="a" aggregate="sum"/><order attribute="svc_totalgift"/>`)}},
		{fault.FetchOrderNeedsAlias, []string{agg(`<attribute name="svc_totalgift" alias="a" aggregate="sum"/><order/>`), agg(`<attribute name="svc_totalgift" alias="a" aggregate="sum"/><order alias="b"/>`)}},
		{fault.FetchUnknownOperator, []string{cond(`attribute="svc_giftnum" operator="about"`), cond(`attribute="svc_giftnum" operator="EQ" value="a"`)}},
		{fault.OperatorUnfit, []string{
			cond(`attribute="svc_giftnum" operator="today"`), cond(`attribute="svc_giftdate" operator="last-x-hours" value="1"`), cond(`attribute="svc_totalgift" operator="like" value="1%"`),
			cond(`attribute="svc_giftanonymous" operator="gt" value="1"`), cond(`attribute="svc_donor" operator="gt" value="1"`), cond(`attribute="svc_giftnum" operator="eq-userid"`),
			cond(`attribute="svc_giftnum" operator="eq-userlanguage"`), cond(`attribute="svc_giftid" operator="under" value="00000000-0000-0000-0000-000000000001"`),
			cond(`attribute="svc_gifttype" operator="contain-values" value="1"`), agg(`<attribute name="svc_giftnum" alias="a" aggregate="sum"/>`),
			agg(`<attribute name="svc_gifttype" alias="a" aggregate="max"/>`), agg(`<attribute name="svc_giftnum" alias="a" groupby="true" dategrouping="day"/>`),
		}},
		{fault.FetchBadValue, []string{
			cond(`attribute="svc_giftnum" operator="eq"`), cond(`attribute="svc_giftnum" operator="null" value="1"`), cond(`attribute="svc_totalgift" operator="between" value="1"`),
			cond(`attribute="svc_gifttype" operator="in"`), cond(`attribute="svc_gifttype" operator="eq" value="Gift"`), cond(`attribute="svc_totalgift" operator="eq" value="much"`),
			cond(`attribute="svc_giftanonymous" operator="eq" value="maybe"`), cond(`attribute="svc_giftdate" operator="eq" value="yesterday"`), cond(`attribute="createdon" operator="eq" value="2024-13-01"`),
			cond(`attribute="svc_donor" operator="eq" value="Ito"`), cond(`attribute="svc_giftdate" operator="on" value="x"`), cond(`attribute="svc_giftdate" operator="in-fiscal-year" value="x"`),
			cond(`attribute="svc_paid" operator="in" valueof="svc_totalgift"`), cond(`attribute="svc_paid" operator="eq" valueof="svc_giftnum"`), cond(`attribute="svc_paid" operator="eq" value="1" valueof="svc_totalgift"`),
			cond(`attribute="svc_totalgift" operator="gt" value="1e999"`),
		}},
		{fault.FetchBadX, []string{cond(`attribute="svc_giftdate" operator="last-x-days" value="0"`), cond(`attribute="svc_giftdate" operator="last-x-days" value="-2"`), cond(`attribute="svc_giftdate" operator="next-x-weeks" value="many"`)}},
		{fault.BadPagingCookie, []string{fetch(`page="12" count="5000"`), fetch(`page="2" paging-cookie="rubbish"`), fetch(`page="2" paging-cookie="&lt;cookie page=&quot;1&quot;&gt;&lt;svc_giftdate last=&quot;2024-01-01&quot; /&gt;&lt;/cookie&gt;"`)}},
		{fault.TooManyLinks, []string{gifts(strings.Repeat(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor"/>`, 16)), gifts(`<filter>` + strings.Repeat(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" link-type="any"/>`, 16) + `</filter>`)}},
		{fault.TooManyConditions, []string{gifts(`<filter>` + strings.Repeat(`<condition attribute="svc_giftnum" operator="null"/>`, 501) + `</filter>`)}},
	}
	for _, tt := range tests {
		for _, text := range tt.texts {
			_, err := bound(t, text)
			wantCode(t, text, err, tt.code)
		}
	}
	for _, text := range []string{
		gifts(strings.Repeat(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor"/>`, 15)),
		gifts(`<filter>` + strings.Repeat(`<condition attribute="svc_giftnum" operator="null" value=""/>`, 500) + `</filter>`),
		"\ufeff<?xml version='1.0' encoding='utf-16'?><!-- a comment -->\n" + gifts(""),
	} {
		mustBind(t, text)
	}
}

func TestMembers(t *testing.T) {
	m := model(t)
	contact := m.Table("contact")
	text := `<fetch count="5" page="2" distinct="true"><entity name="contact"><attribute name="fullname"/><order attribute="lastname"/>` +
		`<link-entity name="svc_donor" from="svc_primarycontact" to="contactid" alias="d"><filter><condition attribute="svc_temperature" operator="eq" value="730850000"/></filter></link-entity>` +
		`<filter><condition attribute="statecode" operator="eq" value="0"/></filter></entity></fetch>`
	q, err := Members(m, text, contact)
	if err != nil {
		t.Fatal(err)
	}
	want := `from contact t0
  inner svc_donor t1 as d on t1.svc_primarycontact = t0.contactid and t1.svc_temperature eq 730850000
  select t0.contactid
  where t0.statecode eq 0`
	if q.String() != want {
		t.Errorf("got\n%s\nwant\n%s", q, want)
	}
	_, err = Members(m, text, m.Table("account"))
	wantCode(t, text, err, fault.FetchEntityMismatch)
	for _, bad := range []string{"", `<fetch aggregate="true"><entity name="contact"><attribute name="contactid" alias="n" aggregate="count"/></entity></fetch>`} {
		_, err = Members(m, bad, contact)
		wantCode(t, bad, err, fault.FetchMalformed)
	}
}
