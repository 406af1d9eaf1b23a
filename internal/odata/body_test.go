package odata

import (
	"fmt"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

func bindBody(t testing.TB, table, body string, o BodyOptions) (*query.Change, error) {
	t.Helper()
	if o.Kind == 0 {
		o.Kind = query.Create
	}
	return BindBody(testModel(t), testTable(t, table), []byte(body), o)
}

// printSet prints the assignments of a change: column=value, joined by blanks.
func printSet(ch *query.Change) string {
	var parts []string
	for _, a := range ch.Set {
		text := a.Value.String()
		if code := a.Value.TypeCode(); code != 0 {
			text += fmt.Sprintf("/%d", code)
		}
		parts = append(parts, a.Column.Name+"="+text)
	}
	return strings.Join(parts, " ")
}

func TestBodyValues(t *testing.T) {
	contact := testTable(t, "contact").TypeCode
	cases := []struct{ table, body, want string }{
		{"svc_gift", `{"svc_giftnum":"G-1","svc_giftdate":"2024-03-01","svc_gifttype":730850000,"svc_amount1":250,"svc_giftanonymous":true}`,
			"svc_giftnum=G-1 svc_giftdate=2024-03-01 svc_gifttype=730850000 svc_amount1=250.00 svc_giftanonymous=true"},
		{"svc_gift", "\ufeff \r\n{}\n", ""},
		{"svc_gift", `{"svc_giftnum":null,"svc_purpose":""}`, "svc_giftnum=null svc_purpose=null"},
		{"svc_gift", `{"svc_giftnum":" a\u00e9\ud83d\ude00\n "}`, "svc_giftnum= aé😀\n "},
		{"svc_gift", `{"svc_amount1":2.675,"svc_amount2":-2.5e1,"svc_amount3":1e-9}`, "svc_amount1=2.68 svc_amount2=-25.00 svc_amount3=0.00"},
		{"svc_gift", `{"svc_amount1":922337203685477}`, "svc_amount1=922337203685477.00"},
		{"svc_gift", `{"svc_dateacknowledged":"2024-03-01T10:00:00.999+02:00"}`, "svc_dateacknowledged=2024-03-01T08:00:00Z"},
		{"svc_gift", `{"svc_dateacknowledged":"2024-03-01"}`, "svc_dateacknowledged=2024-03-01T00:00:00Z"},
		{"svc_gift", `{"svc_giftpaymenttype":730850999}`, "svc_giftpaymenttype=730850999"},
		{"svc_gift", `{"svc_paid":5,"svc_balance":"junk","createdon":7,"versionnumber":1}`, ""},
		{"svc_gift", `{"@odata.type":"Microsoft.Dynamics.CRM.svc_gift","@odata.etag":"W/\"1\"","@odata.id":5,"svc_giftnum@odata.type":"x","svc_giftnum":"a"}`, "svc_giftnum=a"},
		{"svc_gift", `{"svc_Donor@odata.bind":"/svc_donors(` + guidA + `)"}`, "svc_donor=" + guidA},
		{"svc_gift", `{"svc_Donor@odata.bind":"https://h/api/data/v9.0/svc_donors(` + strings.ToUpper(guidA) + `)"}`, "svc_donor=" + guidA},
		{"svc_gift", `{"svc_Donor@odata.bind":null,"svc_Fund1":null}`, "svc_donor=null svc_fund1=null"},
		{"svc_gift", `{"svc_Donor@odata.bind":"$1"}`, "svc_donor=" + guidB},
		{"svc_gift", `{"ownerid@odata.bind":"/systemusers(` + guidA + `)"}`, fmt.Sprintf("ownerid=%s/%d", guidA, testTable(t, "systemuser").TypeCode)},
		{"svc_gift", `{"ownerid@odata.bind":"teams(` + guidA + `)"}`, fmt.Sprintf("ownerid=%s/%d", guidA, testTable(t, "team").TypeCode)},
		{"svc_requestpayment", `{"svc_Payee@odata.bind":"/contacts(` + guidA + `)"}`, fmt.Sprintf("svc_payee=%s/%d", guidA, contact)},
		{"svc_requestpayment", `{"svc_Payee_contact@odata.bind":"/contacts(` + guidA + `)","svc_Payee_account@odata.bind":null}`, fmt.Sprintf("svc_payee=%s/%d", guidA, contact)},
		{"svc_requestpayment", `{"svc_Payee_account":null,"svc_Payee_contact@odata.bind":"/contacts(` + guidA + `)"}`, fmt.Sprintf("svc_payee=%s/%d", guidA, contact)},
		{"svc_fund", `{"svc_spendpercent":4.5,"svc_numberofpayments":4.0}`, "svc_spendpercent=4.5 svc_numberofpayments=4"},
		{"svc_fund", `{"svc_spendpercent":4.123455,"svc_feepercent":-0.000005}`, "svc_spendpercent=4.12346 svc_feepercent=-0.00001"},
		{"svc_fund", `{"svc_spendpercent":1e-300,"svc_feepercent":1e300}`, "svc_spendpercent=0 svc_feepercent=1" + strings.Repeat("0", 300)},
		{"list", `{"listname":"L","type":false,"createdfromcode":4}`, "listname=L type=false createdfromcode=4"},
		{"listmember", `{"entityid_account":null,"entityid_contact@odata.bind":"/contacts(` + guidA + `)"}`, fmt.Sprintf("entityid=%s/%d", guidA, contact)},
	}
	ref := func(text string) (string, value.GUID, error) { return "svc_donors", value.MustGUID(guidB), nil }
	for _, c := range cases {
		ch, err := bindBody(t, c.table, c.body, BodyOptions{Reference: ref})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
		} else if got := printSet(ch); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.body, got, c.want)
		}
	}
}

