package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// growth prints what must not grow: deep pages, and gifts of a donor with many.
func (b *bench) growth(f *facts, service *process) error {
	if b.only != "" && !strings.Contains("growth", b.only) {
		return nil
	}
	fmt.Println("\n| growth | CPU, small | CPU, large | ratio |\n|---|--:|--:|--:|")
	if err := b.deepPage(f, service); err != nil {
		return err
	}
	return b.hugeDonor(f, service)
}

// pair measures two calls against the service in turns and prints their ratio.
func (b *bench) pair(name string, service *process, small, large call) error {
	var a, z sample
	l := load{4, time.Second}
	for range b.rounds {
		if err := a.turn(service, l, small); err != nil {
			return err
		}
		if err := z.turn(service, l, large); err != nil {
			return err
		}
	}
	fmt.Printf("| %s | %v | %v | **%.2f** |\n", name, a.perRequest().Round(time.Microsecond), z.perRequest().Round(time.Microsecond),
		float64(z.perRequest())/float64(max(a.perRequest(), 1)))
	return nil
}

// deepPage compares the second page of a sorted list with the hundredth: both are reached by a token.
func (b *bench) deepPage(f *facts, service *process) error {
	path := base + "svc_gifts?$select=" + listColumns + "&$orderby=svc_giftdate%20desc"
	links := []string{""}
	for next := path; len(links) <= 100; {
		req, err := f.request(service.origin, http.MethodGet, next, "application/json", nil)
		if err != nil {
			return err
		}
		req.Header.Set("Prefer", "odata.maxpagesize=500")
		body, err := fetch(service.origin, func(string, int) (*http.Request, error) { return req, nil })
		if err != nil {
			return err
		}
		_, link, more := strings.Cut(string(body), `"@odata.nextLink":"`)
		if !more {
			break
		}
		link, _, _ = strings.Cut(link, `"`)
		next = strings.TrimPrefix(link, "ORIGIN")
		links = append(links, next)
	}
	page := func(link string) call {
		return func(origin string, _ int) (*http.Request, error) {
			req, err := f.request(origin, http.MethodGet, link, "application/json", nil)
			if err == nil {
				req.Header.Set("Prefer", "odata.maxpagesize=500")
			}
			return req, err
		}
	}
	last := len(links) - 1
	return b.pair(fmt.Sprintf("page 2 against page %d of 500 rows, by date", last+1), service, page(links[1]), page(links[last]))
}

// hugeDonor compares a gift of the donor with the fewest gifts with one of the donor with the most.
func (b *bench) hugeDonor(f *facts, service *process) error {
	few, err := f.rows(service.origin, "svc_donors?$select=svc_countofgifts&$filter=svc_countofgifts%20eq%203&$top=1")
	if err != nil {
		return err
	}
	many, err := f.rows(service.origin, "svc_donors?$select=svc_countofgifts&$orderby=svc_countofgifts%20desc&$top=1")
	if err != nil || len(few) == 0 || len(many) == 0 {
		return fmt.Errorf("the sample has no donors to compare: %w", err)
	}
	give := func(donor any) call {
		g := facts{token: f.token, donors: []string{donor.(string)}, fund: f.fund}
		return func(origin string, n int) (*http.Request, error) {
			return f.request(origin, http.MethodPost, base+"svc_gifts", "application/json", g.gift(n))
		}
	}
	name := fmt.Sprintf("gift on a donor with 3 against one with %v gifts", many[0]["svc_countofgifts"])
	return b.pair(name, service, give(few[0]["svc_donorid"]), give(many[0]["svc_donorid"]))
}
