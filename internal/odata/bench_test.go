package odata

import (
	"testing"

	"almoner/internal/query"
)

func BenchmarkBindList(b *testing.B) {
	m, gift := testModel(b), testTable(b, "svc_gift")
	for b.Loop() {
		o, err := ParseOptions("$select=svc_giftnum,svc_giftdate,svc_totalgift&$expand=svc_Donor($select=svc_formaldefault)&$filter=_svc_donor_value%20eq%20" + guidA + "%20and%20statecode%20eq%200&$orderby=svc_giftdate%20desc&$top=50")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Bind(m, gift, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBindAllColumns(b *testing.B) {
	m, gift := testModel(b), testTable(b, "svc_gift")
	for b.Loop() {
		o, err := ParseOptions("")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Bind(m, gift, o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBindBody(b *testing.B) {
	m, gift := testModel(b), testTable(b, "svc_gift")
	body := []byte(`{"svc_giftnum":"G-1001","svc_giftdate":"2024-03-01","svc_gifttype":730850000,"svc_amount1":250,"svc_totalgift":250,
		"svc_Donor@odata.bind":"/svc_donors(` + guidA + `)","svc_Fund1@odata.bind":"/svc_funds(` + guidB + `)"}`)
	for b.Loop() {
		if _, err := BindBody(m, gift, body, BodyOptions{Kind: query.Create}); err != nil {
			b.Fatal(err)
		}
	}
}
