package rules_test

import (
	"testing"

	"almoner/internal/rules"
	"almoner/internal/value"
)

// yen makes a donor and a fund in yen.
func (h *house) yen() (donor, fund value.GUID) {
	h.t.Helper()
	return h.create("svc_donor", cells{"svc_formaldefault": "Yui Mori", "transactioncurrencyid": h.JPY}),
		h.create("svc_fund", cells{"svc_fundname": "Temple", "svc_fundclass": 730850001, "svc_fundtype": 730850000, "transactioncurrencyid": h.JPY})
}

// What came in the parent's own currency counts as it came; only the rest goes by its base value, converted once.
func TestTotalsInOwnCurrency(t *testing.T) {
	h := newHouse(t)
	donor, fund := h.yen()
	mine := cells{"svc_donor": donor, "svc_fund1": fund}
	in := func(currency value.GUID) cells {
		c := cells{"transactioncurrencyid": currency}
		for k, v := range mine {
			c[k] = v
		}
		return c
	}
	gift := h.gift(typeGift, "2026-01-01", 100000, in(h.JPY))
	h.want("svc_donor", donor, map[string]string{"svc_totalcommitment": "1000.00", "svc_totalcommitment_base": "6.70", "svc_largestgift": "1000.00", "svc_largestgift_base": "6.70"})
	h.want("svc_fund", fund, map[string]string{"svc_giftspaid": "1000.00", "svc_giftspaid_base": "6.70"})
	h.gift(typeGift, "2026-01-02", 500, in(h.USD))
	h.gift(typeGift, "2026-01-03", 500, in(h.CAD)) // 3.66
	h.want("svc_donor", donor, map[string]string{"svc_totalcommitment": "2293.20", "svc_totalcommitment_base": "15.36", "svc_largestgift": "1000.00"})
	h.update("svc_gift", gift, cells{"svc_amount1": cents(100001)}) // one sen, and the same base value
	h.want("svc_donor", donor, map[string]string{"svc_totalcommitment": "2293.21", "svc_largestgift": "1000.01"})
	h.want("svc_fund", fund, map[string]string{"svc_giftspaid": "2293.21"})
	h.update("svc_gift", gift, cells{"svc_giftadjustment": cents(-99999)})
	h.want("svc_donor", donor, map[string]string{"svc_totalcommitment": "1293.22", "svc_largestgift": "746.65"})
	h.update("svc_gift", gift, cells{"svc_donor": h.donor})
	h.want("svc_donor", donor, map[string]string{"svc_totalcommitment": "1293.20"})
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "0.00", "svc_countofgifts": "1"})
	checkNoDrift(t, h.Env, 0)
}

// A parent that changes its currency is added up anew in the same transaction; the base sums stay.
func TestParentChangesCurrency(t *testing.T) {
	for _, deferred := range []bool{false, true} {
		h := newHouse(t)
		donor, fund := h.yen()
		h.gift(typeGift, "2026-01-01", 100000, cells{"svc_donor": donor, "svc_fund1": fund, "transactioncurrencyid": h.JPY})
		h.gift(typeGift, "2026-01-01", 1000, cells{"svc_donor": donor, "svc_fund1": fund, "transactioncurrencyid": h.CAD})
		for _, step := range []struct {
			currency value.GUID
			want     string
		}{{h.CAD, "19.15"}, {h.USD, "14.03"}, {h.JPY, "2094.59"}} { // 10 CAD are 7.33, 1000 JPY are 6.70
			h.Deferred = deferred
			h.update("svc_donor", donor, cells{"transactioncurrencyid": step.currency})
			h.update("svc_fund", fund, cells{"transactioncurrencyid": step.currency})
			h.Deferred = false
			if deferred {
				if err := h.Write(func() error { return rules.Recompute(h, h.Left, nil) }); err != nil {
					t.Fatal(err)
				}
			}
			h.want("svc_donor", donor, map[string]string{"svc_totalcommitment": step.want, "svc_totalcommitment_base": "14.03"})
			h.want("svc_fund", fund, map[string]string{"svc_giftspaid": step.want, "svc_giftspaid_base": "14.03"})
			checkNoDrift(t, h.Env, 0)
		}
	}
}

