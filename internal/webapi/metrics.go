package webapi

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are what the Web API counts for /metrics.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics registers the Web API's metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "almoner_requests_total", Help: "Web API requests by method and status."}, []string{"method", "status"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "almoner_request_seconds", Help: "Time taken by Web API requests.", Buckets: prometheus.ExponentialBuckets(0.0005, 4, 9)}, []string{"method"}),
	}
	reg.MustRegister(m.requests, m.seconds)
	return m
}

func (m *Metrics) observe(method string, status int, took time.Duration) {
	if m == nil {
		return
	}
	switch method {
	case "GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS":
	default:
		method = "other"
	}
	m.requests.WithLabelValues(method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(method).Observe(took.Seconds())
}
