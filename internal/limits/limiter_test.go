package limits

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"almoner/internal/fault"
	"almoner/internal/value"
)

// fakeClock is a monotonic clock that tests move by hand.
type fakeClock struct{ now time.Duration }

func (c *fakeClock) read() time.Duration { return c.now }

func testID(n int) value.GUID {
	var g value.GUID
	binary.BigEndian.PutUint64(g[:8], uint64(n)*0x9E3779B97F4A7C15)
	binary.BigEndian.PutUint64(g[8:], uint64(n))
	return g
}

func mustBegin(t *testing.T, l *Limiter, id value.GUID) func(time.Duration) {
	t.Helper()
	release, _, refusal := l.Begin(id)
	if refusal != nil {
		t.Fatalf("refused: %v", refusal)
	}
	return release
}

func mustRefuse(t *testing.T, l *Limiter, id value.GUID, code fault.Code) *fault.Error {
	t.Helper()
	release, _, refusal := l.Begin(id)
	if refusal == nil || release != nil {
		t.Fatal("admitted, want a refusal")
	}
	if refusal.Code != code || refusal.Status != code.Status() || refusal.Retry < 1 || refusal.Retry > 300 {
		t.Fatalf("refusal %v status %d retry %d, want code %v", refusal, refusal.Status, refusal.Retry, code)
	}
	return refusal
}

func TestRequestLimitIsExact(t *testing.T) {
	clock := &fakeClock{now: 7 * time.Hour}
	l := New(Defaults(), clock.read, nil)
	id := testID(1)
	for i := range 6000 {
		release, remaining, refusal := l.Begin(id)
		if refusal != nil {
			t.Fatalf("request %d refused: %v", i+1, refusal)
		}
		if want := 6000 - i - 1; remaining.Requests != want {
			t.Fatalf("request %d leaves %d, want %d", i+1, remaining.Requests, want)
		}
		release(time.Millisecond)
	}
	refusal := mustRefuse(t, l, id, fault.RateExceeded)
	if want := "Number of requests exceeded the limit of 6000 over time window of 300 seconds."; refusal.Message != want {
		t.Errorf("message %q, want %q", refusal.Message, want)
	}
	mustBegin(t, l, testID(2))(0) // others are not touched

	clock.now += 301 * time.Second
	mustBegin(t, l, id)(0)
}

func TestWaitingTheRetryAfterIsEnough(t *testing.T) {
	clock := &fakeClock{}
	l := New(Defaults(), clock.read, nil)
	id := testID(1)
	for i := range 6000 {
		clock.now = time.Duration(i) * 10 * time.Millisecond
		mustBegin(t, l, id)(0)
	}
	refusal := mustRefuse(t, l, id, fault.RateExceeded)
	clock.now += time.Duration(refusal.Retry) * time.Second
	mustBegin(t, l, id)(0)
}

func TestImpatienceLengthensTheWait(t *testing.T) {
	clock := &fakeClock{}
	s := Defaults()
	s.Requests = 10
	l := New(s, clock.read, nil)
	id := testID(1)
	for range 10 {
		mustBegin(t, l, id)(0)
	}
	clock.now = 250 * time.Second // fifty seconds and a bucket until room
	waits := []int{}
	for range 60 {
		waits = append(waits, mustRefuse(t, l, id, fault.RateExceeded).Retry)
	}
	if waits[0] != 51 || waits[1] <= waits[0] || waits[2] <= waits[1] {
		t.Errorf("waits %v must begin at 51 and grow", waits[:3])
	}
	if last := waits[len(waits)-1]; last != 300 {
		t.Errorf("last wait %d, want the cap of 300", last)
	}
	clock.now += 200 * time.Second // the window is empty, the cool-down is not over
	mustRefuse(t, l, id, fault.RateExceeded)
	clock.now += 101 * time.Second // a run of refusals ends after 300 seconds at the latest
	mustBegin(t, l, id)(0)
}