// The base value of what was paid is that of the payments, each at its own rate.
func TestPaidBaseIsThePayments(t *testing.T) {
	h := newHouse(t)
	h.update("transactioncurrency", h.CAD, cells{"exchangerate": 12_500_000_000})
	pledge := h.gift(typePledge, "2026-01-01", 100000, cells{"transactioncurrencyid": h.CAD})
	gift := h.gift(typeGift, "2026-01-01", 100000, cells{"transactioncurrencyid": h.CAD})
	request := h.create("svc_request", cells{"svc_originalgrantamount": cents(100000), "transactioncurrencyid": h.CAD})
	h.update("transactioncurrency", h.CAD, cells{"exchangerate": 20_000_000_000})
	h.pay(pledge, "2026-02-01", 50000, nil)
	h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(50000), "svc_paymentsent": day("2026-02-01")})
	want := map[string]string{"svc_paid": "500.00", "svc_paid_base": "250.00", "svc_balance": "500.00", "svc_balance_base": "400.00"}
	h.want("svc_gift", pledge, want)
	h.want("svc_request", request, want)
	h.want("svc_gift", gift, map[string]string{"svc_paid": "1000.00", "svc_paid_base": "800.00"})
	h.update("svc_request", request, cells{"svc_purpose": "roof", "svc_grantamendment": cents(100)})
	h.update("svc_gift", pledge, cells{"svc_giftdate": day("2026-01-02")})
	h.want("svc_gift", pledge, want)
	h.want("svc_request", request, map[string]string{"svc_paid_base": "250.00", "svc_balance_base": "400.80"})
}

// The base value of a gift is taken once and apportioned over its splits by their amounts.
func TestBaseIsApportionedOverSplits(t *testing.T) {
	for _, c := range []struct {
		amounts      []cents
		toSecond     []bool
		first, other string
	}{
		{[]cents{100, 100, 100, 1}, []bool{false, true, false, true}, "0.66", "0.34"},
		{[]cents{1, 1, 1, 1, 2}, []bool{false, true, true, true, false}, "0.02", "0.00"},
	} {
		h := newHouse(t)
		h.update("transactioncurrency", h.CAD, cells{"exchangerate": 30_000_000_000})
		gift := cells{"svc_giftdate": day("2026-01-01"), "svc_donor": h.donor, "transactioncurrencyid": h.CAD}
		for i, amount := range c.amounts {
			n := string(rune('1' + i))
			gift["svc_amount"+n], gift["svc_fund"+n] = amount, h.fund
			if c.toSecond[i] {
				gift["svc_fund"+n] = h.fund2
			}
		}
		h.create("svc_gift", gift)
		if h.fundGifts(h.fund) != c.first || h.fundGifts(h.fund2) != c.other {
			t.Errorf("%v: %s and %s, want %s and %s", c.amounts, h.fundGifts(h.fund), h.fundGifts(h.fund2), c.first, c.other)
		}
	}
}

// A fund in a foreign currency that averages its quarters goes by what it showed then, as long as it is in that currency.
func TestQuartersInOwnCurrency(t *testing.T) {
	h := newHouse(t)
	if err := h.Config.Set("spend.method", "avg12q"); err != nil {
		t.Fatal(err)
	}
	_, fund := h.yen()
	h.update("svc_fund", fund, cells{"svc_endowed": true, "svc_netassets": cents(100000), "svc_spendpercent": 50.0})
	if err := h.Write(func() error { return rules.SnapshotQuarter(h) }); err != nil {
		t.Fatal(err)
	}
	h.update("svc_fund", fund, cells{"svc_netassets": cents(300000)})
	h.want("svc_fund", fund, map[string]string{"x_allotment": "50000"})
	h.update("svc_fund", fund, cells{"transactioncurrencyid": h.CAD})
	h.want("svc_fund", fund, map[string]string{"x_allotment": "457"}) // half of 6.70 at 1.365
}

// A fund whose stored net assets were wrong does not leave its group wrong when it is mended.
func TestMendedFundKeepsItsGroupRight(t *testing.T) {
	h := newHouse(t)
	group := h.create("svc_fundgroup", cells{"svc_fundgroupname": "A"})
	h.update("svc_fund", h.fund, cells{"svc_fundgroup": group, "svc_netassets": cents(500)})
	parents := rules.NewTouched()
	parents.Add("svc_fund", h.fund)
	err := h.Write(func() error {
		if err := h.Derive(h.Table("svc_fund"), h.fund, h.Assigns(h.Table("svc_fund"), cells{"svc_netassets_base": cents(700)})); err != nil {
			return err
		}
		return rules.Recompute(h, parents, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.want("svc_fundgroup", group, map[string]string{"svc_netassets": "5.00"})
	checkNoDrift(t, h.Env, 0)
}
