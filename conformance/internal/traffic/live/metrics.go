package live

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"partnerkit.dev/conformance/report"
)

// Metrics returns a handler that serves the metrics in the Prometheus format.
func (w *Watcher) Metrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(w.counters.calls, w.counters.durations, w.counters.others, w.counters.failures, ruleMetrics{w},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	counter := func(name, help, reason string, read func() float64) {
		labels := prometheus.Labels{}
		if reason != "" {
			labels["reason"] = reason
		}
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, read))
	}
	gauge := func(name, help string, read func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
	}
	const dropped, droppedHelp = "conformance_proxy_not_judged_total", "Forwarded calls that were not judged because memory was full or they took too long."
	counter(dropped, droppedHelp, "room", func() float64 { return float64(w.queue.lostCalls.Load()) })
	counter(dropped, droppedHelp, "late", func() float64 { return float64(w.queue.lateCalls.Load()) })
	counter("conformance_proxy_judged_total", "Calls that were judged.", "", func() float64 { return float64(w.judged.Load()) })
	gauge("conformance_proxy_queue_calls", "Calls in progress or waiting to be judged.", func() float64 { return float64(w.PendingCalls()) })
	gauge("conformance_proxy_queue_bytes", "Bytes of memory for copies of calls in progress or waiting to be judged.", func() float64 { return float64(w.Memory()) })
	if r := w.options.Recorder; r != nil {
		counter("conformance_proxy_recorded_total", "Calls that were recorded.", "", func() float64 { return float64(r.written.Load()) })
		counter("conformance_proxy_not_recorded_total", "Calls that could not be recorded.", "", func() float64 { return float64(r.failed.Load()) })
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// ruleMetrics collects metrics of failing rules and caller faults.
type ruleMetrics struct{ of *Watcher }

var (
	rulesFailed = prometheus.NewDesc("conformance_proxy_rules", "Rules by their outcome so far.", []string{"outcome"}, nil)
	ruleBroken  = prometheus.NewDesc("conformance_proxy_finding", "1 for each rule that the partner violates.", []string{"rule", "level", "endpoint"}, nil)
	callerFault = prometheus.NewDesc("conformance_proxy_caller_fault_calls_total", "Invalid calls by the caller, by the duty that they violate.", []string{"duty"}, nil)
)

// Describe implements prometheus.Collector.
func (m ruleMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- rulesFailed
	to <- ruleBroken
	to <- callerFault
}

// Collect implements prometheus.Collector.
func (m ruleMetrics) Collect(to chan<- prometheus.Metric) {
	result := m.of.published.Load().Result
	for _, outcome := range report.Outcomes() {
		to <- prometheus.MustNewConstMetric(rulesFailed, prometheus.GaugeValue, float64(result.Summary[outcome]), string(outcome))
	}
	for _, r := range result.Rules {
		if r.Outcome == report.Failed || r.Outcome == report.Warned {
			to <- prometheus.MustNewConstMetric(ruleBroken, prometheus.GaugeValue, 1, r.ID, string(r.Level), string(r.Endpoint))
		}
	}
	for _, fault := range result.CallerFaults {
		to <- prometheus.MustNewConstMetric(callerFault, prometheus.CounterValue, float64(fault.Calls), fault.ID)
	}
}
