package fetchxml

import (
	"strings"
	"testing"

	"almoner/internal/fault"
)

// TestHostileXML feeds the parser what must cost it no more than reading.
func TestHostileXML(t *testing.T) {
	bomb := `<!DOCTYPE f [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`
	tests := map[string]string{
		"entity bomb":        bomb + gifts(`<filter><condition attribute="svc_giftnum" operator="eq" value="&b;"/></filter>`),
		"entity":             gifts(`<filter><condition attribute="svc_giftnum" operator="eq" value="&b;"/></filter>`),
		"document type":      `<!DOCTYPE fetch SYSTEM "file:///etc/passwd">` + gifts(""),
		"instruction":        `<?php echo ?>` + gifts(""),
		"nested elements":    strings.Repeat("<filter>", 400_000),
		"nested in an order": on("svc_gift", strings.Repeat("<filter>", 40)+strings.Repeat("</filter>", 40)),
		"many elements":      gifts(`<filter>` + strings.Repeat(`<filter/>`, 100_000) + `</filter>`),
		"many attributes":    `<fetch ` + strings.Repeat(`a="" `, 100_000) + `/>`,
		"many comments":      gifts(strings.Repeat("<!---->", 50_000)),
		"text between":       gifts(`<filter><condition attribute="svc_giftnum" operator="eq"><value>` + strings.Repeat("aaaa<!---->", 50_000) + `</value></condition></filter>`),
		"a long text":        gifts(strings.Repeat(" ", maxBytes)),
		"not UTF-8":          gifts("\xff\xfe"),
		"control characters": gifts("\x00"),
		"an unclosed tag":    "<fetch " + strings.Repeat("a", 1_000_000),
		"an unclosed text":   `<fetch a="` + strings.Repeat("<", 1_000_000),
	}
	for name, text := range tests {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("%s: taken", name)
			continue
		}
		wantCode(t, name, err, fault.FetchMalformed)
	}
}

func TestManyValuesAreTaken(t *testing.T) {
	b := mustBind(t, gifts(`<filter><condition attribute="svc_gifttype" operator="in">`+strings.Repeat("<value>730850000</value>", 5000)+`</condition></filter>`))
	if n := strings.Count(after(b.Query, "where"), "730850000"); n != 5000 {
		t.Errorf("bound %d values", n)
	}
}

func TestTextOfValues(t *testing.T) {
	b := mustBind(t, gifts(`<filter><condition attribute="svc_giftnum" operator="in"><value>a &amp; b</value><value><![CDATA[<c>]]></value><value> d </value><value/></condition></filter>`))
	if got := after(b.Query, "where"); got != `t0.svc_giftnum in "a & b", "<c>", " d ", ""` {
		t.Error(got)
	}
}

