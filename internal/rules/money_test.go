package rules

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"almoner/internal/fault"
	"almoner/internal/value"
)

func TestBaseAndBack(t *testing.T) {
	for _, c := range []struct{ amount, rate, base int64 }{
		{100000, 13_650_000_000, 73260}, {-100000, 13_650_000_000, -73260}, {1, 20_000_000_000, 1}, {-1, 20_000_000_000, -1},
		{1, 20_000_000_001, 0}, {250, rateOne, 250}, {0, 5, 0}, {3, 30_000_000_000, 1}, {7, 70_000_000_003, 1},
	} {
		if got, err := toBase(c.amount, c.rate); err != nil || got != c.base {
			t.Errorf("toBase(%d, %d) = %d, %v, want %d", c.amount, c.rate, got, err, c.base)
		}
	}
}

// What lies beyond either end of the range of money is refused by the code of that end.
func TestBaseRange(t *testing.T) {
	for _, amount := range []int64{math.MaxInt64 / 2, math.MinInt64 / 2} {
		want := fault.BaseOverflow
		if amount < 0 {
			want = fault.BaseUnderflow
		}
		for name, convert := range map[string]func() (int64, error){
			"toBase":   func() (int64, error) { return toBase(amount, 1) },
			"fromBase": func() (int64, error) { return fromBase(amount, maxRate-1) },
			"moneyOf":  func() (int64, error) { v, err := moneyOf(big.NewRat(amount, 1)); return v.Int(), err },
		} {
			if n, err := convert(); err == nil || fault.As(err).Code != want {
				t.Errorf("%s of %d is %d, %v; want %v", name, amount, n, err, want)
			}
		}
	}
}

// The integer arithmetic agrees with exact fractions.
func TestConversionsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		amount, rate := random.Int64N(1e13)-5e12, 1+random.Int64N(1e14)
		got, err := toBase(amount, rate)
		want, werr := value.RoundRat(new(big.Rat).Mul(big.NewRat(amount, rate), big.NewRat(rateOne, 1)), 0)
		if (err == nil) != (werr == nil) || err == nil && got != want {
			t.Fatalf("toBase(%d, %d) = %d, want %d", amount, rate, got, want)
		}
		got, err = fromBase(amount, rate)
		want, werr = value.RoundRat(new(big.Rat).Mul(big.NewRat(amount, rateOne), big.NewRat(rate, 1)), 0)
		if (err == nil) != (werr == nil) || err == nil && got != want {
			t.Fatalf("fromBase(%d, %d) = %d, want %d", amount, rate, got, want)
		}
	}
}

func TestApportion(t *testing.T) {
	for _, c := range []struct {
		whole         int64
		weights, want []int64
	}{
		{33333, []int64{600, 300, 100}, []int64{20000, 10000, 3333}},
		{-33333, []int64{600, 300, 100}, []int64{-20000, -10000, -3333}},
		{100, []int64{1, 1, 1}, []int64{34, 33, 33}},
		{1, []int64{0, 5}, []int64{0, 1}},
		{7, []int64{0, 0}, []int64{7, 0}},
		{10, []int64{-30, -10}, []int64{8, 2}},
		{math.MaxInt64, []int64{math.MaxInt64 / 2, math.MaxInt64 / 2}, []int64{math.MaxInt64/2 + 1, math.MaxInt64 / 2}},
		{5, nil, nil},
	} {
		if got := apportion(c.whole, c.weights); !slices.Equal(got, c.want) {
			t.Errorf("apportion(%d, %v) = %v, want %v", c.whole, c.weights, got, c.want)
		}
	}
}

func TestSumMoney(t *testing.T) {
	if _, err := sumMoney(math.MaxInt64, 1); err == nil {
		t.Error("an overflow passes")
	}
	if _, err := sumMoney(math.MinInt64, -1); err == nil {
		t.Error("an underflow passes")
	}
	if n, err := sumMoney(5, 0, -7); err != nil || n != -2 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestAddMonths(t *testing.T) {
	start := value.CivilDays(2026, 1, 31)
	for months, want := range map[int]string{1: "2026-02-28", 2: "2026-03-31", 13: "2027-02-28", 25: "2028-02-29", 11: "2026-12-31"} {
		if got := value.Date(addMonths(start, months, 31)).String(); got != want {
			t.Errorf("31 January + %d months is %s, want %s", months, got, want)
		}
	}
}

func TestParseShares(t *testing.T) {
	for text, want := range map[string]string{"120.5": "241/2", " 1,000 ": "1000/1", "-3": "-3/1", ".5": "1/2", "5.": "5/1"} {
		if got := parseShares(text); got == nil || got.String() != want {
			t.Errorf("%q is %v, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "one lot", "1e5", "1.2.3", "1/2", "0x10", "--1", "."} {
		if got := parseShares(text); got != nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
