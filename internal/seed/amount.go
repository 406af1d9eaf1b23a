package seed

import "math"

// nice turns currency units into an amount as people choose them: mostly round, the rounder the larger. It is in cents.
func nice(d dice, units float64) int64 {
	if d.chance(0.1) {
		return max(100, int64(math.Round(units*100)))
	}
	step := int64(5)
	for _, s := range []struct{ above, step float64 }{{100, 25}, {500, 50}, {1_000, 100}, {5_000, 500}, {50_000, 5_000}, {1_000_000, 50_000}} {
		if units >= s.above {
			step = int64(s.step)
		}
	}
	return max(1, int64(math.Round(units/float64(step)))) * step * 100
}

// cut divides an amount of cents into unequal parts, none of them empty.
func cut(d dice, cents int64, parts int) []int64 {
	out := make([]int64, parts)
	left := cents
	for i := parts - 1; i > 0; i-- {
		share := left / int64(i+1)
		out[i] = max(1, share/2+d.Int64N(share/2+1))
		left -= out[i]
	}
	out[0] = left
	return out
}

// even divides an amount of cents into equal parts; leftover cents go to the first ones.
func even(cents int64, parts int) []int64 {
	out := make([]int64, parts)
	for i := range out {
		out[i] = cents / int64(parts)
		if int64(i) < cents%int64(parts) {
			out[i]++
		}
	}
	return out
}
