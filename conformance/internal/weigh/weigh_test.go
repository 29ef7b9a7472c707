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
	"partnerkit.dev/conformance/rule"
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

// madeUp are made-up tries, the last of them again and again. It counts them.
func madeUp(played *int, tries ...judge.Try) judge.Play[judge.Try] {
	return func(_ context.Context, _ *scenario.Player, attempt int) (judge.Try, bool) {
		*played = max(*played, attempt+1)
		return tries[min(attempt, len(tries)-1)], true
	}
}

func step(of judge.Play[judge.Try]) judge.Tries {
	return judge.Tries{Plays: func(context.Context, *scenario.Player) []judge.Play[judge.Try] { return []judge.Play[judge.Try]{of} }}
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
		rounds int // of a race; 0: tries
		tries  []judge.Try
		want   report.Outcome
		says   string
		played int
	}{
		{"it holds", 0, []judge.Try{holds}, "", "", 1},
		{"it has to hold three times", 3, []judge.Try{holds}, "", "", 3},
		{"no one else can be the reason", 3, []judge.Try{holds, sure}, report.Failed, "sure", 2},
		{"it cannot be tried", 0, []judge.Try{lacking}, report.Inconclusive, "no slot", 1},
		{"others are quicker each time", 0, []judge.Try{taken}, report.Inconclusive, "taken meanwhile", noise.MostTries},
		{"others are quicker at first", 3, []judge.Try{taken, holds}, "", "", 4},
		{"another rule is broken", 0, []judge.Try{broken}, report.Failed, "expected 200", 1},
		{"another rule is broken later", 3, []judge.Try{holds, broken}, report.Failed, "expected 200", 2},
		{"nothing is left to try it on", 3, []judge.Try{holds, lacking}, "", "", 2},
		{"others are seen at it each time", 0, []judge.Try{others}, report.Inconclusive,
			"other customers may have changed the seats of the slots that this was tested on; the first result was: disturbed", noise.MostTries},
	} {
		played := 0
		var step judge.Step = step(madeUp(&played, test.tries...))
		if test.rounds > 0 {
			step = judge.Race{Play: madeUp(&played, test.tries...), Rounds: test.rounds}
		}
		if f, _ := newJudging(t).step(step); f.Outcome != test.want || f.Message != test.says || played != test.played {
			t.Errorf("%s: want %q with %q after %d tries, got %q with %q after %d", test.name, test.want, test.says, test.played, f.Outcome, f.Message, played)
		}
	}
}

// Other customers would have to act in the same way each time. A quick run does not pay for that twice.
func TestAQuickRunDoesNotRepeatWhatAKnownBreachExplains(t *testing.T) {
	t.Parallel()
	of, one, many := rule.CancelVacancies, rule.ReleaseVacanciesOne, rule.ReleaseVacanciesMany
	for _, test := range []struct {
		name    string
		quick   bool
		known   *rule.Rule
		cause   *rule.Rule // nil: the flaw is of the rule itself
		blamed  rule.Rule
		repeats bool
	}{
		{"it is known", true, &one, &one, one, false},
		{"another breach of seats is known", true, &one, &many, one, false},
		{"another breach of seats is known, and may have this effect", true, &one, nil, one, false},
		{"it may explain the known one", true, &many, &one, one, true},
		{"nothing is known", true, nil, &one, one, true},
		{"the run may make many calls", false, &one, &one, one, true},
	} {
		played := 0
		j := newJudging(t)
		j.rule, j.Player.Calls.Sparing = of, test.quick
		j.Known = func(rule.Rule) (rule.Rule, bool) {
			if test.known == nil {
				return rule.Rule{}, false
			}
			return *test.known, true
		}
		f, _ := j.step(step(madeUp(&played, judge.Try{Flaw: "a seat is missing", Cause: test.cause})))
		if f.Cause == nil || f.Cause.ID != test.blamed.ID || (played > 1) != test.repeats {
			t.Errorf("%s: want %s and repeats %t, got %+v after %d", test.name, test.blamed.ID, test.repeats, f.Cause, played)
		}
	}
}

