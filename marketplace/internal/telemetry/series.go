package telemetry

import "github.com/prometheus/client_golang/prometheus"

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// series receives collected metrics.
type series chan<- prometheus.Metric

func (to series) gauge(desc *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
}

func (to series) count(desc *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, value, labels...)
}
