package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"almoner/internal/value"
)

// scenario is one thing both sides do.
type scenario struct {
	name    string
	load    load
	service call
	limit   call
	compare bool // both must answer the same bytes
	target  float64
}

const base = "/api/data/v9.2/"

// listColumns are the columns of the short lists.
const listColumns = "svc_giftnum,svc_giftdate,svc_totalgift,svc_gifttype,svc_paid,svc_balance,statecode,createdon"

// listFetch is the query of a dynamic list: contacts whose donor gave a large gift.
const listFetch = `<fetch count="50"><entity name="contact"><attribute name="fullname"/><filter><condition attribute="statecode" operator="eq" value="0"/></filter>` +
	`<link-entity name="svc_donor" from="svc_primarycontact" to="contactid" alias="d"><attribute name="svc_formaldefault"/>` +
	`<link-entity name="svc_gift" from="svc_donor" to="svc_donorid" alias="g"><attribute name="svc_giftnum"/>` +
	`<filter><condition attribute="svc_totalgift" operator="ge" value="1000"/></filter></link-entity></link-entity></entity></fetch>`

// widePage names the scenario during which memory is watched.
const widePage = "page 5000, all columns"

// facts are ids of the sample the scenarios use.
type facts struct {
	token  string
	gifts  []string
	donors []string
	funds  []string
	list   string // a dynamic list of the contacts of listFetch
}

// get makes a GET of a relative URL for the service.
func (f *facts) get(path func(n int) string) call {
	return func(origin string, n int) (*http.Request, error) {
		return f.request(origin, http.MethodGet, base+path(n), "application/json", nil)
	}
}

func (f *facts) request(origin, method, path, contentType string, body []byte) (*http.Request, error) {
	req, err := http.NewRequest(method, origin+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+f.token)
	req.Header.Set("Content-Type", contentType)
	return req, nil
}

func at(list []string, n int) string { return list[n*7919%len(list)] }

// gift is the body of the n-th gift created, to the k-th fund.
func (f *facts) gift(n, k int) []byte {
	return fmt.Appendf(nil, `{"svc_giftnum":"B-%d","svc_giftdate":"2026-06-30","svc_gifttype":730850000,"svc_amount1":%d.25,"svc_totalgift":%d.25,`+
		`"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`, n, 10+n%500, 10+n%500, at(f.donors, n), at(f.funds, k))
}

// changeSet is a batch of many creates in one change set: gifts of many donors to one fund.
func (f *facts) changeSet(n, size int) []byte {
	var b bytes.Buffer
	b.WriteString("--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n")
	for i := range size {
		fmt.Fprintf(&b, "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: %d\r\n\r\nPOST %ssvc_gifts HTTP/1.1\r\nContent-Type: application/json\r\n\r\n%s\r\n",
			i+1, base, f.gift(n*size+i, n))
	}
	b.WriteString("--c--\r\n--b--\r\n")
	return b.Bytes()
}

// scenarios lists what is compared; the targets are those of docs/performance.md.
func (f *facts) scenarios(postgres bool) []scenario {
	pick := func(embedded float64) float64 {
		if postgres {
			return 1.35
		}
		return embedded
	}
	short, long := load{8, 1500 * time.Millisecond}, load{2, 3 * time.Second}
	escape := url.PathEscape
	return []scenario{
		{"point read", short, f.get(func(n int) string { return "svc_gifts(" + at(f.gifts, n) + ")" }), f.plain("point", f.gifts), true, pick(1.35)},
		{"50 rows, filter + order + expand", short, f.get(func(n int) string {
			return "svc_gifts?$select=" + listColumns + "&$filter=" + escape("_svc_donor_value eq "+at(f.donors, n)+" and statecode eq 0") +
				"&$orderby=" + escape("svc_giftdate desc") + "&$expand=svc_Fund1($select=svc_fundname),svc_PrimaryDonorContact($select=fullname)&$top=50"
		}), f.plain("list", f.donors), true, pick(1.25)},
		{widePage, long, f.get(func(int) string { return "svc_gifts?$top=4999" }), f.plain("page", f.gifts[:1]), true, pick(1.10)},
		{"page 5000, eight columns", long, f.get(func(int) string { return "svc_gifts?$top=4999&$select=" + listColumns }), f.plain("narrow", f.gifts[:1]), true, pick(1.25)},
		{"FetchXML of a dynamic list, two links", short, f.get(func(int) string { return "contacts?fetchXml=" + url.QueryEscape(listFetch) }), f.plain("fetch", f.gifts[:1]), true, pick(1.3)},
		{"members of a dynamic list", short, f.get(func(int) string { return "lists(" + f.list + ")/listcontact_association?$select=fullname&$top=50" }),
			f.plain("members", f.gifts[:1]), true, 1.3},
		{"create", short, func(origin string, n int) (*http.Request, error) {
			return f.request(origin, http.MethodPost, base+"svc_gifts", "application/json", f.gift(n, n))
		}, f.bare(1), false, pick(2.0)},
		{"100 creates, one change set", long, func(origin string, n int) (*http.Request, error) {
			return f.request(origin, http.MethodPost, base+"$batch", "multipart/mixed; boundary=b", f.changeSet(n, 100))
		}, f.bare(100), false, pick(2.0)},
	}
}

// bare makes a request to the hand-written create: the ids of the donors and funds the service's request names, and nothing else.
func (f *facts) bare(size int) call {
	return func(origin string, n int) (*http.Request, error) {
		var body []byte
		for i := range size {
			for _, text := range []string{at(f.donors, n*size+i), at(f.funds, n)} {
				id, err := value.ParseGUID(text)
				if err != nil {
					return nil, err
				}
				body = append(body, id[:]...)
			}
		}
		return f.request(origin, http.MethodPost, "/create", "application/octet-stream", body)
	}
}

