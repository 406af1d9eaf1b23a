package rules_test

import (
	"testing"

	"almoner/internal/fault"
	"almoner/internal/value"
)

func TestGiftRefusals(t *testing.T) {
	h := newHouse(t)
	whole := func() cells {
		return cells{"svc_giftdate": day("2026-01-02"), "svc_donor": h.donor, "svc_amount1": cents(100), "svc_fund1": h.fund}
	}
	for name, c := range map[string]struct {
		change cells
		code   fault.Code
		words  []string
	}{
		"no date":         {cells{"svc_giftdate": nil}, fault.RequiredFieldMissing, []string{"svc_giftdate", "rule gift.required"}},
		"no amount":       {cells{"svc_amount1": nil}, fault.RequiredFieldMissing, []string{"svc_amount1"}},
		"no first fund":   {cells{"svc_fund1": nil}, fault.RequiredFieldMissing, []string{"svc_fund1"}},
		"no donor":        {cells{"svc_donor": nil}, fault.RequiredFieldMissing, []string{"svc_donor"}},
		"no second fund":  {cells{"svc_amount2": cents(5000)}, fault.RuleRefused, []string{"svc_fund2", "50.00", "rule gift.splits"}},
		"mixed signs":     {cells{"svc_amount2": cents(-5), "svc_fund2": h.fund2}, fault.RuleRefused, []string{"svc_amount2", "-0.05", "sign"}},
		"bad status":      {cells{"statecode": 0, "statuscode": 2}, fault.BadStatus, []string{"2 is not a valid status code for state code svc_giftState.Active"}},
		"unknown status":  {cells{"statuscode": 77}, fault.BadStatus, []string{"77"}},
		"total too large": {cells{"svc_amount1": cents(9e16), "svc_amount2": cents(9e16), "svc_fund2": h.fund}, fault.DecimalRange, []string{"svc_totalgift"}},
	} {
		t.Run(name, func(t *testing.T) {
			all := whole()
			for k, v := range c.change {
				all[k] = v
			}
			_, err := h.ClientCreate("svc_gift", all)
			refuse(t, err, c.code, c.words...)
		})
	}
	if n := len(h.Rows("svc_gift")); n != 0 {
		t.Errorf("%d gifts were left behind", n)
	}
}

func TestGiftTotal(t *testing.T) {
	two := cells{"svc_amount2": cents(5000), "svc_fund2": nil}
	for name, c := range map[string]struct {
		kind    int
		setting string
		split   bool
		patch   cells
		total   string // "" when refused
		first   string
	}{
		"amounts only":                   {typeGift, "reject", false, cells{"svc_amount1": cents(70)}, "0.70", "0.70"},
		"total only, one split":          {typeGift, "reject", false, cells{"svc_totalgift": cents(70)}, "0.70", "0.70"},
		"total only, one split, pledge":  {typePledge, "reject", false, cells{"svc_totalgift": cents(70)}, "0.70", "0.70"},
		"total only, two splits":         {typeGift, "reject", true, cells{"svc_totalgift": cents(70)}, "", ""},
		"total that fits, two splits":    {typeGift, "reject", true, cells{"svc_totalgift": cents(15000)}, "150.00", "100.00"},
		"total only, two splits, pledge": {typePledge, "reject", true, cells{"svc_totalgift": cents(70)}, "150.00", "100.00"},
		"both, at odds":                  {typeGift, "reject", false, cells{"svc_totalgift": cents(70), "svc_amount1": cents(80)}, "", ""},
		"both, at odds, recompute":       {typeGift, "recompute", false, cells{"svc_totalgift": cents(70), "svc_amount1": cents(80)}, "0.80", "0.80"},
		"both, at odds, accept":          {typeGift, "accept", false, cells{"svc_totalgift": cents(70), "svc_amount1": cents(80)}, "0.70", "0.80"},
		"total cleared":                  {typeGift, "reject", false, cells{"svc_totalgift": nil}, "100.00", "100.00"},
		"neither":                        {typeGift, "reject", true, cells{"svc_purpose": "roof"}, "150.00", "100.00"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			if err := h.Config.Set("splits.mismatch", c.setting); err != nil {
				t.Fatal(err)
			}
			more := cells{}
			if c.split {
				more = cells{"svc_amount2": two["svc_amount2"], "svc_fund2": h.fund2}
			}
			gift := h.gift(c.kind, "2026-01-02", 10000, more)
			err := h.ClientUpdate("svc_gift", gift, c.patch)
			if c.total == "" {
				refuse(t, err, fault.RuleRefused, "svc_totalgift", "rule gift.total")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			h.want("svc_gift", gift, map[string]string{"svc_totalgift": c.total, "svc_amount1": c.first})
		})
	}
}

