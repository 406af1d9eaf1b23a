package wiretest_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"almoner/internal/wiretest"
)

// attack is a query meant to cost more than it should. It must be refused by the client's own fault.
type attack struct {
	name, target string
	code         string // of the refusal; "" for any
}

// fetch asks in FetchXML, encoded no more than a URL needs.
func fetch(text string) string {
	return "svc_gifts?fetchXml=" + strings.NewReplacer("%", "%25", " ", "%20", "&", "%26", "+", "%2B", "#", "%23").Replace(text)
}

func filter(text string) string {
	return "svc_gifts?$select=svc_giftnum&$filter=" + url.QueryEscape(text)
}

func repeated(n int, part string) string { return strings.Repeat(part, n) }

// numbered repeats a part with its number, from 1, put in for %d.
func numbered(n int, part, separator string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(part, "%d", fmt.Sprint(i+1))
	}
	return strings.Join(parts, separator)
}

// nest puts a text into a frame, the result into the frame again, and so on.
func nest(n int, frame, inner string) string {
	for range n {
		inner = strings.Replace(frame, "%s", inner, 1)
	}
	return inner
}

const entity = `<fetch><entity name="svc_gift">`

var attacks = []attack{
	{"nested parentheses", filter(repeated(5000, "(") + "true" + repeated(5000, ")")), ""},
	{"open parentheses", filter(repeated(9000, "(")), ""},
	{"negations", filter(repeated(5000, "not ") + "true"), ""},
	{"minus signs", filter("1 eq " + repeated(5000, "- ") + "svc_totalgift"), ""},
	{"nested calls", filter(repeated(1000, "tolower(") + "svc_giftnum" + repeated(1000, ")") + " eq 'x'"), ""},
	{"nested lambdas", filter(repeated(200, "svc_svc_gift_svc_gift_MatchingGift/any(x:x/") + "svc_giftnum eq 'x'" + repeated(200, ")")), ""},
	{"long path", filter(repeated(500, "svc_MatchingGift/") + "svc_giftnum eq 'x'"), ""},
	{"many paths", filter(numbered(12, "svc_Fund%d/svc_Parent/svc_Parent/svc_fundname eq 'x'", " or ")), "0x8004430d"},
	{"many conditions", filter(numbered(800, "svc_totalgift eq %d", " or ")), "0x8004430c"},
	{"many function conditions", filter(repeated(600, "contains(svc_purpose,'a') or ") + "true"), "0x8004430c"},
	{"remainders", filter("svc_totalgift" + repeated(400, " mod 7") + " gt 0"), ""},
	{"many operations", filter("svc_totalgift" + repeated(900, " add 1") + " gt 0"), ""},
	{"long list", filter("svc_giftnum in (" + numbered(6000, "%d", ",") + ")"), ""},
	{"a megabyte", filter("svc_giftnum eq '" + repeated(1<<20, "x") + "'"), ""},
	{"forty thousand characters", filter("svc_giftnum eq '" + repeated(40000, "x") + "'"), ""},
	{"aliases of aliases", filter("svc_giftnum eq @a") + "&@a=" + url.QueryEscape("@b") + "&@b=" + url.QueryEscape("@a"), ""},
	{"an alias many times", filter(numbered(400, "@a", " or ")) + "&@a=" + url.QueryEscape(numbered(400, "svc_totalgift gt %d", " or ")), ""},
	{"huge exponent", filter("svc_totalgift gt 1e999999999999 and svc_nothing eq 1"), ""},
	{"broken encoding", "svc_gifts?$filter=%zz", ""},
	{"not text", "svc_gifts?$filter=%ff%fe", ""},
	{"a null byte", "svc_gifts?$filter=svc_giftnum%20eq%20'%00'", ""},
	{"nested expands", "svc_gifts?$expand=" + repeated(300, "svc_MatchingGift($expand=") + "svc_Donor" + repeated(300, ")"), "0x8004430d"},
	{"many expands", "svc_gifts?$expand=" + numbered(12, "svc_Fund%d($expand=svc_Parent,svc_PrimaryDonor)", ","), "0x8004430d"},
	{"wide rows", "svc_gifts?$expand=" + repeated(14, "svc_MatchingGift($expand=") + "svc_MatchingGift" + repeated(14, ")"), ""},
	{"many sort keys", "svc_gifts?$orderby=" + url.QueryEscape(numbered(400, "length(svc_giftnum) add %d", ",")), ""},
	{"many groups", "svc_gifts?$apply=" + url.QueryEscape("aggregate("+numbered(300, "svc_totalgift with sum as a%d", ",")+")"), ""},
	{"many options", "svc_gifts?" + numbered(2000, "@p%d=1", "&") + "&$nothing=1", ""},
	{"negative top", "svc_gifts?$top=-9223372036854775808", ""},
	{"token", "svc_gifts?$skiptoken=" + repeated(20000, "A"), ""},
	{"delta token", "svc_gifts?$deltatoken=" + repeated(20000, "A"), ""},
	{"nested elements", fetch(repeated(1500, "<filter>")), ""},
	{"nested filters", fetch(entity + repeated(500, "<filter>") + repeated(500, "</filter>") + "</entity></fetch>"), ""},
	{"nested links", fetch(entity + repeated(200, `<link-entity name="svc_gift" from="svc_giftid" to="svc_matchinggift">`) + repeated(200, "</link-entity>") + "</entity></fetch>"), ""},
	{"many links", fetch(entity + repeated(200, `<link-entity name="svc_donor" from="svc_donorid" to="svc_donor"/>`) + "</entity></fetch>"), "0x8004430d"},
	{"many row tests", fetch(entity + "<filter>" + repeated(100, `<link-entity name="svc_donor" from="svc_donorid" to="svc_donor" link-type="any"/>`) + "</filter></entity></fetch>"), "0x8004430d"},
	{"many conditions in xml", fetch(entity + "<filter>" + repeated(510, `<condition attribute="statecode" operator="null"/>`) + "</filter></entity></fetch>"), "0x8004430c"},
	{"many orders in xml", fetch(entity + repeated(300, `<order attribute="svc_giftnum"/>`) + "</entity></fetch>"), ""},
	{"wide links", fetch(entity + "<all-attributes/>" + repeated(15, `<link-entity name="svc_gift" from="svc_giftid" to="svc_matchinggift" link-type="outer"><all-attributes/></link-entity>`) + "</entity></fetch>"), ""},
	{"entity bomb", fetch(`<!DOCTYPE fetch [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>` + entity + `<filter><condition attribute="svc_giftnum" operator="eq" value="&c;"/></filter></entity></fetch>`), "0x80040303"},
	{"external entity", fetch(`<!DOCTYPE fetch [<!ENTITY a SYSTEM "file:///etc/passwd">]>` + entity + `<filter><condition attribute="svc_giftnum" operator="eq"><value>&a;</value></condition></filter></entity></fetch>`), "0x80040303"},
	{"unknown entity", fetch(entity + `<filter><condition attribute="svc_giftnum" operator="eq" value="&boom;"/></filter></entity></fetch>`), ""},
	{"cookie", fetch(`<fetch page="2" paging-cookie="` + repeated(3000, "%25") + `"><entity name="svc_gift"/></fetch>`), "0x80041129"},
	{"deep page", fetch(`<fetch page="1000000000"><entity name="svc_gift"/></fetch>`), "0x80041129"},
}

