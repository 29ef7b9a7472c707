package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// Spec is how one rule is judged: step by step, until a step finds something. If no step does, the
// rule has passed.
type Spec struct {
	Rule  rule.Rule
	Steps []Step
}

// Play plays an attempt of a scenario and returns its value. It returns nil if there is no time for
// it.
type Play func(ctx context.Context, p *scenario.Player, attempt int) any

// Step is a scenario and how its value is judged for a rule. Either Judge or Try is set.
type Step struct {
	// Subjects returns what is played and judged, in order; usually one scenario.
	Subjects func(context.Context, *scenario.Player) []Play
	// Judge judges the result of a subject.
	Judge func(value any) Finding
	// Try judges one attempt. An unexpected result is tried again on other slots, until it is clear
	// whether other customers caused it: see package noise.
	Try   func(value any) Try
	Clean int // attempts that must pass before the rule passes
	// Race, if not 0, means that each attempt is a round of a race, and that few rounds may show a
	// breach. That many rounds are played however long they take, and Clean if there is time and less
	// than Share of the run's holds and bookings has been used.
	Race  int
	Share float64

	ByActs     bool   // the tries are judged act by act
	Answers    bool   // the tries are of answers: other customers do not matter
	Seats      string // if not "", seats are counted; the message if no subject shows any
	Optional   bool   // leave out what cannot be tried
	BreachOnly bool   // and what was not completed
	// Enough reports whether the steps after this one can be left out, if a step before it has
	// passed.
	Enough func(value any) bool
	// Fields judges what the observer has recorded.
	Fields bool
}

// Try is one try of a rule, to be weighed.
type Try struct {
	noise.Try
	Flaw  string     // what was wrong; "" if nothing was
	Sure  bool       // other customers cannot be the cause
	Cause *rule.Rule // the rule that the flaw breaks; nil: the judged rule
	Of    string     // what was raced
	// Suspects lists rules that explain the flaw if one of them is broken.
	Suspects []rule.Rule
	At       *scenario.Reading // of the slot used; nil: other customers do not matter
	On       *plan.Case        // the case that the try was equal to; nil if it cannot be simplified
	Shown    []*report.Exchange
	Picture  []byte        // HTML; may be nil
	Stop     *partner.Stop // why there is nothing to judge

	Uncounted bool // the slot shows no number of seats, or its holds keep none
	Skip      bool // there is nothing to judge here
}

// NoiseTry returns the part of the try that is weighed.
func (t Try) NoiseTry() noise.Try {
	weighed := t.Try
	weighed.Wrong = t.Flaw != ""
	if t.At != nil {
		weighed.Slot = t.At.Watch
	}
	return weighed
}

// stoppedTry returns a try that was stopped before the judged fact.
func stoppedTry(stop *partner.Stop) Try { return Try{Stop: partner.StopOrDefault(stop)} }

func spec(r rule.Rule, steps ...Step) Spec { return Spec{Rule: r, Steps: steps} }

// specForEach returns a spec for every rule.
func specForEach(rules []rule.Rule, steps func(rule.Rule) []Step) (specs []Spec) {
	for _, r := range rules {
		specs = append(specs, spec(r, steps(r)...))
	}
	return specs
}

type play[T any] func(context.Context, *scenario.Player, int) T

func eraseType[T any](play play[T]) Play {
	return func(ctx context.Context, p *scenario.Player, attempt int) any { return play(ctx, p, attempt) }
}

func subject[T any](play play[T]) func(context.Context, *scenario.Player) []Play {
	return func(context.Context, *scenario.Player) []Play { return []Play{eraseType(play)} }
}

// judgeOnce judges the result of a scenario.
func judgeOnce[T any](play play[T], judge func(T) Finding) Step {
	return Step{Subjects: subject(play), Judge: func(value any) Finding { return judge(value.(T)) }}
}

// weighTries weighs the tries of a scenario. clean tries must pass.
func weighTries[T any](clean int, play play[T], try func(T) Try) Step {
	return Step{Subjects: subject(play), Clean: clean, Try: func(value any) Try { return try(value.(T)) }}
}

// weighSeats weighs how the seats of a slot changed.
func weighSeats[T any](play play[T], move func(T) Move) Step {
	step := weighTries(1, play, func(value T) Try { return move(value).try() })
	step.Seats = "the slot does not state its vacancies, or its holds keep no seats (RSV-8)"
	return step
}

// optionalStep makes a step optional: it is left out if it cannot be tried.
func optionalStep(step Step) Step {
	step.Optional = true
	return step
}

// breachOnly makes a step that only counts when it finds a breach.
func breachOnly(step Step) Step {
	step.BreachOnly = true
	return step
}

// fields judges what was recorded while answers were read.
func fields() Step { return Step{Fields: true} }

// judgeNumbered judges a scenario that is played for several options, by number.
func judgeNumbered[T any](count func(context.Context, *scenario.Player) int, play play[T], judge func(T) Finding) Step {
	step := judgeOnce(play, judge)
	step.Subjects = func(ctx context.Context, p *scenario.Player) (all []Play) {
		for number := range count(ctx, p) {
			all = append(all, func(ctx context.Context, p *scenario.Player, _ int) any { return play(ctx, p, number) })
		}
		return all
	}
	return step
}

var optionChecks = perOption(scenario.PlayOptionChecks, scenario.PlayOptionCheck)

