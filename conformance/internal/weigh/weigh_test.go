package weigh

import (
	"context"
	"net/url"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// newJudging is a judging that sends nothing: its tries are made up.
func newJudging(t *testing.T) *judging {
	t.Helper()
	clock := partner.NewClock("", nil, nil)
	player := scenario.NewPlayer(scenario.Config{
		Clock: clock, Time: partner.NewTime(t.Context(), time.Minute), Bounds: scenario.Bounds{MaxHolds: 9, MaxBookings: 9},
		Ledger: ledger.New(), Client: probe.NewClient(probe.Config{BaseURL: &url.URL{}}), Depth: plan.Standard, LimitScale: 1,
	})
	return &judging{Scale: Scale{Player: player, RaceTime: time.Minute}, ctx: t.Context()}
}

// madeUp is a step of tries, the last of them again and again, and counts them.
func madeUp(clean int, played *int, tries ...judge.Try) (judge.Step, []judge.Play) {
	step := judge.Step{Clean: clean, Try: func(value any) judge.Try { return value.(judge.Try) }}
	return step, []judge.Play{func(_ context.Context, _ *scenario.Player, attempt int) any {
		*played = max(*played, attempt+1)
		return tries[min(attempt, len(tries)-1)]
	}}
}

func TestStoppedTriesAreMadeOnAnotherSlotOrLeftOpen(t *testing.T) {
	t.Parallel()
	var (
		holds   = judge.Try{}
		sure    = judge.Try{Flaw: "sure", Sure: true}
		taken   = judge.Try{Stop: partner.NotHere("taken meanwhile")}
		lacking = judge.Try{Stop: partner.NewStop("no slot")}
		broken  = judge.Try{Stop: &partner.Stop{Kind: partner.WrongStatus, Endpoint: partnerapi.Release, Message: "expected 200"}}
		others  = judge.Try{Try: noise.Try{Disturbed: true}, Flaw: "disturbed"}
	)
	for _, test := range []struct {
		name   string
		clean  int
		tries  []judge.Try
		want   report.Outcome
		says   string
		played int
	}{
		{"it holds", 1, []judge.Try{holds}, "", "", 1},
		{"it has to hold three times", 3, []judge.Try{holds}, "", "", 3},
		{"no one else can be the reason", 3, []judge.Try{holds, sure}, report.Failed, "sure", 2},
		{"it cannot be tried", 1, []judge.Try{lacking}, report.Inconclusive, "no slot", 1},
		{"others are quicker each time", 1, []judge.Try{taken}, report.Inconclusive, "taken meanwhile", noise.MostTries},
		{"others are quicker at first", 3, []judge.Try{taken, holds}, "", "", 4},
		{"another rule is broken", 1, []judge.Try{broken}, report.Failed, "expected 200", 1},
		{"another rule is broken later", 3, []judge.Try{holds, broken}, report.Failed, "expected 200", 2},
		{"nothing is left to try it on", 3, []judge.Try{holds, lacking}, "", "", 2},
		{"others are seen at it each time", 1, []judge.Try{others}, report.Inconclusive,
			"other customers may have changed the seats of the slots that this was tested on; the first result was: disturbed", noise.MostTries},
	} {
		played := 0
		step, subjects := madeUp(test.clean, &played, test.tries...)
		if f := newJudging(t).tries("", step, subjects); f.Outcome != test.want || f.Message != test.says || played != test.played {
			t.Errorf("%s: want %q with %q after %d tries, got %q with %q after %d", test.name, test.want, test.says, test.played, f.Outcome, f.Message, played)
		}
	}
}

func TestSlotsWithoutVacanciesShowNoSeats(t *testing.T) {
	t.Parallel()
	uncounted := judge.Try{Uncounted: true, Stop: partner.NewStop("not played")}
	skipped := judge.Try{Skip: true}
	stopped := judge.Try{Stop: partner.NewStop("no slot")}
	for _, test := range []struct {
		name     string
		first    judge.Try
		optional bool
		want     report.Outcome
	}{
		{"no seats", uncounted, false, report.NotApplicable},
		{"nothing to be seen", skipped, false, report.NotApplicable},
		{"not played", stopped, false, report.Inconclusive},
		{"not played, and optional", stopped, true, ""},
		{"no seats, and optional", uncounted, true, ""},
	} {
		played := 0
		step, subjects := madeUp(1, &played, test.first)
		step.Seats, step.Optional = "the seats are not stated", test.optional
		if f := newJudging(t).tries("", step, subjects); f.Outcome != test.want || played != 1 {
			t.Errorf("%s: want %q immediately, got %q after %d", test.name, test.want, f.Outcome, played)
		}
	}
}