// burdens are queries that ask for much and may: they must be answered.
var burdens = []attack{
	{"wildcards alone", filter("contains(svc_purpose,'" + repeated(3000, "%") + "')"), ""},
	{"wildcards and letters", filter("contains(svc_purpose,'" + repeated(1500, "%a") + "')"), ""},
	{"single wildcards", filter("contains(svc_purpose,'" + repeated(3000, "_") + "')"), ""},
	{"classes", filter("contains(svc_purpose,'" + repeated(700, "%[a-z]") + "')"), ""},
	{"negated classes", filter("startswith(svc_purpose,'" + repeated(500, "%[^a]") + "')"), ""},
	{"broken classes", filter("contains(svc_purpose,'" + repeated(1000, "[") + "')"), ""},
	{"five hundred conditions", filter(numbered(500, "svc_totalgift eq %d", " or ")), ""},
	{"nested to the limit", filter(repeated(90, "(") + "true" + repeated(90, ")")), ""},
	{"four thousand values", filter("svc_totalgift in (" + numbered(4000, "%d", ",") + ")"), ""},
	{"sort keys to the limit", "svc_gifts?$select=svc_giftnum&$orderby=" + url.QueryEscape(numbered(32, "length(svc_purpose) add %d", ",")), ""},
	{"substrings", filter(nest(48, "substring(%s,0)", "svc_giftnum") + " eq 'x'"), ""},
	{"trims", filter(nest(48, "trim(%s)", "svc_giftnum") + " eq 'x'"), ""},
	{"capitals", filter(nest(48, "toupper(%s)", "svc_giftnum") + " eq 'x'"), ""},
	{"concatenations", filter(nest(48, "concat(%s,'y')", "svc_giftnum") + " eq 'x'"), ""},
	{"concatenations on both sides", filter(nest(48, "concat('y',%s)", "svc_giftnum") + " eq 'x'"), ""},
	{"patterns over computed text", filter("contains(" + nest(48, "trim(%s)", "svc_giftnum") + ",'%[a-c]_%')"), ""},
	{"roundings", filter(nest(4, "round(floor(ceiling(%s)))", "svc_totalgift") + " eq 1"), ""},
	{"sums", filter("svc_totalgift" + repeated(490, " add 1") + " gt 0"), ""},
	{"products", filter("svc_totalgift" + repeated(400, " mul 1") + " gt 0"), ""},
	{"quotients", filter("svc_totalgift" + repeated(400, " div 2") + " gt 0"), ""},
	{"minus signs within reason", filter("1 gt " + repeated(90, "- ") + "svc_totalgift"), ""},
	{"negations within reason", filter(repeated(90, "not ") + "svc_giftanonymous"), ""},
	{"remainders within reason", filter("svc_totalgift" + repeated(8, " mod 7") + " ge 0"), ""},
	{"mixed arithmetic", filter("svc_totalgift" + repeated(100, " mod 7 mul 1.5 div 3 add 2") + " gt 0"), ""},
	{"five hundred calls", filter(repeated(499, "contains(svc_purpose,'a') or ") + "true"), ""},
	{"patterns in xml", fetch(entity + `<filter><condition attribute="svc_purpose" operator="like" value="` + repeated(500, "%[a-c]_") + `"/></filter></entity></fetch>`), ""},
}

