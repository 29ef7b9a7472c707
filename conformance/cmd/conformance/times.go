package main

import (
	"fmt"

	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
)

// times shows the answer times of each endpoint against its limits.
func (s *screen) times(all []report.Latency) {
	if len(all) == 0 {
		return
	}
	const row = "%-14s %6v %9s %9s %9s %9s%s\n"
	s.printf(row, "answer times", "calls", "median", "95%", "worst", "limit", "")
	for _, l := range all {
		ms := view.Milliseconds
		s.printf(row, l.Endpoint, l.Calls, ms(l.MedianMS), ms(l.P95MS), ms(l.WorstMS), ms(l.HealthyLimitMS), givenUp(l))
	}
	s.printf("\n")
}

// givenUp says how many calls the marketplace would not have waited for, or nothing
// where it would for all.
func givenUp(l report.Latency) string {
	if l.OverHealthy == 0 {
		return ""
	}
	return fmt.Sprintf("   the marketplace would give up %d while you are HEALTHY, %d while DEGRADED", l.OverHealthy, l.OverDegraded)
}
