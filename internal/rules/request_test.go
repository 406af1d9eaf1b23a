package rules_test

import (
	"testing"

	"almoner/internal/fault"
	"almoner/internal/rules"
)

func TestRequestBooks(t *testing.T) {
	h := newHouse(t)
	request := h.create("svc_request", cells{"svc_fund": h.fund})
	h.want("svc_request", request, map[string]string{"svc_requestnum": "R-0000001", "svc_grantamount": "0.00", "svc_paid": "0.00", "svc_balance": "0.00"})
	h.update("svc_request", request, cells{"svc_originalgrantamount": cents(1000000), "svc_grantamendment": cents(-200000)})
	pay := func(c cells) any {
		c["svc_requestlookup"] = request
		return h.create("svc_requestpayment", c)
	}
	pay(cells{"svc_amount": cents(300000), "svc_folio": " PAID ", "svc_paymentdate": day("2026-01-01")})
	pay(cells{"svc_amount": cents(1), "svc_folio": "void", "svc_paymentsent": day("2026-01-01"), "svc_paymentdate": day("2026-01-02")})
	pay(cells{"svc_amount": cents(2), "svc_paymentdate": day("2026-09-01")})
	pay(cells{"svc_amount": cents(4), "svc_estimatedgrantpaydate": day("2026-08-01")})
	pay(cells{"svc_amount": cents(8), "svc_requirementtype": 730850001, "svc_requirementdue": day("2026-07-05"), "svc_requirementfulfilled": day("2026-07-01")})
	pay(cells{"svc_amount": cents(16), "svc_requirementtype": 730850001, "svc_requirementdue": day("2026-07-06")})
	h.want("svc_request", request, map[string]string{
		"svc_grantamount": "8000.00", "svc_paid": "3000.00", "svc_balance": "5000.00",
		"svc_nextpaymentdue": "2026-08-01T00:00:00Z", "svc_nextrequirementdue": "2026-07-06T00:00:00Z",
	})
	h.want("svc_fund", h.fund, map[string]string{"svc_grantspaid": "3000.00", "svc_grantspending": "0.06"})
	h.update("svc_request", request, cells{"statecode": 1})
	h.want("svc_fund", h.fund, map[string]string{"svc_grantspaid": "3000.00"})
}

func TestRequestPaymentNet(t *testing.T) {
	h := newHouse(t)
	request := h.create("svc_request", cells{"svc_fund": h.fund})
	payment := h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(50000)})
	h.update("svc_requestpayment", payment, cells{"svc_amount": cents(60000)})
	h.want("svc_requestpayment", payment, map[string]string{"svc_netamount": "600.00", "svc_netamount_base": "600.00"})
	h.update("svc_requestpayment", payment, cells{"svc_netamount": cents(55000)})
	h.update("svc_requestpayment", payment, cells{"svc_amount": cents(70000)})
	h.want("svc_requestpayment", payment, map[string]string{"svc_netamount": "550.00"})
	h.update("svc_requestpayment", payment, cells{"svc_netamount": nil})
	h.want("svc_requestpayment", payment, map[string]string{"svc_netamount": "700.00"})
	_, err := h.ClientCreate("svc_requestpayment", cells{"svc_amount": cents(1)})
	refuse(t, err, fault.RequiredFieldMissing, "svc_requestlookup")
}

func TestApplicantFollowsWhileUnpaid(t *testing.T) {
	h := newHouse(t)
	ann, bo := h.create("contact", cells{"lastname": "Lee"}), h.create("contact", cells{"lastname": "Ray"})
	request := h.create("svc_request", cells{"svc_applicant": ann})
	open := h.create("svc_requestpayment", cells{"svc_requestlookup": request})
	paid := h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_cleardate": day("2026-01-01")})
	h.update("svc_request", request, cells{"svc_applicant": bo})
	h.want("svc_requestpayment", open, map[string]string{"svc_requestapplicant": bo.String()})
	h.want("svc_requestpayment", paid, map[string]string{"svc_requestapplicant": ann.String()})
}

func TestRequestDelete(t *testing.T) {
	h := newHouse(t)
	request := h.create("svc_request", cells{"svc_fund": h.fund})
	payment := h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(5), "svc_paymentsent": day("2026-01-01")})
	refuse(t, h.ClientDelete("svc_request", request), fault.CannotDeleteAssociated, payment.String())
	h.update("svc_requestpayment", payment, cells{"svc_paymentsent": nil})
	h.delete("svc_request", request)
	if len(h.Rows("svc_requestpayment")) != 0 {
		t.Error("the unpaid payment stayed")
	}
	h.want("svc_fund", h.fund, map[string]string{"svc_grantspending": "0.00"})
}

