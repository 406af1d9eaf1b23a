package wiretest_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"almoner/internal/wiretest"
)

// TestCapsOfThePlatform asks for counts and aggregates with the platform's habits switched on, at a size tests can bear.
func TestCapsOfThePlatform(t *testing.T) {
	to := onSQLite(t).serve(t, [2]string{"count.cap", "4"}, [2]string{"aggregate.limit", "9"})
	wiretest.Run(t, "../../testdata/wire/data/foundation.txt", to, false)
	tests := []struct{ target, want string }{
		{"svc_gifts/$count", "4"},
		{"svc_funds/$count", "4"},
		{"svc_giftpayments/$count", "3"},
		{"svc_gifts?$count=true&$top=0", `"@odata.count":4,"@Microsoft.Dynamics.CRM.totalrecordcount":4,"@Microsoft.Dynamics.CRM.totalrecordcountlimitexceeded":true`},
		{"svc_funds?$count=true&$top=0", `"@odata.count":4,"@Microsoft.Dynamics.CRM.totalrecordcount":4,"@Microsoft.Dynamics.CRM.totalrecordcountlimitexceeded":false`},
		{"svc_gifts?$apply=aggregate($count%20as%20n)", "0x8004e023"},
		{"svc_funds?$apply=aggregate($count%20as%20n)", `"n":4`},
		{fetch(`<fetch aggregate="true"><entity name="svc_gift"><attribute name="svc_giftid" alias="n" aggregate="count"/></entity></fetch>`), "0x8004e023"},
		{fetch(`<fetch aggregate="true" aggregatelimit="5"><entity name="svc_gift"><attribute name="svc_giftid" alias="n" aggregate="count"/></entity></fetch>`), `"n":6`},
	}
	for _, tt := range tests {
		got := string(get(t, to, tt.target, `Prefer: odata.include-annotations="Microsoft.Dynamics.CRM.totalrecordcount*"`))
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.target, got, tt.want)
		}
	}
}

// TestSlowQueriesAreLogged reads with a patience so short that everything is slow: the log shows the tree, and no constant in it.
func TestSlowQueriesAreLogged(t *testing.T) {
	var log syncBuffer
	to := onSQLite(t).serveLogging(t, slog.New(slog.NewTextHandler(&log, nil)), [2]string{"log.slow_query", "1ns"})
	get(t, to, "svc_gifts?$select=svc_giftnum&$filter=svc_Donor/svc_formaldefault%20eq%20'Secret'%20and%20svc_totalgift%20gt%2012345")
	get(t, to, "svc_gifts/$count?$filter=svc_purpose%20eq%20'Secret'")
	text := log.String()
	for _, want := range []string{"slow query", "table=svc_gift", "from svc_gift t0", "outer svc_donor t1", "t0.svc_totalgift gt ?", "what=count"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log has no %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Secret") || strings.Contains(text, "12345") {
		t.Errorf("the log tells constants:\n%s", text)
	}
}

// syncBuffer is a buffer several goroutines write to.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
