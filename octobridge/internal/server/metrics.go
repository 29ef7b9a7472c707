package server

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/schemas/partnerapi"
)

// Metrics are the bridge's metrics for Prometheus. They are safe for concurrent use.
type Metrics struct {
	registry         *prometheus.Registry
	requests, calls  *prometheus.CounterVec
	answering, waits *prometheus.HistogramVec
}

// NewMetrics returns metrics with all counters at zero.
func NewMetrics() *Metrics {
	buckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octobridge_requests_total", Help: "Requests of the partner contract, by endpoint and status of the answer.",
		}, []string{"endpoint", "status"}),
		answering: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octobridge_request_duration_seconds", Help: "How long requests took, with the calls to the supplier.", Buckets: buckets,
		}, []string{"endpoint"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "octobridge_octo_calls_total", Help: "Calls to the OCTO supplier, by call and status of the answer. Status 0 means no answer.",
		}, []string{"call", "status"}),
		waits: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octobridge_octo_call_duration_seconds", Help: "How long calls to the OCTO supplier took.", Buckets: buckets,
		}, []string{"call"}),
	}
	m.registry.MustRegister(m.requests, m.answering, m.calls, m.waits, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// WatchStore adds the number of bookings that are in the middle of a call.
func (m *Metrics) WatchStore(s *store.Store) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "octobridge_open_bookings", Help: "Bookings whose last call to the supplier has no known outcome yet. -1 means that the store does not answer.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n, err := s.CountOpen(ctx)
		if err != nil {
			return -1
		}
		return float64(n)
	}))
}

// CountCall counts a call to the supplier.
func (m *Metrics) CountCall(call string, status int, took time.Duration) {
	m.calls.WithLabelValues(call, strconv.Itoa(status)).Inc()
	m.waits.WithLabelValues(call).Observe(took.Seconds())
}

func (m *Metrics) countRequest(name partnerapi.Endpoint, status int, took time.Duration) {
	m.requests.WithLabelValues(string(name), strconv.Itoa(status)).Inc()
	m.answering.WithLabelValues(string(name)).Observe(took.Seconds())
}

func (m *Metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
