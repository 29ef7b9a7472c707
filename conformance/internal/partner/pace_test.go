package partner

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

func TestTwoLateAnswersOfThreeBreakALimit(t *testing.T) {
	t.Parallel()
	const (
		ok   = time.Second
		edge = 5 * time.Second // in time: the limit is the last moment
		late = 5*time.Second + 1
	)
	for _, test := range []struct {
		name   string
		calls  []time.Duration
		broken bool
		late   int
	}{
		{"none late", []time.Duration{ok, ok, edge}, false, 0},
		{"one late of one", []time.Duration{late}, false, 1},
		{"one late of three", []time.Duration{ok, late, ok}, false, 1},
		{"one late of many", []time.Duration{ok, ok, ok, late, ok, ok, ok, ok}, false, 1},
		{"two late of two", []time.Duration{late, late}, true, 2},
		{"two late in a row, of many", []time.Duration{ok, ok, ok, late, late}, true, 2},
		{"two late with one between", []time.Duration{ok, late, ok, late}, true, 2},
		{"two late, far apart", []time.Duration{late, ok, ok, late, ok, ok}, false, 2},
		{"a breach stays one", []time.Duration{late, late, ok, ok, ok, ok}, true, 2},
		{"all late", []time.Duration{late, late, late, late}, true, 4},
	} {
		p := &Pace{Name: Limit{Endpoint: partnerapi.Reserve}, Limit: 5 * time.Second}
		for i, took := range test.calls {
			p.record(&report.Exchange{Number: i + 1, Duration: took})
		}
		broken := p.BreachStop()
		if (broken != nil) != test.broken || len(p.LateCalls()) != test.late || len(p.Times()) != len(test.calls) {
			t.Errorf("%s: want broken %t with %d late, got %+v with %d", test.name, test.broken, test.late, broken, len(p.LateCalls()))
		}
		if broken != nil && (broken.Kind != Late || broken.Endpoint != partnerapi.Reserve || len(broken.Exchanges) != 2 || broken.Exchanges[0] == broken.Exchanges[1]) {
			t.Errorf("%s: want the limit's rule with its two late calls, got %+v", test.name, broken)
		}
	}
}

func TestAnAnswerThatNeverCameIsLateAndOneThatBrokeOffIsNot(t *testing.T) {
	t.Parallel()
	p := &Pace{Name: Limit{Endpoint: partnerapi.Reserve}, Limit: 5 * time.Second}
	for _, kind := range []report.FailureKind{report.Reset, report.Refused, report.TooLarge, report.Stopped} {
		p.record(&report.Exchange{Duration: time.Minute, Failure: &report.Failure{Kind: kind}})
	}
	if p.BreachStop() != nil || len(p.Times()) != 0 {
		t.Errorf("want calls that broke off left out of account, got %d of them", len(p.Times()))
	}
	for range 2 {
		p.record(&report.Exchange{Duration: 5500 * time.Millisecond, Failure: &report.Failure{Kind: report.Timeout}})
	}
	if broken := p.BreachStop(); broken == nil || !strings.Contains(broken.Message, "no answer in 5.5s") {
		t.Errorf("want a limit broken by two calls without answer, got %+v", broken)
	}
}

func TestTheLimitsAreScaled(t *testing.T) {
	t.Parallel()
	paces := newPaces(0.5)
	if got := paces[Limit{Endpoint: partnerapi.Products}].Limit; got != 7500*time.Millisecond {
		t.Errorf("want the catalog's 15 s scaled by a half, got %s", got)
	}
	if got := paces[Limit{partnerapi.Products, Probe}].Limit; got != 2500*time.Millisecond {
		t.Errorf("want the probe's 5 s scaled by a half, got %s", got)
	}
}

func TestACallIsWaitedForAsLongAsADegradedPartnersWouldBe(t *testing.T) {
	t.Parallel()
	c := &Caller{LimitScale: 1, Time: &Time{deadline: time.Now().Add(time.Hour)}, paces: newPaces(1)}
	call := c.withDeadline(probe.Call{Endpoint: partnerapi.Reserve})
	if call.Limit != 5*time.Second || call.Deadline != 12*time.Second {
		t.Errorf("want a limit of 5s and 12s of waiting, got %s and %s", call.Limit, call.Deadline)
	}
	c.Time.deadline = time.Now()
	if call = c.withDeadline(call); call.Deadline != 6500*time.Millisecond {
		t.Errorf("want 6.5s of waiting at the end of the run's time, got %s", call.Deadline)
	}
}

func TestThereAreNoMoreCallersThanCanBeServedOneAfterAnotherInTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		took time.Duration
		want int64
	}{
		{time.Millisecond, MostCallers}, {time.Second, 5}, {2 * time.Second, 2}, {4 * time.Second, 2}, {6 * time.Second, 2},
	} {
		s := &Caller{paces: newPaces(1)}
		s.paces[Limit{Endpoint: partnerapi.Reserve}].record(&report.Exchange{Duration: time.Microsecond})
		s.paces[Limit{Endpoint: partnerapi.Reserve}].record(&report.Exchange{Duration: test.took})
		if got := s.Callers(); got != test.want {
			t.Errorf("want %d callers of a partner that takes %s, got %d", test.want, test.took, got)
		}
	}
}
