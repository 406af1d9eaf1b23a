package rules

import (
	"math/big"
	"strings"

	"almoner/internal/query"
	"almoner/internal/value"
)

func (b *Books) setStock(w *Write) error {
	r := w.New
	shares := parseShares(r.Value("svc_shares").Text())
	high, low := r.Value("svc_stockhigh"), r.Value("svc_stocklow")
	if !high.IsNull() && !low.IsNull() {
		mean := new(big.Rat).Add(high.Rat(), low.Rat())
		mean.Quo(mean, big.NewRat(2, 1))
		if err := fillMoney(r, "svc_fmv", mean); err != nil {
			return err
		}
		if shares != nil {
			if err := fillMoney(r, "svc_stockvaluation", mean.Mul(mean, shares)); err != nil {
				return err
			}
		}
	}
	return setWorthOfShares(r, shares)
}

// setWorthOfShares puts the value per unit times the shares on a gift's row; none when one of them is missing.
func setWorthOfShares(r *query.Row, shares *big.Rat) error {
	r.Put("svc_fmvtotal", value.Null)
	if fmv := r.Value("svc_fmv").Rat(); fmv != nil && shares != nil {
		return fillMoney(r, "svc_fmvtotal", fmv.Mul(fmv, shares))
	}
	return nil
}

// fillMoney puts an exact amount into a column that is null.
func fillMoney(r *query.Row, name string, amount *big.Rat) error {
	if !r.Value(name).IsNull() {
		return nil
	}
	v, err := moneyOf(amount)
	if err == nil {
		err = checkRange(r.Table.MustColumn(name), v.Int())
	}
	if err == nil {
		r.Put(name, v)
	}
	return err
}

// separators are what a number may be written with and does not count.
var separators = strings.NewReplacer(" ", "", ",", "")

// parseShares reads a number of shares: digits with one decimal point; blanks and thousands commas fall away. Anything else
// is no number.
func parseShares(text string) *big.Rat {
	text = separators.Replace(text)
	digits := strings.Replace(strings.TrimPrefix(text, "-"), ".", "", 1)
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}