// extremes calculate beyond what 64 bits hold. They are answered or refused, as the store can; they are never the service's failure.
var extremes = []attack{
	{"a remainder beyond 64 bits", filter("exchangerate mod 9999999999999 ge 0"), ""},
	{"a remainder of large numbers", filter("versionnumber mul 1000000000000000 mod exchangerate ge 0"), ""},
	{"a sum beyond 64 bits", filter("svc_totalgift add 9223372036854775807 gt 0"), ""},
	{"a product beyond 64 bits", filter("svc_totalgift mul 9223372036854775807 gt 0"), ""},
	{"a product of products", filter("svc_totalgift mul 99999999999 mul 99999999999 mul 99999999999 gt 0"), ""},
	{"a negative beyond 64 bits", filter("-versionnumber sub 9223372036854775807 lt 0"), ""},
	{"a huge quotient", filter("svc_totalgift div 1e-300 div 1e-300 gt 0"), ""},
	{"a huge number", filter("svc_totalgift lt 1e300 and svc_totalgift gt -1e400"), ""},
	{"far places", filter("substring(svc_giftnum,9223372036854775807) eq '' or substring(svc_giftnum,-5,9223372036854775807) eq 'x'"), ""},
	{"far years", filter("svc_giftdate lt 99999-01-01 and svc_dateacknowledged gt -0001-01-01T00:00:00Z"), ""},
	{"far windows", filter("Microsoft.Dynamics.CRM.LastXYears(PropertyName='svc_giftdate',PropertyValue=9223372036854775807) or Microsoft.Dynamics.CRM.NextXDays(PropertyName='svc_dateacknowledged',PropertyValue=999999999999)"), ""},
	{"a huge sum", "svc_gifts?$apply=" + url.QueryEscape("aggregate(svc_totalgift mul 90000000000000 with sum as s)"), ""},
}

func TestHostileQueriesOnSQLite(t *testing.T) { resist(t, onSQLite(t)) }

func TestHostileQueriesOnPostgreSQL(t *testing.T) { resist(t, onPostgreSQL(t)) }

// resist sends every attack a few times: each is refused with a client's error, and memory stays where it was.
func resist(t *testing.T, on stores) {
	to := on.serve(t)
	wiretest.Run(t, "../../testdata/wire/data/foundation.txt", to, false)
	for _, b := range burdens {
		if status, body := send(t, to, b); status != http.StatusOK {
			t.Errorf("%s: answered %d %.300s", b.name, status, body)
		}
	}
	for _, x := range extremes {
		if status, body := send(t, to, x); status >= 500 {
			t.Errorf("%s: answered %d %.300s", x.name, status, body)
		}
	}
	for _, a := range attacks {
		status, body := send(t, to, a)
		if status < 400 || status >= 500 || !strings.Contains(body, a.code) {
			t.Errorf("%s: answered %d %.300s", a.name, status, body)
		}
	}
	before := heap()
	for range 5 {
		for _, a := range attacks {
			send(t, to, a)
		}
	}
	if grown := heap() - before; grown > 32<<20 {
		t.Errorf("the heap grew by %d MB", grown>>20)
	}
}

// send asks one query. It must be answered before the service's own patience ends.
func send(t *testing.T, to wiretest.Target, a attack) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := to.Call(ctx, "GET", "/"+a.target, "")
	if err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	return answer.Status, string(answer.Body)
}

// heap is what is alive.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
