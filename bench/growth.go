package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// growthLines names what growth prints, for the choice of what to run.
const growthLines = "growth"

// deltaRows is how many rows a measured delta holds.
const deltaRows = 1000

// growth prints what must not grow with the database: deep pages, gifts of a donor with many, point reads, deltas.
func (b *bench) growth(store database) error {
	if !b.wants(growthLines) {
		return nil
	}
	small, f, err := b.serveFor(store, store.small)
	if err != nil {
		return err
	}
	defer small.stop()
	large, g, err := b.serveFor(store, store.large)
	if err != nil {
		return err
	}
	defer large.stop()
	if g.gifts, err = b.deepPage(g, large, 1000); err != nil {
		return err
	}
	point := func(f *facts) call { return f.get(func(n int) string { return "svc_gifts(" + at(f.gifts, n) + ")" }) }
	if err := b.pair("point read at 15,000 against 1,000,000 gifts", small, point(f), large, point(g)); err != nil {
		return err
	}
	if err := b.hugeDonor(g, large); err != nil {
		return err
	}
	rows := f.gifts[:deltaRows] // they are in both
	one, err := f.changeSome(small, rows)
	if err != nil {
		return err
	}
	other, err := g.changeSome(large, rows)
	if err != nil {
		return err
	}
	return b.pair("delta of 1,000 rows in 15,000 against in 1,000,000", small, f.link(one, ""), large, g.link(other, ""))
}

// serveFor starts the service on a database of the growth lines.
func (b *bench) serveFor(store database, dsn string) (*process, *facts, error) {
	token, err := b.token(dsn)
	if err != nil {
		return nil, nil, err
	}
	p, err := b.serve(store, dsn)
	if err != nil {
		return nil, nil, err
	}
	f, err := readFacts(p.origin, token)
	return p, f, err
}

// pair measures two calls in turns and prints their ratio. One client asks: the lines are about work, not about waiting for each other.
func (b *bench) pair(name string, p *process, small call, q *process, large call) error {
	var a, z sample
	l := load{1, time.Second}
	for i := range b.rounds + 1 {
		if i == 1 {
			a, z = sample{}, sample{} // the first turn warms up
		}
		if err := a.turn(p, l, small); err != nil {
			return err
		}
		if err := z.turn(q, l, large); err != nil {
			return err
		}
	}
	fmt.Printf("| %s | %v | %v | **%.2f** |\n", name, a.perRequest().Round(time.Microsecond), z.perRequest().Round(time.Microsecond),
		float64(z.perRequest())/float64(max(a.perRequest(), 1)))
	return nil
}

// link is a call that follows a link as it is, with a preference.
func (f *facts) link(path, prefer string) call {
	return func(origin string, _ int) (*http.Request, error) {
		req, err := f.request(origin, http.MethodGet, path, "application/json", nil)
		if err == nil {
			req.Header.Set("Prefer", prefer)
		}
		return req, err
	}
}

// Preferences of the calls that read many pages.
const (
	halfThousand = "odata.maxpagesize=500"
	tracked      = "odata.track-changes,odata.maxpagesize=5000"
)

var keys = regexp.MustCompile(`"svc_giftid":"([0-9a-f-]{36})"`)

// deepPage compares the first page of a sorted list with a deep one. It returns ids of rows from everywhere between them.
func (b *bench) deepPage(f *facts, service *process, depth int) ([]string, error) {
	first := base + "svc_gifts?$select=" + listColumns + "&$orderby=svc_giftdate%20desc"
	deep := first
	var ids []string
	page := 1
	for ; page < depth; page++ {
		body, err := fetch(service.origin, f.link(deep, halfThousand))
		if err != nil {
			return nil, err
		}
		for _, found := range keys.FindAllSubmatch(body, 4) {
			ids = append(ids, string(found[1]))
		}
		next, more := linkIn(body, "nextLink")
		if !more {
			break
		}
		deep = next
	}
	return ids, b.pair(fmt.Sprintf("page 1 against page %d of 500 rows, by date", page), service, f.link(first, halfThousand), service, f.link(deep, halfThousand))
}

// linkIn finds a link in an answer and makes it relative.
func linkIn(body []byte, name string) (string, bool) {
	_, rest, found := strings.Cut(string(body), `"@odata.`+name+`":"`)
	link, _, _ := strings.Cut(rest, `"`)
	return strings.TrimPrefix(link, "ORIGIN"), found
}

// hugeDonor compares a gift of a donor with three gifts with one of the donor with a tenth of all.
func (b *bench) hugeDonor(f *facts, service *process) error {
	many, err := f.rows(service.origin, "svc_donors?$select=svc_donorid&$top=1")
	if err != nil || len(many) == 0 {
		return fmt.Errorf("the sample has no donors: %w", err)
	}
	const id = "b0000000-0000-4000-8000-000000000003"
	if err := f.post(service.origin, "svc_donors", []byte(`{"svc_donorid":"`+id+`","svc_formaldefault":"Three Gifts"}`)); err != nil {
		return err
	}
	give := func(donor string) *facts { return &facts{token: f.token, donors: []string{donor}, funds: f.funds} }
	for n := range 3 {
		if err := f.post(service.origin, "svc_gifts", give(id).gift(n, n)); err != nil {
			return err
		}
	}
	create := func(g *facts) call {
		return func(origin string, n int) (*http.Request, error) {
			return g.request(origin, http.MethodPost, base+"svc_gifts", "application/json", g.gift(n, n))
		}
	}
	return b.pair("gift on a donor with 3 against one with 100,000 gifts", service, create(give(id)), service, create(give(many[0]["svc_donorid"].(string))))
}

// changeSome pulls all gifts with change tracking, changes some of them and returns the delta link.
func (f *facts) changeSome(service *process, ids []string) (string, error) {
	path := base + "svc_gifts?$select=svc_giftnum"
	for {
		body, err := fetch(service.origin, f.link(path, tracked))
		if err != nil {
			return "", err
		}
		if link, last := linkIn(body, "deltaLink"); last {
			return link, f.changeGifts(service, ids)
		}
		next, more := linkIn(body, "nextLink")
		if !more {
			return "", fmt.Errorf("a page without a link: %.300s", body)
		}
		path = next
	}
}

// changeGifts gives gifts other numbers.
func (f *facts) changeGifts(service *process, ids []string) error {
	var targets []json.RawMessage
	for i, id := range ids {
		targets = append(targets, fmt.Appendf(nil, `{"@odata.type":"Microsoft.Dynamics.CRM.svc_gift","svc_giftid":%q,"svc_giftnum":"D-%d"}`, id, i))
	}
	body, err := json.Marshal(map[string]any{"Targets": targets})
	if err != nil {
		return err
	}
	return f.post(service.origin, "svc_gifts/Microsoft.Dynamics.CRM.UpdateMultiple", bytes.TrimSpace(body))
}