func TestConcurrencyLimit(t *testing.T) {
	clock := &fakeClock{}
	l := New(Defaults(), clock.read, nil)
	id := testID(1)
	var releases []func(time.Duration)
	for range 52 {
		releases = append(releases, mustBegin(t, l, id))
	}
	for i, want := range []int{1, 2, 3, 4, 5, 5} {
		refusal := mustRefuse(t, l, id, fault.ConcurrencyExceeded)
		if refusal.Retry != want {
			t.Errorf("refusal %d: retry %d, want %d", i, refusal.Retry, want)
		}
		if want := "Number of concurrent requests exceeded the limit of 52."; refusal.Message != want {
			t.Errorf("message %q, want %q", refusal.Message, want)
		}
	}
	releases[0](0)
	releases[0](0) // a second call frees nothing
	mustBegin(t, l, id)
	mustRefuse(t, l, id, fault.ConcurrencyExceeded)
}

func TestExecutionTimeLimit(t *testing.T) {
	clock := &fakeClock{}
	l := New(Defaults(), clock.read, nil)
	id := testID(1)
	for i := range 20 {
		clock.now = time.Duration(i) * time.Second
		release, remaining, refusal := l.Begin(id)
		if refusal != nil {
			t.Fatal(refusal)
		}
		if want := 20*time.Minute - time.Duration(i)*time.Minute; remaining.Time != want {
			t.Fatalf("request %d leaves %v, want %v", i, remaining.Time, want)
		}
		release(time.Minute)
	}
	refusal := mustRefuse(t, l, id, fault.TimeExceeded)
	want := "Combined execution time of incoming requests exceeded limit of 1,200,000 milliseconds over time window of 300 seconds. Decrease number of concurrent requests or reduce the duration of requests and try again later."
	if refusal.Message != want {
		t.Errorf("message %q, want %q", refusal.Message, want)
	}
	clock.now += time.Duration(refusal.Retry) * time.Second
	mustBegin(t, l, id)
}

func TestLimitsSwitchedOff(t *testing.T) {
	clock := &fakeClock{}
	l := New(Settings{Window: time.Minute, Identities: 10}, clock.read, nil)
	for range 20_000 {
		release, remaining, refusal := l.Begin(testID(1))
		if refusal != nil || remaining.Requests != Unlimited {
			t.Fatalf("remaining %v, refusal %v", remaining, refusal)
		}
		defer release(time.Hour)
	}
}

func TestOverloadIsShed(t *testing.T) {
	clock := &fakeClock{}
	s := Defaults()
	s.InFlight = 2
	l := New(s, clock.read, nil)
	release := mustBegin(t, l, testID(1))
	mustBegin(t, l, testID(2))
	_, _, refusal := l.Begin(testID(3))
	if refusal == nil || refusal.Status != 503 || refusal.Retry < 1 {
		t.Fatalf("refusal %v, want 503 with a wait", refusal)
	}
	release(0)
	mustBegin(t, l, testID(3))
	if got := l.InFlight(); got != 2 {
		t.Errorf("in flight %d, want 2", got)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	clock := &fakeClock{}
	s := Defaults()
	s.Identities = 640
	l := New(s, clock.read, nil)
	pinned := mustBegin(t, l, testID(0))
	for i := 1; i < 20_000; i++ {
		mustBegin(t, l, testID(i))(0)
	}
	if got := l.Identities(); got > 640+shardCount {
		t.Errorf("%d identities remembered, want about 640", got)
	}
	if l.shard(testID(0)).byID[testID(0)] == nil {
		t.Error("an identity with a request under way was forgotten")
	}
	pinned(0)
	clock.now = time.Hour
	for i := range 20_000 {
		mustBegin(t, l, testID(i%256))(0)
	}
	if got := l.Identities(); got > 256 {
		t.Errorf("%d identities remembered, want the silent ones gone", got)
	}
}

// TestWindowNeverAdmitsTooMany checks the promise against a plain list of moments: in no span of the window's length are
// more requests admitted than allowed, and nothing is refused that would fit even with one bucket to spare.
func TestWindowNeverAdmitsTooMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := &fakeClock{}
		s := Settings{Requests: rapid.IntRange(1, 20).Draw(t, "limit"), Window: 3 * time.Second, Identities: 10}
		width := s.Window / bucketsPerWindow
		var admitted []time.Duration
		l := New(s, clock.read, nil)
		quietFrom := time.Duration(0)
		for range rapid.IntRange(1, 200).Draw(t, "requests") {
			clock.now += time.Duration(rapid.IntRange(0, 1000).Draw(t, "pause")) * time.Millisecond
			release, _, refusal := l.Begin(testID(1))
			within, nearby := 0, 0
			for _, at := range admitted {
				if at > clock.now-s.Window {
					within++
				}
				if at > clock.now-s.Window-2*width {
					nearby++
				}
			}
			if refusal == nil {
				release(0)
				admitted = append(admitted, clock.now)
				if within >= s.Requests {
					t.Fatalf("at %v admitted with %d of %d in the window", clock.now, within, s.Requests)
				}
			} else {
				if nearby < s.Requests && clock.now >= quietFrom {
					t.Fatalf("at %v refused with %d of %d in the window", clock.now, nearby, s.Requests)
				}
				quietFrom = max(quietFrom, clock.now+time.Duration(refusal.Retry)*time.Second)
			}
		}
	})
}

