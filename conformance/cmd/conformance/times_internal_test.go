package main

import (
	"bytes"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

func TestTheScreenSaysWhichAnswersTheMarketplaceWouldGiveUp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	newScreen(&out, func(text string) string { return text }, nil, "").times([]report.Latency{
		{Endpoint: partnerapi.Products, Calls: 9, MedianMS: 412, P95MS: 1630, WorstMS: 1802, HealthyLimitMS: 15000, DegradedLimitMS: 15000},
		{Endpoint: partnerapi.Reserve, Calls: 22, MedianMS: 1420, P95MS: 4890, WorstMS: 11204, HealthyLimitMS: 5000, DegradedLimitMS: 10000, OverHealthy: 2, OverDegraded: 1},
	})
	const want = `answer times    calls    median       95%     worst     limit
products            9    412 ms    1.63 s     1.8 s      15 s
reserve            22    1.42 s    4.89 s    11.2 s       5 s   the marketplace would give up 2 while you are HEALTHY, 1 while DEGRADED

`
	if out.String() != want {
		t.Errorf("want\n%sgot\n%s", want, &out)
	}
}
