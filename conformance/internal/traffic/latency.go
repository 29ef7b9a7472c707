package traffic

import (
	"slices"
	"time"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// sample keeps all calls up to a limit, and an even selection of more calls.
type sample struct {
	kept         []*report.Exchange
	count, every int
}

// mostSampled is that limit.
const mostSampled = 10_000

func (s *sample) add(x *report.Exchange) {
	if s.count%s.every == 0 {
		s.kept = append(s.kept, x)
	}
	s.count++
	if len(s.kept) == mostSampled {
		s.every *= 2
		kept := s.kept[:0]
		for i, one := range s.kept {
			if i%2 == 0 {
				kept = append(kept, one)
			}
		}
		s.kept = slices.Clip(kept)
	}
}

// Latency summarizes the answer times of calls to one endpoint. The suite's own tests scale the
// limits.
func Latency(endpoint partnerapi.Endpoint, calls []*report.Exchange, scaled func(time.Duration) time.Duration) report.Latency {
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
	for _, d := range sampleEvenly(took, report.MostTimes) {
		l.TimesMS = append(l.TimesMS, milliseconds(d))
	}
	return l
}

// sampleEvenly returns at most n elements of all, evenly chosen, including the first and the last.
func sampleEvenly[T any](all []T, n int) []T {
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
