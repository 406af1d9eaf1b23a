package wiretest_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"almoner/internal/wiretest"
)

// Orders that are hard to page by: equal values, nulls, both directions, related and derived values, and as many keys as there may be.
var hardOrders = []string{
	"",
	"svc_giftdate",
	"svc_giftdate desc",
	"svc_giftmethod",
	"svc_giftmethod desc,svc_giftdate",
	"svc_purpose,svc_giftmethod desc",
	"svc_purpose desc",
	"_svc_donor_value,svc_totalgift desc",
	"svc_Donor/svc_PrimaryContact/lastname desc,svc_giftmethod",
	"svc_Donor/svc_totalgivingthisyear,svc_giftdate desc",
	"length(svc_purpose) desc,day(svc_giftdate)",
	numbered(32, "length(svc_purpose) add %d desc", ","),
}

func TestPagesOnSQLite(t *testing.T) { turnPages(t, onSQLite(t)) }

func TestPagesOnPostgreSQL(t *testing.T) { turnPages(t, onPostgreSQL(t)) }

// turnPages reads the same rows page by page in every hard order while others are created between the pages, and compares with the
// rows read at once before: none is lost, none comes twice, and they come in the same order.
func turnPages(t *testing.T, on stores) {
	to := on.serve(t)
	wiretest.Run(t, "../../testdata/wire/data/foundation.txt", to, false)
	createGifts(t, to, "OLD", 40)
	for _, order := range hardOrders {
		query := "svc_gifts?$select=svc_giftnum&$filter=" + url.QueryEscape("not startswith(svc_giftnum,'NEW')")
		if order != "" {
			query += "&$orderby=" + url.QueryEscape(order)
		}
		want := names(t, readPage(t, to, query, 0).Value)
		got := allPages(t, to, query)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("$orderby=%s\n got %v\nwant %v", order, got, want)
		}
	}
}

// allPages follows next links to the end, creating a row the query passes over after each page.
func allPages(t *testing.T, to wiretest.Target, query string) (all []string) {
	t.Helper()
	for size := 7; query != "" && !t.Failed(); size = 6 {
		page := readPage(t, to, query, size)
		if len(page.Value) == 0 {
			t.Errorf("%s leads to an empty page", query)
		}
		all = append(all, names(t, page.Value)...)
		createGifts(t, to, "NEW", 1)
		query = strings.TrimPrefix(page.Next, to.Origin+"/api/data/v9.2/")
	}
	return all
}

type page struct {
	Value []map[string]any
	Next  string `json:"@odata.nextLink"`
}

func readPage(t *testing.T, to wiretest.Target, target string, size int) page {
	t.Helper()
	var header []string
	if size > 0 {
		header = append(header, fmt.Sprintf("Prefer: odata.maxpagesize=%d", size))
	}
	var p page
	if err := json.Unmarshal(to.Must(t, "GET", "/"+target, "", header...).Body, &p); err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return p
}

func names(t *testing.T, rows []map[string]any) []string {
	t.Helper()
	out := make([]string, len(rows))
	for i, row := range rows {
		out[i], _ = row["svc_giftnum"].(string)
	}
	return out
}

// createGifts creates gifts that share dates, purposes, methods and donors, and lack some of them. They are old ones: what a donor gave
// this year, a value rows are sorted by, stays as it is.
func createGifts(t *testing.T, to wiretest.Target, prefix string, n int) {
	t.Helper()
	var targets []map[string]any
	for i := range n {
		gift := map[string]any{
			"@odata.type": "Microsoft.Dynamics.CRM.svc_gift", "svc_giftnum": fmt.Sprintf("%s-%d", prefix, i),
			"svc_giftdate": fmt.Sprintf("2019-01-%02d", 1+i%5), "svc_amount1": 10 + i%3, "svc_Fund1@odata.bind": "/svc_funds(" + relief + ")",
			"svc_Donor@odata.bind": fmt.Sprintf("/svc_donors(d0000000-0000-4000-8000-%012d)", 1+i%4),
		}
		if i%3 > 0 {
			gift["svc_giftmethod"] = 730850000 + i%3
		}
		if i%4 > 0 {
			gift["svc_purpose"] = []string{"", "École", "ecole ", "zebra"}[i%4]
		}
		targets = append(targets, gift)
	}
	body, err := json.Marshal(map[string]any{"Targets": targets})
	if err != nil {
		t.Fatal(err)
	}
	to.Must(t, "POST", "/svc_gifts/Microsoft.Dynamics.CRM.CreateMultiple", string(body))
}
