package suite

import (
	"context"
	"slices"
	"testing"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// of is a judging that sends nothing: its tries are made up.
func of(t *testing.T) *judging {
	t.Helper()
	r := newRun(t.Context(), Config{MaxDuration: time.Minute}.withDefaults())
	return &judging{run: r, player: r.player, ctx: t.Context()}
}

// madeUp is a step of tries, the last of them again and again, and counts them.
func madeUp(clean int, played *int, tries ...judge.Try) (judge.Step, []judge.Play) {
	step := judge.Step{Clean: clean, Try: func(value any) judge.Try { return value.(judge.Try) }}
	return step, []judge.Play{func(_ context.Context, _ *scenario.Player, attempt int) any {
		*played = max(*played, attempt+1)
		return tries[min(attempt, len(tries)-1)]
	}}
}

func TestTriesThatAreStoppedAreMadeElsewhereOrLeftOpen(t *testing.T) {
	t.Parallel()
	var (
		holds   = judge.Try{}
		sure    = judge.Try{Flaw: "sure", Sure: true}
		taken   = judge.Try{Stop: scenario.NotHere("taken meanwhile")}
		lacking = judge.Try{Stop: scenario.Missing("no slot")}
		broken  = judge.Try{Stop: &scenario.Stop{Kind: scenario.WrongStatus, Endpoint: partnerapi.Release, Message: "expected 200"}}
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
		{"others are seen at it each time", 1, []judge.Try{others}, report.Inconclusive,
			"other customers may have moved the seats of the slots that this was tried on; the first time it was: disturbed", noise.MostTries},
	} {
		played := 0
		step, subjects := madeUp(test.clean, &played, test.tries...)
		if f := of(t).tries(step, subjects); f.Outcome != test.want || f.Message != test.says || played != test.played {
			t.Errorf("%s: want %q with %q after %d tries, got %q with %q after %d", test.name, test.want, test.says, test.played, f.Outcome, f.Message, played)
		}
	}
}

func TestSlotsThatTellNoSeatsShowNothingOfThem(t *testing.T) {
	t.Parallel()
	uncounted := judge.Try{Uncounted: true, Stop: scenario.Missing("not played")}
	skipped := judge.Try{Skip: true}
	stopped := judge.Try{Stop: scenario.Missing("no slot")}
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
		step.Seats, step.Optional = "no seats are told", test.optional
		if f := of(t).tries(step, subjects); f.Outcome != test.want || played != 1 {
			t.Errorf("%s: want %q immediately, got %q after %d", test.name, test.want, f.Outcome, played)
		}
	}
}

func TestARuleIsNotPlayedWhereItCannotBeJudged(t *testing.T) {
	t.Parallel()
	j := of(t)
	play := func(context.Context, *scenario.Player, int) any {
		t.Error("want nothing played")
		return nil
	}
	step := judge.Step{Subjects: func(context.Context, *scenario.Player) []judge.Play { return []judge.Play{play} }}
	j.verdicts.Blame(judge.Finding{Outcome: report.Failed, Cause: &rule.ReserveCode, Message: "no code"})
	j.record(rule.ReleaseStatus, j.find(t.Context(), j.player, judge.Spec{Rule: rule.ReleaseStatus, Steps: []judge.Step{step}}), 0)
	if v := j.verdicts.Get(rule.ReleaseStatus.ID); v.Outcome != report.Blocked || v.BlockedBy != rule.ReserveCode.ID {
		t.Errorf("want it blocked by %s, got %+v", rule.ReserveCode.ID, v)
	}
}

// asTheyAre leaves the contract's times as they are.
func asTheyAre(d time.Duration) time.Duration { return d }

// tookEach are calls of an endpoint that took so long each, under its limit.
func tookEach(endpoint partnerapi.Endpoint, took ...time.Duration) []*probe.Exchange {
	calls := make([]*probe.Exchange, len(took))
	for i, d := range took {
		calls[i] = &probe.Exchange{Endpoint: endpoint, Duration: d, Limit: endpoint.Timeout(partnerapi.Healthy)}
	}
	return calls
}

func TestAnswerTimesAreCountedAgainstBothLimits(t *testing.T) {
	t.Parallel()
	l := latencyOf(partnerapi.Reserve, tookEach(partnerapi.Reserve, 7*time.Second, time.Second, 12*time.Second, 5*time.Second), asTheyAre)
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
	if l := latencyOf(partnerapi.Products, pulls, asTheyAre); l.OverHealthy != 1 || l.OverDegraded != 1 {
		t.Errorf("want the probe that took 6 s given up in either state, and the pull not, got %d and %d", l.OverHealthy, l.OverDegraded)
	}
}

func TestManyAnswerTimesAreThinnedEvenlyAndTheWorstIsKept(t *testing.T) {
	t.Parallel()
	var took []time.Duration
	for i := range 10_000 {
		took = append(took, time.Duration(i)*time.Millisecond)
	}
	times := latencyOf(partnerapi.Availability, tookEach(partnerapi.Availability, took...), asTheyAre).TimesMS
	if len(times) != report.MostTimes || !slices.IsSorted(times) || times[0] != 0 || times[len(times)-1] != 9999 {
		t.Fatalf("want %d times from 0 to 9999, got %d: %v", report.MostTimes, len(times), times)
	}
	for i := 1; i < len(times); i++ {
		if gap := times[i] - times[i-1]; gap < 50 || gap > 51 {
			t.Errorf("want them 50 apart, got %g between %g and %g", gap, times[i-1], times[i])
		}
	}
}