func TestSlotsWithoutVacanciesShowNoSeats(t *testing.T) {
	t.Parallel()
	uncounted := judge.Try{Uncounted: true, Stop: partner.NewStop("not played")}
	skipped := judge.Try{Skip: true}
	stopped := judge.Try{Stop: partner.NewStop("no slot")}
	for _, test := range []struct {
		name  string
		first judge.Try
		need  judge.Need
		want  report.Outcome
	}{
		{"no seats", uncounted, judge.Required, report.NotApplicable},
		{"nothing to be seen", skipped, judge.Required, report.NotApplicable},
		{"not played", stopped, judge.Required, report.Inconclusive},
		{"not played, and optional", stopped, judge.Optional, ""},
		{"no seats, and optional", uncounted, judge.Optional, ""},
	} {
		played := 0
		tries := step(madeUp(&played, test.first))
		tries.Seats, tries.Need = true, test.need
		if f, _ := newJudging(t).step(tries); f.Outcome != test.want || played != 1 {
			t.Errorf("%s: want %q immediately, got %q after %d", test.name, test.want, f.Outcome, played)
		}
	}
}

func TestTriesThatAreNotCompletedCountAsMuchAsTheyAreNeeded(t *testing.T) {
	t.Parallel()
	lacking := judge.Try{Stop: partner.NewStop("no slot")}
	broken := judge.Try{Stop: &partner.Stop{Kind: partner.WrongStatus, Endpoint: partnerapi.Release, Message: "expected 200"}}
	for _, test := range []struct {
		need            judge.Need
		lacking, broken report.Outcome
	}{
		{judge.Required, report.Inconclusive, report.Failed},
		{judge.Optional, report.Inconclusive, report.Failed},
		{judge.Further, "", report.Failed},
		{judge.BreachOnly, "", ""},
	} {
		for _, stopped := range []struct {
			judge.Try
			want report.Outcome
		}{{lacking, test.lacking}, {broken, test.broken}} {
			played := 0
			tries := step(madeUp(&played, stopped.Try))
			tries.Need = test.need
			if f, _ := newJudging(t).step(tries); f.Outcome != stopped.want {
				t.Errorf("need %d, %q: want %q, got %q", test.need, stopped.Stop.Message, stopped.want, f.Outcome)
			}
		}
	}
}

func TestARuleHasHeldOnlyWhereItsFirstTryShowsNothingWrong(t *testing.T) {
	t.Parallel()
	on := []plan.Instance{{plan.Option: "a"}}
	for flaw, want := range map[string]int{"": 1, "wrong": 0} {
		played, exercised := 0, 0
		first := judge.Try{Flaw: flaw, Sure: flaw != "", JudgedBy: []string{"a.rule"}, Seen: judge.Seen{Instances: on}}
		scale := newJudging(t).Scale
		scale.Exercised, scale.Passes = func(string, []plan.Instance) { exercised++ }, func(f judge.Finding) bool { return !f.Ends() }
		Find(t.Context(), judge.Spec{Steps: []judge.Step{step(madeUp(&played, first))}}, scale)
		if exercised != want {
			t.Errorf("flaw %q: want %d, got %d", flaw, want, exercised)
		}
	}
}

func TestStepsAreLeftOutWhereTriesBeforeThemAreEnough(t *testing.T) {
	t.Parallel()
	wrong := judge.Once{Plays: func(context.Context, *scenario.Player) []judge.Play[judge.Finding] {
		return []judge.Play[judge.Finding]{func(context.Context, *scenario.Player, int) (judge.Finding, bool) { return judge.Breach("wrong"), true }}
	}}
	for _, test := range []struct {
		name   string
		first  judge.Try
		enough bool
		want   report.Outcome
	}{
		{"they have passed, and there is nothing else", judge.Try{}, true, ""},
		{"there is something else", judge.Try{}, false, report.Failed},
		{"they were not completed", judge.Try{Stop: partner.NewStop("no slot")}, true, report.Failed},
	} {
		played := 0
		tries := step(madeUp(&played, test.first))
		tries.Need = judge.BreachOnly
		scale := newJudging(t).Scale
		scale.Exercised, scale.Passes = func(string, []plan.Instance) {}, func(f judge.Finding) bool { return !f.Ends() }
		steps := []judge.Step{tries, judge.Enough{Is: func(context.Context, *scenario.Player) bool { return test.enough }}, wrong}
		if f := Find(t.Context(), judge.Spec{Steps: steps}, scale); f.Outcome != test.want {
			t.Errorf("%s: want %q, got %q", test.name, test.want, f.Outcome)
		}
	}
}
