package suite

import (
	"context"
	"net/http"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/probe"
)

var answered = time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)

// holdOf is a hold that by this machine's clock lives that long; the partner's
// clock is ahead by so much, or not known where it dates nothing.
func holdOf(life, ahead time.Duration, dated bool) *hold {
	header := http.Header{}
	if dated {
		header.Set("Date", answered.Add(ahead).Format(http.TimeFormat))
	}
	return &hold{
		answered: answered, expires: answered.Add(life), life: life,
		answer: &probe.Answer{Exchange: &probe.Exchange{Response: &probe.Response{Header: header}}},
	}
}

func TestAHoldEndsWhereBothClocksSayThatItDoes(t *testing.T) {
	t.Parallel()
	s := &session{}
	for _, test := range []struct {
		name       string
		hold       *hold
		live, over time.Duration // after the answer
	}{
		{"clocks that agree", holdOf(20*time.Minute, 0, true), 19 * time.Minute, 21 * time.Minute},
		{"a partner that dates nothing", holdOf(20*time.Minute, 0, false), 19 * time.Minute, 21 * time.Minute},
		{"a partner whose clock is ahead", holdOf(25*time.Minute, 5*time.Minute, true), 19 * time.Minute, 26 * time.Minute},
		{"a partner whose clock is behind", holdOf(15*time.Minute, -5*time.Minute, true), 14*time.Minute + 15*time.Second, 20*time.Minute + 45*time.Second},
		{"a short hold", holdOf(4*time.Second, 0, true), 3 * time.Second, 5 * time.Second},
	} {
		live, over := s.ends(test.hold)
		if live.Sub(answered) != test.live || over.Sub(answered) != test.over {
			t.Errorf("%s: want it live until %s and over from %s on, got %s and %s", test.name, test.live, test.over, live.Sub(answered), over.Sub(answered))
		}
	}
}

func TestOnlyHoldsThatExpireInTimeAreWorthWaitingFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		s    *session
		hold *hold
		want bool
	}{
		{"half an hour", &session{}, holdOf(30*time.Minute, 0, true), true},
		{"an hour", &session{}, holdOf(time.Hour, 0, true), false},
		{"half an hour by a clock that is far behind", &session{}, holdOf(30*time.Minute, -10*time.Minute, true), false},
		{"no expiry", &session{}, &hold{}, false},
		{"a partner without holds", &session{holdless: true}, holdOf(30*time.Minute, 0, true), false},
	} {
		if got := test.s.worthWaiting(test.hold); got != test.want {
			t.Errorf("%s: want %t, got %t", test.name, test.want, got)
		}
	}
}

func TestWhatIsWaitedIsAddedToTheRunsTime(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Minute)
	s := &session{halt: t.Context(), deadline: deadline}
	if !s.sleep(t.Context(), time.Now().Add(20*time.Millisecond)) {
		t.Error("want the waiting to come to its end")
	}
	if s.waited < 20*time.Millisecond || s.deadline.Sub(deadline) != s.waited {
		t.Errorf("want at least 20ms waited, and the deadline as much later, got %s and %s", s.waited, s.deadline.Sub(deadline))
	}
}

func TestTheWaitingEndsAtOnceWithTheRun(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	for name, s := range map[string]*session{"by the user": {halt: ended}, "by Ginkgo": {halt: t.Context()}} {
		ctx := t.Context()
		if name == "by Ginkgo" {
			ctx = ended
		}
		if s.sleep(ctx, time.Now().Add(time.Hour)) {
			t.Errorf("%s: want no time waited to its end", name)
		}
	}
}

func TestTheFilterSaysWhetherExpiryIsJudged(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]bool{"": true, "reserve": false, "confirm": true, "release.expired": true, "MUST && reserve": false} {
		chosen, err := newChoice(filter, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &session{choice: chosen}
		if got := s.judges(expiryRules); got != want {
			t.Errorf("%q: want %t, got %t", filter, want, got)
		}
	}
}

// Around the end of a hold of 20 minutes two minutes pass in which others may move
// its seats: no short look at the slot would tell that they do not.
func TestASeatThatIsGoneWithAnExpiredHoldIsABreachWhereItsSlotWasWatchedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, life := range []time.Duration{15 * time.Second, 20 * time.Minute} {
		live, over := (&session{}).ends(holdOf(life, 0, true))
		watched := &reading{watch: &watch{lasted: live.Sub(answered)}}
		lost := try{flaw: "off", off: -1, took: over.Sub(live), at: watched}
		if odds, _ := odds([]try{lost, lost, lost}); odds < convicted {
			t.Errorf("%s: want three holds to show it, got odds of %.1f of %.1f", life, odds, convicted)
		}
	}
}
