package servicetest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"almoner/internal/servicetest"
)

// settingTests show what another value of a business setting changes on the wire.
var settingTests = []struct {
	name, text string
	test       func(h *house)
}{
	{"pledge.installment_rounding", "all_begin", func(h *house) { h.wantInstallments("8.37 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33") }},
	{"pledge.installment_rounding", "spread_end", func(h *house) { h.wantInstallments("8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.34 8.34 8.34 8.34") }},
	{"splits.mismatch", "recompute", func(h *house) {
		h.want("/svc_gifts("+h.Create(h.t, "svc_gifts", h.gift(`"svc_amount1":10,"svc_totalgift":11`))+")", "10.00", "svc_totalgift")
	}},
	{"splits.mismatch", "accept", func(h *house) {
		h.want("/svc_gifts("+h.Create(h.t, "svc_gifts", h.gift(`"svc_amount1":10,"svc_totalgift":11`))+")", "11.00", "svc_totalgift")
	}},
	{"gift.assume_paid", "false", func(h *house) {
		h.want("/svc_gifts("+h.give("2026-01-01", "10")+")", "0.00 10.00", "svc_paid", "svc_balance")
	}},
	{"gift.autonumber", "false", func(h *house) { h.want("/svc_gifts("+h.give("2026-01-01", "10")+")", "<nil>", "svc_giftnum") }},
	{"gift.range_auto", "false", func(h *house) { h.want("/svc_gifts("+h.give("2026-01-01", "10")+")", "<nil>", "svc_giftrange") }},
	{"payment.overpay", "reject", func(h *house) {
		gift := h.pledge("100")
		h.pay(gift, "60")
		h.refused("POST", "/svc_giftpayments", payment(gift, "40.01"), 400, "rule payment.overpay", "'svc_amount' would take the balance of the gift to -0.01")
		h.pay(gift, "40")
	}},
	{"money.excess_decimals", "reject", func(h *house) {
		h.refused("POST", "/svc_gifts", h.gift(`"svc_amount1":10.005`), 400, "column svc_amount1", "10.005")
	}},
	{"delete.posted_children", "cascade", func(h *house) {
		gift := h.pledge("100")
		h.Must(h.t, "PATCH", "/svc_giftpayments("+h.pay(gift, "60")+")", `{"svc_postingdate":"2026-01-01T00:00:00Z"}`)
		h.Must(h.t, "DELETE", "/svc_gifts("+gift+")", "")
	}},
	{"giving.pledge_basis", "commitment", func(h *house) {
		h.pay(h.pledge("100"), "60")
		h.want("/svc_donors("+h.donor+")", "100.00 100.00", "svc_totalgivingthisyear", "svc_totalcommitment")
		h.want("/svc_funds("+h.fund+")", "100.00", "svc_giftspaid")
	}},
	{"types.pledge", "730850001,730850002", func(h *house) {
		gift := h.Create(h.t, "svc_gifts", h.gift(`"svc_gifttype":730850002,"svc_amount1":10`))
		h.want("/svc_gifts("+gift+")", "0.00 10.00 10.00", "svc_paid", "svc_balance", "svc_commitment")
	}},
	{"types.giving", "730850000,730850005", func(h *house) {
		h.refused("POST", "/svc_gifts", fmt.Sprintf(`{"svc_giftdate":"2026-01-01","svc_gifttype":730850005,"svc_amount1":1,"svc_Fund1@odata.bind":"/svc_funds(%s)"}`, h.fund), 400, "gift.required", "svc_donor")
		h.Create(h.t, "svc_gifts", h.gift(`"svc_gifttype":730850005,"svc_amount1":10`))
		h.want("/svc_donors("+h.donor+")", "10.00", "svc_totalgivingthisyear")
	}},
	{"folio.void", "bounced", func(h *house) {
		gift := h.pledge("100")
		h.Must(h.t, "PATCH", "/svc_giftpayments("+h.pay(gift, "60")+")", `{"svc_folio":"VOID"}`)
		h.Must(h.t, "PATCH", "/svc_giftpayments("+h.pay(gift, "30")+")", `{"svc_folio":"Bounced"}`)
		h.want("/svc_gifts("+gift+")", "60.00", "svc_paid")
	}},
	{"balances.mode", "derived", func(h *house) {
		h.give("2026-01-01", "100")
		h.Must(h.t, "PATCH", "/svc_funds("+h.fund+")", `{"svc_initialamount":1000,"svc_earnings":50,"svc_netassets":7}`)
		h.want("/svc_funds("+h.fund+")", "1150.00", "svc_netassets")
	}},
	{"list.membertype", "platform", func(h *house) {
		contact := h.Create(h.t, "contacts", `{"lastname":"Lee"}`)
		list := h.Create(h.t, "lists", `{"listname":"Friends","type":false,"createdfromcode":2}`)
		h.Must(h.t, "POST", "/lists("+list+")/Microsoft.Dynamics.CRM.AddMembersList", `{"MemberIds":["`+contact+`"]}`)
		h.want("/lists("+list+")", "1", "membercount")
	}},
}

