package storetest

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"

	"almoner/internal/query"
	"almoner/internal/value"
)

// scales compares money, decimals, floats and integers with constants that do not fit their scale.
func (s *suite) scales() {
	for i, cents := range []int64{1000, 1001, 999, -1000} {
		s.add(s.items, i+1, set{"tst_amount": value.Money(cents), "tst_ratio": value.Decimal(cents*10, 3), "tst_weight": value.Float(float64(cents) / 100),
			"tst_count": value.Int(cents / 100), "tst_day": value.Date(cents), "tst_moment": value.Time(cents*86400 + 1)})
	}
	s.add(s.items, 5, nil)
	q := from(s.items)
	cond := func(column string, op query.Op, v value.Value) query.Filter {
		return query.Cond{Left: col(q, column), Op: op, Args: []query.Expr{lit(v)}}
	}
	s.expect("money = 10.005", q, cond("tst_amount", query.OpEq, value.Decimal(10005, 3)))
	s.expect("money <> 10.005", q, cond("tst_amount", query.OpNe, value.Decimal(10005, 3)), 1, 2, 3, 4, 5)
	s.expect("money > 10.005", q, cond("tst_amount", query.OpGt, value.Decimal(10005, 3)), 2)
	s.expect("money <= 10.005", q, cond("tst_amount", query.OpLe, value.Float(10.005)), 1, 3, 4)
	s.expect("money = 10", q, cond("tst_amount", query.OpEq, value.Int(10)), 1)
	s.expect("money < -9.995", q, cond("tst_amount", query.OpLt, value.Decimal(-9995, 3)), 4)
	s.expect("integer >= 9.5", q, cond("tst_count", query.OpGe, value.Float(9.5)), 1, 2)
	s.expect("integer < huge", q, cond("tst_count", query.OpLt, value.Float(1e300)), 1, 2, 3, 4)
	s.expect("money > huge", q, cond("tst_amount", query.OpGt, value.Int(math.MaxInt64)))
	s.expect("date >= a moment", q, cond("tst_day", query.OpGe, value.Time(999*86400+5)), 1, 2)
	s.expect("moment > a date", q, cond("tst_moment", query.OpGt, value.Date(1000)), 1, 2)
	for _, a := range []string{"tst_amount", "tst_ratio", "tst_weight", "tst_count"} {
		for _, b := range []string{"tst_amount", "tst_ratio", "tst_weight", "tst_count"} {
			for op := query.OpEq; op <= query.OpLe; op++ {
				s.matches(fmt.Sprintf("%s %d %s", a, op, b), q, query.Cond{Left: col(q, a), Op: op, Args: []query.Expr{col(q, b)}})
			}
		}
	}
}

// large keeps 64-bit integers whole.
func (s *suite) large() {
	for i, n := range []int64{math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, 1<<53 + 1, 1 << 53} {
		s.add(s.items, i+1, set{"tst_big": value.Int(n)})
	}
	q := from(s.items, "tst_big")
	s.expect("eq", q, query.Cond{Left: col(q, "tst_big"), Op: query.OpEq, Args: []query.Expr{lit(value.Int(1<<53 + 1))}}, 4)
	s.expect("gt", q, query.Cond{Left: col(q, "tst_big"), Op: query.OpGt, Args: []query.Expr{lit(value.Int(math.MaxInt64 - 1))}}, 1)
	s.expect("in", q, query.Cond{Left: col(q, "tst_big"), Op: query.OpIn, Args: []query.Expr{lit(value.Int(math.MinInt64)), lit(value.Int(1 << 53))}}, 3, 5)
}

// exchanges are amounts in cents with rates of ten decimals: halves on both sides of zero, the ends of both ranges, and
// divisions in which a digit guessed from a cut divisor is one too many.
func exchanges() [][2]int64 {
	const greatest = 92233720368547700
	const half, one, long = 5_000_000_000, 10_000_000_000, 92_233_720_368_549
	pairs := [][2]int64{{1, half}, {-1, half}, {3, half}, {-7, 25_000_000_000}, {5, 20_000_000_000}, {-5, 20_000_000_000}, {greatest, one}, {-greatest, one},
		{greatest, 9_999_999_999}, {greatest, 8_999_999_999_999_999_999}, {1, 1}, {-1_000_000, 3}, {greatest - 1, 92_233_720_368_547}, {greatest - 1, 92_233_720_368_548}}
	for digit := range int64(9) {
		pairs = append(pairs, [2]int64{(digit + 1) * (long / 10), long}, [2]int64{-(digit + 1) * (long / 10), long})
	}
	rnd := rand.New(rand.NewSource(7))
	for range 100 {
		pairs = append(pairs, [2]int64{rnd.Int63n(2*greatest) - greatest, one + rnd.Int63n(9_000_000)*rnd.Int63n(1_000_000_000)},
			[2]int64{rnd.Int63n(2_000_000) - 1_000_000, 1 + rnd.Int63n(8_999_999_999_999_999_999)})
	}
	return pairs
}

// exchange compares conversions between currencies with exact fractions. What would be no amount any more is left out.
func (s *suite) exchange() {
	fits := func(r *big.Rat) bool {
		return r.Cmp(big.NewRat(math.MinInt64, 100)) > 0 && r.Cmp(big.NewRat(math.MaxInt64, 100)) < 0
	}
	divide, multiply := query.Or{}, query.Or{}
	q := from(s.items)
	for i, pair := range exchanges() {
		amount, rate := value.Money(pair[0]), value.Decimal(pair[1], 10)
		s.add(s.items, i+1, set{"tst_amount": amount, "tst_rate": rate})
		this := query.Equal(q.Root, s.items.Key, value.ID(id(i+1)))
		if fits(new(big.Rat).Quo(amount.Rat(), rate.Rat())) {
			divide = append(divide, this)
		}
		if fits(new(big.Rat).Mul(amount.Rat(), rate.Rat())) {
			multiply = append(multiply, this)
		}
	}
	args := []query.Expr{col(q, "tst_amount"), col(q, "tst_rate")}
	keys := q.Select.Outputs
	for fn, where := range map[query.Fn]query.Filter{query.FnToBase: divide, query.FnFromBase: multiply} {
		q.Where, q.Select.Outputs = where, append(slices.Clip(keys), query.Output{Expr: query.Call{Fn: fn, Args: args}})
		if n := s.agree(fmt.Sprintf("function %d", fn), q); n < 100 {
			s.t.Errorf("only %d conversions were tried", n)
		}
	}
}

// calendar checks every date part over four centuries, before and after 1970.
func (s *suite) calendar() {
	n := 0
	for day := value.MinDate; day < value.MaxDate && n < 400; day += 733 {
		n++
		s.add(s.items, n, set{"tst_day": value.Date(day), "tst_moment": value.Time(day*86400 + int64(n*211%86400))})
	}
	for _, fn := range append([]query.Fn{query.FnDate}, dateParts...) {
		q := from(s.items)
		for _, column := range []string{"tst_day", "tst_moment"} {
			q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: query.Call{Fn: fn, Args: []query.Expr{col(q, column)}}})
		}
		s.agree(fmt.Sprintf("function %d", fn), q)
	}
}
