package settings_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"almoner/internal/settings"
)

func TestDefaults(t *testing.T) {
	s := settings.Default()
	if s.YearStartMonth != 1 || s.Timezone != time.UTC || s.BaseCurrency != "USD" || s.LimitRequests != 6000 {
		t.Errorf("defaults: %+v", s)
	}
	if len(s.GivingTypes) != 6 || !s.IsPledge(730850001) || s.IsGiving(730850005) || s.IsGiving(100000001) {
		t.Errorf("types: pledge %v, giving %v", s.PledgeTypes, s.GivingTypes)
	}
	if s.ChangesRetention != 720*time.Hour || s.AuditRetention != 720*time.Hour || s.LimitExecution != 20*time.Minute {
		t.Errorf("durations: %v %v %v", s.ChangesRetention, s.AuditRetention, s.LimitExecution)
	}
}

// Every setting prints a text that it takes back and prints the same again.
func TestPrintedTextIsTakenBack(t *testing.T) {
	s := settings.Default()
	for _, name := range settings.Names() {
		if err := s.Clone().Set(name, s.Get(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if settings.Doc(name) == "" {
			t.Errorf("%s has no doc", name)
		}
	}
	if d := settings.Diff(settings.Default(), s); len(d) != 0 {
		t.Errorf("differences from default to default: %v", d)
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"year.start_month", "13", "from 1 to 12"},
		{"year.start_month", "July", "whole number"},
		{"gift.assume_paid", "maybe", "true or false"},
		{"splits.mismatch", "ignore", "reject, recompute, accept"},
		{"grant.paid_when", "folio,hope", `"hope"`},
		{"types.giving", "1,x", "whole numbers"},
		{"org.timezone", "Mars/Olympus", "time zone"},
		{"org.timezone", "", "time zone"},
		{"org.base_currency", "usd", "ISO"},
		{"list.count_ttl", "10", "duration"},
		{"changes.retention", "1s", "at least"},
		{"limits.requests", "-1", "from 0"},
		{"auth.issuers", `[{"issuer":"https://a"}]`, "audience"},
		{"auth.issuers", `[{"issuer":"a","audience":"b"}]`, "http address"},
		{"auth.issuers", `[{"issuer":"https://a","audience":"b","key":"c"}]`, "JSON list"},
		{"no.such", "1", "no setting"},
	} {
		s := settings.Default()
		err := s.Set(c.name, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.name) {
			t.Errorf("Set(%s, %q): %v, want %q", c.name, c.text, err, c.want)
		}
		if d := settings.Diff(settings.Default(), s); len(d) != 0 {
			t.Errorf("refused Set(%s) changed %v", c.name, d)
		}
	}
}

func TestYAML(t *testing.T) {
	given, err := settings.FromYAML("f.yaml", strings.NewReader(`
year:
  start_month: 7
types:
  giving: [730850000, 730850001]
folio:
  void: [Void, " Bounced "]
limits: {requests: 20, window: 0}
auth:
  issuers:
    - issuer: https://login.example.org/
      audience: almoner
`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := settings.Resolve(given)
	if err != nil {
		t.Fatal(err)
	}
	if s.YearStartMonth != 7 || len(s.GivingTypes) != 2 || s.LimitRequests != 20 || s.LimitWindow != 0 {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(s.FolioVoid, []string{"void", "bounced"}) {
		t.Errorf("folio.void = %q", s.FolioVoid)
	}
	if len(s.Issuers) != 1 || s.Issuers[0].Audience != "almoner" {
		t.Errorf("issuers = %v", s.Issuers)
	}
}

func TestYAMLRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"year:\n  start: 7\n", `f.yaml:2: there is no setting "year.start"`},
		{"yaer:\n  start_month: 7\n", `f.yaml:1: there is no setting "yaer"`},
		{"year: 7\n", `f.yaml:1: there is no setting "year"`},
		{"year:\n  start_month: 7\n  start_month: 8\n", "f.yaml:3"},
		{"limits:\n  requests: {a: 1}\n", "f.yaml:2: setting limits.requests"},
		{"- a\n", "f.yaml:1"},
		{"a: [\n", "f.yaml"},
	} {
		_, err := settings.FromYAML("f.yaml", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	if given, err := settings.FromYAML("f.yaml", strings.NewReader("")); err != nil || given != nil {
		t.Errorf("empty file: %v %v", given, err)
	}
}

func TestPrecedence(t *testing.T) {
	stored := settings.FromStored(map[string]string{"year.start_month": "2", "count.cap": "2", "limits.requests": "2", "of.old": "2"})
	file, err := settings.FromYAML("f.yaml", strings.NewReader("year: {start_month: 3}\nlimits: {requests: 3, concurrency: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	env := settings.FromEnv([]string{"HOME=/", "ALMONER_YEAR_START_MONTH=4", "ALMONER_LIMITS_REQUESTS=4", "ALMONER_OTHER=4"})
	flags, err := settings.FromFlags([]string{"year.start_month=5"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := settings.Resolve(stored, file, env, flags)
	if err != nil {
		t.Fatal(err)
	}
	if s.YearStartMonth != 5 || s.CountCap != 2 || s.LimitRequests != 4 || s.LimitConcurrency != 3 {
		t.Errorf("month %d, cap %d, requests %d, concurrency %d", s.YearStartMonth, s.CountCap, s.LimitRequests, s.LimitConcurrency)
	}
}

func TestResolveNamesTheSource(t *testing.T) {
	_, err := settings.Resolve(settings.FromEnv([]string{"ALMONER_ORG_TIMEZONE=Nowhere"}))
	if err == nil || !strings.HasPrefix(err.Error(), "ALMONER_ORG_TIMEZONE: setting org.timezone") {
		t.Errorf("%v", err)
	}
	if _, err := settings.FromFlags([]string{"year.start_month"}); err == nil {
		t.Error("a flag without = passes")
	}
	if _, err := settings.Resolve([]settings.Given{{Name: "tls.cert", Text: "c.pem"}}); err == nil {
		t.Error("a certificate without key passes")
	}
}

func TestNeedsRecalc(t *testing.T) {
	for name, want := range map[string]string{
		"year.start_month": "7", "types.pledge": "1", "giving.pledge_basis": "commitment", "folio.void": "x",
		"org.timezone": "America/New_York", "gift.assume_paid": "false", "balances.mode": "derived",
	} {
		s := settings.Default()
		if err := s.Set(name, want); err != nil {
			t.Fatal(err)
		}
		if !settings.NeedsRecalc(settings.Default(), s) {
			t.Errorf("%s needs no recalculation", name)
		}
	}
	s := settings.Default()
	if err := s.Set("count.cap", "5000"); err != nil {
		t.Fatal(err)
	}
	if settings.NeedsRecalc(settings.Default(), s) || len(settings.Diff(settings.Default(), s)) != 1 {
		t.Error("count.cap needs a recalculation")
	}
}

func TestBusinessSettingsAreNotOfTheProcess(t *testing.T) {
	for _, name := range settings.Names() {
		ofProcess := strings.HasPrefix(name, "limits.") || strings.HasPrefix(name, "log.") || strings.HasPrefix(name, "auth.") || strings.HasPrefix(name, "tls.") ||
			name == "addr" || name == "base_url" || name == "behind_proxy"
		if settings.IsBusiness(name) == ofProcess {
			t.Errorf("%s: business is %v", name, settings.IsBusiness(name))
		}
	}
}
