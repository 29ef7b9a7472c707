package live

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"partnerkit.dev/schemas/partnerapi"
)

// counters count the calls that pass.
type counters struct {
	calls     *prometheus.CounterVec
	durations *prometheus.HistogramVec
	others    prometheus.Counter
	failures  prometheus.Counter
}

func newCounters() *counters {
	return &counters{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "conformance_proxy_calls_total",
			Help: "Forwarded calls of the contract, by endpoint and status. Status 0 means no answer.",
		}, []string{"endpoint", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "conformance_proxy_call_duration_seconds",
			Help:    "Time from the beginning of a call until the last byte of the partner's answer.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30, 60},
		}, []string{"endpoint"}),
		others: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "conformance_proxy_other_calls_total",
			Help: "Forwarded calls that are not part of the contract. They are not judged.",
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "conformance_proxy_failed_calls_total",
			Help: "Calls of the contract that got no answer, because the partner was not reached, the connection broke, or the caller went away.",
		}),
	}
}

// count counts a call that has ended. Status 0 means no answer.
func (c *counters) count(endpoint partnerapi.Endpoint, status int, took time.Duration) {
	c.calls.WithLabelValues(string(endpoint), strconv.Itoa(status)).Inc()
	if status != 0 {
		c.durations.WithLabelValues(string(endpoint)).Observe(took.Seconds())
	}
}
