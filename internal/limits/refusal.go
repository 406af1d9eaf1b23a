package limits

import (
	"errors"
	"strconv"
	"time"

	"almoner/internal/fault"
)

var errOverload = errors.New("too many requests in flight")

func (s *Settings) rateExceeded() *fault.Error {
	return fault.New(fault.RateExceeded, "Number of requests exceeded the limit of %d over time window of %d seconds.",
		s.Requests, seconds(s.Window))
}

func (s *Settings) timeExceeded() *fault.Error {
	return fault.New(fault.TimeExceeded, "Combined execution time of incoming requests exceeded limit of %s milliseconds over time window of %d seconds. Decrease number of concurrent requests or reduce the duration of requests and try again later.",
		grouped(s.Execution.Milliseconds()), seconds(s.Window))
}

func (s *Settings) concurrencyExceeded() *fault.Error {
	return fault.New(fault.ConcurrencyExceeded, "Number of concurrent requests exceeded the limit of %d.", s.Concurrency)
}

func overloaded() *fault.Error { return fault.Unavailable(errOverload, 1) }

// seconds rounds up to whole seconds, at least one: the only form of Retry-After every client can read.
func seconds(d time.Duration) int {
	return max(1, int((d+time.Second-1)/time.Second))
}

// grouped prints a number with thousands separators, as the platform's messages do.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