func TestBodyKey(t *testing.T) {
	ch, err := bindBody(t, "svc_gift", `{"svc_giftid":"`+guidA+`"}`, BodyOptions{})
	if err != nil || ch.ID != value.MustGUID(guidA) || len(ch.Set) != 0 {
		t.Errorf("%v %v", ch, err)
	}
	_, err = bindBody(t, "svc_gift", `{"svc_giftid":5}`, BodyOptions{})
	wantFault(t, err, 400, fault.BadPayload, "Cannot convert the literal '5' to the expected type 'Edm.Guid'")
}

func TestBodyUpdateDropsCreateOnly(t *testing.T) {
	ch, err := bindBody(t, "list", `{"listname":"L","type":true,"createdfromcode":4}`, BodyOptions{Kind: query.Update})
	if err != nil || printSet(ch) != "listname=L" {
		t.Errorf("%v %v", ch, err)
	}
}

func TestBodyQuotedNumbers(t *testing.T) {
	body := `{"svc_amount1":"250.5"}`
	if ch, err := bindBody(t, "svc_gift", body, BodyOptions{Quoted: true}); err != nil || printSet(ch) != "svc_amount1=250.50" {
		t.Errorf("%v %v", ch, err)
	}
	_, err := bindBody(t, "svc_gift", body, BodyOptions{})
	wantFault(t, err, 400, fault.BadPayload, "Cannot convert the literal '250.5' to the expected type 'Edm.Decimal'")
	_, err = bindBody(t, "svc_gift", `{"svc_gifttype":"730850000"}`, BodyOptions{Quoted: true})
	wantFault(t, err, 400, fault.BadPayload, "Edm.Int32")
	_, err = bindBody(t, "svc_gift", `{"svc_amount1":"x"}`, BodyOptions{Quoted: true})
	wantFault(t, err, 400, fault.BadPayload, "Edm.Decimal")
}

