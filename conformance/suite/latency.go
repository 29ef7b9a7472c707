package suite

import (
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// latency sums up the answer times of each endpoint that was called as the
// marketplace calls it.
func latency(exchanges []*probe.Exchange, scaled func(time.Duration) time.Duration) []report.Latency {
	calls := map[partnerapi.Endpoint][]*probe.Exchange{}
	for _, exchange := range exchanges {
		if exchange.Limit > 0 && (exchange.Failure == nil || exchange.Failure.Kind == probe.Timeout) {
			calls[exchange.Endpoint] = append(calls[exchange.Endpoint], exchange)
		}
	}
	all := []report.Latency{}
	for _, endpoint := range partnerapi.Endpoints() {
		if len(calls[endpoint]) > 0 {
			all = append(all, latencyOf(endpoint, calls[endpoint], scaled))
		}
	}
	return all
}

func latencyOf(endpoint partnerapi.Endpoint, calls []*probe.Exchange, scaled func(time.Duration) time.Duration) report.Latency {
	l := report.Latency{
		Endpoint: endpoint, Calls: len(calls),
		HealthyLimitMS:  milliseconds(scaled(endpoint.Timeout(partnerapi.Healthy))),
		DegradedLimitMS: milliseconds(scaled(endpoint.Timeout(partnerapi.Degraded))),
	}
	took := make([]time.Duration, len(calls))
	for i, call := range calls {
		took[i] = call.Duration
		if call.Duration > call.Limit {
			l.OverHealthy++
		}
		if call.Duration > call.Limit+scaled(endpoint.Timeout(partnerapi.Degraded)-endpoint.Timeout(partnerapi.Healthy)) {
			l.OverDegraded++
		}
	}
	slices.Sort(took)
	l.MedianMS, l.P95MS, l.WorstMS = milliseconds(took[len(took)/2]), milliseconds(took[len(took)*95/100]), milliseconds(took[len(took)-1])
	for _, d := range thinned(took, report.MostTimes) {
		l.TimesMS = append(l.TimesMS, milliseconds(d))
	}
	return l
}

// thinned returns at most n of all, evenly chosen, the first and the last among them.
func thinned[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	chosen := make([]T, n)
	for i := range chosen {
		chosen[i] = all[i*(len(all)-1)/(n-1)]
	}
	return chosen
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
