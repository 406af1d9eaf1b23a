package fetchxml

import (
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

var key = value.ID(value.MustGUID("0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"))

func TestCookieSyntax(t *testing.T) {
	b := mustBind(t, strings.Replace(gifts(`<order attribute="svc_giftnum"/>`), "<fetch>", `<fetch count="3">`, 1))
	first := &query.Position{Values: []value.Value{value.Text("G-1"), key}}
	last := &query.Position{Values: []value.Value{value.Text("G-3"), key}}
	c := b.NextCookie(first, last)
	const id = "{0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B}"
	if want := `<cookie page="1"><svc_giftnum last="G-3" first="G-1" /><svc_giftid last="` + id + `" first="` + id + `" /></cookie>`; c.String() != want {
		t.Errorf("got  %s\nwant %s", c, want)
	}
	annotation := c.Annotation()
	const start = `<cookie pagenumber="2" pagingcookie="%253ccookie%2520page%253d%25221%2522%253e%253csvc_giftnum%2520last%253d%2522G-3%2522`
	if !strings.HasPrefix(annotation, start) || !strings.HasSuffix(annotation, `%253c%252fcookie%253e" istracking="False" />`) {
		t.Errorf("got %s", annotation)
	}
}

// values of every kind that are hard on encodings.
var hardValues = []value.Value{
	value.Text(`Smith & "Sons" <O'Neil> 100% é 名 +/=?#;,:`), value.Text(""), value.Text(" x  y "), value.Text("%3ccookie"), value.Text("a\nb\t"), value.Null,
}

// clients are the ways in which an annotation comes back in paging-cookie, before it is escaped for XML.
var clients = map[string]func(t *testing.T, annotation string) string{
	"decoded twice": func(t *testing.T, annotation string) string { return decoded(t, decoded(t, inner(t, annotation))) },
	"decoded once":  func(t *testing.T, annotation string) string { return decoded(t, inner(t, annotation)) },
	"not decoded":   func(t *testing.T, annotation string) string { return inner(t, annotation) },
	"whole":         func(_ *testing.T, annotation string) string { return annotation },
}

func inner(t *testing.T, annotation string) string {
	m := regexp.MustCompile(`pagingcookie="([^"]*)"`).FindStringSubmatch(annotation)
	if m == nil {
		t.Fatalf("no cookie in %s", annotation)
	}
	return m[1]
}

func decoded(t *testing.T, text string) string {
	out, err := url.PathUnescape(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\n", "&#10;").Replace(text)
}

// careless escapes as a popular client does: ampersands are left alone, and apostrophes become quotes.
func careless(text string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&quot;").Replace(text)
}

func TestCookieRoundTrip(t *testing.T) {
	const orders = `<order attribute="svc_purpose"/><order attribute="svc_donor"/><order attribute="svc_gifttype"/><order attribute="svc_totalgift"/><order attribute="exchangerate"/>` +
		`<order attribute="svc_giftdate"/><order attribute="createdon"/><order attribute="svc_giftanonymous"/><order entityname="f" attribute="svc_spendpercent"/>` +
		`<link-entity name="svc_fund" from="svc_fundid" to="svc_fund1" alias="f"/>`
	text := func(attrs string) string { return strings.Replace(gifts(orders), "<fetch>", "<fetch "+attrs+">", 1) }
	for _, hard := range hardValues {
		last := &query.Position{Values: []value.Value{
			hard, value.Text("Ito"), value.Int(4), value.Money(-1250), value.Decimal(13650000000, 10), value.Date(19783), value.Time(1709283600), value.Bool(true), value.Float(4.5), key,
		}}
		annotation := mustBind(t, text(`count="2" page="1"`)).NextCookie(last, last).Annotation()
		for name, client := range clients {
			sent := client(t, annotation)
			for _, escaped := range []string{escape(sent), careless(sent)} {
				b := mustBind(t, text(`count="2" page="2" paging-cookie="`+escaped+`"`))
				if got := b.Query.Page.After; !reflect.DeepEqual(got, last) {
					t.Errorf("%s: got %v, want %v", name, got, last)
				}
				if b.Query.Page.Offset != 0 || b.Page != 2 {
					t.Errorf("%s: page %d, offset %d", name, b.Page, b.Query.Page.Offset)
				}
			}
		}
	}
}

func TestCookieSurvivesTheJavaScriptClient(t *testing.T) {
	b := mustBind(t, strings.Replace(gifts(`<order attribute="svc_purpose"/>`), "<fetch>", `<fetch count="2" page="4">`, 1))
	position := &query.Position{Values: []value.Value{hardValues[0], key}}
	annotation := b.NextCookie(position, position).Annotation()
	text := decoded(t, decoded(t, annotation))
	m := regexp.MustCompile(`pagingcookie="(<cookie page="(\d+)".+</cookie>)`).FindStringSubmatch(text)
	if m == nil || m[2] != "4" {
		t.Fatalf("the client finds no cookie in %s", text)
	}
	again := mustBind(t, strings.Replace(gifts(`<order attribute="svc_purpose"/>`), "<fetch>", `<fetch count="2" page="5" paging-cookie="`+careless(m[1])+`">`, 1))
	if !reflect.DeepEqual(again.Query.Page.After, position) {
		t.Errorf("got %v", again.Query.Page.After)
	}
}

func TestCookiePages(t *testing.T) {
	position := &query.Position{Values: []value.Value{key}}
	cookie := func(page int) string {
		return escape((&Bound{Query: mustBind(t, gifts("")).Query, Page: page}).NextCookie(position, position).String())
	}
	tests := []struct {
		attrs  string
		page   int
		after  bool
		offset int
	}{
		{`count="10" page="2" paging-cookie="` + cookie(1) + `"`, 2, true, 0},
		{`count="10" page="5" paging-cookie="` + cookie(2) + `"`, 5, false, 40},
		{`count="10" page="2" paging-cookie="` + cookie(2) + `"`, 2, false, 10},
		{`count="10" page="1" paging-cookie="` + cookie(3) + `"`, 1, false, 0},
		{`count="10" paging-cookie="` + cookie(3) + `"`, 4, true, 0},
		{`count="9000" page="2"`, 2, false, 5000},
		{`page="3"`, 3, false, 10000},
		{`count="10" page="90000" paging-cookie="` + escape((&Cookie{Page: 89999}).String()) + `"`, 90000, false, 899990},
	}
	for _, tt := range tests {
		b := mustBind(t, strings.Replace(gifts(""), "<fetch>", "<fetch "+tt.attrs+">", 1))
		p := b.Query.Page
		if b.Page != tt.page || (p.After != nil) != tt.after || p.Offset != tt.offset {
			t.Errorf("%s: page %d, after %v, offset %d", tt.attrs, b.Page, p.After, p.Offset)
		}
	}
}

func TestGroupedAndDistinctCookies(t *testing.T) {
	text := `<fetch aggregate="true" count="2"><entity name="svc_gift"><attribute name="svc_totalgift" alias="total" aggregate="sum"/><attribute name="svc_gifttype" alias="kind" groupby="true"/><order alias="total"/></entity></fetch>`
	b := mustBind(t, text)
	if got := b.NextCookie(nil, nil).String(); got != `<cookie page="1"></cookie>` {
		t.Errorf("got %s", got)
	}
	last := &query.Position{Values: []value.Value{value.Money(100), value.Int(730850000)}}
	c := b.NextCookie(last, last)
	if want := `<cookie page="1"><total last="1.00" first="1.00" /><kind last="730850000" first="730850000" /></cookie>`; c.String() != want {
		t.Errorf("got %s", c)
	}
	again := mustBind(t, strings.Replace(text, "count", `page="2" paging-cookie="`+escape(c.String())+`" count`, 1))
	if p := again.Query.Page; p.After != nil || p.Offset != 2 {
		t.Errorf("after %v, offset %d", p.After, p.Offset)
	}
}

func TestSortKeysOutliveTheResolvePass(t *testing.T) {
	b := mustBind(t, on("svc_donor", `<attribute name="svc_formaldefault"/><order attribute="svc_totalgivinglastyear"/>`))
	if err := query.Resolve(b.Query, query.ResolveContext{Model: model(t), StartMonth: 1}); err != nil {
		t.Fatal(err)
	}
	last := &query.Position{Values: []value.Value{value.Money(5), key}}
	if got := b.NextCookie(last, last).Columns[0].Name; got != "svc_totalgivinglastyear" {
		t.Errorf("got %s", got)
	}
}

func TestBadCookies(t *testing.T) {
	for _, text := range []string{
		"x", "%", "%zz", "<cookie", "<cookie/>", `<cookie page="0"/>`, `<cookie page="x"/>`, `<other page="1"/>`, `<cookie page="1"/><cookie page="1"/>`,
		`<cookie page="1"><a><b/></a></cookie>`, `<cookie page="1"><a last="%zz"/></cookie>`, `<cookie pagenumber="2" pagingcookie="x"/>`, `<!DOCTYPE x><cookie page="1"/>`,
		`<!DOCTYPE x [<!ENTITY a "b">]><cookie page="1"><a last="&a;"/></cookie>`, `<cookie page="1">` + strings.Repeat("<a/>", 65) + `</cookie>`, strings.Repeat("<a>", 100000),
		strings.Repeat("%25", 200000) + "3c", `<cookie page="99999999999999999999"/>`,
	} {
		_, err := ParseCookie(text)
		wantCode(t, text, err, fault.BadPagingCookie)
	}
	for _, c := range []string{
		`<cookie page="1"><svc_paid last="1.00" /></cookie>`,
		`<cookie page="1"><svc_totalgift last="many" /></cookie>`,
		`<cookie page="1"><svc_totalgift last="1.00" /><svc_giftid last="{x}" /></cookie>`,
		`<cookie page="1"><svc_totalgift last="1.00" /><svc_giftid lastnull="1" /><svc_giftid lastnull="1" /></cookie>`,
	} {
		text := strings.Replace(gifts(`<order attribute="svc_totalgift"/>`), "<fetch>", `<fetch page="2" paging-cookie="`+escape(c)+`">`, 1)
		_, err := bound(t, text)
		wantCode(t, text, err, fault.BadPagingCookie)
	}
}

func FuzzParseCookie(f *testing.F) {
	f.Add(`<cookie page="1"><svc_giftnum last="G-3" first="G-1" /></cookie>`)
	f.Add(`%253ccookie%2520page%253d%25221%2522%253e%253c%252fcookie%253e`)
	f.Add(`<cookie pagenumber="2" pagingcookie="%3ccookie%20page%3d%221%22%3e%3c%2fcookie%3e" istracking="False" />`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCookie(text)
		if err != nil {
			if fault.As(err).Status != 400 {
				t.Fatal(err)
			}
			return
		}
		for _, form := range []string{c.String(), c.Annotation()} {
			again, err := ParseCookie(form)
			if err != nil || !reflect.DeepEqual(printable(again), printable(c)) {
				t.Fatalf("%q became %q: %v", c, form, err)
			}
		}
	})
}

// printable drops what printing does not keep: the text of a null.
func printable(c *Cookie) *Cookie {
	out := &Cookie{Page: c.Page}
	for _, col := range c.Columns {
		if col.FirstNull {
			col.First = ""
		}
		if col.LastNull {
			col.Last = ""
		}
		out.Columns = append(out.Columns, col)
	}
	return out
}
