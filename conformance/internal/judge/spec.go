package judge

import (
	"context"
	"slices"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

// Spec is how one rule is judged: step by step, until a step finds something. If no step does, the
// rule has passed.
type Spec struct {
	Rule  rule.Rule
	Steps []Step
}

// Step is a step of a spec: Recorded, Once, Enough, Tries or Race.
type Step interface {
	// aboutSeats reports whether the step judges what other customers change too: the number of seats left in a slot.
	aboutSeats() bool
}

// Recorded finds what was recorded about the rule while answers were read.
type Recorded struct{}

// Once plays each scenario once, and ends with the first finding.
type Once struct{ Plays Plays[Finding] }

// Enough leaves out the steps after it if tries before it have passed, and Is reports that nothing else can be judged.
type Enough struct {
	Is func(context.Context, *scenario.Player) bool
}

// Tries weighs tries of each scenario. An unexpected result is tried again on other slots, until it is clear whether other
// customers caused it: see package noise.
type Tries struct {
	Plays   Plays[Try]
	Answers bool // they are of answers: other customers do not matter
	Seats   bool // seats are counted: the rule is not applicable if no scenario shows any
	Need    Need
}

// Need is how much the judging of a rule needs tries that cannot be completed.
type Need int

const (
	Required   Need = iota // the rule cannot be judged either
	Optional               // it can, unless something was tried
	Further                // it can, unless what was tried was stopped by a breach of another rule
	BreachOnly             // it can
)

// EndsAt reports whether tries that were stopped end the judging. weighed: something was tried.
func (n Need) EndsAt(stop *partner.Stop, weighed bool) bool {
	switch n {
	case Optional:
		return weighed
	case Further:
		return weighed && stop.IsBreach()
	case BreachOnly:
		return false
	default:
		return stop.IsBreach()
	}
}

// Race weighs the rounds of a race. Few of them may show a breach.
type Race struct {
	Play   Play[Try]
	Rounds int // that must pass before the rule passes, at the standard depth
	Least  int // that are played however long they take
	// Share is the part of the run's holds and bookings that the rounds after the least ones leave.
	Share float64
}

func (Recorded) aboutSeats() bool { return false }
func (Once) aboutSeats() bool     { return false }
func (Enough) aboutSeats() bool   { return false }
func (Race) aboutSeats() bool     { return true }

func (t Tries) aboutSeats() bool {
	return t.Seats || !t.Answers && (t.Need == Required || t.Need == BreachOnly)
}

// AboutSeats reports whether a rule is about the number of seats left in a slot. If one such rule
// is broken, an unexpected result in another most likely has the same cause.
func (s Spec) AboutSeats() bool { return slices.ContainsFunc(s.Steps, Step.aboutSeats) }

// NoSeatsCounted returns the finding that no scenario shows seats, although they are counted.
func NoSeatsCounted() Finding {
	return notApplicable("the slot does not state its vacancies, or its holds keep no seats (RSV-8)")
}

func spec(r rule.Rule, steps ...Step) Spec { return Spec{Rule: r, Steps: steps} }

// specForEach returns a spec for every rule, with the same steps.
func specForEach(rules []rule.Rule, steps ...Step) (specs []Spec) {
	for _, r := range rules {
		specs = append(specs, spec(r, steps...))
	}
	return specs
}

// appendSteps returns the steps of first followed by then, without changing first.
func appendSteps(first []Step, then ...Step) []Step {
	return append(first[:len(first):len(first)], then...)
}

// judgeOnce judges the result of a scenario.
func judgeOnce[T any](play scenarioFunc[T], judge func(T) Finding) Once {
	return judgeEach(single(play), judge)
}

// judgeEach judges the result of each scenario.
func judgeEach[T any](of Plays[T], judge func(T) Finding) Once {
	return Once{Plays: eachShowing(of, func(value T) Finding {
		f := judge(value)
		f.Seen = seenIn(value)
		return f
	})}
}

// weighTries weighs the tries of a scenario.
func weighTries[T any](play scenarioFunc[T], try func(T) Try) Tries {
	return Tries{Plays: triesOf(single(play), try)}
}

// weighSeats weighs how the seats of a slot changed.
func weighSeats[T any](play scenarioFunc[T], move func(T) Move) Tries {
	step := weighTries(play, func(value T) Try { return move(value).try() })
	step.Seats = true
	return step
}

func triesOf[T any](of Plays[T], try func(T) Try) Plays[Try] { return eachShowing(of, withSeen(try)) }

// withSeen returns a judge of tries that notes what they were played on.
func withSeen[T any](try func(T) Try) func(T) Try {
	return func(value T) Try {
		t := try(value)
		t.Seen = seenIn(value)
		return t
	}
}

// withNeed returns the step with another need.
func (t Tries) withNeed(need Need) Tries {
	t.Need = need
	return t
}

// raceStep weighs the rounds of a race. The first least rounds are played however long they take; the
// others must leave the rest of the run's holds and bookings.
func raceStep[T any](rounds, least int, share float64, play scenarioFunc[T], try func(T) Try) Race {
	return Race{Play: showing(always(play), withSeen(try)), Rounds: rounds, Least: least, Share: share}
}

func expectStatuses(play scenarioFunc[scenario.RepeatedCall], statuses []int) Step {
	return judgeOnce(play, func(h scenario.RepeatedCall) Finding { return expectRepeated(h, Status(statuses)) })
}
