package securitytest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almoner/internal/auth"
	"almoner/internal/pgtest"
	"almoner/internal/service"
	"almoner/internal/servicetest"
	"almoner/internal/settings"
)

// clock is a monotonic clock that stands still until it is moved.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Duration    { return time.Duration(c.at.Load()) }
func (c *clock) move(by time.Duration) { c.at.Add(int64(by)) }

// limited starts a world with protection limits on a clock of its own.
func limited(t *testing.T, set func(*settings.Settings)) (*world, *clock) {
	c := &clock{}
	c.move(time.Hour)
	w := newWorld(t, openSQLite(t), func(o *service.Options) {
		set(o.Settings)
		o.Steady = c.now
	})
	return w, c
}

// wait is the Retry-After of a refusal.
func wait(t *testing.T, a answer) time.Duration {
	t.Helper()
	n, err := strconv.Atoi(a.header.Get("Retry-After"))
	if err != nil || n < 1 || n > 300 {
		t.Fatalf("%s: Retry-After %q", a.asked, a.header.Get("Retry-After"))
	}
	return time.Duration(n) * time.Second
}

// The 6,001st request of a window is refused and not executed; after the time it was told, the caller is let in again.
func TestRequestLimit(t *testing.T) {
	w, c := limited(t, func(s *settings.Settings) { s.LimitRequests = settings.Default().LimitRequests })
	const limit = 6000
	for i := range limit {
		if i == limit/2 {
			c.move(100 * time.Second)
		}
		a := w.admin.get("WhoAmI").must(t, http.StatusOK)
		if left := a.header.Get("x-ms-ratelimit-burst-remaining-xrm-requests"); left != strconv.Itoa(limit-i-1) {
			t.Fatalf("request %d: %s requests remain", i+1, left)
		}
	}
	a := w.admin.post("contacts", `{"lastname":"Too Many"}`)
	a.refused(t, http.StatusTooManyRequests, "0x80072322", "Number of requests exceeded the limit of 6000 over time window of 300 seconds.")
	told := wait(t, a)
	if told < 199*time.Second || told > 202*time.Second {
		t.Errorf("told to wait %s, but the first half leaves the window in 200 s", told)
	}
	other, _ := w.newApp("Other", auth.RoleReader)
	other.get("WhoAmI").must(t, http.StatusOK)
	c.move(told)
	if got := w.admin.get("contacts/$count"); got.body != "0" {
		t.Errorf("the refused request was executed: %s", got.body)
	}
	w.admin.get("WhoAmI").must(t, http.StatusOK)
}

// Asking again too early makes the wait longer.
func TestCoolDownGrows(t *testing.T) {
	w, c := limited(t, func(s *settings.Settings) { s.LimitRequests = 20 })
	for range 20 {
		w.admin.get("WhoAmI").must(t, http.StatusOK)
	}
	c.move(200 * time.Second)
	last := time.Duration(0)
	for i := range 6 {
		told := wait(t, w.admin.get("WhoAmI").must(t, http.StatusTooManyRequests))
		if i > 0 && told <= last {
			t.Errorf("refusal %d: told to wait %s after %s", i+1, told, last)
		}
		last = told
	}
	c.move(last)
	w.admin.get("WhoAmI").must(t, http.StatusOK)
}

// A batch of many operations is one request.
func TestBatchIsOneRequest(t *testing.T) {
	w, _ := limited(t, func(s *settings.Settings) { s.LimitRequests = 3 })
	var ops []string
	for range 50 {
		ops = append(ops, "GET WhoAmI")
	}
	for i := range 3 {
		a := w.admin.batch(ops...).must(t, http.StatusOK)
		if left := a.header.Get("x-ms-ratelimit-burst-remaining-xrm-requests"); left != strconv.Itoa(2-i) {
			t.Errorf("after %d batches %s requests remain", i+1, left)
		}
	}
	w.admin.batch(ops...).must(t, http.StatusTooManyRequests)
}

// Limits are the real caller's: acting for others gives no more.
func TestLimitsAreTheRealCallers(t *testing.T) {
	w, _ := limited(t, func(s *settings.Settings) { s.LimitRequests = 4 })
	for i := range 4 {
		w.newUser(fmt.Sprint("User ", i), auth.RoleReader).get("WhoAmI").must(t, http.StatusOK)
	}
	w.newUser("One More", auth.RoleReader).get("WhoAmI").must(t, http.StatusTooManyRequests)
}