// plain makes a request to a hand-written handler: its name and one id. It carries the headers the service's request carries.
func (f *facts) plain(name string, ids []string) call {
	return func(origin string, n int) (*http.Request, error) {
		return f.request(origin, http.MethodGet, "/"+name+"?id="+at(ids, n), "application/json", nil)
	}
}

// serve starts the service on a database, without protection limits.
func (b *bench) serve(store database, dsn string) (*process, error) {
	return start(store, b.binary, "serve", "--db", dsn, "--addr", "127.0.0.1:0", "--set", "limits.requests=0", "--set", "limits.concurrency=0", "--set", "limits.execution=0")
}

// measureStore measures every scenario on one store.
func (b *bench) measureStore(store database) error {
	token, err := b.token(store.dsn)
	if err != nil {
		return err
	}
	service, err := b.serve(store, store.dsn)
	if err != nil {
		return err
	}
	defer service.stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	limit, err := start(store, self, "-limit", store.dsn)
	if err != nil {
		return err
	}
	defer limit.stop()
	f, err := readFacts(service.origin, token)
	if err != nil {
		return err
	}
	fmt.Println("| scenario | CPU, limit | CPU, service | ratio | target | p50 ratio | p99 ratio |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	peak := 0.0
	for _, s := range f.scenarios(store.postmaster > 0) {
		if !b.wants(s.name) {
			continue
		}
		highest := 0.0
		err := b.profile(f, service, s.name, int(s.load.time.Seconds()*float64(2*b.rounds)), func() (err error) {
			highest, err = b.compare(s, service, limit)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.name == widePage {
			peak = highest
		}
	}
	fmt.Printf("\nAnonymous memory of the service while two clients pull pages of 5,000 rows: %.0f MB at most (target 64); at the end: %.0f MB\n", peak, service.anonymous())
	if !b.wants(growthLines) {
		return nil
	}
	fmt.Println("\n| growth | CPU, small | CPU, large | ratio |\n|---|--:|--:|--:|")
	_, err = b.deepPage(f, service, 100)
	return err
}

// compare runs one scenario on both sides in turns and prints its line. It returns the service's highest anonymous memory meanwhile.
func (b *bench) compare(s scenario, service, limit *process) (peak float64, err error) {
	if s.compare {
		if err := sameBytes(s, service, limit); err != nil {
			return 0, err
		}
	}
	var ours, theirs sample
	warm := load{s.load.clients, 300 * time.Millisecond}
	for _, side := range []struct {
		p *process
		c call
	}{{service, s.service}, {limit, s.limit}} {
		if err := (&sample{requests: 1 << 20}).turn(side.p, warm, side.c); err != nil {
			return 0, err
		}
	}
	for range b.rounds {
		if err := theirs.turn(limit, s.load, s.limit); err != nil {
			return 0, err
		}
		stop := service.watchMemory(&peak)
		err := ours.turn(service, s.load, s.service)
		stop()
		if err != nil {
			return 0, err
		}
	}
	ratio := func(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }
	fmt.Printf("| %s | %v | %v | **%.2f** | %.2f | %.2f | %.2f |\n", s.name, theirs.perRequest().Round(time.Microsecond), ours.perRequest().Round(time.Microsecond),
		ratio(ours.perRequest(), theirs.perRequest()), s.target, ratio(ours.percentile(50), theirs.percentile(50)), ratio(ours.percentile(99), theirs.percentile(99)))
	return peak, nil
}

// sameBytes keeps the hand-written handler honest: it must answer what the service answers.
func sameBytes(s scenario, service, limit *process) error {
	ours, err := fetch(service.origin, s.service)
	if err != nil {
		return err
	}
	theirs, err := fetch(limit.origin, s.limit)
	if err != nil {
		return err
	}
	if !bytes.Equal(ours, theirs) {
		return fmt.Errorf("the two sides answer different bytes:\nservice %.600s\nlimit   %.600s", ours, theirs)
	}
	return nil
}

// readFacts asks the service for ids of its sample.
func readFacts(origin, token string) (*facts, error) {
	f := &facts{token: token}
	for _, q := range []struct {
		path, key string
		into      *[]string
	}{
		{"svc_gifts?$select=svc_giftid&$top=4000", "svc_giftid", &f.gifts},
		{"svc_donors?$select=svc_donorid&$filter=svc_countofgifts%20gt%205&$top=500", "svc_donorid", &f.donors},
		{"svc_funds?$select=svc_fundid&$filter=statecode%20eq%200&$top=50", "svc_fundid", &f.funds},
	} {
		rows, err := f.rows(origin, q.path)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			*q.into = append(*q.into, row[q.key].(string))
		}
	}
	f.list = value.NewGUID(time.Now()).String()
	body, err := json.Marshal(map[string]any{"listid": f.list, "listname": "Bench", "type": true, "createdfromcode": 4, "query": listFetch})
	if err != nil {
		return nil, err
	}
	return f, f.post(origin, "lists", body)
}

// post sends a body and wants it taken.
func (f *facts) post(origin, path string, body []byte) error {
	_, err := once(origin, 0, func(string, int) (*http.Request, error) {
		return f.request(origin, http.MethodPost, base+path, "application/json", body)
	})
	return err
}

// rows reads one page of a list.
func (f *facts) rows(origin, path string) ([]map[string]any, error) {
	req, err := f.request(origin, http.MethodGet, base+path, "application/json", nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var page struct {
		Value []map[string]any `json:"value"`
		Error json.RawMessage  `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		return nil, err
	}
	if page.Error != nil {
		return nil, fmt.Errorf("%s: %s", path, page.Error)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return page.Value, err
}
