package rules_test

import (
	"strings"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/rules"
	"almoner/internal/rules/rulestest"
	"almoner/internal/value"
)

type (
	cells = rulestest.Cells
	cents = rulestest.Cents
	day   = rulestest.Day
)

const (
	typeGift, typePledge, typeNonGift, typeInterfund = 730850000, 730850001, 730850005, 100000001

	thisYear, lastYear = 2026, 2025
)

// house is a foundation with a department, two funds and two donors.
type house struct {
	*rulestest.Env
	t             *testing.T
	fund, fund2   value.GUID
	donor, donor2 value.GUID
	department    value.GUID
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{Env: rulestest.New(1), t: t}
	h.department = h.create("svc_department", cells{"svc_departmentname": "Finance", "svc_isdefault": true})
	h.fund, h.fund2 = h.newFund("Arts"), h.newFund("Parks")
	h.donor = h.create("svc_donor", cells{"svc_formaldefault": "Ann Lee"})
	h.donor2 = h.create("svc_donor", cells{"svc_formaldefault": "Bo Ray"})
	return h
}

func (h *house) newFund(name string) value.GUID {
	return h.create("svc_fund", cells{"svc_fundname": name, "svc_fundclass": 730850001, "svc_fundtype": 730850000})
}

func (h *house) create(table string, c cells) value.GUID {
	h.t.Helper()
	id, err := h.ClientCreate(table, c)
	if err != nil {
		h.t.Fatalf("create %s %v: %v", table, c, err)
	}
	return id
}

func (h *house) update(table string, id value.GUID, c cells) {
	h.t.Helper()
	if err := h.ClientUpdate(table, id, c); err != nil {
		h.t.Fatalf("update %s %v: %v", table, c, err)
	}
}

func (h *house) delete(table string, id value.GUID) {
	h.t.Helper()
	if err := h.ClientDelete(table, id); err != nil {
		h.t.Fatalf("delete %s: %v", table, err)
	}
}

// gift makes a gift of one split, with further cells on top.
func (h *house) gift(kind int, date day, amount cents, more cells) value.GUID {
	h.t.Helper()
	c := cells{"svc_gifttype": kind, "svc_giftdate": date, "svc_amount1": amount, "svc_fund1": h.fund, "svc_donor": h.donor}
	for k, v := range more {
		c[k] = v
	}
	return h.create("svc_gift", c)
}

// pay makes a payment on a gift, with further cells on top.
func (h *house) pay(gift value.GUID, date day, amount cents, more cells) value.GUID {
	h.t.Helper()
	c := cells{"svc_giftnumber": gift, "svc_postingdate": date, "svc_amount": amount}
	for k, v := range more {
		c[k] = v
	}
	return h.create("svc_giftpayment", c)
}

// want compares cells of a row with their text.
func (h *house) want(table string, id value.GUID, want map[string]string) {
	h.t.Helper()
	r := h.Must(table, id)
	for name, text := range want {
		if got := r.Value(name).String(); got != text {
			h.t.Errorf("%s.%s is %s, want %s", table, name, got, text)
		}
	}
}

// year returns what a donor gave in a giving year.
func (h *house) year(donor value.GUID, year int64) string {
	for _, r := range h.Side("donoryear") {
		if r.Value("donor").ID() == donor && r.Value("year").Int() == year {
			return value.Money(r.Value("amount").Int()).String()
		}
	}
	return "0.00"
}

// refuse checks that a write is refused with a code, naming rule and column.
func refuse(t *testing.T, err error, code fault.Code, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("not refused, want %s", code)
	}
	f := fault.As(err)
	if f.Code != code {
		t.Errorf("code %s, want %s: %v", f.Code, code, err)
	}
	for _, word := range words {
		if !strings.Contains(f.Message+" "+f.TraceText(), word) {
			t.Errorf("%q (%s) does not name %q", f.Message, f.TraceText(), word)
		}
	}
}

func TestExample1Splits(t *testing.T) {
	h := newHouse(t)
	c := cells{"svc_giftdate": day("2026-01-02"), "svc_donor": h.donor, "svc_amount1": cents(61123), "svc_fund1": h.fund,
		"svc_amount2": cents(26195), "svc_fund2": h.fund2, "svc_totalgift": cents(87318)}
	id := h.create("svc_gift", c)
	h.want("svc_gift", id, map[string]string{"svc_totalgift": "873.18", "svc_giftnum": "G-0000001"})
	c["svc_totalgift"] = cents(87319)
	_, err := h.ClientCreate("svc_gift", c)
	refuse(t, err, fault.RuleRefused, "svc_totalgift", "873.19", "873.18", "rule gift.total")
}

