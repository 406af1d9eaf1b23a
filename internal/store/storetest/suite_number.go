package storetest

import (
	"fmt"
	"math"
	"math/rand"

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

// exchange compares conversions between currencies with exact fractions, up to the ends of both ranges.
func (s *suite) exchange() {
	rnd := rand.New(rand.NewSource(7))
	const greatest = 92233720368547700
	for i, rate := range []int64{1, 3, 9999999999, 10000000000, 10000000001, 30000000000, 92233720368547, 92233720368548, 8999999999999999999, 8000000000000000007} {
		for range 6 {
			amount := rnd.Int63n(1_000_000) - 500_000
			if i%2 == 0 {
				amount = rnd.Int63n(2*greatest) - greatest
			}
			if rate < 1000 { // the quotient must be an amount too
				amount = rnd.Int63n(2_000_000) - 1_000_000
			}
			s.add(s.items, len(s.ev.Rows[s.items])+1, set{"tst_amount": value.Money(amount), "tst_rate": value.Decimal(rate, 10)})
		}
	}
	q := from(s.items)
	amount, rate := col(q, "tst_amount"), col(q, "tst_rate")
	q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: query.Call{Fn: query.FnToBase, Args: []query.Expr{amount, rate}}})
	q.Where = query.And{
		query.Cond{Left: rate, Op: query.OpGt, Args: []query.Expr{lit(value.Decimal(1, 10))}},
		query.Or{
			query.Cond{Left: rate, Op: query.OpGt, Args: []query.Expr{lit(value.Decimal(5000000000, 10))}},
			query.Cond{Left: amount, Op: query.OpBetween, Args: []query.Expr{lit(value.Int(-10000)), lit(value.Int(10000))}},
		},
	}
	s.agree("money / rate", q)
	q = from(s.items)
	amount, rate = col(q, "tst_amount"), col(q, "tst_rate")
	q.Select.Outputs = append(q.Select.Outputs, query.Output{Expr: query.Call{Fn: query.FnFromBase, Args: []query.Expr{amount, rate}}})
	q.Where = query.Or{
		query.Cond{Left: rate, Op: query.OpLe, Args: []query.Expr{lit(value.Int(10))}},
		query.Cond{Left: amount, Op: query.OpBetween, Args: []query.Expr{lit(value.Int(-10000)), lit(value.Int(10000))}},
	}
	s.agree("money x rate", q)
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