func TestApproveRequest(t *testing.T) {
	h := newHouse(t)
	request := h.create("svc_request", cells{"svc_fund": h.fund, "svc_requestedamount": cents(9000), "svc_recommendedamount": cents(8000)})
	approve := func(amount int64) error {
		return h.Write(func() error { return rules.ApproveRequest(h, request, amount) })
	}
	if err := approve(0); err != nil {
		t.Fatal(err)
	}
	h.want("svc_request", request, map[string]string{
		"svc_requeststatus": "730850004", "svc_originalgrantamount": "80.00", "svc_grantamount": "80.00", "svc_balance": "80.00",
		"svc_decisiondate": "2026-06-30T12:00:00Z",
	})
	if rows := h.Rows("svc_requestpayment"); len(rows) != 1 || rows[0].Value("svc_netamount").String() != "80.00" {
		t.Errorf("payments %v", rows)
	}
	refuse(t, approve(100), fault.RuleRefused, "already approved")
	empty := h.create("svc_request", cells{})
	refuse(t, h.Write(func() error { return rules.ApproveRequest(h, empty, 0) }), fault.RuleRefused, "svc_originalgrantamount")
}

func TestInterfund(t *testing.T) {
	h := newHouse(t)
	row := cells{"svc_amount": cents(90000), "svc_grantfund": h.fund, "svc_giftfund": h.fund2, "svc_interfunddate": day("2026-03-01")}
	id := h.create("svc_interfundgrants", row)
	h.want("svc_interfundgrants", id, map[string]string{"svc_interfundno": "0000001", "svc_gift": "null"})
	post := func() error { return h.Write(func() error { return rules.PostInterfund(h, id) }) }
	reverse := func() error { return h.Write(func() error { return rules.ReverseInterfund(h, id) }) }
	refuse(t, reverse(), fault.RuleRefused, "not been posted")
	for range 2 {
		if err := post(); err != nil {
			t.Fatal(err)
		}
	}
	h.want("svc_fund", h.fund, map[string]string{"svc_grantspaid": "900.00", "svc_grantspending": "0.00", "svc_giftspaid": "0.00"})
	h.want("svc_fund", h.fund2, map[string]string{"svc_giftspaid": "900.00"})
	if len(h.Rows("svc_gift")) != 1 || len(h.Rows("svc_giftpayment")) != 1 || len(h.Rows("svc_request")) != 1 || len(h.Rows("svc_requestpayment")) != 1 {
		t.Error("posting twice made more than one set of rows")
	}
	gift := h.Rows("svc_gift")[0]
	if gift.Value("svc_interfundrequest").ID() != h.Rows("svc_request")[0].ID || gift.Value("svc_giftdate").String() != "2026-03-01" {
		t.Errorf("gift %s on %s", gift.Value("svc_interfundrequest"), gift.Value("svc_giftdate"))
	}
	for range 2 {
		if err := reverse(); err != nil {
			t.Fatal(err)
		}
	}
	h.want("svc_interfundgrants", id, map[string]string{"svc_reversedate": "2026-06-30T12:00:00Z"})
	h.want("svc_fund", h.fund, map[string]string{"svc_grantspaid": "0.00", "svc_grantspending": "0.00"})
	h.want("svc_fund", h.fund2, map[string]string{"svc_giftspaid": "0.00"})

	row["svc_giftfund"] = h.fund
	_, err := h.ClientCreate("svc_interfundgrants", row)
	refuse(t, err, fault.RuleRefused, "svc_giftfund", "svc_grantfund")
	for _, column := range []string{"svc_amount", "svc_grantfund", "svc_giftfund"} {
		part := cells{"svc_amount": cents(1), "svc_grantfund": h.fund, "svc_giftfund": h.fund2}
		delete(part, column)
		_, err := h.ClientCreate("svc_interfundgrants", part)
		refuse(t, err, fault.RequiredFieldMissing, column)
	}
}

func TestScheduleRefusals(t *testing.T) {
	h := newHouse(t)
	pledge, gift := h.gift(typePledge, "2026-01-01", 10000, nil), h.gift(typeGift, "2026-01-01", 10000, nil)
	schedule := func(id any, s rules.Schedule) error {
		target := pledge
		if id == "gift" {
			target = gift
		}
		return h.Write(func() error { return rules.SchedulePledgePayments(h, target, s) })
	}
	refuse(t, schedule("gift", rules.Schedule{Frequency: 730850003, Count: 2}), fault.RuleRefused, "not a pledge")
	for _, s := range []rules.Schedule{
		{Frequency: 730850003}, {Frequency: 730850003, Count: 2, Amount: 5}, {Frequency: 100000000, Count: 2}, {Frequency: 730850003, Count: 601},
		{Frequency: 730850003, Count: -1}, {Frequency: 730850000, Count: 2}, {Frequency: 730850003, Amount: 1},
	} {
		refuse(t, schedule("pledge", s), fault.RuleRefused, "rule SchedulePledgePayments")
	}
	if err := schedule("pledge", rules.Schedule{Frequency: 730850001, Amount: 3000}); err != nil {
		t.Fatal(err)
	}
	if n := len(h.Rows("svc_giftpayment")); n != 4 {
		t.Errorf("%d installments of 30.00 on 100.00", n)
	}
}
