package rules_test

import (
	"testing"

	"almoner/internal/fault"
	"almoner/internal/rules"
	"almoner/internal/value"
)

func TestFundRefusals(t *testing.T) {
	h := newHouse(t)
	for column := range map[string]bool{"svc_fundname": true, "svc_fundclass": true, "svc_fundtype": true} {
		c := cells{"svc_fundname": "New", "svc_fundclass": 730850001, "svc_fundtype": 730850000}
		delete(c, column)
		_, err := h.ClientCreate("svc_fund", c)
		refuse(t, err, fault.RequiredFieldMissing, column, "rule row.required")
	}
	h.want("svc_fund", h.fund, map[string]string{"svc_department": h.department.String(), "svc_giftspaid": "0.00", "svc_grantspending_base": "0.00"})
	h.update("svc_department", h.department, cells{"svc_isdefault": false})
	_, err := h.ClientCreate("svc_fund", cells{"svc_fundname": "New", "svc_fundclass": 730850001, "svc_fundtype": 730850000})
	refuse(t, err, fault.RequiredFieldMissing, "svc_department")
}

func TestFundHierarchy(t *testing.T) {
	h := newHouse(t)
	third := h.newFund("Third")
	h.update("svc_fund", h.fund2, cells{"svc_parent": h.fund})
	h.update("svc_fund", third, cells{"svc_parent": h.fund2})
	for _, parent := range []value.GUID{h.fund, h.fund2, third} {
		refuse(t, h.ClientUpdate("svc_fund", h.fund, cells{"svc_parent": parent}), fault.HierarchyLoop, "svc_parent", parent.String())
	}
	h.update("svc_fund", h.fund, cells{"svc_alternatejiafund": third, "svc_alternatespendablefund": h.fund})
	h.update("svc_fund", third, cells{"svc_netassets": cents(500)})
	h.gift(typeGift, "2026-01-02", 100, cells{"svc_fund1": h.fund2})
	tree, err := rules.FundTree(h, h.fund)
	if err != nil || tree.Funds != 3 || tree.NetAssets != 500 || tree.GiftsPaid != 100 {
		t.Errorf("tree %+v, %v", tree, err)
	}
}

func TestFundBlocksDelete(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-01-02", 100, nil)
	refuse(t, h.ClientDelete("svc_fund", h.fund), fault.CannotDeleteAssociated, gift.String())
	refuse(t, h.ClientDelete("svc_donor", h.donor), fault.CannotDeleteAssociated, gift.String())
	h.update("svc_fund", h.fund, cells{"svc_parent": h.fund2, "svc_primarydonor": h.donor2})
	h.delete("svc_fund", h.fund2)
	h.want("svc_fund", h.fund, map[string]string{"svc_parent": "null"})
	refuse(t, h.ClientDelete("svc_donor", h.donor2), fault.CannotDeleteAssociated, h.fund.String())
}

func TestFundGroup(t *testing.T) {
	h := newHouse(t)
	group, other := h.create("svc_fundgroup", cells{"svc_fundgroupname": "A"}), h.create("svc_fundgroup", cells{"svc_fundgroupname": "B"})
	h.want("svc_fundgroup", group, map[string]string{"svc_netassets": "0.00"})
	h.update("svc_fund", h.fund, cells{"svc_fundgroup": group, "svc_netassets": cents(500)})
	h.update("svc_fund", h.fund2, cells{"svc_fundgroup": group, "svc_netassets": cents(700)})
	h.want("svc_fundgroup", group, map[string]string{"svc_netassets": "12.00", "svc_netassets_base": "12.00"})
	h.update("svc_fund", h.fund, cells{"statecode": 1})
	h.want("svc_fundgroup", group, map[string]string{"svc_netassets": "7.00"})
	h.update("svc_fund", h.fund2, cells{"svc_fundgroup": other})
	h.want("svc_fundgroup", group, map[string]string{"svc_netassets": "0.00"})
	h.want("svc_fundgroup", other, map[string]string{"svc_netassets": "7.00"})
	h.delete("svc_fund", h.fund2)
	h.want("svc_fundgroup", other, map[string]string{"svc_netassets": "0.00"})
}

func TestDerivedBalances(t *testing.T) {
	h := newHouse(t)
	if err := h.Config.Set("balances.mode", "derived"); err != nil {
		t.Fatal(err)
	}
	h.update("svc_fund", h.fund, cells{"svc_initialamount": cents(100000), "svc_earnings": cents(5000), "svc_netassets": cents(1)})
	gift := h.gift(typeGift, "2026-01-02", 30000, nil)
	h.pay(gift, "2026-01-02", 30000, cells{"svc_feeamount": cents(300)})
	h.gift(typeNonGift, "2026-01-02", 2000, nil)
	request := h.create("svc_request", cells{"svc_fund": h.fund})
	h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(7000), "svc_cleardate": day("2026-02-02")})
	// 1,000 initial + 300 gifts + 20 tickets - 70 grants - 3 fees + 50 earnings
	h.want("svc_fund", h.fund, map[string]string{"svc_netassets": "1297.00"})
}

