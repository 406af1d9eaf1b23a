package limits

import (
	"context"
	"sync/atomic"
	"time"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// Limiter counts the requests of every identity and refuses those beyond the limits.
type Limiter struct {
	settings Settings
	width    time.Duration        // of one bucket
	clock    func() time.Duration // monotonic
	leases   Leases               // nil: this process counts alone
	shards   [shardCount]shard
	inFlight atomic.Int64
	alone    atomic.Int64 // until this moment leases are not asked for: the store failed
}

// New makes a limiter. The clock is monotonic and starts anywhere; nil means the machine's. Leases are given where
// several processes count together, nil where one counts alone.
func New(settings Settings, clock func() time.Duration, leases Leases) *Limiter {
	if clock == nil {
		start := time.Now()
		clock = func() time.Duration { return time.Since(start) }
	}
	width := (settings.Window + bucketsPerWindow - 1) / bucketsPerWindow
	l := &Limiter{settings: settings, width: max(width, 1), clock: clock, leases: leases}
	for i := range l.shards {
		l.shards[i].init(settings.Identities)
	}
	return l
}

// Begin admits one request of an identity or refuses it with a 429, or with a 503 when the whole process has too many
// under way. The request's end is told to release, once, with the time it took; release is nil after a refusal.
func (l *Limiter) Begin(id value.GUID) (release func(time.Duration), remaining Remaining, refusal *fault.Error) {
	if n := l.inFlight.Add(1); l.settings.InFlight > 0 && n > int64(l.settings.InFlight) {
		l.inFlight.Add(-1)
		return nil, Remaining{}, overloaded()
	}
	shard := l.shard(id)
	in := shard.pin(id, l.clock(), l.settings.Window)
	remaining, refusal = l.admit(in)
	if refusal != nil {
		shard.unpin(in)
		l.inFlight.Add(-1)
		return nil, remaining, refusal
	}
	released := false
	return func(took time.Duration) {
		if released {
			return
		}
		released = true
		l.end(in, took)
		shard.unpin(in)
		l.inFlight.Add(-1)
	}, remaining, nil
}

// InFlight returns the number of requests under way.
func (l *Limiter) InFlight() int { return int(l.inFlight.Load()) }

// Identities returns the number of identities remembered.
func (l *Limiter) Identities() int {
	n := 0
	for i := range l.shards {
		n += l.shards[i].len()
	}
	return n
}

func (l *Limiter) admit(in *identity) (Remaining, *fault.Error) {
	for {
		in.mu.Lock()
		now := l.clock()
		wantsLease, refusal := in.admit(l, now, l.shared(now))
		remaining := in.remaining(l, now)
		in.mu.Unlock()
		if !wantsLease {
			return remaining, refusal
		}
		if refusal := l.takeLease(in); refusal != nil {
			return remaining, refusal
		}
	}
}

func (l *Limiter) end(in *identity, took time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	slot := l.slot(l.clock())
	in.running--
	in.window.expire(slot)
	if l.settings.Execution > 0 && took > 0 {
		in.window.add(slot, 0, took)
	}
}

// takeLease fetches more permits for an identity, one asker at a time. It returns nil when asking again makes sense: there
// are permits, or the store failed and this process now counts its own share.
func (l *Limiter) takeLease(in *identity) *fault.Error {
	in.leasing.Lock()
	defer in.leasing.Unlock()

	now := l.clock()
	in.mu.Lock()
	back, fresh := in.lease, in.lease.Count > 0 && now < in.leaseUntil
	in.mu.Unlock()
	if fresh {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), leasePatience)
	defer cancel()
	lease, err := l.leases.Take(ctx, in.id, back)
	if err != nil {
		l.alone.Store(int64(now + leasePause))
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.lease, in.leaseUntil = lease, now+lease.Life
	if lease.Count == 0 {
		return in.refuse(now, now+lease.Wait, l.settings.rateExceeded)
	}
	return nil
}

// shared tells whether requests are counted together with other processes at this moment.
func (l *Limiter) shared(now time.Duration) bool {
	return l.leases != nil && l.settings.Requests > 0 && int64(now) >= l.alone.Load()
}

// requestLimit is the number of requests this process may admit in a window by its own count: all of them, or its share
// while the store that counts for all does not answer.
func (l *Limiter) requestLimit(now time.Duration) int {
	if l.leases == nil || l.settings.Requests <= 0 || l.shared(now) {
		return l.settings.Requests
	}
	return max(1, l.settings.Requests/max(1, l.leases.Nodes()))
}

func (l *Limiter) slot(now time.Duration) int64 { return int64(now / l.width) }

func (l *Limiter) begins(slot int64) time.Duration { return time.Duration(slot) * l.width }
