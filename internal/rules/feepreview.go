package rules

import (
	"math/big"
	"slices"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/value"
)

// FeePreview is what a fund's fee would be; nothing is written.
type FeePreview struct {
	Annual    value.Value // money in the fund's currency
	PerPeriod value.Value // null when the fund has no fixed periods
	Receiving value.GUID  // fund that receives the fee; zero for none
}

// PreviewFundFee computes a fund's annual fee: the flat amount plus a percentage of its net assets, or its part of the fee on
// the whole group, apportioned by net assets.
func PreviewFundFee(env Env, fund value.GUID) (FeePreview, error) {
	t := env.Model().Table("svc_fund")
	row, err := env.Row(t, fund)
	if err != nil {
		return FeePreview{}, err
	}
	if row == nil {
		return FeePreview{}, fault.NotFound(t.Name, fund.String())
	}
	annual, err := annualFee(env, row)
	if err != nil {
		return FeePreview{}, err
	}
	out := FeePreview{Annual: value.Money(annual), Receiving: row.Value("svc_alternatefundfeefund").ID()}
	if periods := periodsPerYear[row.Value("svc_paymentfrequency").Int()]; periods > 0 {
		out.PerPeriod, err = moneyOf(big.NewRat(annual, 100*periods))
	}
	return out, err
}

func annualFee(env Env, fund *query.Row) (int64, error) {
	group := fund.Value("svc_fundgroup")
	if !fund.Value("svc_feecalculationbasis").Bool() || group.IsNull() {
		return feeOn(fund, fund.Value("svc_feeamount").Int(), fund.Value("svc_netassets").Int())
	}
	t := fund.Table
	members, err := env.Find(t, []query.Assign{set(t, "svc_fundgroup", group), set(t, "statecode", value.Int(0))}, columnsOf(t, []string{"svc_netassets_base"}))
	if err != nil {
		return 0, err
	}
	mine := slices.IndexFunc(members, func(r *query.Row) bool { return r.ID == fund.ID })
	if mine < 0 {
		members, mine = append(members, fund), len(members)
	}
	var total int64
	weights := make([]int64, len(members))
	for i, r := range members {
		weights[i] = max(0, baseOf(r, "svc_netassets"))
		total += weights[i]
	}
	whole, err := feeOn(fund, baseOf(fund, "svc_feeamount"), total)
	if err != nil {
		return 0, err
	}
	return fromBase(apportion(whole, weights)[mine], rateOf(fund))
}

// feeOn returns flat + basis x percent / 100, rounded once; a basis below zero bears no percentage.
func feeOn(fund *query.Row, flat, basis int64) (int64, error) {
	sum := big.NewRat(flat, 100)
	if percent := fund.Value("svc_feepercent").Rat(); percent != nil && basis > 0 {
		sum.Add(sum, percent.Mul(percent, big.NewRat(basis, 100*100)))
	}
	v, err := moneyOf(sum)
	return v.Int(), err
}
