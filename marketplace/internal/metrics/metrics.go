// Package metrics counts what the service does, for Prometheus.
//
// What stands in the way of every request is counted without a look-up: a Route and
// its counters are made once. What is in the database is read when somebody asks.
// Integrations come and go: only live ones have series.
package metrics

import (
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/partner"
)

// Metrics are those of one service. It is safe for concurrent use.
type Metrics struct {
	registry    *prometheus.Registry
	handler     http.Handler
	requests    *prometheus.CounterVec
	durations   *prometheus.HistogramVec
	rateLimited *prometheus.CounterVec
	signIns     *prometheus.CounterVec
	calls       *prometheus.HistogramVec
	syncs       *prometheus.CounterVec
	slotPulls   *prometheus.CounterVec
	partners    *partners
}

// New returns metrics in which nothing is counted yet.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marketplace_http_requests_total", Help: "Requests that were answered, by route and class of status; route none is no route.",
		}, []string{"surface", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "marketplace_http_request_duration_seconds", Help: "How long requests took until they were answered, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 30},
		}, []string{"surface", "route"}),
		rateLimited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marketplace_http_rate_limited_total", Help: "Requests that were answered with 429, by surface.",
		}, []string{"surface"}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marketplace_sign_in_failures_total", Help: "Sign-ins that failed: by wrong credentials, or by the limit of failures.",
		}, []string{"reason"}),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "marketplace_partner_call_duration_seconds", Help: "How long calls to partners took, by what came of them.",
			Buckets: []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10, 15, 20},
		}, []string{"outcome"}),
		syncs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marketplace_syncs_total", Help: "Pulls of catalogs, by what came of them.",
		}, []string{"result"}),
		slotPulls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "marketplace_slot_pulls_total", Help: "Pulls of an option's slots, by what came of them.",
		}, []string{"result"}),
		partners: newPartners(),
	}
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "marketplace_build_info", Help: "1, with the service's version and that of Go.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.durations, m.rateLimited, m.signIns, m.calls, m.syncs, m.slotPulls, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, reason := range []string{ByCredentials, ByLimit} {
		m.signIns.WithLabelValues(reason)
	}
	for _, outcome := range outcomes {
		m.calls.WithLabelValues(string(outcome))
	}
	for _, result := range []string{Stored, Skipped, Guarded, Failed} {
		m.syncs.WithLabelValues(result)
	}
	for _, result := range []string{Stored, Failed} {
		m.slotPulls.WithLabelValues(result)
	}
	return m
}

// ServeHTTP answers with the metrics in Prometheus' own form.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.handler.ServeHTTP(w, r) }

// Why a sign-in failed.
const (
	ByCredentials = "credentials"
	ByLimit       = "limit"
)

// SignInFailed counts a sign-in that failed.
func (m *Metrics) SignInFailed(reason string) { m.signIns.WithLabelValues(reason).Inc() }

// What came of a pull.
const (
	Stored  = "stored"
	Skipped = "skipped" // the catalog was the last one's
	Guarded = "guarded" // stored without what the guard holds back
	Failed  = "failed"
)

// Synced counts a sync that has ended.
func (m *Metrics) Synced(o catalog.Order, made catalog.Sync, err error) {
	result := Stored
	switch {
	case err != nil:
		result = Failed
	case made.Skipped:
		result = Skipped
	case made.Guard != nil:
		result = Guarded
	}
	m.syncs.WithLabelValues(result).Inc()
	if err == nil {
		m.partners.synced(o.Target.ID, result, made.FinishedAt)
	}
}

// PulledSlots counts a pull of an option's slots that has ended.
func (m *Metrics) PulledSlots(err error) {
	result := Stored
	if err != nil {
		result = Failed
	}
	m.slotPulls.WithLabelValues(result).Inc()
}

// outcomes are what may come of a call.
var outcomes = []partner.Result{partner.ResultOK, partner.ResultTimeout, partner.ResultTransport, partner.ResultStatus, partner.ResultUnreadable}

// PageCache tells how made pages are used.
func (m *Metrics) PageCache(read func() (hits, misses uint64, bytes int64)) {
	counter := func(name, help string, of func() float64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, of)
	}
	m.registry.MustRegister(
		counter("marketplace_page_cache_hits_total", "Pages of lists that were made already.", func() float64 { hits, _, _ := read(); return float64(hits) }),
		counter("marketplace_page_cache_misses_total", "Pages of lists that had to be made.", func() float64 { _, misses, _ := read(); return float64(misses) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "marketplace_page_cache_bytes", Help: "How much the made pages take."},
			func() float64 { _, _, bytes := read(); return float64(bytes) }))
}

// Route counts the requests of one route.
type Route struct {
	byStatus    [6]prometheus.Counter // by the status' first digit; 0 for none
	durations   prometheus.Observer
	rateLimited prometheus.Counter
}

// Route returns the counters of a route, such as GET /healthz.
func (m *Metrics) Route(surface, route string) *Route {
	r := &Route{durations: m.durations.WithLabelValues(surface, route), rateLimited: m.rateLimited.WithLabelValues(surface)}
	for class, name := range []string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"} {
		if class > 1 { // others do not come
			r.byStatus[class] = m.requests.WithLabelValues(surface, route, name)
		}
	}
	return r
}

// Answered counts a request of the route.
func (r *Route) Answered(status int, took time.Duration) {
	if class := status / 100; class > 1 && class < len(r.byStatus) {
		r.byStatus[class].Inc()
	}
	if status == http.StatusTooManyRequests {
		r.rateLimited.Inc()
	}
	r.durations.Observe(took.Seconds())
}