// held are requests under way: their bodies do not end before they are let go.
type held struct {
	w    *world
	stop chan struct{}
	done sync.WaitGroup
}

// hold begins n requests of a caller and waits until all are admitted.
func hold(c caller, n int) *held {
	h := &held{w: c.w, stop: make(chan struct{})}
	var begun sync.WaitGroup
	for range n {
		begun.Add(1)
		h.done.Add(1)
		body := &endless{begun: &begun, stop: h.stop}
		go func() {
			defer h.done.Done()
			req := httptest.NewRequest(http.MethodPost, "/api/data/v9.2/contacts", body)
			req.Header.Set("Authorization", "Bearer "+c.token)
			c.w.svc.ServeHTTP(httptest.NewRecorder(), req)
			body.once.Do(begun.Done) // refused before its body was read
		}()
	}
	begun.Wait()
	return h
}

func (h *held) release() {
	close(h.stop)
	h.done.Wait()
}

// endless is a body that keeps its reader waiting.
type endless struct {
	once  sync.Once
	begun *sync.WaitGroup
	stop  chan struct{}
}

func (e *endless) Read([]byte) (int, error) {
	e.once.Do(e.begun.Done)
	<-e.stop
	return 0, io.EOF
}

// The 53rd request at a time is refused, with a wait that grows while the crowd stays.
func TestConcurrencyLimit(t *testing.T) {
	w, _ := limited(t, func(s *settings.Settings) { s.LimitConcurrency = settings.Default().LimitConcurrency })
	crowd := hold(w.admin, 52)
	first := w.admin.get("WhoAmI")
	first.refused(t, http.StatusTooManyRequests, "0x80072326", "Number of concurrent requests exceeded the limit of 52.")
	if a, b := wait(t, first), wait(t, w.admin.get("WhoAmI")); b <= a {
		t.Errorf("told to wait %s, then %s", a, b)
	}
	other, _ := w.newApp("Other", auth.RoleReader)
	other.get("WhoAmI").must(t, http.StatusOK)
	crowd.release()
	w.admin.get("WhoAmI").must(t, http.StatusOK)
}

// Execution time adds up over a window.
func TestExecutionLimit(t *testing.T) {
	w, c := limited(t, func(s *settings.Settings) { s.LimitExecution = time.Second })
	a := w.admin.get("WhoAmI").must(t, http.StatusOK)
	if left := a.header.Get("x-ms-ratelimit-time-remaining-xrm-requests"); left != "1.00" {
		t.Errorf("%q seconds remain", left)
	}
	slow := hold(w.admin, 1)
	time.Sleep(1100 * time.Millisecond)
	slow.release()
	a = w.admin.get("WhoAmI")
	a.refused(t, http.StatusTooManyRequests, "0x80072321", "Combined execution time of incoming requests exceeded limit of 1,000 milliseconds over time window of 300 seconds.")
	c.move(wait(t, a) + time.Second) // a window is cut into seconds, and no wait is told beyond 300
	w.admin.get("WhoAmI").must(t, http.StatusOK)
}

// Whoever they are from, more requests than the process can bear are shed at once.
func TestOverloadIsShed(t *testing.T) {
	w := newWorld(t, openSQLite(t), nil)
	crowd := hold(w.admin, 4096)
	a := w.admin.get("WhoAmI").must(t, http.StatusServiceUnavailable)
	wait(t, a)
	crowd.release()
	w.admin.get("WhoAmI").must(t, http.StatusOK)
}

// Two processes on one database count together: at most two in a hundred too many.
func TestNodesCountTogether(t *testing.T) {
	dsn := pgtest.DSN(t)
	share := func(o *service.Options) {
		o.Settings.LimitRequests = settings.Default().LimitRequests
		o.Shared = true
	}
	first := newWorld(t, servicetest.OpenPostgreSQL(t, dsn), share)
	second := newWorld(t, servicetest.OpenPostgreSQL(t, dsn), share)
	var admitted atomic.Int64
	var all sync.WaitGroup
	for _, w := range []*world{first, second} {
		for range 8 {
			all.Go(func() {
				for range 500 {
					if (caller{w: w, token: first.admin.token}).get("WhoAmI").ok() {
						admitted.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	if n := admitted.Load(); n < 5880 || n > 6120 {
		t.Errorf("%d of 8000 requests were admitted, want 6000", n)
	}
}