func TestExample2Pledge(t *testing.T) {
	h := newHouse(t)
	pledge := h.gift(typePledge, "2025-12-01", 400000, nil)
	first := h.pay(pledge, "2025-12-20", 100000, nil)
	second := h.pay(pledge, "2026-01-05", 100000, nil)
	third := h.pay(pledge, "2026-01-19", 200000, nil)
	h.want("svc_gift", pledge, map[string]string{"svc_paid": "4000.00", "svc_balance": "0.00", "svc_commitment": "4000.00"})
	flags := func(a, b, c string) {
		t.Helper()
		for id, want := range map[value.GUID]string{first: a, second: b, third: c} {
			if id == second && b == "" {
				continue
			}
			h.want("svc_giftpayment", id, map[string]string{"svc_pledgepaid": want})
		}
	}
	flags("false", "false", "true")
	if h.year(h.donor, thisYear) != "3000.00" || h.year(h.donor, lastYear) != "1000.00" {
		t.Errorf("giving %s, %s", h.year(h.donor, thisYear), h.year(h.donor, lastYear))
	}
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "4000.00", "svc_countofgifts": "1", "svc_largestgift": "4000.00"})

	h.delete("svc_giftpayment", second)
	h.want("svc_gift", pledge, map[string]string{"svc_paid": "3000.00", "svc_balance": "1000.00"})
	flags("false", "", "false")
	if h.year(h.donor, thisYear) != "2000.00" {
		t.Errorf("this year %s", h.year(h.donor, thisYear))
	}
	second = h.pay(pledge, "2026-01-05", 100000, nil)
	today := h.create("svc_giftpayment", cells{"svc_giftnumber": pledge, "svc_amount": cents(50000)})
	h.want("svc_gift", pledge, map[string]string{"svc_paid": "4500.00", "svc_balance": "-500.00"})
	flags("false", "false", "true")
	h.want("svc_giftpayment", today, map[string]string{"svc_pledgepaid": "false", "svc_pledgepaymentapplied": "2026-06-30T12:00:00Z"})
}

func TestExample3Schedule(t *testing.T) {
	for rounding, want := range map[string]string{
		"spread_begin": "8.34 8.34 8.34 8.34 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33",
		"spread_end":   "8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.34 8.34 8.34 8.34",
		"all_begin":    "8.37 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33",
		"all_end":      "8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.33 8.37",
	} {
		h := newHouse(t)
		if err := h.Config.Set("pledge.installment_rounding", rounding); err != nil {
			t.Fatal(err)
		}
		pledge := h.gift(typePledge, "2026-01-01", 10000, nil)
		first, _ := value.ParseDate("2026-01-31")
		err := h.Write(func() error {
			return rules.SchedulePledgePayments(h, pledge, rules.Schedule{First: first, Frequency: 730850003, Count: 12})
		})
		if err != nil {
			t.Fatal(err)
		}
		amounts, dates := map[string]string{}, []string{}
		for _, r := range h.Rows("svc_giftpayment") {
			date := r.Value("svc_checkdate").String()
			amounts[date] = r.Value("svc_amount").String()
		}
		for _, d := range []string{"01-31", "02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31", "11-30", "12-31"} {
			dates = append(dates, amounts["2026-"+d])
		}
		if got := strings.Join(dates, " "); got != want {
			t.Errorf("%s: %s, want %s", rounding, got, want)
		}
		h.want("svc_gift", pledge, map[string]string{"svc_paid": "0.00", "svc_balance": "100.00"})
	}
}

// fundGifts returns what gifts brought to a fund.
func (h *house) fundGifts(fund value.GUID) string {
	return h.Must("svc_fund", fund).Value("svc_giftspaid").String()
}

func TestExample4Apportion(t *testing.T) {
	h := newHouse(t)
	fund3 := h.newFund("Library")
	pledge := h.gift(typePledge, "2026-01-01", 60000, cells{"svc_amount2": cents(30000), "svc_fund2": h.fund2, "svc_amount3": cents(10000), "svc_fund3": fund3})
	h.pay(pledge, "2026-02-01", 33333, nil)
	if a, b, c := h.fundGifts(h.fund), h.fundGifts(h.fund2), h.fundGifts(fund3); a != "200.00" || b != "100.00" || c != "33.33" {
		t.Errorf("%s %s %s", a, b, c)
	}
	h.want("svc_fund", h.fund, map[string]string{"svc_giftspending": "400.00"})
}

