package scenario

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
func holdOf(life, ahead time.Duration, dated bool) *Hold {
	header := http.Header{}
	if dated {
		header.Set("Date", answered.Add(ahead).Format(http.TimeFormat))
	}
	return &Hold{
		Answered: answered, Expires: answered.Add(life), Life: life,
		Answer: &probe.Answer{Exchange: &probe.Exchange{Response: &probe.Response{Header: header}}},
	}
}

func TestAHoldEndsWhereBothClocksSayThatItDoes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		hold       *Hold
		live, over time.Duration // after the answer
	}{
		{"clocks that agree", holdOf(20*time.Minute, 0, true), 19 * time.Minute, 21 * time.Minute},
		{"a partner that dates nothing", holdOf(20*time.Minute, 0, false), 19 * time.Minute, 21 * time.Minute},
		{"a partner whose clock is ahead", holdOf(25*time.Minute, 5*time.Minute, true), 19 * time.Minute, 26 * time.Minute},
		{"a partner whose clock is behind", holdOf(15*time.Minute, -5*time.Minute, true), 14*time.Minute + 15*time.Second, 20*time.Minute + 45*time.Second},
		{"a short hold", holdOf(4*time.Second, 0, true), 3 * time.Second, 5 * time.Second},
	} {
		live, over := test.hold.ends()
		if live.Sub(answered) != test.live || over.Sub(answered) != test.over {
			t.Errorf("%s: want it live until %s and over from %s on, got %s and %s", test.name, test.live, test.over, live.Sub(answered), over.Sub(answered))
		}
	}
}

func TestOnlyHoldsThatExpireInTimeAreWorthWaitingFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		none bool // the partner keeps no holds
		hold *Hold
		want bool
	}{
		{"half an hour", false, holdOf(30*time.Minute, 0, true), true},
		{"an hour", false, holdOf(time.Hour, 0, true), false},
		{"half an hour by a clock that is far behind", false, holdOf(30*time.Minute, -10*time.Minute, true), false},
		{"no expiry", false, &Hold{}, false},
		{"a partner without holds", true, holdOf(30*time.Minute, 0, true), false},
	} {
		if got := (&Player{Book: &Booker{traits: &Traits{Holdless: test.none}}}).worthWaiting(test.hold); got != test.want {
			t.Errorf("%s: want %t, got %t", test.name, test.want, got)
		}
	}
}

func TestWaitingTimeIsAddedToTheRunsTime(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Minute)
	s := &Time{halt: t.Context(), deadline: deadline}
	if !s.sleep(t.Context(), time.Now().Add(20*time.Millisecond)) {
		t.Error("want the waiting to come to its end")
	}
	if s.waited < 20*time.Millisecond || s.deadline.Sub(deadline) != s.waited {
		t.Errorf("want at least 20ms waited, and the deadline as much later, got %s and %s", s.waited, s.deadline.Sub(deadline))
	}
}

func TestTheWaitEndsImmediatelyWithTheRun(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	for name, s := range map[string]*Time{"by the user": {halt: ended}, "by Ginkgo": {halt: t.Context()}} {
		ctx := t.Context()
		if name == "by Ginkgo" {
			ctx = ended
		}
		if s.sleep(ctx, time.Now().Add(time.Hour)) {
			t.Errorf("%s: want no time waited to its end", name)
		}
	}
}
