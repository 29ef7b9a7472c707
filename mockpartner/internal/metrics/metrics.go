// Package metrics provides the metrics of a mock partner, for Prometheus.
//
// Metrics cover the complete mock. Sandboxes are created and deleted, and a series for each would
// remain.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"partnerkit.dev/schemas/partnerapi"
)

// Metrics are the metrics of one mock. They are safe for concurrent use. Create them with New.
type Metrics struct {
	registry  *prometheus.Registry
	exchanges *prometheus.CounterVec
	durations *prometheus.HistogramVec
	faults    prometheus.Counter
}

// New returns metrics with all counters at zero.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		exchanges: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mockpartner_exchanges_total",
			Help: "Exchanges with callers of the partner endpoints that have ended, by endpoint and status. Status 0 means no answer. Endpoint none means that the path belongs to no endpoint.",
		}, []string{"endpoint", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "mockpartner_exchange_duration_seconds",
			Help:    "How long exchanges took, in real time, faults included.",
			Buckets: []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5, 15, 30, 60},
		}, []string{"endpoint"}),
		faults: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "mockpartner_faults_fired_total",
			Help: "How often a fault has fired.",
		}),
	}
	m.registry.MustRegister(m.exchanges, m.durations, m.faults, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Gauge adds a metric whose value is read on each request.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// CountExchange counts an exchange that has ended.
func (m *Metrics) CountExchange(endpoint partnerapi.Endpoint, status, faults int, took time.Duration) {
	name := string(endpoint)
	if name == "" {
		name = "none"
	}
	m.exchanges.WithLabelValues(name, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(name).Observe(took.Seconds())
	m.faults.Add(float64(faults))
}

// Handler answers with the metrics in the Prometheus format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
