// Package limits protects the service from its callers: how many requests one identity may send in a window, how many at
// once, and how much work they may cause, and how many requests the process takes on at all. Limits are counted per real
// caller. A refused request is not executed and does not count, but asking again too early makes the wait longer.
package limits

import (
	"math"
	"time"
)

// Settings are the limits of one process; 0 switches one off.
type Settings struct {
	Requests    int           // requests per identity in Window
	Window      time.Duration // length of the sliding window
	Concurrency int           // requests of one identity at the same time
	Execution   time.Duration // summed execution time per identity in Window
	InFlight    int           // requests of all identities at the same time; more are answered 503
	Identities  int           // identities remembered at once
}

// Defaults returns the platform's limits.
func Defaults() Settings {
	return Settings{
		Requests:    6000,
		Window:      5 * time.Minute,
		Concurrency: 52,
		Execution:   20 * time.Minute,
		InFlight:    4096,
		Identities:  100_000,
	}
}

// Remaining is what an identity has left in its window, for the headers of an answer. A limit that is switched off leaves
// Unlimited requests or time.
type Remaining struct {
	Requests int
	Time     time.Duration
}

// Unlimited is the number of requests (and of seconds) reported where a limit is switched off.
const Unlimited = math.MaxInt32

// longestWait is the cap of every Retry-After.
const longestWait = 300 * time.Second

// bucketsPerWindow is how finely a window is cut: one second each for the usual five minutes.
const bucketsPerWindow = 300