func TestBodyNested(t *testing.T) {
	body := `{"svc_formaldefault":"Ito","svc_PrimaryContact":{"lastname":"Ito","parentcustomerid_account":{"name":"Acme"}},
		"` + gifts + `":[{"svc_giftnum":"a"},{"svc_giftnum":"b"}],
		"svc_svc_donor_svc_fund_PrimaryDonor@odata.bind":["/svc_funds(` + guidA + `)","svc_funds(` + guidB + `)"]}`
	ch, err := bindBody(t, "svc_donor", body, BodyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(ch.Nested) != 3 || len(ch.Nested[1].Creates) != 2 || len(ch.Nested[2].Binds) != 2 {
		t.Fatalf("nested %+v", ch.Nested)
	}
	contact := ch.Nested[0].Creates[0]
	if contact.Table.Name != "contact" || contact.Kind != query.Create || printSet(contact) != "lastname=Ito" || contact.Nested[0].Creates[0].Table.Name != "account" {
		t.Errorf("contact %+v", contact)
	}
	ch, err = bindBody(t, "svc_requestpayment", `{"svc_Payee":{"@odata.type":"#Microsoft.Dynamics.CRM.contact","lastname":"x"}}`, BodyOptions{})
	if err != nil || ch.Nested[0].Creates[0].Table.Name != "contact" {
		t.Errorf("a nested row of one of several tables: %v", err)
	}
}

func TestBodyRefusals(t *testing.T) {
	donor := `"/svc_donors(` + guidA + `)"`
	cases := []struct {
		table, body, text string
		code              fault.Code
	}{
		{"svc_gift", ``, "no JSON body", fault.BadPayload},
		{"svc_gift", `[]`, "a JSON object is expected", fault.BadPayload},
		{"svc_gift", `{"a":1`, "not valid JSON", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":"a",}`, "not valid JSON", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":"a"} x`, "not valid JSON", fault.BadPayload},
		{"svc_gift", `{'svc_giftnum':'a'}`, "not valid JSON", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":"` + "\xff" + `"}`, "not valid UTF-8", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":"\ud800"}`, "not valid JSON", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":"a","svc_giftnum":"b"}`, "'svc_giftnum' is given twice", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":"a","svc_gift\u006eum":"b"}`, "'svc_giftnum' is given twice", fault.BadPayload},
		{"svc_gift", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), "nests deeper", fault.BadPayload},
		{"svc_gift", `{"svc_nosuch":1}`, "'svc_nosuch' does not exist on type 'Microsoft.Dynamics.CRM.svc_gift'", fault.BadPayload},
		{"svc_gift", `{"svc_Giftnum":"a"}`, "Did you mean 'svc_giftnum'?", fault.BadPayload},
		{"svc_gift", `{"svc_donor":"a"}`, "Did you mean 'svc_Donor'?", fault.BadPayload},
		{"svc_gift", `{"svc_donor@odata.bind":` + donor + `}`, "Did you mean 'svc_Donor@odata.bind'?", fault.BadPayload},
		{"svc_gift", `{"@logicalName":"svc_gift"}`, "must contain a dot", fault.BadPayload},
		{"svc_gift", `{"_svc_donor_value":"` + guidA + `"}`, "'svc_Donor@odata.bind'", fault.BadRequest},
		{"svc_gift", `{"svc_amount1_base":1}`, "'svc_amount1_base'", fault.NotUpdateable},
		{"svc_gift", `{"svc_amount1_Base":1}`, "'svc_amount1_base'", fault.NotUpdateable},
		{"svc_gift", `{"svc_Donor@odata.bind":"/contacts(` + guidA + `)"}`, "does not lead to 'contact'", fault.BadPayload},
		{"svc_gift", `{"svc_Donor@odata.bind":"/nosuch(` + guidA + `)"}`, "Resource not found for the segment 'nosuch'", fault.BadRequest},
		{"svc_gift", `{"svc_Donor@odata.bind":"x"}`, "was not parsed", fault.BadRequest},
		{"svc_gift", `{"svc_Donor@odata.bind":5}`, "must be the URL of one row", fault.BadPayload},
		{"svc_gift", `{"svc_Donor@odata.bind":"$9"}`, "Content-ID Reference: '$9' does not exist", fault.BadRequest},
		{"svc_gift", `{"svc_Donor":5}`, "an object is expected", fault.BadPayload},
		{"svc_gift", `{"svc_Donor":[]}`, "an object is expected", fault.BadPayload},
		{"svc_donor", `{"` + gifts + `":null}`, "an array of objects", fault.BadPayload},
		{"svc_donor", `{"` + gifts + `@odata.bind":"x"}`, "an array of URLs", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":5}`, "Cannot convert the literal '5' to the expected type 'Edm.String'", fault.BadPayload},
		{"svc_gift", `{"svc_gifttype":"Gift"}`, "Cannot convert the literal 'Gift' to the expected type 'Edm.Int32'", fault.BadPayload},
		{"svc_gift", `{"svc_gifttype":1.5}`, "Cannot convert the literal '1.5'", fault.BadPayload},
		{"svc_gift", `{"svc_giftanonymous":"true"}`, "'Edm.Boolean'", fault.BadPayload},
		{"svc_gift", `{"svc_giftanonymous":1}`, "'Edm.Boolean'", fault.BadPayload},
		{"svc_gift", `{"svc_amount1":true}`, "'Edm.Decimal'", fault.BadPayload},
		{"svc_gift", `{"svc_giftdate":"2024-03-01T00:00:00Z"}`, "'Edm.Date'", fault.BadPayload},
		{"svc_gift", `{"svc_giftdate":"2024-02-30"}`, "'Edm.Date'", fault.BadPayload},
		{"svc_gift", `{"svc_giftdate":"1752-12-31"}`, "outside the range", fault.DateRange},
		{"svc_gift", `{"svc_giftdate":"9999-12-31"}`, "outside the range", fault.DateRange},
		{"svc_gift", `{"svc_dateacknowledged":"soon"}`, "'Edm.DateTimeOffset'", fault.BadPayload},
		{"svc_gift", `{"svc_giftnum":"` + strings.Repeat("x", 101) + `"}`, "The length of the 'svc_giftnum' attribute of the 'svc_gift' entity exceeded the maximum allowed length of '100'", fault.TextTooLong},
		{"svc_gift", `{"svc_giftnum":"` + strings.Repeat("😀", 51) + `"}`, "maximum allowed length", fault.TextTooLong},
		{"svc_gift", `{"svc_giftnum":"a\u0000"}`, "not allowed in XML", fault.BadCharacters},
		{"svc_gift", `{"svc_giftnum":"a\uffff"}`, "not allowed in XML", fault.BadCharacters},
		{"svc_gift", `{"svc_gifttype":5}`, "The value 5 of 'svc_gifttype' on record of type 'svc_gift' is outside the valid range. Accepted Values: ", fault.BadOption},
		{"svc_gift", `{"svc_giftpaymenttype":5}`, "outside the valid range", fault.BadOption},
		{"svc_gift", `{"statuscode":77}`, "77 is not a valid value of 'statuscode'", fault.BadStatus},
		{"svc_fund", `{"svc_numberofpayments":2147483648}`, "outside the valid range", fault.IntegerRange},
		{"svc_gift", `{"svc_amount1":922337203685478}`, "outside the valid range", fault.DecimalRange},
		{"svc_gift", `{"svc_amount1":1e300}`, "outside the valid range", fault.DecimalRange},
		{"svc_fund", `{"svc_spendpercent":1e999}`, "outside the valid range", fault.DecimalRange},
		{"svc_requestpayment", `{"svc_Payee_contact@odata.bind":"/contacts(` + guidA + `)","svc_Payee_account@odata.bind":"/accounts(` + guidA + `)"}`, "set twice", fault.BadPayload},
		{"svc_requestpayment", `{"svc_Payee":{"lastname":"x"}}`, "by @odata.type", fault.BadPayload},
		{"svc_gift", `{"statecode":null}`, "The column 'statecode' of 'svc_gift' cannot be null.", fault.InvalidArgument},
		{"svc_gift", `{"svc_giftid":null}`, "The column 'svc_giftid' of 'svc_gift' cannot be null.", fault.InvalidArgument},
		{"listmember", `{"entityid_account":null,"entityid_contact":null}`, "The column 'entityid' of 'listmember' cannot be null.", fault.InvalidArgument},
	}
	for _, c := range cases {
		_, err := bindBody(t, c.table, c.body, BodyOptions{})
		t.Run("", func(t *testing.T) {
			t.Log(c.body[:min(len(c.body), 100)])
			wantFault(t, err, 400, c.code, c.text)
		})
	}
	_, err := bindBody(t, "svc_gift", `{"svc_amount1":2.675}`, BodyOptions{RejectExcess: true})
	wantFault(t, err, 400, fault.DecimalRange, "more than 2 decimals")
	_, err = bindBody(t, "svc_fund", `{"svc_spendpercent":4.123455}`, BodyOptions{RejectExcess: true})
	wantFault(t, err, 400, fault.DecimalRange, "more than 5 decimals")
	_, err = bindBody(t, "svc_donor", `{"svc_PrimaryContact":{"lastname":"x"}}`, BodyOptions{Kind: query.Update})
	wantFault(t, err, 400, fault.BadRequest, "cannot be written in an update")
	_, err = bindBody(t, "svc_donor", `{"`+gifts+`@odata.bind":[]}`, BodyOptions{Kind: query.Update})
	wantFault(t, err, 400, fault.BadPayload, "on create only")
}