func TestGiftDefaults(t *testing.T) {
	h := newHouse(t)
	plain := h.create("svc_gift", cells{"svc_giftdate": day("2026-01-02"), "svc_donor": h.donor, "svc_amount1": cents(100), "svc_fund1": h.fund})
	h.want("svc_gift", plain, map[string]string{
		"svc_gifttype": "730850000", "svc_giftpaymenttype": "null", "svc_commitment": "null", "statecode": "0", "statuscode": "1",
		"transactioncurrencyid": h.USD.String(), "exchangerate": "1.0000000000", "svc_amount1_base": "1.00", "svc_paid_base": "1.00",
	})
	pledge := h.gift(typePledge, "2026-01-02", 100, nil)
	h.want("svc_gift", pledge, map[string]string{"svc_giftpaymenttype": "730850007", "svc_commitment": "1.00", "svc_giftnum": "G-0000002"})
	inter := h.gift(typeInterfund, "2026-01-02", 100, cells{"svc_giftnum": "X"})
	h.want("svc_gift", inter, map[string]string{"svc_giftpaymenttype": "100000003", "svc_giftnum": "X"})
	if err := h.Config.Set("gift.autonumber", "false"); err != nil {
		t.Fatal(err)
	}
	h.want("svc_gift", h.gift(typeGift, "2026-01-02", 100, nil), map[string]string{"svc_giftnum": "null"})
}

func TestGiftSnapshot(t *testing.T) {
	h := newHouse(t)
	ann := h.create("contact", cells{"firstname": "Ann", "lastname": "Lee"})
	bo := h.create("contact", cells{"firstname": "Bo", "lastname": "Lee"})
	donor := h.create("svc_donor", cells{"svc_primarycontact": ann})
	gift := h.gift(typeGift, "2026-01-02", 100, cells{"svc_donor": donor})
	h.update("svc_donor", donor, cells{"svc_primarycontact": bo, "svc_secondarycontact": ann})
	h.want("svc_gift", gift, map[string]string{"svc_primarydonorcontact": ann.String(), "svc_secondarydonorcontact": "null"})
	h.update("svc_gift", gift, cells{"svc_donor": h.donor})
	h.want("svc_gift", gift, map[string]string{"svc_primarydonorcontact": "null"})
	h.update("svc_gift", gift, cells{"svc_donor": donor, "svc_primarydonorcontact": ann})
	h.want("svc_gift", gift, map[string]string{"svc_primarydonorcontact": ann.String(), "svc_secondarydonorcontact": ann.String()})
}

func TestGiftMatching(t *testing.T) {
	h := newHouse(t)
	a := h.gift(typeGift, "2026-01-02", 100, nil)
	b := h.gift(typeGift, "2026-01-02", 100, cells{"svc_matchinggift": a})
	c := h.gift(typeGift, "2026-01-02", 100, cells{"svc_matchinggift": b})
	for _, target := range []value.GUID{a, b, c} {
		refuse(t, h.ClientUpdate("svc_gift", a, cells{"svc_matchinggift": target}), fault.RuleRefused, "svc_matchinggift", "rule gift.matching")
	}
}

func TestGiftRangeBelongsToWhoWroteIt(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-01-02", 100000000, nil)
	h.want("svc_gift", gift, map[string]string{"svc_giftrange": "100000000"})
	h.update("svc_gift", gift, cells{"svc_amount1": cents(9999)})
	h.want("svc_gift", gift, map[string]string{"svc_giftrange": "730850000"})
	h.update("svc_gift", gift, cells{"svc_giftrange": 730850005})
	h.update("svc_gift", gift, cells{"svc_amount1": cents(10000)})
	h.want("svc_gift", gift, map[string]string{"svc_giftrange": "730850005"})
	h.update("svc_gift", gift, cells{"svc_giftrange": nil})
	h.want("svc_gift", gift, map[string]string{"svc_giftrange": "730850001"})
}

func TestGiftDelete(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-01-02", 100, nil)
	payment := h.pay(gift, "2026-01-02", 100, cells{"svc_postingdate": nil})
	for column, v := range map[string]any{"svc_postingdate": day("2026-01-01"), "svc_depositdate": day("2026-01-01"), "svc_cleardate": day("2026-01-01"), "svc_folio": "x"} {
		h.update("svc_giftpayment", payment, cells{column: v, "statecode": 1})
		refuse(t, h.ClientDelete("svc_gift", gift), fault.CannotDeleteAssociated, payment.String(), column)
		h.update("svc_giftpayment", payment, cells{column: nil, "statecode": 0})
	}
	fee := h.create("svc_giftfee", cells{"svc_feename": "Card", "svc_feecalculation": 730850003, "svc_gift": gift, "svc_amount": cents(5)})
	h.want("svc_gift", gift, map[string]string{"svc_feeamounttotal": "0.05"})
	h.delete("svc_gift", gift)
	if len(h.Rows("svc_giftpayment")) != 0 || len(h.Rows("svc_giftfee")) != 0 {
		t.Errorf("payment or fee %s stayed", fee)
	}
	h.want("svc_donor", h.donor, map[string]string{"svc_countofgifts": "0", "svc_largestgift": "null", "svc_mostrecentgiftdate": "null"})

	gift = h.gift(typeGift, "2026-01-02", 100, nil)
	h.pay(gift, "2026-01-02", 100, nil)
	refuse(t, h.ClientDelete("svc_gift", gift), fault.CannotDeleteAssociated)
	if err := h.Config.Set("delete.posted_children", "cascade"); err != nil {
		t.Fatal(err)
	}
	h.delete("svc_gift", gift)
}

