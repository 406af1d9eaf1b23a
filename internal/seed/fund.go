package seed

import (
	"fmt"
	"strings"

	"almoner/internal/value"
)

// fund is what is remembered of a fund.
type fund struct {
	id   value.GUID
	kind int64
}

// fundSort is a sort of fund with what is usual for it.
type fundSort struct {
	kind, class, instrument int64
	group                   int
	endowed                 bool
	share                   int // in a hundred
}

// fundSorts are the sorts of fund there are; the last one is the foundation's own.
var fundSorts = []fundSort{
	{fundAdvised, classNonpermanent, 730850002, 0, false, 30},
	{fundScholarship, classEndowment, 730850002, 1, true, 22},
	{fundInterest, classEndowment, 730850001, 2, true, 18},
	{fundAgency, classEndowment, 730850005, 3, true, 12},
	{fundProject, classNonpermanent, 730850006, 5, false, 8},
	{fundDesignated, classEndowment, 730850007, 2, true, 7},
	{fundGeneral, classOperating, 730850003, 4, false, 3},
}

// makeFunds makes the funds. The first few are the foundation's own general funds and the trunks of the tree.
func (f *foundation) makeFunds() error {
	f.funds = make([]fund, f.size.Funds)
	f.fundNames = map[string]int{}
	for i := range f.funds {
		f.makeFund(i)
		if err := f.settleAfter(batchRows); err != nil {
			return err
		}
	}
	return f.settle()
}

func (f *foundation) newFundSort(i int) fundSort {
	if i < 2 {
		return fundSorts[len(fundSorts)-1]
	}
	if i <= len(fundSorts) {
		return fundSorts[i-2] // one of each, whatever the size
	}
	n := f.dice.IntN(100)
	for _, k := range fundSorts {
		if n -= k.share; n < 0 {
			return k
		}
	}
	return fundSorts[0]
}

func (f *foundation) makeFund(i int) {
	d := f.dice
	k := f.newFundSort(i)
	since := f.first - int64(d.between(1, 380))
	if i > 20 {
		since += int64(d.IntN(int(f.last-f.first) / 2))
	}
	r := f.begin("svc_fund", f.moment(since)).choice("svc_fundclass", k.class).choice("svc_fundtype", k.kind).choice("svc_fundinstrument", k.instrument)
	f.nameFund(i, k, r)
	r.date("svc_established", since).flag("svc_endowed", k.endowed).link("svc_department", f.departments[k.group%len(f.departments)])
	r.link("svc_fundgroup", f.groups[k.group]).link("svc_fundstatementformat", f.formats[d.IntN(len(f.formats))])
	r.link("svc_giftdefaultaccount", f.ledger[giftAccount(k)]).link("svc_nongiftdefaultaccount", f.ledger["4100"])
	r.link("svc_foundationstaffcontact", pick(d, f.staff))
	f.relateFund(i, k, r)
	f.balanceFund(i, k, r)
	f.funds[i] = fund{r.ID, k.kind}
	if f.keep(r).Value("statecode").Int() == 0 {
		f.openFunds = append(f.openFunds, f.funds[i])
	}
}

func giftAccount(k fundSort) string {
	if k.class == classOperating {
		return "4010"
	}
	return "4020"
}

func (f *foundation) nameFund(i int, k fundSort, r *draft) {
	d := f.dice
	var name string
	switch {
	case i == 0:
		name = "Community Fund"
	case i == 1:
		name = "Operating Fund"
	case k.kind == fundAdvised:
		name = pick(d, lastNames) + " Family Fund"
	case k.kind == fundScholarship:
		name = pick(d, firstNames) + " " + pick(d, lastNames) + " Scholarship"
	case k.kind == fundAgency:
		name = pick(d, places).city + " " + pick(d, charityKinds) + " Endowment"
	default:
		name = pick(d, places).city + " " + pick(d, causes) + " " + pick(d, fundKinds)
	}
	if f.fundNames[name]++; f.fundNames[name] > 1 {
		name = fmt.Sprintf("%s %d", name, f.fundNames[name])
	}
	r.text("svc_fundname", name).text("svc_formalfundname", "The "+name+" of the Foundation").text("svc_fundcode", fmt.Sprintf("%d-%04d", 100+k.group, i+1))
	r.text("svc_purpose", "Supports "+strings.ToLower(pick(d, causes))+" in the region.")
	open := i < 12 || d.chance(0.35)
	r.flag("svc_portaldonateenabled", open)
	if open {
		r.text("svc_portaldonatetitleslug", strings.ReplaceAll(fold(name), " ", "-"))
	}
}

// relateFund hangs a fund into the tree, three levels deep, and binds it to people and to other funds.
func (f *foundation) relateFund(i int, k fundSort, r *draft) {
	d := f.dice
	switch {
	case i == 2 || i%15 == 4:
		r.link("svc_parent", f.funds[0].id)
		f.branches = append(f.branches, r.ID)
	case i%6 == 5:
		r.link("svc_parent", pick(d, f.branches))
	}
	if k.kind == fundAdvised || k.kind == fundScholarship && d.chance(0.6) {
		n := &f.donors[d.IntN(len(f.donors))]
		r.link("svc_primarydonor", n.id).link("svc_primaryfundcontact", n.primary)
	}
	if i > 1 && k.endowed {
		r.link("svc_alternatefundfeefund", f.funds[1].id)
	}
	if i > 2 && i%40 == 7 && k.endowed {
		r.link("svc_alternatespendablefund", f.funds[0].id)
	}
	if d.chance(0.04) {
		r.choice("svc_anonymity", 730850000+int64(d.IntN(4)))
	}
}

func (f *foundation) balanceFund(i int, k fundSort, r *draft) {
	d := f.dice
	median := 45_000.0
	if k.endowed {
		median = 180_000
	}
	initial := nice(d, min(d.logNormal(median, 1.1), 30_000_000))
	earnings := int64(float64(initial) * d.logNormal(0.25, 0.6))
	r.money("svc_initialamount", initial).money("svc_earnings", earnings).money("svc_historic", initial+earnings*8/10)
	r.put("svc_netassets", value.Money(initial+earnings)).put("svc_balancesupdated", value.Time(f.last*value.SecondsPerDay))
	r.put("svc_feepercent", value.Float(pick(d, []float64{0.75, 1, 1.25, 1.5}))).flag("svc_feecalculationbasis", d.chance(0.2))
	r.choice("svc_paymentfrequency", pick(d, []int64{730850000, 730850001, 730850002, 730850003}))
	switch {
	case k.endowed && i%11 == 3:
		r.money("svc_spendableamount", nice(d, float64(initial)/100*0.04))
	case k.endowed:
		r.put("svc_spendpercent", value.Float(pick(d, []float64{4, 4.25, 4.5, 5})))
	}
	if i > 8 && d.chance(0.03) {
		r.date("svc_dateretired", f.last-int64(d.between(1, 900))).choice("statecode", stateInactive)
	}
	if i == foreignFund {
		r.put("transactioncurrencyid", value.ID(f.foreign))
	}
}

// foreignFund is the index of the fund whose books are in the foreign currency.
const foreignFund = 4