// roundTrips are queries that printing and reading again must not change.
var roundTrips = []string{
	gifts(""),
	on("svc_fund", ""),
	on("svc_gift", "<no-attrs/>"),
	gifts(`<attribute name="svc_donor"/><attribute name="svc_totalgift" alias="total"/>`),
	gifts(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor"><attribute name="svc_formaldefault"/><link-entity name="contact" from="contactid" to="svc_primarycontact" alias="c" link-type="outer"><attribute name="fullname" alias="who"/></link-entity></link-entity>` +
		`<link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" link-type="matchfirstrowusingcrossapply"><attribute name="svc_amount"/></link-entity>`),
	gifts(`<order attribute="svc_gifttype" descending="true"/><order attribute="svc_donor"/><order attribute="svc_giftdate"/>`),
	strings.Replace(gifts(`<order attribute="svc_gifttype"/>`), "<fetch>", `<fetch useraworderby="1" count="20" page="4">`, 1),
	gifts(`<order attribute="svc_giftdate"/><order entityname="p" attribute="svc_amount"/><link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" alias="p"/>`),
	on("list", `<attribute name="listname"/><link-entity name="contact" alias="c" link-type="outer"><attribute name="fullname"/><filter><condition attribute="statecode" operator="eq" value="0"/></filter></link-entity>`),
	on("contact", `<link-entity name="listmember" from="entityid" to="contactid"><link-entity name="list" from="listid" to="listid"/></link-entity>`),
	gifts(`<filter><filter type="or"><condition attribute="svc_giftnum" operator="like" value="a%"/><condition attribute="svc_donor" operator="not-like" value="I_o &amp; &quot;x&quot;"/></filter><filter><condition attribute="svc_paid" operator="lt" valueof="svc_totalgift"/></filter></filter>`),
	gifts(`<filter type="or"><condition attribute="svc_gifttype" operator="in"><value>1</value><value>2</value></condition><condition attribute="svc_giftdate" operator="last-x-days" value="3"/>` +
		`<condition attribute="svc_giftanonymous" operator="ne" value="true"/><condition attribute="createdon" operator="on" value="2024-03-01T05:00:00Z"/><condition attribute="ownerid" operator="eq-userid"/>` +
		`<condition attribute="svc_totalgift" operator="gt" value="1.005"/><condition attribute="svc_giftdate" operator="in-fiscal-period-and-year"><value>2</value><value>2024</value></condition></filter>`),
	gifts(`<filter><link-entity name="svc_giftpayment" from="svc_giftnumber" to="svc_giftid" link-type="all"><filter><condition attribute="svc_amount" operator="gt" value="1"/></filter></link-entity></filter><filter><condition attribute="svc_giftnum" operator="not-null"/></filter>`),
	on("list", `<filter type="or"><link-entity name="contact" link-type="not any"><link-entity name="account" from="accountid" to="parentcustomerid" alias="a"/><filter><condition entityname="a" attribute="name" operator="null"/></filter></link-entity><link-entity name="account" link-type="any"/></filter>`),
	gifts(`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" link-type="outer" alias="d"><filter><condition entityname="svc_gift" attribute="svc_giftnum" operator="null"/></filter><link-entity name="svc_gift" from="svc_donor" to="svc_donorid" link-type="exists"/></link-entity>` +
		`<filter><condition entityname="d" attribute="svc_donorid" operator="null"/></filter>`),
	`<fetch aggregate="true"><entity name="svc_gift"><attribute name="svc_totalgift" alias="total" aggregate="avg"/><attribute name="svc_donor" alias="n" aggregate="countcolumn" distinct="true"/><attribute name="svc_giftdate" alias="m" groupby="true" dategrouping="month"/>` +
		`<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" alias="d"><attribute name="svc_stage" alias="stage" groupby="true"/></link-entity><order alias="n" descending="true"/></entity></fetch>`,
	`<fetch aggregate="true"><entity name="svc_gift"><attribute name="svc_giftid" alias="n" aggregate="count"/><attribute name="svc_gifttype" alias="kind" groupby="true"/><attribute name="svc_donor" alias="who" groupby="true"/>` +
		`<attribute name="svc_giftmethod" alias="methods" aggregate="countcolumn"/><order alias="kind" descending="true"/><order alias="who"/><order alias="methods"/></entity></fetch>`,
	`<fetch aggregate="true" useraworderby="1"><entity name="svc_gift"><attribute name="svc_giftid" alias="n" aggregate="count"/><attribute name="svc_gifttype" alias="kind" groupby="true"/><order alias="kind" descending="true"/></entity></fetch>`,
	`<fetch distinct="true"><entity name="svc_gift"><attribute name="svc_gifttype"/><attribute name="svc_donor" alias="who"/><order attribute="svc_gifttype"/><order attribute="svc_giftnum" descending="true"/></entity></fetch>`,
	`<fetch distinct="true"><entity name="svc_gift"><attribute name="svc_gifttype"/></entity></fetch>`,
	on("svc_fund", `<attribute name="svc_fundid" alias="below" rowaggregate="CountChildren"/><filter><condition attribute="svc_parent" operator="under" value="00000000-0000-0000-0000-00000000000a"/></filter>`),
}

func TestPrintRoundTrip(t *testing.T) {
	for _, text := range roundTrips {
		b := mustBind(t, text)
		printed, err := Print(b.Query)
		if err != nil {
			t.Errorf("%s\n%v", text, err)
			continue
		}
		again, err := bound(t, printed)
		if err != nil {
			t.Errorf("%s\n%v", printed, err)
			continue
		}
		if got, want := again.Query.String(), b.Query.String(); got != want {
			t.Errorf("%s\nprinted %s\ngot\n%s\nwant\n%s", text, printed, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range roundTrips {
		f.Add(text)
	}
	m := model(f)
	f.Fuzz(func(t *testing.T, text string) {
		syntax, err := Parse(text)
		var b *Bound
		if err == nil {
			b, err = Bind(m, syntax)
		}
		if err != nil {
			if fault.As(err).Status != 400 {
				t.Fatalf("%v", err)
			}
			return
		}
		printed, err := Print(b.Query)
		if err != nil {
			if b.Query.Page.After == nil {
				t.Fatalf("cannot print: %v\n%s", err, b.Query)
			}
			return
		}
		again := mustBind(t, printed)
		if got, want := again.Query.String(), b.Query.String(); got != want {
			t.Fatalf("printed %s\ngot\n%s\nwant\n%s", printed, got, want)
		}
	})
}
