package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"partnerkit.dev/marketplace/internal/conformance"
)

var (
	judgeUp       = describe("marketplace_judge_up", "1 while calls to partners are judged.")
	judged        = describe("marketplace_judge_calls_total", "Calls to partners that were judged.")
	notJudged     = describe("marketplace_judge_dropped_total", "Calls to partners that were not judged, by reason: behind, large, paused, stopped or left_out.", "reason")
	judgeRestarts = describe("marketplace_judge_restarts_total", "How often the judge stopped and was started again.")
)

// judge collects the counts of the judge of calls to partners.
type judge func() conformance.Counts

// Describe implements prometheus.Collector.
func (j judge) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(j, to) }

// Collect implements prometheus.Collector.
func (j judge) Collect(metrics chan<- prometheus.Metric) {
	to, c := series(metrics), j()
	to.gauge(judgeUp, oneIf(c.Running))
	to.count(judged, float64(c.Judged))
	to.count(judgeRestarts, float64(c.Restarts))
	for reason, n := range c.Dropped {
		to.count(notJudged, float64(n), string(reason))
	}
}

// Judge adds metrics of the judge of calls to partners.
func (m *Metrics) Judge(read func() conformance.Counts) { m.registry.MustRegister(judge(read)) }
