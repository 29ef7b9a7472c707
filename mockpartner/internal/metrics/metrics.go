// Package metrics counts what a mock partner does, for Prometheus.
//
// Metrics are of the whole mock: sandboxes come and go, and a series for each
// would stay.
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

// Metrics are those of one mock. It is safe for concurrent use; use New.
type Metrics struct {
	registry  *prometheus.Registry
	exchanges *prometheus.CounterVec
	durations *prometheus.HistogramVec
	faults    prometheus.Counter
}

// New returns metrics in which nothing is counted yet.
func New() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		exchanges: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mockpartner_exchanges_total",
			Help: "Exchanges with callers of the partner endpoints that have ended, by endpoint and status. Status 0 is no answer, endpoint none a path that is no endpoint.",
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

// Gauge adds a metric that is read when it is asked for.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// Ended counts an exchange that has ended.
func (m *Metrics) Ended(endpoint partnerapi.Endpoint, status, faults int, took time.Duration) {
	name := string(endpoint)
	if name == "" {
		name = "none"
	}
	m.exchanges.WithLabelValues(name, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(name).Observe(took.Seconds())
	m.faults.Add(float64(faults))
}

// Handler answers with the metrics in Prometheus' own form.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
