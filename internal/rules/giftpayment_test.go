package rules_test

import (
	"strings"
	"testing"

	"almoner/internal/fault"
)

func TestPaymentIsFilled(t *testing.T) {
	h := newHouse(t)
	ann := h.create("contact", cells{"firstname": "Ann", "lastname": "Lee"})
	gifts, others := h.create("svc_account", cells{"svc_accountnum": "4010"}), h.create("svc_account", cells{"svc_accountnum": "4900"})
	h.update("svc_fund", h.fund, cells{"svc_giftdefaultaccount": gifts, "svc_nongiftdefaultaccount": others})
	donor := h.create("svc_donor", cells{"svc_primarycontact": ann})
	gift := h.gift(typeGift, "2026-01-02", 100, cells{"svc_donor": donor})
	payment := h.pay(gift, "2026-01-02", 100, nil)
	h.want("svc_giftpayment", payment, map[string]string{
		"svc_donor": donor.String(), "svc_payor": ann.String(), "svc_primarycontact": ann.String(), "svc_fund": h.fund.String(),
		"svc_account": gifts.String(), "svc_department": h.department.String(), "svc_paymentnum": "P-0000001", "svc_netamount": "1.00",
	})
	ticket := h.gift(typeNonGift, "2026-01-02", 100, nil)
	h.want("svc_giftpayment", h.pay(ticket, "2026-01-02", 100, nil), map[string]string{"svc_account": others.String()})
	many := h.gift(typeGift, "2026-01-02", 100, cells{"svc_amount2": cents(5), "svc_fund2": h.fund2})
	h.want("svc_giftpayment", h.pay(many, "2026-01-02", 100, nil), map[string]string{"svc_fund": "null", "svc_account": "null"})
	same := h.gift(typeGift, "2026-01-02", 100, cells{"svc_amount2": cents(5), "svc_fund2": h.fund})
	h.want("svc_giftpayment", h.pay(same, "2026-01-02", 100, nil), map[string]string{"svc_fund": h.fund.String()})
}

func TestPaymentRefusals(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-01-02", 100, nil)
	_, err := h.ClientCreate("svc_giftpayment", cells{"svc_amount": cents(1)})
	refuse(t, err, fault.RequiredFieldMissing, "svc_giftnumber")
	for _, reversal := range []cents{-1, 25001} {
		_, err = h.ClientCreate("svc_giftpayment", cells{"svc_giftnumber": gift, "svc_amount": cents(25000), "svc_reversalamount": reversal})
		refuse(t, err, fault.RuleRefused, "svc_reversalamount", "250.00", "rule payment.reversal")
	}
	payment := h.pay(gift, "2026-01-02", 25000, cells{"svc_reversalamount": cents(10000)})
	h.want("svc_giftpayment", payment, map[string]string{"svc_netamount": "150.00"})
	refuse(t, h.ClientUpdate("svc_giftpayment", payment, cells{"svc_amount": cents(9999)}), fault.RuleRefused, "svc_reversalamount")
	h.update("svc_giftpayment", payment, cells{"svc_reversalamount": cents(0), "svc_amount": cents(1)})
}

func TestPaymentToForeignFundWarns(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typePledge, "2026-01-02", 10000, nil)
	h.pay(gift, "2026-01-02", 100, cells{"svc_fund": h.fund})
	if len(h.Warnings) != 0 {
		t.Errorf("warned of the gift's own fund: %v", h.Warnings)
	}
	h.pay(gift, "2026-01-02", 200, cells{"svc_fund": h.fund2})
	if len(h.Warnings) != 1 || !strings.HasPrefix(h.Warnings[0], "svc_fund "+h.fund2.String()) {
		t.Errorf("warnings %v", h.Warnings)
	}
	if h.fundGifts(h.fund2) != "2.00" {
		t.Errorf("fund received %s", h.fundGifts(h.fund2))
	}
}

