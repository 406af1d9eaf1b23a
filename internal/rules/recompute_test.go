package rules_test

import (
	"strings"
	"testing"
	"time"

	"almoner/internal/rules"
	"almoner/internal/rules/rulestest"
)

// TestRecomputeAfterDeferredLives lets random lives defer their totals for a while, now and then, and recomputes what they left.
func TestRecomputeAfterDeferredLives(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for name, config := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := rulestest.NewHistory(seed)
			for name, text := range config {
				if err := h.Config.Set(name, text); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.Write(func() error { return rules.Recalc(h, rules.Recalculation{}) }); err != nil {
				t.Fatal(err)
			}
			for range 12 {
				deferForAWhile(t, h, seed)
			}
		})
	}
}

// deferForAWhile lives a little with deferred totals and a little without, then recomputes.
func deferForAWhile(t *testing.T, h *rulestest.History, seed uint64) {
	t.Helper()
	for _, deferred := range []bool{true, false, true} {
		h.Deferred = deferred
		for range 12 {
			h.Step()
		}
	}
	h.Deferred = false
	if err := h.Write(func() error { return rules.Recompute(h, h.Left, nil) }); err != nil {
		t.Fatal(err)
	}
	h.Left = rules.NewTouched()
	expected := rulestest.Expect(h.Env)
	if wrong := rulestest.Differences(rulestest.Stored(h.Env, expected), expected); len(wrong) > 0 {
		t.Fatalf("seed %d:\n%s\nafter\n%s", seed, strings.Join(wrong, "\n"), strings.Join(h.Log, "\n"))
	}
	checkNoDrift(t, h.Env, seed)
	h.Log = nil
}