func TestExample5WriteOff(t *testing.T) {
	h := newHouse(t)
	pledge := h.gift(typePledge, "2026-01-01", 1000000, nil)
	h.pay(pledge, "2026-02-01", 600000, nil)
	h.update("svc_gift", pledge, cells{"svc_amount1": cents(600000)})
	h.want("svc_gift", pledge, map[string]string{"svc_totalgift": "6000.00", "svc_balance": "0.00", "svc_commitment": "10000.00"})
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "6000.00"})
}

func TestExample6Reversed(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-03-01", 25000, nil)
	payment := h.pay(gift, "2026-03-01", 25000, nil)
	h.want("svc_gift", gift, map[string]string{"svc_giftrange": "730850002"})
	h.update("svc_giftpayment", payment, cells{"svc_reversalamount": cents(25000), "svc_reversaltype": 730850002, "svc_reversaldate": day("2026-04-01")})
	h.want("svc_gift", gift, map[string]string{"svc_totalgift": "250.00", "svc_paid": "0.00", "svc_balance": "250.00", "svc_giftrange": "730850000"})
	h.want("svc_donor", h.donor, map[string]string{
		"svc_countofgifts": "0", "svc_totalcommitment": "0.00", "svc_largestgift": "null", "svc_largestgiftid": "null", "svc_mostrecentgiftid": "null",
		"svc_firstgiftdate": "null", "svc_mostrecentgiftdate": "null",
	})
	if h.year(h.donor, thisYear) != "0.00" {
		t.Errorf("this year %s", h.year(h.donor, thisYear))
	}
}

func TestExample7AssumedPaid(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-03-01", 25000, nil)
	same := func() {
		t.Helper()
		h.want("svc_gift", gift, map[string]string{"svc_paid": "250.00", "svc_balance": "0.00"})
		if h.year(h.donor, thisYear) != "250.00" || h.fundGifts(h.fund) != "250.00" {
			t.Errorf("giving %s, fund %s", h.year(h.donor, thisYear), h.fundGifts(h.fund))
		}
	}
	same()
	h.pay(gift, "2026-03-02", 25000, nil)
	same()
}

func TestExample8Stock(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-03-01", 571050, cells{"svc_fmv": cents(4739), "svc_shares": "120.5"})
	h.want("svc_gift", gift, map[string]string{"svc_fmvtotal": "5710.50"})
	h.update("svc_gift", gift, cells{"svc_shares": "one lot"})
	h.want("svc_gift", gift, map[string]string{"svc_fmvtotal": "null"})
	h.update("svc_gift", gift, cells{"svc_shares": " 1,000 ", "svc_fmv": nil, "svc_stockhigh": cents(1001), "svc_stocklow": cents(1000)})
	h.want("svc_gift", gift, map[string]string{"svc_fmv": "10.01", "svc_stockvaluation": "10005.00", "svc_fmvtotal": "10010.00"})
}

func TestExample9Fee(t *testing.T) {
	h := newHouse(t)
	fee := h.create("svc_giftfee", cells{"svc_feename": "Card", "svc_feecalculation": 730850002, "svc_feepercent": 29000, "svc_flatfeeamount": cents(30)})
	gift := h.gift(typeGift, "2026-03-01", 12500, nil)
	payment := h.pay(gift, "2026-03-01", 12500, cells{"svc_giftfee": fee})
	h.want("svc_giftpayment", payment, map[string]string{"svc_feeamount": "3.93"})
	h.want("svc_gift", gift, map[string]string{"svc_feeamounttotal": "3.93"})
	h.want("svc_giftfee", fee, map[string]string{"svc_feepercentasdecimal": "0.029000"})
	h.update("svc_giftpayment", payment, cells{"svc_amount": cents(20000)})
	h.want("svc_giftpayment", payment, map[string]string{"svc_feeamount": "6.10"})
	h.update("svc_giftpayment", payment, cells{"svc_feeamount": cents(500)})
	h.update("svc_giftpayment", payment, cells{"svc_amount": cents(12500)})
	h.want("svc_giftpayment", payment, map[string]string{"svc_feeamount": "5.00"})
}

func TestExample10Spendable(t *testing.T) {
	h := newHouse(t)
	h.update("svc_fund", h.fund, cells{"svc_endowed": true, "svc_netassets": cents(25000000), "svc_spendpercent": 4.5})
	request := h.create("svc_request", cells{"svc_fund": h.fund})
	h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(400000), "svc_paymentsent": day("2026-02-01"), "svc_paymentdate": day("2026-02-01")})
	h.create("svc_requestpayment", cells{"svc_requestlookup": request, "svc_amount": cents(250000), "svc_paymentdate": day("2026-09-01")})
	fund := h.Must("svc_fund", h.fund)
	if got := fund.Value("x_allotment").Int(); got != 1125000 {
		t.Errorf("allotment %d", got)
	}
	h.want("svc_fund", h.fund, map[string]string{"svc_grantspaid": "4000.00", "svc_grantspending": "2500.00", "svc_balancesupdated": "2026-06-30T12:00:00Z"})
	for _, r := range h.Side("fundyear") {
		if r.Value("year").Int() == thisYear && r.Value("grantspaid").Int() != 400000 {
			t.Errorf("paid this year %d", r.Value("grantspaid").Int())
		}
	}
}

