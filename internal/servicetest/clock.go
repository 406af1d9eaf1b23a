package servicetest

import (
	"sync/atomic"
	"time"
)

// Clock is a clock that stands still until a test moves it.
type Clock struct{ seconds atomic.Int64 }

// NewClock makes a clock that shows a moment.
func NewClock(at time.Time) *Clock {
	c := &Clock{}
	c.Set(at)
	return c
}

// Now returns what the clock shows.
func (c *Clock) Now() time.Time { return time.Unix(c.seconds.Load(), 0).UTC() }

// Set moves the clock.
func (c *Clock) Set(at time.Time) { c.seconds.Store(at.Unix()) }