func TestOverpay(t *testing.T) {
	h := newHouse(t)
	pledge := h.gift(typePledge, "2026-01-02", 10000, nil)
	if err := h.Config.Set("payment.overpay", "reject"); err != nil {
		t.Fatal(err)
	}
	first := h.pay(pledge, "2026-01-02", 6000, nil)
	_, err := h.ClientCreate("svc_giftpayment", cells{"svc_giftnumber": pledge, "svc_amount": cents(4001)})
	refuse(t, err, fault.RuleRefused, "40.01", "-0.01", "rule payment.overpay")
	h.pay(pledge, "2026-01-02", 4000, nil)
	h.pay(pledge, "2026-01-02", 500, cells{"svc_paymenttype": 100000010})
	refuse(t, h.ClientUpdate("svc_giftpayment", first, cells{"svc_amount": cents(6001)}), fault.RuleRefused)
	h.update("svc_giftpayment", first, cells{"svc_check": "12"})
}

func TestPaymentMoves(t *testing.T) {
	h := newHouse(t)
	from := h.gift(typePledge, "2026-01-02", 100, nil)
	to := h.gift(typeGift, "2026-01-02", 100, cells{"svc_donor": h.donor2, "svc_fund1": h.fund2})
	payment := h.pay(from, "2026-01-02", 100, nil)
	h.want("svc_giftpayment", payment, map[string]string{"svc_pledgepaid": "true"})
	h.update("svc_giftpayment", payment, cells{"svc_giftnumber": to})
	h.want("svc_giftpayment", payment, map[string]string{"svc_donor": h.donor2.String(), "svc_fund": h.fund.String(), "svc_pledgepaid": "false"})
	h.want("svc_gift", from, map[string]string{"svc_paid": "0.00"})
	h.want("svc_gift", to, map[string]string{"svc_paid": "1.00"})
	third := h.newDonor("Third")
	h.update("svc_giftpayment", payment, cells{"svc_donor": third})
	h.update("svc_giftpayment", payment, cells{"svc_giftnumber": from})
	h.want("svc_giftpayment", payment, map[string]string{"svc_donor": third.String()})
}

func TestFeeLines(t *testing.T) {
	h := newHouse(t)
	fee := func(kind int, percent int, flat cents) any {
		return h.create("svc_giftfee", cells{"svc_feename": "F", "svc_feecalculation": kind, "svc_feepercent": percent, "svc_flatfeeamount": flat})
	}
	gift := h.gift(typeGift, "2026-01-02", 12500, nil)
	payment := h.pay(gift, "2026-01-02", 12500, cells{
		"svc_giftfee": fee(730850000, 29000, 30), "svc_giftfee2": fee(730850001, 29000, 30), "svc_giftfee3": fee(730850003, 29000, 30),
		"svc_giftfee4": fee(730850002, 29000, 30), "svc_feeamount4": cents(7),
	})
	h.want("svc_giftpayment", payment, map[string]string{"svc_feeamount": "3.63", "svc_feeamount2": "0.30", "svc_feeamount3": "null", "svc_feeamount4": "0.07"})
	h.want("svc_gift", gift, map[string]string{"svc_feeamounttotal": "4.00"})
	h.update("svc_giftpayment", payment, cells{"svc_reversalamount": cents(6250)})
	h.want("svc_giftpayment", payment, map[string]string{"svc_feeamount": "1.81", "svc_feeamount2": "0.30", "svc_feeamount4": "0.07"})
	h.update("svc_giftpayment", payment, cells{"svc_giftfee": nil, "svc_feeamount4": nil})
	h.want("svc_giftpayment", payment, map[string]string{"svc_feeamount": "null", "svc_feeamount4": "2.11"})
}

// A fee of the gift counts until a payment line refers to it.
func TestBoundFee(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-01-02", 12500, cells{"svc_feeamount": cents(100)})
	fee := h.create("svc_giftfee", cells{"svc_feename": "F", "svc_feecalculation": 730850003, "svc_gift": gift, "svc_amount": cents(1500)})
	h.want("svc_gift", gift, map[string]string{"svc_feeamounttotal": "16.00"})
	payment := h.pay(gift, "2026-01-02", 12500, cells{"svc_giftfee2": fee, "svc_feeamount2": cents(1200)})
	h.want("svc_gift", gift, map[string]string{"svc_feeamounttotal": "13.00"})
	h.update("svc_giftpayment", payment, cells{"statecode": 1})
	h.want("svc_gift", gift, map[string]string{"svc_feeamounttotal": "16.00"})
	h.update("svc_giftfee", fee, cells{"svc_gift": nil})
	h.want("svc_gift", gift, map[string]string{"svc_feeamounttotal": "1.00"})
}