func TestExample11Year(t *testing.T) {
	s := rulestest.New(1).Config
	if err := s.Set("year.start_month", "7"); err != nil {
		t.Fatal(err)
	}
	year := func(y, m, d int) int { return rules.GivingYear(value.CivilDays(y, m, d)*value.SecondsPerDay, s) }
	if year(2026, 6, 30) != year(2025, 7, 1) || year(2026, 7, 1) != year(2026, 6, 30)+1 {
		t.Errorf("%d %d %d", year(2026, 6, 30), year(2025, 7, 1), year(2026, 7, 1))
	}
}

func TestExample13Move(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-03-01", 25000, nil)
	payment := h.pay(gift, "2026-03-01", 25000, nil)
	other := h.pay(gift, "2026-03-02", 100, cells{"svc_donor": h.newDonor("Third")})
	h.want("svc_giftpayment", payment, map[string]string{"svc_donor": h.donor.String()})
	h.update("svc_gift", gift, cells{"svc_donor": h.donor2})
	h.want("svc_donor", h.donor, map[string]string{"svc_totalcommitment": "0.00", "svc_countofgifts": "0", "svc_largestgift": "null"})
	h.want("svc_donor", h.donor2, map[string]string{"svc_totalcommitment": "250.00", "svc_countofgifts": "1", "svc_largestgiftid": gift.String()})
	h.want("svc_giftpayment", payment, map[string]string{"svc_donor": h.donor2.String()})
	if h.Must("svc_giftpayment", other).Value("svc_donor").ID() == h.donor2 {
		t.Error("a payment bound to another donor followed")
	}
	if h.year(h.donor, thisYear) != "0.00" || h.year(h.donor2, thisYear) != "250.00" {
		t.Errorf("%s %s", h.year(h.donor, thisYear), h.year(h.donor2, thisYear))
	}
}

func (h *house) newDonor(name string) value.GUID {
	return h.create("svc_donor", cells{"svc_formaldefault": name})
}

func TestExample14OtherTypes(t *testing.T) {
	h := newHouse(t)
	h.gift(typeNonGift, "2026-03-01", 50000, cells{"svc_donor": nil})
	h.gift(typeInterfund, "2026-03-01", 90000, cells{"svc_donor": nil})
	h.want("svc_fund", h.fund, map[string]string{"svc_giftspaid": "900.00"})
	for _, r := range h.Side("fundyear") {
		if r.Value("giving").Int() != 0 || r.Value("inflow").Int() != 90000 {
			t.Errorf("year %d: giving %d, inflow %d", r.Value("year").Int(), r.Value("giving").Int(), r.Value("inflow").Int())
		}
	}
	if len(h.Side("donoryear")) != 0 {
		t.Error("a donor gave")
	}
}

func TestExample15Currency(t *testing.T) {
	h := newHouse(t)
	gift := h.gift(typeGift, "2026-03-01", 100000, cells{"transactioncurrencyid": h.CAD})
	h.want("svc_gift", gift, map[string]string{"svc_amount1_base": "732.60", "svc_totalgift_base": "732.60", "exchangerate": "1.3650000000"})
	h.update("transactioncurrency", h.CAD, cells{"exchangerate": 14_000_000_000})
	h.update("svc_gift", gift, cells{"svc_purpose": "roof"})
	h.want("svc_gift", gift, map[string]string{"svc_amount1_base": "732.60"})
	if h.year(h.donor, thisYear) != "732.60" || h.fundGifts(h.fund) != "732.60" {
		t.Errorf("%s %s", h.year(h.donor, thisYear), h.fundGifts(h.fund))
	}
	payment := h.pay(gift, "2026-03-01", 5000, nil)
	h.want("svc_giftpayment", payment, map[string]string{"transactioncurrencyid": h.CAD.String(), "exchangerate": "1.4000000000", "svc_amount_base": "35.71"})
	_, err := h.ClientCreate("svc_giftpayment", cells{"svc_giftnumber": gift, "svc_amount": cents(1), "transactioncurrencyid": h.USD})
	refuse(t, err, fault.RuleRefused, "transactioncurrencyid", "svc_giftnumber")
}