// sharedCount is a count that several limiters lease from, kept in memory.
type sharedCount struct {
	mu    sync.Mutex
	left  int
	nodes int
	err   error
	takes int
}

func (c *sharedCount) Take(_ context.Context, _ value.GUID, back Lease) (Lease, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takes++
	if c.err != nil {
		return Lease{}, c.err
	}
	c.left += back.Count
	n := min(LeaseSize, c.left)
	c.left -= n
	return Lease{Count: n, Life: 5 * time.Second, Wait: 30 * time.Second}, nil
}

func (c *sharedCount) Nodes() int { return c.nodes }

func TestNodesShareOneLimit(t *testing.T) {
	clock := &fakeClock{}
	count := &sharedCount{left: 600, nodes: 3}
	s := Defaults()
	s.Requests = 600
	nodes := []*Limiter{New(s, clock.read, count), New(s, clock.read, count), New(s, clock.read, count)}
	admitted := 0
	for i := range 900 {
		if release, _, refusal := nodes[i%3].Begin(testID(1)); refusal == nil {
			release(0)
			admitted++
		}
	}
	if admitted != 600 {
		t.Errorf("three nodes admitted %d, want 600", admitted)
	}
	refusal := mustRefuse(t, nodes[0], testID(1), fault.RateExceeded)
	if refusal.Retry < 30 {
		t.Errorf("retry %d, want at least the store's 30", refusal.Retry)
	}
}

func TestUnusedLeaseIsGivenBack(t *testing.T) {
	clock := &fakeClock{}
	count := &sharedCount{left: 100, nodes: 1}
	l := New(Defaults(), clock.read, count)
	mustBegin(t, l, testID(1))(0)
	clock.now = 6 * time.Second
	mustBegin(t, l, testID(1))(0)
	if count.takes != 2 || count.left != 100-1-LeaseSize {
		t.Errorf("%d takes leave %d, want 2 and %d", count.takes, count.left, 100-1-LeaseSize)
	}
}

func TestStoreFailureLeavesAShare(t *testing.T) {
	clock := &fakeClock{}
	count := &sharedCount{nodes: 3, err: errors.New("store is down")}
	s := Defaults()
	s.Requests = 30
	l := New(s, clock.read, count)
	for range 10 {
		mustBegin(t, l, testID(1))(0)
	}
	mustRefuse(t, l, testID(1), fault.RateExceeded)
	if count.takes != 1 {
		t.Errorf("a failing store was asked %d times, want 1", count.takes)
	}
}

func TestManyGoroutines(t *testing.T) {
	s := Defaults()
	s.Requests, s.Concurrency = 500, 0
	l := New(s, nil, &sharedCount{left: 500, nodes: 1})
	var wg sync.WaitGroup
	var mu sync.Mutex
	admitted := 0
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if release, _, refusal := l.Begin(testID(1)); refusal == nil {
					release(0)
					mu.Lock()
					admitted++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if admitted != 500 {
		t.Errorf("admitted %d, want 500", admitted)
	}
}

func BenchmarkBegin(b *testing.B) {
	s := Defaults()
	s.Requests = 0
	l := New(s, nil, nil)
	id := testID(1)
	b.ReportAllocs()
	for b.Loop() {
		release, _, _ := l.Begin(id)
		release(time.Microsecond)
	}
}

func BenchmarkBeginManyIdentities(b *testing.B) {
	l := New(Defaults(), nil, nil)
	ids := make([]value.GUID, 100_000)
	for i := range ids {
		ids[i] = testID(i)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		release, _, _ := l.Begin(ids[i%len(ids)])
		if release != nil {
			release(time.Microsecond)
		}
		i++
	}
}
