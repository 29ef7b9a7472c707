package traffic_test

import (
	"slices"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/traffic"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// asTheyAre leaves the contract's times as they are.
func asTheyAre(d time.Duration) time.Duration { return d }

// tookEach are calls of an endpoint that took so long each, under its limit.
func tookEach(endpoint partnerapi.Endpoint, took ...time.Duration) []*report.Exchange {
	calls := make([]*report.Exchange, len(took))
	for i, d := range took {
		calls[i] = &report.Exchange{Endpoint: endpoint, Duration: d, Limit: endpoint.Timeout(partnerapi.Healthy)}
	}
	return calls
}

func TestAnswerTimesAreCountedAgainstBothLimits(t *testing.T) {
	t.Parallel()
	l := traffic.Latency(partnerapi.Reserve, tookEach(partnerapi.Reserve, 7*time.Second, time.Second, 12*time.Second, 5*time.Second), asTheyAre)
	if want := []float64{1000, 5000, 7000, 12000}; !slices.Equal(l.TimesMS, want) || l.Calls != 4 || l.WorstMS != 12000 {
		t.Errorf("want the times %v, ascending, got %+v", want, l)
	}
	if l.OverHealthy != 2 || l.OverDegraded != 1 {
		t.Errorf("want 2 calls over 5 s, and 1 over 10 s, got %d and %d", l.OverHealthy, l.OverDegraded)
	}
}

func TestTheHealthProbeHasALimitOfItsOwn(t *testing.T) {
	t.Parallel()
	pulls := tookEach(partnerapi.Products, 6*time.Second, 6*time.Second)
	pulls[1].Limit = partnerapi.ProbeTimeout
	if l := traffic.Latency(partnerapi.Products, pulls, asTheyAre); l.OverHealthy != 1 || l.OverDegraded != 1 {
		t.Errorf("want the probe that took 6 s given up in either state, and the pull not, got %d and %d", l.OverHealthy, l.OverDegraded)
	}
}

func TestManyAnswerTimesAreThinnedEvenlyAndTheWorstIsKept(t *testing.T) {
	t.Parallel()
	var took []time.Duration
	for i := range 10_000 {
		took = append(took, time.Duration(i)*time.Millisecond)
	}
	times := traffic.Latency(partnerapi.Availability, tookEach(partnerapi.Availability, took...), asTheyAre).TimesMS
	if len(times) != report.MostTimes || !slices.IsSorted(times) || times[0] != 0 || times[len(times)-1] != 9999 {
		t.Fatalf("want %d times from 0 to 9999, got %d: %v", report.MostTimes, len(times), times)
	}
	for i := 1; i < len(times); i++ {
		if gap := times[i] - times[i-1]; gap < 50 || gap > 51 {
			t.Errorf("want them 50 apart, got %g between %g and %g", gap, times[i-1], times[i])
		}
	}
}
