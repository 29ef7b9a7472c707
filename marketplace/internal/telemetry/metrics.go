// Package telemetry contains the service's metrics for Prometheus, its traces for OpenTelemetry,
// and the buffer of its log.
//
// Counters of requests are found once, when a Route is created. The database is read when metrics
// are requested. Only live integrations have series.
package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"runtime"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
)

// Metrics are the metrics of one service. It is safe for concurrent use.
type Metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	rateLimited *prometheus.CounterVec
	signIns     *prometheus.CounterVec
	calls       *prometheus.HistogramVec
	syncs       *prometheus.CounterVec
	slotPulls   *prometheus.CounterVec
	runs        *prometheus.CounterVec
	bookings    *bookings
	partners    *partners
}

// NewMetrics returns metrics with all counters at zero.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry:    prometheus.NewRegistry(),
		requests:    counter("marketplace_http_requests_total", "Requests by route and status class; route none means that no route matched.", "surface", "route", "status"),
		durations:   histogram("marketplace_http_request_duration_seconds", "Duration of requests, by route.", []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 30}, "surface", "route"),
		rateLimited: counter("marketplace_http_rate_limited_total", "Requests answered with 429, by surface.", "surface"),
		signIns:     counter("marketplace_sign_in_failures_total", "Failed sign-ins: wrong credentials, or above the limit.", "reason"),
		calls:       histogram("marketplace_partner_call_duration_seconds", "Duration of calls to partners, by outcome.", []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10, 15, 20}, "outcome", "mode"),
		syncs:       counter("marketplace_syncs_total", "Catalog syncs, by result.", "result"),
		slotPulls:   counter("marketplace_slot_pulls_total", "Slot pulls, by result.", "result"),
		runs:        counter("marketplace_conformance_runs_total", "Conformance runs that ended, by verdict; failed means that the suite did not run to its end.", "verdict"),
		bookings:    newBookings(),
		partners:    &partners{seen: map[uuid.UUID]*partnerSeen{}},
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "marketplace_build_info", Help: "Always 1, with the versions of the service and of Go.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.durations, m.rateLimited, m.signIns, m.calls, m.syncs, m.slotPulls, m.runs, build,
		m.bookings.reached, m.bookings.moved, m.bookings.payments, m.bookings.events,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, reason := range []string{byCredentials, byLimit} {
		m.signIns.WithLabelValues(reason)
	}
	for _, outcome := range []partner.Result{partner.ResultOK, partner.ResultTimeout, partner.ResultTransport, partner.ResultStatus, partner.ResultUnreadable} {
		m.calls.WithLabelValues(string(outcome), string(domain.Live))
	}
	for _, result := range []string{stored, skipped, guarded, failed} {
		m.syncs.WithLabelValues(result)
	}
	for _, verdict := range []string{"conformant", "nonconformant", "partial", "incomplete", failed} {
		m.runs.WithLabelValues(verdict)
	}
	for _, result := range []string{stored, failed} {
		m.slotPulls.WithLabelValues(result)
	}
	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

// Handler serves the metrics in Prometheus' format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Reasons of failed sign-ins.
const (
	byCredentials = "credentials"
	byLimit       = "limit"
)

// CountRun counts a finished conformance run.
func (m *Metrics) CountRun(r conformance.Run) {
	m.runs.WithLabelValues(cmp.Or(r.Verdict, string(r.State))).Inc()
}

// SignInFailed counts a failed sign-in, unless the service itself failed.
func (m *Metrics) SignInFailed(err error) {
	switch domain.CodeOf(err) {
	case domain.Unauthorized:
		m.signIns.WithLabelValues(byCredentials).Inc()
	case domain.RateLimited:
		m.signIns.WithLabelValues(byLimit).Inc()
	}
}

// CountSync counts a finished sync.
func (m *Metrics) CountSync(o catalog.Order, made catalog.Sync, err error) {
	result := stored
	switch {
	case err != nil:
		result = failed
	case made.Skipped:
		result = skipped
	case made.Guard != nil:
		result = guarded
	}
	m.syncs.WithLabelValues(result).Inc()
	if err == nil {
		m.partners.recordSync(o.Target.ID, result, made.FinishedAt)
	}
}

// PulledSlots counts a finished pull of an option's slots.
func (m *Metrics) PulledSlots(err error) {
	result := stored
	if err != nil {
		result = failed
	}
	m.slotPulls.WithLabelValues(result).Inc()
}

// CountCall counts a finished call to a partner.
func (m *Metrics) CountCall(integration uuid.UUID, call partner.Observation) {
	m.calls.WithLabelValues(string(call.Result), string(call.Mode)).Observe(call.Took.Seconds())
	m.partners.countCall(integration, call)
}

// Database adds metrics of the database's content and of connection pools, by name.
func (m *Metrics) Database(read func(context.Context, time.Time) (State, error), now func() time.Time, pools map[string]*pgxpool.Pool) {
	m.registry.MustRegister(&database{read, now, pools, m.partners})
}

// AddReadiness adds the result of /readyz.
func (m *Metrics) AddReadiness(check func(context.Context) error) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "marketplace_ready", Help: "1 while /readyz reports ready."}, func() float64 {
		if check(context.Background()) != nil {
			return 0
		}
		return 1
	}))
}

// PageCache adds metrics of the page cache.
func (m *Metrics) PageCache(read func() (hits, misses uint64, bytes int64)) {
	counter := func(name, help string, of func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, of)
	}
	m.registry.MustRegister(
		counter("marketplace_page_cache_hits_total", "List pages served from the cache.", func() float64 { hits, _, _ := read(); return float64(hits) }),
		counter("marketplace_page_cache_misses_total", "List pages that had to be built.", func() float64 { _, misses, _ := read(); return float64(misses) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "marketplace_page_cache_bytes", Help: "Size of the page cache."},
			func() float64 { _, _, bytes := read(); return float64(bytes) }))
}

// Standby adds metrics of the reads that a standby may answer, and of the standby's age.
func (m *Metrics) Standby(read func() (standby, primary uint64, age time.Duration)) {
	counter := func(server string, of func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "marketplace_standby_reads_total", Help: "Reads that a standby may answer, by the server that answered.", ConstLabels: prometheus.Labels{"server": server},
		}, of)
	}
	m.registry.MustRegister(
		counter("standby", func() float64 { standby, _, _ := read(); return float64(standby) }),
		counter("primary", func() float64 { _, primary, _ := read(); return float64(primary) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "marketplace_standby_age_seconds", Help: "How old a read of the standby is at most. Above 2, the primary answers."},
			func() float64 { _, _, age := read(); return age.Seconds() }))
}

// Route counts the requests of one route.
type Route struct {
	byStatus    [6]prometheus.Counter // by the first digit of the status; 0 without an answer
	durations   prometheus.Observer
	rateLimited prometheus.Counter
}

// Route returns the counters of a route, such as GET /healthz.
func (m *Metrics) Route(surface, route string) *Route {
	r := &Route{durations: m.durations.WithLabelValues(surface, route), rateLimited: m.rateLimited.WithLabelValues(surface)}
	for class, name := range []string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		if class > 1 { // others do not occur
			r.byStatus[class] = m.requests.WithLabelValues(surface, route, name)
		}
	}
	return r
}

// CountAnswer counts a request of the route.
func (r *Route) CountAnswer(status int, took time.Duration) {
	if class := status / 100; class > 1 && class < len(r.byStatus) {
		r.byStatus[class].Inc()
	}
	if status == http.StatusTooManyRequests {
		r.rateLimited.Inc()
	}
	r.durations.Observe(took.Seconds())
}
