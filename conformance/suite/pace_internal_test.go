package suite

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
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
		p := &pace{rule: rule.ReserveLimit, limit: 5 * time.Second}
		for i, took := range test.calls {
			p.record(&probe.Exchange{Number: i + 1, Duration: took})
		}
		broken := p.broken()
		if (broken != nil) != test.broken || len(p.lateCalls()) != test.late || len(p.times()) != len(test.calls) {
			t.Errorf("%s: want broken %t with %d late, got %+v with %d", test.name, test.broken, test.late, broken, len(p.lateCalls()))
		}
		if broken != nil && (broken.Rule.ID != rule.ReserveLimit.ID || len(broken.Exchanges) != 2 || broken.Exchanges[0] == broken.Exchanges[1]) {
			t.Errorf("%s: want the limit's rule with its two late calls, got %+v", test.name, broken)
		}
	}
}

func TestAnAnswerThatNeverCameIsLateAndOneThatBrokeOffIsNot(t *testing.T) {
	t.Parallel()
	p := &pace{rule: rule.ReserveLimit, limit: 5 * time.Second}
	for _, kind := range []probe.FailureKind{probe.Reset, probe.Refused, probe.TooLarge, probe.Stopped} {
		p.record(&probe.Exchange{Duration: time.Minute, Failure: &probe.Failure{Kind: kind}})
	}
	if p.broken() != nil || len(p.times()) != 0 {
		t.Errorf("want calls that broke off left out of account, got %d of them", len(p.times()))
	}
	for range 2 {
		p.record(&probe.Exchange{Duration: 5500 * time.Millisecond, Failure: &probe.Failure{Kind: probe.Timeout}})
	}
	if broken := p.broken(); broken == nil || !strings.Contains(broken.Message, "no answer in 5.5s") {
		t.Errorf("want a limit broken by two calls without answer, got %+v", broken)
	}
}

func TestEveryLimitOfTheContractHasItsPace(t *testing.T) {
	t.Parallel()
	paces := newPaces(0.5)
	for _, r := range rule.All() {
		if strings.HasSuffix(r.ID, ".limit") != (paces[r.ID] != nil) {
			t.Errorf("want a pace for %s exactly if it is a limit, got %+v", r.ID, paces[r.ID])
		}
	}
	if got := paces[rule.ProductsLimit.ID].limit; got != 7500*time.Millisecond {
		t.Errorf("want the catalog's 15 s scaled by a half, got %s", got)
	}
}