func TestSettings(t *testing.T) {
	for _, c := range settingTests {
		t.Run(c.name+"="+c.text, func(t *testing.T) {
			t.Parallel()
			db := servicetest.OnSQLite(t)
			db.Set(t, c.name, c.text)
			h := newHouse(t, db.Serve(t))
			c.test(h)
			h.CheckBooks(t)
		})
	}
}

// gift is the body of a gift of the house's donor to its fund.
func (h *house) gift(more string) string {
	return fmt.Sprintf(`{"svc_giftdate":"2026-01-01",%s,"svc_Donor@odata.bind":"/svc_donors(%s)","svc_Fund1@odata.bind":"/svc_funds(%s)"}`, more, h.donor, h.fund)
}

func (h *house) pledge(amount string) string {
	h.t.Helper()
	return h.Create(h.t, "svc_gifts", h.gift(`"svc_gifttype":730850001,"svc_amount1":`+amount))
}

func payment(gift, amount string) string {
	return fmt.Sprintf(`{"svc_amount":%s,"svc_GiftNumber@odata.bind":"/svc_gifts(%s)"}`, amount, gift)
}

func (h *house) pay(gift, amount string) string {
	h.t.Helper()
	return h.Create(h.t, "svc_giftpayments", payment(gift, amount))
}

// refused sends a write that must be refused with a status, naming all of the words.
func (h *house) refused(method, path, body string, status int, words ...string) {
	h.t.Helper()
	a, err := h.Call(h.t.Context(), method, path, body)
	if err != nil || a.Status != status {
		h.t.Fatalf("%s %s: %v %+v", method, path, err, a)
	}
	for _, word := range words {
		if !strings.Contains(string(a.Body), word) {
			h.t.Errorf("the refusal does not name %q: %s", word, a.Body)
		}
	}
}

// wantInstallments schedules a pledge of 100 in twelve and compares the amounts.
func (h *house) wantInstallments(want string) {
	h.t.Helper()
	gift := h.pledge("100")
	h.Must(h.t, "POST", "/svc_gifts("+gift+")/Microsoft.Dynamics.CRM.SchedulePledgePayments", `{"FirstDate":"2026-01-31","Frequency":730850003,"Count":12}`)
	var got []string
	for _, row := range h.Get(h.t, "/svc_giftpayments?$select=svc_amount&$orderby=svc_checkdate")["value"].([]any) {
		got = append(got, fmt.Sprint(row.(map[string]any)["svc_amount"]))
	}
	if strings.Join(got, " ") != want {
		h.t.Errorf("installments are %v, want %s", got, want)
	}
}

// TestDynamicListsAreCountedInTheBackground moves the clock beyond list.count_ttl: nobody reads the list, and it knows its number.
func TestDynamicListsAreCountedInTheBackground(t *testing.T) {
	t.Parallel()
	db := servicetest.OnSQLite(t)
	h := newHouse(t, db.Serve(t))
	h.Create(t, "contacts", `{"lastname":"Lee"}`)
	list := h.Create(t, "lists", `{"listname":"All","type":true,"createdfromcode":4,"query":"<fetch><entity name='contact'/></fetch>"}`)
	h.want("/lists("+list+")", "<nil>", "membercount")
	db.Clock.Set(servicetest.Noon.Add(11 * time.Minute))
	servicetest.Eventually(t, "the count", func() bool { return h.Columns(t, "/lists("+list+")", "membercount") == "1" })
	h.Create(t, "contacts", `{"lastname":"Ray"}`)
	h.want("/lists("+list+")", "1", "membercount")
	db.Clock.Set(servicetest.Noon.Add(22 * time.Minute))
	servicetest.Eventually(t, "the count", func() bool { return h.Columns(t, "/lists("+list+")", "membercount") == "2" })
}
