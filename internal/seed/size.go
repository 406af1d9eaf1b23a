package seed

import (
	"fmt"
	"slices"
	"strings"
)

// Size says how much of a foundation is made. The counts are exact.
type Size struct {
	Name            string
	Donors          int
	Funds           int
	Gifts           int
	GiftPayments    int
	RequestPayments int
	Steady          int // gifts of the one donor that gives nearly every day
}

// sizes are the samples there are, smallest first.
var sizes = []Size{
	{Name: "small", Donors: 1_500, Funds: 120, Gifts: 15_000, GiftPayments: 18_000, RequestPayments: 4_000, Steady: 2_000},
	{Name: "medium", Donors: 12_000, Funds: 600, Gifts: 150_000, GiftPayments: 190_000, RequestPayments: 50_000, Steady: 8_000},
	{Name: "large", Donors: 80_000, Funds: 2_500, Gifts: 1_000_000, GiftPayments: 1_300_000, RequestPayments: 260_000, Steady: 25_000},
}

// SizeNames lists the names SizeOf knows.
func SizeNames() []string {
	names := make([]string, len(sizes))
	for i, s := range sizes {
		names[i] = s.Name
	}
	return names
}

// SizeOf returns the size of a name.
func SizeOf(name string) (Size, error) {
	i := slices.IndexFunc(sizes, func(s Size) bool { return s.Name == name })
	if i < 0 {
		return Size{}, fmt.Errorf("size %q is none of %s", name, strings.Join(SizeNames(), ", "))
	}
	return sizes[i], nil
}
