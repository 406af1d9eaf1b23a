package rules_test

import (
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/rules"
	"almoner/internal/value"
)

func TestGreetings(t *testing.T) {
	h := newHouse(t)
	ann := h.create("contact", cells{"firstname": "Ann", "lastname": "Lee"})
	bo := h.create("contact", cells{"firstname": "Bo", "lastname": "Lee"})
	ray := h.create("contact", cells{"firstname": "Ray", "lastname": "Oh"})
	h.want("contact", ann, map[string]string{"fullname": "Ann Lee"})
	donor := h.create("svc_donor", cells{"svc_primarycontact": ann})
	h.want("svc_donor", donor, map[string]string{"svc_formaldefault": "Ann Lee", "svc_informalgreeting": "Ann", "svc_donortype": "false"})
	h.update("svc_donor", donor, cells{"svc_secondarycontact": bo})
	h.want("svc_donor", donor, map[string]string{"svc_formaldefault": "Ann and Bo Lee", "svc_informalgreeting": "Ann and Bo"})
	h.update("svc_donor", donor, cells{"svc_secondarycontact": ray})
	h.want("svc_donor", donor, map[string]string{"svc_formaldefault": "Ann Lee and Ray Oh"})
	h.update("svc_donor", donor, cells{"svc_formaldefault": "The Lees"})
	h.update("svc_donor", donor, cells{"svc_secondarycontact": nil})
	h.want("svc_donor", donor, map[string]string{"svc_formaldefault": "The Lees", "svc_informalgreeting": "Ann"})
	_, err := h.ClientCreate("svc_donor", cells{})
	refuse(t, err, fault.RequiredFieldMissing, "svc_formaldefault")
}

func TestOrganizationDonor(t *testing.T) {
	h := newHouse(t)
	account := h.create("account", cells{"name": "Acme"})
	person := h.create("contact", cells{"firstname": "Ann", "lastname": "Lee", "parentcustomerid": value.Ref(account, h.Table("account").TypeCode)})
	donor := h.create("svc_donor", cells{"svc_primarycontact": person, "svc_donortype": true})
	h.want("svc_donor", donor, map[string]string{"svc_organization": account.String(), "svc_formaldefault": "Acme", "svc_informalgreeting": "Ann"})
}

func TestLongNamesAreCut(t *testing.T) {
	h := newHouse(t)
	long := strings.Repeat("x", 50)
	ann := h.create("contact", cells{"firstname": long, "lastname": long})
	bo := h.create("contact", cells{"firstname": long, "lastname": "Ray"})
	donor := h.create("svc_donor", cells{"svc_primarycontact": ann, "svc_secondarycontact": bo})
	if n := len(h.Must("svc_donor", donor).Value("svc_formaldefault").Text()); n != 160 {
		t.Errorf("formal name of %d characters", n)
	}
}

func TestFirstLatestLargest(t *testing.T) {
	h := newHouse(t)
	a := h.gift(typeGift, "2026-02-01", 500, nil)
	b := h.gift(typeGift, "2026-03-01", 900, nil)
	h.Clock++
	c := h.gift(typeGift, "2026-03-01", 900, nil)
	check := func(first, latest string, latestID, largest value.GUID) {
		t.Helper()
		h.want("svc_donor", h.donor, map[string]string{
			"svc_firstgiftdate": first + "T00:00:00Z", "svc_mostrecentgiftdate": latest + "T00:00:00Z",
			"svc_mostrecentgiftid": latestID.String(), "svc_largestgiftid": largest.String(),
		})
	}
	check("2026-02-01", "2026-03-01", c, c)
	h.delete("svc_gift", c)
	check("2026-02-01", "2026-03-01", b, b)
	h.update("svc_gift", b, cells{"svc_giftdate": day("2026-01-01"), "svc_amount1": cents(100)})
	check("2026-01-01", "2026-02-01", a, a)
	h.update("svc_gift", b, cells{"statecode": 1})
	check("2026-02-01", "2026-02-01", a, a)
}

// A payment moves a donor's year totals without changing a stored column: its version must move all the same.
func TestYearTotalsMoveTheVersion(t *testing.T) {
	h := newHouse(t)
	pledge := h.gift(typePledge, "2026-02-01", 50000, nil)
	donor, fund := h.Touches[h.donor], h.Touches[h.fund]
	h.pay(pledge, "2026-02-01", 100, nil)
	if h.Touches[h.donor] == donor || h.Touches[h.fund] == fund {
		t.Error("a payment did not show in change tracking")
	}
	modified := h.Must("svc_donor", h.donor).Value("modifiedon")
	h.Clock += 3600
	h.pay(pledge, "2026-02-01", 100, nil)
	if h.Must("svc_donor", h.donor).Value("modifiedon") != modified {
		t.Error("a payment changed the donor's modifiedon")
	}
}

func TestTouchYear(t *testing.T) {
	h := newHouse(t)
	h.gift(typeGift, "2020-02-01", 500, nil)
	h.gift(typeGift, "2019-02-01", 500, cells{"svc_donor": h.donor2, "svc_fund1": h.fund2})
	before := map[value.GUID]int{h.donor: h.Touches[h.donor], h.donor2: h.Touches[h.donor2], h.fund: h.Touches[h.fund]}
	var at rules.YearTouch
	for !at.Done() {
		err := h.Write(func() (err error) { at, err = rules.TouchYear(h, 2026, at); return err })
		if err != nil {
			t.Fatal(err)
		}
	}
	if h.Touches[h.donor] != before[h.donor]+1 {
		t.Errorf("donor with giving in 2020 touched %d times", h.Touches[h.donor]-before[h.donor])
	}
	if h.Touches[h.donor2] != before[h.donor2] || h.Touches[h.fund] != before[h.fund] {
		t.Error("somebody whose columns did not shift was touched")
	}
}

func TestDeferred(t *testing.T) {
	h := newHouse(t)
	h.Deferred = true
	pledge := h.Table("svc_gift")
	err := h.Write(func() error {
		gift, err := h.Create(pledge, h.Assigns(pledge, cells{"svc_gifttype": typePledge, "svc_giftdate": day("2026-01-01"), "svc_donor": h.donor, "svc_amount1": cents(100), "svc_fund1": h.fund}))
		if err != nil {
			return err
		}
		payment := h.Table("svc_giftpayment")
		_, err = h.Create(payment, h.Assigns(payment, cells{"svc_giftnumber": gift, "svc_amount": cents(100)}))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Left.Gifts) != 1 || !h.Left.Donors[h.donor] || !h.Left.Funds[h.fund] {
		t.Errorf("left %+v", h.Left)
	}
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "0.00"})
	if err := h.Write(func() error { return rules.Recompute(h, h.Left, nil) }); err != nil {
		t.Fatal(err)
	}
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "1.00", "svc_countofgifts": "1"})
	if h.fundGifts(h.fund) != "1.00" || h.year(h.donor, thisYear) != "1.00" {
		t.Errorf("%s %s", h.fundGifts(h.fund), h.year(h.donor, thisYear))
	}
}