func TestAllotmentIsPassedOn(t *testing.T) {
	h := newHouse(t)
	h.update("svc_fund", h.fund, cells{"svc_endowed": true, "svc_netassets": cents(1000000), "svc_spendpercent": 4.5, "svc_alternatespendablefund": h.fund2})
	before := h.Touches[h.fund2]
	h.update("svc_fund", h.fund, cells{"svc_spendableamount": cents(70000)})
	if got := h.Must("svc_fund", h.fund).Value("x_allotment").Int(); got != 70000 {
		t.Errorf("allotment %d", got)
	}
	if h.Touches[h.fund2] == before {
		t.Error("the fund that receives the allotment was not touched")
	}
	h.update("svc_fund", h.fund, cells{"svc_spendableamount": cents(0)})
	if got := h.Must("svc_fund", h.fund).Value("x_allotment").Int(); got != 45000 {
		t.Errorf("allotment %d", got)
	}
}

func TestQuarterSnapshots(t *testing.T) {
	h := newHouse(t)
	if err := h.Config.Set("spend.method", "avg12q"); err != nil {
		t.Fatal(err)
	}
	h.update("svc_fund", h.fund, cells{"svc_endowed": true, "svc_netassets": cents(1000000), "svc_spendpercent": 5.0})
	allotment := func() int64 { return h.Must("svc_fund", h.fund).Value("x_allotment").Int() }
	if allotment() != 50000 {
		t.Errorf("without snapshots %d", allotment())
	}
	snapshot := func() {
		t.Helper()
		if err := h.Write(func() error { return rules.SnapshotQuarter(h) }); err != nil {
			t.Fatal(err)
		}
	}
	snapshot()
	h.update("svc_fund", h.fund, cells{"svc_netassets": cents(2000000)})
	if allotment() != 50000 {
		t.Errorf("with one quarter %d", allotment())
	}
	snapshot() // the same quarter: nothing
	h.Clock += 92 * value.SecondsPerDay
	snapshot()
	if allotment() != 75000 {
		t.Errorf("with two quarters %d", allotment())
	}
	if n := len(h.Side("fundquarter")); n != 4 {
		t.Errorf("%d snapshots of two funds", n)
	}
}

func TestFeePreview(t *testing.T) {
	h := newHouse(t)
	group := h.create("svc_fundgroup", cells{"svc_fundgroupname": "A"})
	h.update("svc_fund", h.fund, cells{"svc_netassets": cents(1000000), "svc_feeamount": cents(2500), "svc_feepercent": 1.25,
		"svc_paymentfrequency": 730850001, "svc_alternatefundfeefund": h.fund2, "svc_fundgroup": group})
	preview := func() rules.FeePreview {
		p, err := rules.PreviewFundFee(h, h.fund)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := preview(); p.Annual.String() != "150.00" || p.PerPeriod.String() != "37.50" || p.Receiving != h.fund2 {
		t.Errorf("%+v", p)
	}
	h.update("svc_fund", h.fund2, cells{"svc_netassets": cents(3000000), "svc_fundgroup": group})
	h.update("svc_fund", h.fund, cells{"svc_feecalculationbasis": true, "svc_feeamount": nil, "svc_paymentfrequency": 100000002})
	if p := preview(); p.Annual.String() != "125.00" || !p.PerPeriod.IsNull() {
		t.Errorf("%+v", p)
	}
}

func TestPrimaryDonorSpreads(t *testing.T) {
	h := newHouse(t)
	h.update("svc_fund", h.fund, cells{"svc_primarydonor": h.donor})
	request := h.create("svc_request", cells{"svc_fund": h.fund})
	follows := h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(1)})
	stays := h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(1), "svc_fundprimarydonor": h.newDonor("Third")})
	h.want("svc_requestpayment", follows, map[string]string{"svc_fundprimarydonor": h.donor.String(), "svc_fund": h.fund.String(), "svc_department": h.department.String()})
	h.update("svc_fund", h.fund, cells{"svc_primarydonor": h.donor2})
	h.want("svc_requestpayment", follows, map[string]string{"svc_fundprimarydonor": h.donor2.String()})
	if h.Must("svc_requestpayment", stays).Value("svc_fundprimarydonor").ID() == h.donor2 {
		t.Error("a donor the client chose was replaced")
	}
	h.update("svc_requestpayment", follows, cells{"svc_fund": h.fund2})
	h.want("svc_requestpayment", follows, map[string]string{"svc_fundprimarydonor": "null"})
}

// An external ledger stamps the balances, unless it says when itself.
func TestBalancesUpdated(t *testing.T) {
	h := newHouse(t)
	h.update("svc_fund", h.fund, cells{"svc_notes": "x"})
	h.want("svc_fund", h.fund, map[string]string{"svc_balancesupdated": "null"})
	h.update("svc_fund", h.fund, cells{"svc_earnings": cents(5), "svc_balancesupdated": day("2026-01-01")})
	h.want("svc_fund", h.fund, map[string]string{"svc_balancesupdated": "2026-01-01T00:00:00Z"})
	h.update("svc_fund", h.fund, cells{"svc_historic": cents(5)})
	h.want("svc_fund", h.fund, map[string]string{"svc_balancesupdated": "2026-06-30T12:00:00Z"})
}
