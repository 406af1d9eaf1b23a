package odata

import (
	"net/url"
	"reflect"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
)

// refusal fails unless err is a fault a client caused.
func refusal(t *testing.T, err error) {
	t.Helper()
	if f := fault.As(err); f.Status < 400 || f.Status > 499 {
		t.Fatalf("status %d: %v", f.Status, err)
	}
}

// FuzzFilter binds any text as a filter: it is refused, or it prints as a filter that binds to the same tree.
func FuzzFilter(f *testing.F) {
	if len(filterCases) < 80 {
		f.Fatalf("only %d seeds", len(filterCases))
	}
	for _, c := range filterCases {
		f.Add(c.filter)
	}
	for _, c := range abnfCases(f, "odata-abnf-testcases.yaml") {
		f.Add(c.Input)
	}
	gift := testTable(f, "svc_gift")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := Bind(testModel(t), gift, &Options{Filter: text, Select: "svc_giftid"})
		if err != nil {
			refusal(t, err)
			return
		}
		printed := Print(first.Query)
		second, err := bindQuery(t, "svc_gift", printed)
		if err != nil {
			t.Fatalf("%q printed as %q: %v", text, printed, err)
		}
		if !reflect.DeepEqual(first.Query, second.Query) {
			t.Fatalf("%q printed as %q", text, printed)
		}
	})
}

// FuzzOptions parses and binds any query string.
func FuzzOptions(f *testing.F) {
	for _, seed := range []string{
		"$select=svc_giftnum&$expand=svc_Donor($select=svc_donor;$filter=statecode eq 0),svc_Fund1/$ref&$orderby=_svc_donor_value desc&$top=5&$count=true",
		"$apply=filter(statecode eq 0)/groupby((svc_gifttype,svc_Donor/svc_donor),aggregate(svc_paid with sum as s,$count as n))&$orderby=svc_gifttype",
		"$filter=svc_giftnum eq @a&@a='x'", "$skip=5", "$top=-1", "%24filter=a+b", "$expand=a(b(c", "$expand=svc_Donor($expand=svc_PrimaryContact)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if _, err := bindQuery(t, "svc_gift", raw); err != nil {
			refusal(t, err)
		}
	})
}

// FuzzPath parses any path and reads the key of its first segment.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"svc_gifts(" + guidA + ")/svc_Donor/$ref", "F(A='x',B=@b)", "svc_gifts%28'a'%29", "//a//b(1)(2)", "$1/x", "svc_gifts(svc_giftnum='G-1')", "F(A={'a':[1,2]})/$count"} {
		f.Add(seed)
	}
	gift := testTable(f, "svc_gift")
	f.Fuzz(func(t *testing.T, raw string) {
		p, err := ParsePath(raw)
		if err != nil {
			refusal(t, err)
			return
		}
		if len(p.Segments) > 0 && p.Segments[0].Parens {
			if _, err := p.Segments[0].Key(gift); err != nil {
				refusal(t, err)
			}
		}
		if _, _, err := ParseReference(testModel(t), raw); err != nil {
			refusal(t, err)
		}
		if _, err := ParameterJSON(raw, map[string]string{"@a": url.QueryEscape(raw)}); err != nil {
			refusal(t, err)
		}
	})
}

// FuzzBody binds any bytes as the body of a create and of an update.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"svc_giftnum":"a","svc_amount1":2.5e1,"svc_Donor@odata.bind":"/svc_donors(` + guidA + `)","svc_giftdate":"2024-03-01"}`,
		`{"svc_Donor":{"svc_formaldefault":"x","svc_PrimaryContact":{"lastname":"y"}},"svc_svc_gift_svc_giftpayment_GiftNumber":[{"svc_amount":1}]}`,
		`{"svc_svc_gift_svc_giftpayment_GiftNumber@odata.bind":["svc_giftpayments(` + guidA + `)"]}`,
		`{"@odata.type":"x","svc_giftnum":"\ud83d\ude00\u00e9","a":[{},[],null,true,-0.5e-3]}`, `{"a":1,"a":2}`, `[`, ``, `{"svc_paid":{"x":1}}`,
	} {
		f.Add([]byte(seed))
	}
	gift := testTable(f, "svc_gift")
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range []query.ChangeKind{query.Create, query.Update} {
			if _, err := BindBody(testModel(t), gift, data, BodyOptions{Kind: kind, Quoted: len(data)%2 == 0}); err != nil {
				refusal(t, err)
			}
		}
	})
}
