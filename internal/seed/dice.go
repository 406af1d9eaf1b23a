package seed

import (
	"math"
	"math/rand/v2"
)

// dice is the only source of chance. Each part of the sample throws its own, so that a change in one part leaves the others
// as they were.
type dice struct{ *rand.Rand }

// The parts of a sample that throw dice of their own.
const (
	ofReferences = iota + 1
	ofOthers
	ofDonors
	ofFunds
	ofPlan
	ofRequests
	ofGifts
	ofOpportunities
	ofLists
)

func newDice(seed uint64, part uint64) dice { return dice{rand.New(rand.NewPCG(seed, part))} } // #nosec G404 -- a sample must come out the same each time

// chance is true with probability p.
func (d dice) chance(p float64) bool { return d.Float64() < p }

// between returns a whole number from low to high, both included.
func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

// logNormal returns a number whose median is given and whose logarithm spreads by sigma: amounts of money are like that.
func (d dice) logNormal(median, sigma float64) float64 {
	return median * math.Exp(sigma*d.NormFloat64())
}

// pick returns one of a list.
func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// early returns one of a list, the more likely the nearer it is to the beginning.
func early[T any](d dice, list []T) T {
	u := d.Float64()
	return list[int(u*u*float64(len(list)))]
}
