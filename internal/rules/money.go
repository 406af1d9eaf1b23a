package rules

import (
	"math"
	"math/big"
	"math/bits"

	"almoner/internal/fault"
	"almoner/internal/query"
	"almoner/internal/schema"
	"almoner/internal/value"
)

// rateOne is an exchange rate of 1: rates are decimals with ten places.
const rateOne = 10_000_000_000

// rateOf returns a row's exchange rate in units of 1/rateOne; a row without one is in base currency.
func rateOf(r *query.Row) int64 {
	if rate := r.Value("exchangerate").Int(); rate > 0 {
		return rate
	}
	return rateOne
}

// toBase expresses an amount in base currency: amount / rate, rounded once, half away from zero.
func toBase(amount, rate int64) (int64, error) {
	if rate == rateOne || amount == 0 {
		return amount, nil
	}
	return scaleMoney(amount, rateOne, uint64(rate))
}

// fromBase expresses a base amount in a currency: base x rate, rounded once, half away from zero.
func fromBase(base, rate int64) (int64, error) {
	if rate == rateOne || base == 0 {
		return base, nil
	}
	return scaleMoney(base, uint64(rate), rateOne)
}

// scaleMoney returns n x mul / div, rounded half away from zero.
func scaleMoney(n int64, mul, div uint64) (int64, error) {
	hi, lo := bits.Mul64(magnitude(n), mul)
	lo, carry := bits.Add64(lo, div/2, 0)
	hi += carry
	if hi >= div {
		return 0, errBeyond(n < 0)
	}
	q, _ := bits.Div64(hi, lo, div)
	if q > math.MaxInt64 {
		return 0, errBeyond(n < 0)
	}
	return signed(q, n < 0), nil
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

func signed(q uint64, negative bool) int64 {
	if negative {
		return -int64(q)
	}
	return int64(q)
}

func errRange() *fault.Error { return errBeyond(false) }

// errBeyond refuses an amount beyond one end of the range of money; below tells that it is the negative one.
func errBeyond(below bool) *fault.Error {
	code := fault.BaseOverflow
	if below {
		code = fault.BaseUnderflow
	}
	return fault.New(code, "An amount is out of the range of its currency.")
}

// sumMoney adds amounts; a sum beyond the range of money is refused.
func sumMoney(amounts ...int64) (int64, error) {
	var sum int64
	for _, a := range amounts {
		next := sum + a
		if (a > 0) != (next > sum) && a != 0 {
			return 0, fault.New(fault.DecimalRange, "A total is out of the range of money.")
		}
		sum = next
	}
	return sum, nil
}

// apportion divides a whole over parts in the ratio of their weights: each part is floored to the cent, and leftover cents go
// to the largest remainders, ties to the lowest index. The magnitude is divided and the sign restored. Weights of which all
// are zero give everything to the first part.
func apportion(whole int64, weights []int64) []int64 {
	parts := make([]int64, len(weights))
	if len(parts) == 0 {
		return parts
	}
	var total uint64
	for _, w := range weights {
		total += magnitude(w)
	}
	if total == 0 {
		parts[0] = whole
		return parts
	}
	left := magnitude(whole)
	rest := make([]uint64, len(weights))
	for i, w := range weights {
		hi, lo := bits.Mul64(magnitude(whole), magnitude(w))
		var q uint64
		q, rest[i] = bits.Div64(hi, lo, total) // hi < total, because a weight is at most the total
		parts[i] = int64(q)
		left -= q
	}
	for ; left > 0; left-- {
		i := largest(rest)
		parts[i]++
		rest[i] = 0
	}
	if whole < 0 {
		for i := range parts {
			parts[i] = -parts[i]
		}
	}
	return parts
}

// largest returns the index of the first greatest entry.
func largest(list []uint64) int {
	best := 0
	for i, v := range list {
		if v > list[best] {
			best = i
		}
	}
	return best
}

// moneyOf rounds an exact number of currency units to cents.
func moneyOf(r *big.Rat) (value.Value, error) {
	cents, err := value.RoundRat(r, 2)
	if err != nil {
		return value.Null, errBeyond(r.Sign() < 0)
	}
	return value.Money(cents), nil
}

// checkRange refuses a value beyond the range of its column.
func checkRange(c *schema.Column, n int64) error {
	if (c.Low != 0 || c.High != 0) && (n < c.Low || n > c.High) {
		return fault.New(fault.DecimalRange, "The value %s of '%s' is outside the range of the column.", value.Money(n), c.Name).
			At(c.Table.Name, "column "+c.Name)
	}
	return nil
}

// named is an amount for a money column.
type named struct {
	column string
	amount int64
}

// ownMoney appends the assignments of amounts in a row's own currency, each with its base sibling.
func ownMoney(to []query.Assign, r *query.Row, amounts ...named) ([]query.Assign, error) {
	rate := rateOf(r)
	for _, a := range amounts {
		base, err := toBase(a.amount, rate)
		if err != nil {
			return nil, err
		}
		to = summed(to, r.Table, a.column, money{a.amount, base})
	}
	return to, nil
}

// summed appends the assignments of an amount and a base value that were added up each on its own.
func summed(to []query.Assign, t *schema.Table, column string, sum money) []query.Assign {
	c := t.MustColumn(column)
	return append(to, query.Assign{Column: c, Value: value.Money(sum.amount)}, query.Assign{Column: c.Base, Value: value.Money(sum.base)})
}

// baseOf returns the exact base sum a total holds.
func baseOf(r *query.Row, column string) int64 { return r.Get(r.Table.MustColumn(column).Base).Int() }