func TestBodyTrace(t *testing.T) {
	_, err := bindBody(t, "svc_gift", `{"svc_gifttype":5}`, BodyOptions{})
	if got := fault.As(err).TraceText(); got != "svc_gift > column svc_gifttype" {
		t.Errorf("trace %q", got)
	}
}

func TestTextLengthInUTF16(t *testing.T) {
	if _, err := bindBody(t, "svc_gift", `{"svc_giftnum":"`+strings.Repeat("é", 100)+`"}`, BodyOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := bindBody(t, "svc_gift", `{"svc_giftnum":"`+strings.Repeat("😀", 50)+`"}`, BodyOptions{}); err != nil {
		t.Error(err)
	}
}

func TestMultiChoice(t *testing.T) {
	c := &schema.Column{Table: testTable(t, "svc_gift"), Name: "svc_tags", Wire: "svc_tags", Type: schema.TypeMultiChoice, Options: &schema.OptionSet{Open: true}}
	v, err := BindValue(c, JSON(`"730850002, 730850001,730850002"`), BodyOptions{})
	if err != nil || v.Text() != "730850001,730850002" {
		t.Errorf("%v %v", v, err)
	}
	if v, err := BindValue(c, JSON(`""`), BodyOptions{}); err != nil || !v.IsNull() {
		t.Errorf("%v %v", v, err)
	}
	_, err = BindValue(c, JSON(`"5"`), BodyOptions{})
	wantFault(t, err, 400, fault.BadOption, "The value 5")
	_, err = BindValue(c, JSON(`"a"`), BodyOptions{})
	wantFault(t, err, 400, fault.BadPayload, "Cannot convert")
}

func TestBindProperty(t *testing.T) {
	gift := testTable(t, "svc_gift")
	o := BodyOptions{Kind: query.Update}
	v, ok, err := BindProperty(gift.MustColumn("svc_purpose"), []byte(`{"@odata.context":"x","value":"y"}`), o)
	if err != nil || !ok || v.Text() != "y" {
		t.Errorf("%v %v %v", v, ok, err)
	}
	if _, ok, err = BindProperty(gift.MustColumn("svc_paid"), []byte(`{"value":5}`), o); ok || err != nil {
		t.Errorf("a computed column: %v %v", ok, err)
	}
	_, _, err = BindProperty(gift.MustColumn("svc_amount1_base"), []byte(`{"value":5}`), o)
	wantFault(t, err, 400, fault.NotUpdateable, "svc_amount1_base")
	_, _, err = BindProperty(gift.MustColumn("svc_donor"), []byte(`{"value":"`+guidA+`"}`), o)
	wantFault(t, err, 400, fault.BadRequest, "svc_Donor@odata.bind")
	_, _, err = BindProperty(gift.MustColumn("svc_purpose"), []byte(`{"x":5}`), o)
	wantFault(t, err, 400, fault.BadPayload, "member 'value'")
}

// TestLargeBody shows that a body of many members and a long text is read in one go.
func TestLargeBody(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"listname":"L","type":true,"createdfromcode":4,"query":"` + strings.Repeat("x", 1<<20) + `"`)
	for i := range 20000 {
		fmt.Fprintf(&b, `,"@a.b%d":{"x":[1,2,{"y":null}]}`, i)
	}
	b.WriteString("}")
	ch, err := bindBody(t, "list", b.String(), BodyOptions{})
	if err != nil || len(ch.Set) != 4 {
		t.Error(err)
	}
}
