package sqlite

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// interrupt stops the statements of a reader connection when a context ends or the time for a statement is over. One
// that has fired is spent: the connection then gets a new one, so that a late signal never meets the next borrower.
type interrupt struct {
	done     chan struct{}
	once     sync.Once
	timedOut atomic.Bool
	timer    *time.Timer
	timed    bool        // the timer runs
	unhook   func() bool // takes the context's hook away; nil when there is none
}

// newInterrupt makes an interrupt that watches nothing yet.
func newInterrupt() *interrupt {
	in := &interrupt{done: make(chan struct{})}
	in.timer = time.AfterFunc(time.Hour, in.expire)
	in.timer.Stop()
	return in
}

func (in *interrupt) fire() { in.once.Do(func() { close(in.done) }) }

func (in *interrupt) expire() {
	in.timedOut.Store(true)
	in.fire()
}

// watch lets the end of ctx stop what runs.
func (in *interrupt) watch(ctx context.Context) { in.unhook = context.AfterFunc(ctx, in.fire) }

// limit gives the next statement its time; 0 gives it any.
func (in *interrupt) limit(d time.Duration) {
	if d > 0 {
		in.timed = true
		in.timer.Reset(d)
	}
}

// disarm ends the watch and tells whether the interrupt is spent: it has fired or is about to.
func (in *interrupt) disarm() (spent bool) {
	if in.timed {
		spent = !in.timer.Stop()
		in.timed = false
	}
	if in.unhook != nil {
		spent = !in.unhook() || spent
		in.unhook = nil
	}
	return spent
}
