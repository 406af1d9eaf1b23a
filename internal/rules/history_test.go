package rules_test

import (
	"strings"
	"testing"
	"time"

	"almoner/internal/rules"
	"almoner/internal/rules/rulestest"
	"almoner/internal/value"
)

// lives are the settings random histories are lived under.
var lives = map[string]map[string]string{
	"default":    {},
	"commitment": {"giving.pledge_basis": "commitment", "year.start_month": "7"},
	"derived":    {"balances.mode": "derived", "gift.assume_paid": "false"},
	"elsewhere":  {"org.timezone": "Pacific/Auckland", "splits.mismatch": "accept", "delete.posted_children": "cascade", "grant.paid_when": "folio"},
	"strict":     {"payment.overpay": "reject", "splits.mismatch": "recompute", "types.giving": "730850000,730850001,100000001", "gift.range_auto": "true"},
}

// TestHistories lives random lives and holds the books against the slow model and against a recalculation.
func TestHistories(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	const rounds, steps = 4, 800
	for name, config := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for round := range uint64(rounds) {
				live(t, seed+round, config, steps)
			}
		})
	}
}

func live(t *testing.T, seed uint64, config map[string]string, steps int) {
	t.Helper()
	h := rulestest.NewHistory(seed)
	for name, text := range config {
		if err := h.Config.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Write(func() error { return rules.Recalc(h, rules.Recalculation{}) }); err != nil {
		t.Fatal(err)
	}
	for step := range steps {
		h.Step()
		if step%30 != 29 {
			continue
		}
		expected := rulestest.Expect(h.Env)
		if wrong := rulestest.Differences(rulestest.Stored(h.Env, expected), expected); len(wrong) > 0 {
			t.Fatalf("seed %d, step %d:\n%s\nafter\n%s", seed, step, strings.Join(wrong, "\n"), strings.Join(h.Log, "\n"))
		}
		checkNoDrift(t, h.Env, seed)
		checkInvariants(t, h.Env)
		h.Log = nil
	}
	if h.Refused == 0 || h.Refused > steps/2 {
		t.Errorf("seed %d: %d of %d refused: not much of a life", seed, h.Refused, steps)
	}
}

func checkNoDrift(t *testing.T, e *rulestest.Env, seed uint64) {
	t.Helper()
	err := e.Write(func() error {
		return rules.Recalc(e, rules.Recalculation{Check: true, Drift: func(d rules.Drift) error {
			t.Errorf("seed %d: drift: %s", seed, d)
			return nil
		}})
	})
	if err != nil || t.Failed() {
		t.Fatalf("recalculation: %v", err)
	}
}

// checkInvariants looks at what must hold whatever happened.
func checkInvariants(t *testing.T, e *rulestest.Env) {
	t.Helper()
	var donors, funds int64
	for _, r := range e.Side("donoryear") {
		donors += r.Value("amount").Int()
	}
	for _, r := range e.Side("fundyear") {
		funds += r.Value("giving").Int()
	}
	if donors != funds {
		t.Errorf("donors gave %d, funds received %d", donors, funds)
	}
	checkExplanations(t, e)
	flagged := map[value.GUID]int{}
	for _, p := range e.Rows("svc_giftpayment") {
		if p.Value("svc_pledgepaid").Bool() {
			flagged[p.Value("svc_giftnumber").ID()]++
		}
	}
	for _, g := range e.Rows("svc_gift") {
		if g.Value("svc_balance").Int() != g.Value("svc_totalgift").Int()-g.Value("svc_paid").Int() {
			t.Errorf("gift %s: balance %s", g.ID, g.Value("svc_balance"))
		}
		if flagged[g.ID] > 1 {
			t.Errorf("gift %s has %d closing payments", g.ID, flagged[g.ID])
		}
	}
}

// TestRecalcMends breaks stored values and lets a recalculation find and mend them.
func TestRecalcMends(t *testing.T) {
	h := rulestest.NewHistory(5)
	for range 300 {
		h.Step()
	}
	breaks := 0
	err := h.Write(func() error {
		for table, column := range map[string]string{"svc_gift": "svc_paid", "svc_donor": "svc_totalcommitment_base", "svc_fund": "svc_giftspaid", "svc_request": "svc_paid"} {
			for _, r := range h.Rows(table) {
				breaks++
				if err := h.Derive(r.Table, r.ID, h.Assigns(r.Table, cells{column: cents(123456789)})); err != nil {
					return err
				}
			}
		}
		for _, r := range h.Side("donoryear") {
			breaks++
			if err := h.Add(r.Table, h.Assigns(r.Table, cells{"donor": r.Value("donor"), "year": r.Value("year")}), h.Assigns(r.Table, cells{"amount": 1})); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	count := func(rules.Drift) error { found++; return nil }
	for _, check := range []bool{true, false} {
		found = 0
		if err := h.Write(func() error { return rules.Recalc(h, rules.Recalculation{Check: check, Drift: count}) }); err != nil {
			t.Fatal(err)
		}
		if found != breaks {
			t.Errorf("check %v: %d drifts of %d breaks", check, found, breaks)
		}
	}
	checkNoDrift(t, h.Env, 5)
}

// checkExplanations adds up what is behind each total.
func checkExplanations(t *testing.T, e *rulestest.Env) {
	t.Helper()
	for _, d := range e.Rows("svc_donor") {
		years := map[int64]int64{}
		if err := rules.WhyDonor(e, d.ID, func(x rules.Entry) error { years[int64(x.Year)] += x.Amount; return nil }); err != nil {
			t.Fatal(err)
		}
		for _, r := range e.Side("donoryear") {
			if year := r.Value("year").Int(); r.Value("donor").ID() == d.ID && years[year] != r.Value("amount").Int() {
				t.Errorf("donor %s, %d: %d explained, %d stored", d.ID, year, years[year], r.Value("amount").Int())
			}
		}
	}
	for _, f := range e.Rows("svc_fund") {
		var sum int64
		if err := rules.WhyFund(e, f.ID, func(x rules.Entry) error { sum += x.Amount; return nil }); err != nil {
			t.Fatal(err)
		}
		if want := f.Value("svc_giftspaid_base").Int(); sum != want {
			t.Errorf("fund %s: %d explained, %d stored", f.ID, sum, want)
		}
	}
}