func TestGiftChangesType(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-01-02", 100, nil)
	payment := h.pay(gift, "2026-02-02", 100, nil)
	h.want("svc_giftpayment", payment, map[string]string{"svc_pledgepaid": "false", "svc_pledgepaymentapplied": "null"})
	h.update("svc_gift", gift, cells{"svc_gifttype": typePledge})
	h.want("svc_gift", gift, map[string]string{"svc_commitment": "1.00"})
	h.want("svc_giftpayment", payment, map[string]string{"svc_pledgepaid": "true", "svc_pledgepaymentapplied": "2026-06-30T12:00:00Z"})
	h.update("svc_gift", gift, cells{"svc_gifttype": typeGift})
	h.want("svc_giftpayment", payment, map[string]string{"svc_pledgepaid": "false"})
}

func TestGiftChangesCurrency(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typePledge, "2026-01-02", 136500, nil)
	payment := h.pay(gift, "2026-02-02", 13650, nil)
	h.update("svc_gift", gift, cells{"transactioncurrencyid": h.CAD})
	h.want("svc_giftpayment", payment, map[string]string{"transactioncurrencyid": h.CAD.String(), "exchangerate": "1.3650000000", "svc_amount_base": "100.00", "svc_netamount_base": "100.00"})
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "1000.00"})
	if h.year(h.donor, thisYear) != "100.00" {
		t.Errorf("this year %s", h.year(h.donor, thisYear))
	}
	refuse(t, h.ClientUpdate("svc_gift", gift, cells{"transactioncurrencyid": nil}), fault.CurrencyNull)
	refuse(t, h.ClientUpdate("svc_giftpayment", payment, cells{"transactioncurrencyid": h.USD}), fault.RuleRefused, "svc_giftnumber")
}

func TestInactiveGift(t *testing.T) {
	h := newHouse(t)
	pledge := h.gift(typePledge, "2026-01-02", 10000, nil)
	payment := h.pay(pledge, "2026-02-02", 4000, nil)
	h.update("svc_gift", pledge, cells{"statecode": 1})
	h.want("svc_gift", pledge, map[string]string{"statuscode": "2", "svc_paid": "40.00", "svc_balance": "60.00"})
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "0.00", "svc_countofgifts": "0"})
	h.want("svc_fund", h.fund, map[string]string{"svc_giftspaid": "0.00", "svc_giftspending": "0.00"})
	h.update("svc_gift", pledge, cells{"statecode": 0})
	h.want("svc_fund", h.fund, map[string]string{"svc_giftspaid": "40.00", "svc_giftspending": "60.00"})
	h.update("svc_giftpayment", payment, cells{"statecode": 1})
	h.want("svc_gift", pledge, map[string]string{"svc_paid": "0.00"})
}

// A negative correction lowers the sums but is never counted.
func TestLoneCorrection(t *testing.T) {
	h := newHouse(t)
	h.gift(typeGift, "2026-01-02", -5000, nil)
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "-50.00", "svc_countofgifts": "0", "svc_largestgift": "null"})
	if h.year(h.donor, thisYear) != "-50.00" || h.fundGifts(h.fund) != "-50.00" {
		t.Errorf("%s %s", h.year(h.donor, thisYear), h.fundGifts(h.fund))
	}
}

// The work of a write does not grow with the donor's gifts.
func TestWorkIsBounded(t *testing.T) {
	h := newHouse(t)
	work := func() (create, pay, lower int) {
		gift := h.gift(typePledge, "2026-01-02", 99999900, nil)
		create = h.Calls
		h.pay(gift, "2026-02-02", 100, nil)
		pay = h.Calls
		h.update("svc_gift", gift, cells{"svc_amount1": cents(100), "svc_giftdate": day("2020-01-01")})
		return create, pay, h.Calls
	}
	c1, p1, l1 := work()
	for range 300 {
		h.gift(typeGift, "2025-01-02", 100, nil)
	}
	c2, p2, l2 := work()
	if c2 > c1 || p2 > p1 || l2 > l1+3 {
		t.Errorf("create %d -> %d, payment %d -> %d, lowering %d -> %d statements", c1, c2, p1, p2, l1, l2)
	}
	h.update("svc_gift", h.Rows("svc_gift")[0].ID, cells{"svc_purpose": "roof"})
	if h.Calls > 0 {
		t.Errorf("a purpose costs %d statements of the rules", h.Calls)
	}
	h.update("svc_giftpayment", h.Rows("svc_giftpayment")[0].ID, cells{"svc_check": "12"})
	if h.Calls > 0 {
		t.Errorf("a check number costs %d statements of the rules", h.Calls)
	}
	t.Logf("statements: create %d, payment %d, lowering the largest %d", c2, p2, l2)
}
