package servicetest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"almoner/internal/rules"
	"almoner/internal/servicetest"
)

const deferred = "Prefer: rollups=deferred"

// drifts counts the stored totals that are not what base rows say.
func drifts(t *testing.T, s *servicetest.Server) (n int) {
	t.Helper()
	err := s.Service.Engine.Recalc(t.Context(), rules.Recalculation{Check: true, Drift: func(rules.Drift) error { n++; return nil }}, false)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestDeferredTotalsAreMadeWhenRead leaves totals to later and reads them at once: nobody sees a stale one.
func TestDeferredTotalsAreMadeWhenRead(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		s := db.Serve(t)
		h := newHouse(t, s)
		pledge := h.Create(t, "svc_gifts", fmt.Sprintf(`{"svc_giftdate":"2026-01-01","svc_gifttype":730850001,"svc_amount1":100,
			"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`, h.donor, h.fund), deferred)
		a := h.Must(t, "POST", "/svc_giftpayments", fmt.Sprintf(`{"svc_amount":60,"svc_GiftNumber@odata.bind":"/svc_gifts(%s)"}`, pledge), deferred)
		if a.Header.Get("Preference-Applied") != "rollups=deferred" {
			t.Errorf("Preference-Applied is %q", a.Header.Get("Preference-Applied"))
		}
		if drifts(t, s) == 0 {
			t.Error("nothing was deferred")
		}
		h.want("/svc_donors("+h.donor+")", "60.00 100.00 1", "svc_totalgivingthisyear", "svc_totalcommitment", "svc_countofgifts")
		if n := drifts(t, s); n != 0 {
			t.Errorf("%d totals are stale after a read", n)
		}
		h.Must(t, "DELETE", "/svc_giftpayments("+a.ID()+")", "", deferred)
		h.want("/svc_gifts("+pledge+")", "0.00 100.00", "svc_paid", "svc_balance")
		h.Must(t, "PATCH", "/svc_gifts("+pledge+")", `{"statecode":1}`, deferred)
		if n := h.Get(t, "/svc_funds?$select=svc_fundname&$filter=svc_giftspending eq 0")["value"].([]any); len(n) != 1 {
			t.Errorf("%d funds wait for nothing", len(n))
		}
		text := string(h.Must(t, "GET", h.Origin+"/metrics", "").Body)
		if !regexp.MustCompile(`almoner_deferred_rows_done_total [1-9]`).MatchString(text) {
			t.Error("the metrics do not show the rows made anew")
		}
		h.CheckBooks(t)
	})
}

// TestDeferredTotalsAreMadeInTheEnd loads rows and lets the job work off the marks, at the other service of the database where there
// is one; plain writes go on meanwhile.
func TestDeferredTotalsAreMadeInTheEnd(t *testing.T) {
	servicetest.Each(t, func(t *testing.T, db *servicetest.Database) {
		var h *house
		t.Run("load", func(t *testing.T) {
			h = newHouse(t, db.Serve(t))
			for i := range 40 {
				header := []string{deferred}
				if i%4 == 0 {
					header = nil
				}
				h.give("2026-01-01", fmt.Sprint(i+1), header...)
			}
		}) // the service stops before its job has begun
		s := db.Serve(t)
		if drifts(t, s) == 0 {
			t.Error("nothing was deferred")
		}
		servicetest.Eventually(t, "the job", func() bool { return drifts(t, s) == 0 })
		got := s.Columns(t, "/svc_donors("+h.donor+")", "svc_totalgivingthisyear", "svc_countofgifts")
		if got != "820.00 40" {
			t.Errorf("the donor shows %s", got)
		}
	})
}

// TestOnlyAdministratorsDefer ignores the preference of others: their totals are right at once.
func TestOnlyAdministratorsDefer(t *testing.T) {
	t.Parallel()
	db := servicetest.OnSQLite(t)
	s := db.Serve(t)
	h := newHouse(t, s)
	clerk := s.As(t, "Clerk", "Integration")
	a := clerk.Must(t, "POST", "/svc_gifts", fmt.Sprintf(`{"svc_giftdate":"2026-01-01","svc_amount1":5,"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`,
		h.donor, h.fund), deferred)
	if strings.Contains(a.Header.Get("Preference-Applied"), "rollups") {
		t.Error("the preference was applied for a clerk")
	}
	h.CheckBooks(t)
}
