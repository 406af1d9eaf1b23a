package limits

import (
	"sync"
	"time"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// identity is what is known about one caller. Its links and pins belong to the shard that holds it; mu guards the rest.
type identity struct {
	id         value.GUID
	newer      *identity // towards the most recently seen
	older      *identity
	pins       int           // requests that hold it
	lastSeen   time.Duration // for the shard's sweep
	mu         sync.Mutex
	window     window
	running    int // requests under way
	crowded    int // refusals for concurrency since the last admission
	refusals   int // refusals for rate or time; forgotten after a quiet window
	refusedAt  time.Duration
	episode    time.Duration // when the present run of refusals began
	coolUntil  time.Duration // nothing is admitted before
	coolReason func() *fault.Error

	leasing    sync.Mutex // held while a lease is asked for
	lease      Lease      // what is left of the present lease
	leaseUntil time.Duration
}

// admit decides about one request at a moment. wantsLease says that nothing stands against the request but the lack of a
// leased permit. Called with mu held.
func (in *identity) admit(l *Limiter, now time.Duration, shared bool) (wantsLease bool, refusal *fault.Error) {
	slot := l.slot(now)
	in.window.expire(slot)
	if in.refusals > 0 && now-in.refusedAt > l.settings.Window {
		in.refusals = 0
	}
	if now < in.coolUntil {
		return false, in.refuse(now, in.coolUntil, in.coolReason)
	}
	if s := &l.settings; s.Execution > 0 && in.window.busy >= s.Execution {
		return false, in.refuse(now, l.begins(in.window.restAt(s.Execution)), s.timeExceeded)
	}
	if limit := l.requestLimit(now); limit > 0 && !shared && in.window.requests >= limit {
		return false, in.refuse(now, l.begins(in.window.roomAt(limit)), l.settings.rateExceeded)
	}
	if limit := l.settings.Concurrency; limit > 0 && in.running >= limit {
		return false, in.crowd(&l.settings)
	}
	if shared && !in.spendPermit(now) {
		return true, nil
	}
	in.window.add(slot, 1, 0)
	in.running++
	in.crowded = 0
	return false, nil
}

// refuse makes a 429 whose wait reaches to the moment room appears, longer by a tenth for every refusal before it, and
// holds the identity off until then. A run of refusals never holds it off longer than longestWait or that moment.
func (in *identity) refuse(now, room time.Duration, reason func() *fault.Error) *fault.Error {
	if now >= in.coolUntil {
		in.episode = now
	}
	wait := max(room-now, time.Second)
	wait += wait * time.Duration(in.refusals) / 10
	until := min(now+wait, max(in.episode+longestWait, room))
	in.coolUntil = max(in.coolUntil, until)
	in.coolReason = reason
	in.refusals++
	in.refusedAt = now
	e := reason()
	e.Retry = seconds(min(in.coolUntil-now, longestWait))
	return e
}

// crowd makes the 429 for too many requests at once: one to five seconds, growing while the crowd stays.
func (in *identity) crowd(s *Settings) *fault.Error {
	e := s.concurrencyExceeded()
	e.Retry = 1 + min(in.crowded, 4)
	in.crowded++
	return e
}

// spendPermit uses one permit of the present lease.
func (in *identity) spendPermit(now time.Duration) bool {
	if in.lease.Count == 0 || now >= in.leaseUntil {
		return false
	}
	in.lease.Count--
	return true
}

// remaining is what the identity has left. Called with mu held.
func (in *identity) remaining(l *Limiter, now time.Duration) Remaining {
	r := Remaining{Requests: Unlimited, Time: Unlimited * time.Second}
	if limit := l.requestLimit(now); limit > 0 {
		r.Requests = max(0, limit-in.window.requests)
	}
	if l.settings.Execution > 0 {
		r.Time = max(0, l.settings.Execution-in.window.busy)
	}
	return r
}