// perOption returns the plays of a scenario for options, by their keys. They return nil for options in which
// there is nothing to judge.
func perOption[T any](keys func(context.Context, *scenario.Player) []string, play func(context.Context, *scenario.Player, string, int) *T) func(context.Context, *scenario.Player) []Play {
	return func(ctx context.Context, p *scenario.Player) (all []Play) {
		for _, key := range keys(ctx, p) {
			all = append(all, func(ctx context.Context, p *scenario.Player, attempt int) any {
				if played := play(ctx, p, key, attempt); played != nil {
					return played
				}
				return nil
			})
		}
		return all
	}
}

// inEach judges a scenario once for each option.
func inEach[T any](keys func(context.Context, *scenario.Player) []string, play func(context.Context, *scenario.Player, string, int) *T, judge func(*T) Finding) Step {
	return Step{Subjects: perOption(keys, play), Judge: func(v any) Finding { return judge(v.(*T)) }}
}

// joinSubjects returns the subjects of two steps. first may be nil.
func joinSubjects(first, second func(context.Context, *scenario.Player) []Play) func(context.Context, *scenario.Player) []Play {
	if first == nil {
		return second
	}
	return func(ctx context.Context, p *scenario.Player) []Play { return append(first(ctx, p), second(ctx, p)...) }
}

// Move is one expectation about seats in a lifecycle: after equals before plus by. A reading is nil if
// the lifecycle was stopped before it.
type Move struct {
	before, after *scenario.Reading
	via           []*scenario.Reading // in between; changes outside the lifecycle's own steps do not count
	by            int64
	infants       int64 // among the guests whose seats change; they may have no seat
	stop          *partner.Stop
	between       []*report.Exchange // what happened between the readings
}

// seatChange returns by how many seats the slot changed during the lifecycle's steps, and how long these
// took.
func (m Move) seatChange() (seats int64, took time.Duration) {
	last := m.before
	for _, next := range append(slices.Clone(m.via), m.after) {
		seats += next.First.Left - last.Last.Left
		took += next.First.Time().Sub(last.Last.Time())
		last = next
	}
	return seats, took
}

func (m Move) String() string {
	seats, _ := m.seatChange()
	return fmt.Sprintf("Expected %s left %s (%d %s), received %d",
		model.SeatsWord(m.before.Last.Left+m.by), m.after.When, m.before.Last.Left, m.before.When, m.before.Last.Left+seats)
}

func (m Move) try() Try {
	if m.before == nil || m.after == nil {
		return stoppedTry(m.stop)
	}
	if !m.before.Counted || !m.after.Counted {
		t := stoppedTry(m.stop)
		t.Uncounted = true
		return t
	}
	seats, took := m.seatChange()
	t := Try{At: m.after}
	off := m.seatDifference(seats)
	t.Took = took
	if off != 0 {
		t.Flaw, t.Off = m.String(), off
		t.Emptied = off < 0 && m.after.First.Left == 0
		t.Shown = slices.Concat([]*report.Exchange{m.before.Last.Shown}, m.between, []*report.Exchange{m.after.First.Shown})
	}
	return t
}

// seatDifference returns by how many seats a change differs from the expected one.
func (m Move) seatDifference(seats int64) int64 {
	off := seats - m.by
	if m.by < 0 && off > 0 {
		return max(0, off-m.infants)
	}
	if m.by > 0 && off < 0 {
		return min(0, off+m.infants)
	}
	return off
}

// expectUnchanged expects that acts have not changed the seats since a reading.
func expectUnchanged(before *scenario.Reading, stop *partner.Stop, acts ...scenario.Act) Move {
	return Move{before: before, after: lastAct(acts).After, stop: stop, between: exchangesOf(acts...)}
}

// lastAct returns the last of the acts, or the zero Act.
func lastAct(acts []scenario.Act) scenario.Act {
	if len(acts) == 0 {
		return scenario.Act{}
	}
	return acts[len(acts)-1]
}

// judgeReserve judges a reserve after a reading by a rule that requires one of the wanted answers.
// Another customer who took or returned the seat can explain a hold or a refusal, but no other
// answer. The seats are not counted if the answer was as required.
func judgeReserve(before *scenario.Reading, act scenario.Act, stop *partner.Stop, wanted ...int) Try {
	if act.Answer == nil {
		return stoppedTry(stop)
	}
	answer, after := act.Answer, act.After
	for _, answer = range act.Answers() {
		if !answer.HasStatus(wanted...) {
			break
		}
	}
	t := Try{Shown: []*report.Exchange{before.Last.Exchange, answer.Exchange}}
	if answer.HasStatus(wanted...) {
		return t
	}
	t.Flaw = "Expected " + partner.AnyOf(wanted) + ", received " + answer.Words()
	t.Sure = after == nil || !answer.HasStatus(200, 201, 400)
	if after != nil {
		t.At, t.Took = after, scenario.Middle(answer.Exchange).Sub(before.Last.Time())
	}
	return t
}

// AboutSeats reports whether a rule is about the number of seats left in a slot. If one such rule
// is broken, an unexpected result in another most likely has the same cause.
func (s Spec) AboutSeats() bool {
	return slices.ContainsFunc(s.Steps, func(step Step) bool { return step.Seats != "" || step.Try != nil && !step.Optional && !step.Answers })
}
