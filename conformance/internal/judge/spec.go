package judge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/noise"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
)

// Spec is how one rule is judged: step by step, until one finds something. A rule
// in which no step finds anything has passed.
type Spec struct {
	Rule  rule.Rule
	Steps []Step
}

// Play plays an attempt of a scenario and returns its value; nil where there is no time
// for it.
type Play func(ctx context.Context, p *scenario.Player, attempt int) any

// Step is a scenario, and what its value shows of a rule. Either Judge is set, or Try.
type Step struct {
	// Subjects are what is played and judged, one after another: mostly one.
	Subjects func(context.Context, *scenario.Player) []Play
	// Judge judges what came of a subject.
	Judge func(value any) Finding
	// Try judges one attempt. What is off is tried again on other slots, until it is
	// clear whether other customers were the reason: see package noise.
	Try   func(value any) Try
	Clean int // attempts that have to hold before the partner is believed
	// Race, where it is not 0, says that each attempt is a round of a race, of which few may show a
	// breach: so many are played however long they take, and Clean where there is time.
	Race int

	Seats    string // not "": seats are counted; what it means where no subject tells any
	Optional bool   // what cannot be tried is left out
	Aside    bool   // and so is what came to no end
	// Enough says that the steps after this one can be done without, where one of those
	// before it has held.
	Enough func(value any) bool
	// Fields judges what the witness has seen.
	Fields bool
}

// Try is one try of a rule, to be weighed.
type Try struct {
	noise.Try
	Flaw  string     // what was wrong; "" where nothing was
	Sure  bool       // no other customer can be the reason
	Cause *rule.Rule // that the flaw breaks; nil: the one that is judged
	Of    string     // what was raced
	// Suspects are rules of which one that is broken explains the flaw.
	Suspects []rule.Rule
	At       *scenario.Reading // of the slot that it was tried on; nil: there are no other customers
	Shown    []*probe.Exchange
	Picture  []byte         // HTML; may be nil
	Stop     *scenario.Stop // why there is nothing to judge

	Uncounted bool // the slot tells no seats
	Skip      bool // there is nothing to be seen here
}

// Weighed is what of the try is weighed.
func (t Try) Weighed() noise.Try {
	weighed := t.Try
	weighed.Wrong = t.Flaw != ""
	if t.At != nil {
		weighed.Slot = t.At.Watch
	}
	return weighed
}

// unplayed is a try that was stopped before what is to be judged.
func unplayed(stop *scenario.Stop) Try { return Try{Stop: scenario.Unplayed(stop)} }

func spec(r rule.Rule, steps ...Step) Spec { return Spec{Rule: r, Steps: steps} }

// each makes a spec of the same steps for every rule.
func each(rules []rule.Rule, steps func(rule.Rule) []Step) (specs []Spec) {
	for _, r := range rules {
		specs = append(specs, spec(r, steps(r)...))
	}
	return specs
}

type play[T any] func(context.Context, *scenario.Player, int) T

func erased[T any](play play[T]) Play {
	return func(ctx context.Context, p *scenario.Player, attempt int) any { return play(ctx, p, attempt) }
}

func subject[T any](play play[T]) func(context.Context, *scenario.Player) []Play {
	return func(context.Context, *scenario.Player) []Play { return []Play{erased(play)} }
}

// once judges the result of a scenario.
func once[T any](play play[T], judge func(T) Finding) Step {
	return Step{Subjects: subject(play), Judge: func(value any) Finding { return judge(value.(T)) }}
}

// tried weighs the tries of a scenario; so many have to hold.
func tried[T any](clean int, play play[T], try func(T) Try) Step {
	return Step{Subjects: subject(play), Clean: clean, Try: func(value any) Try { return try(value.(T)) }}
}

// counted weighs what became of the seats of a slot.
func counted[T any](play play[T], move func(T) Move) Step {
	step := tried(1, play, func(value T) Try { return move(value).try() })
	step.Seats = "the slot does not tell its vacancies"
	return step
}

// also is the step where it can be tried.
func also(step Step) Step {
	step.Optional = true
	return step
}

// aside is the step where it can be tried, whatever comes of it but a breach.
func aside(step Step) Step {
	step.Aside = true
	return step
}

// fields judges what was seen in the answers that were read.
func fields() Step { return Step{Fields: true} }

// numbered are the subjects of a scenario that is played for several options, by number.
func numbered[T any](count func(context.Context, *scenario.Player) int, play play[T], judge func(T) Finding) Step {
	step := once(play, judge)
	step.Subjects = func(ctx context.Context, p *scenario.Player) (all []Play) {
		for number := range count(ctx, p) {
			all = append(all, func(ctx context.Context, p *scenario.Player, _ int) any { return play(ctx, p, number) })
		}
		return all
	}
	return step
}

// visits are the visits to options.
func visits(ctx context.Context, p *scenario.Player) (all []Play) {
	if p.Case() != nil {
		return nil // the case is one itself
	}
	for _, key := range scenario.PlayVisits(ctx, p) {
		all = append(all, func(ctx context.Context, p *scenario.Player, attempt int) any {
			if visit := scenario.PlayVisit(ctx, p, key, attempt); visit != nil {
				return visit
			}
			return nil
		})
	}
	return all
}

// joined are the subjects of two steps; the first may have none.
func joined(first, second func(context.Context, *scenario.Player) []Play) func(context.Context, *scenario.Player) []Play {
	if first == nil {
		return second
	}
	return func(ctx context.Context, p *scenario.Player) []Play { return append(first(ctx, p), second(ctx, p)...) }
}

// Move is one expectation about seats, measured in a story: after is before
// plus by. Either reading is nil where the story was stopped before it.
type Move struct {
	before, after *scenario.Reading
	via           []*scenario.Reading // in between; what moved while the story itself did nothing does not count
	by            int64
	infants       int64 // of the guests that take or give back seats, who may have none
	stop          *scenario.Stop
	between       []*probe.Exchange // what happened between the readings
}

// moved is by how many seats the slot changed with the steps of the story, and how
// long these took.
func (m Move) moved() (seats int64, took time.Duration) {
	last := m.before
	for _, next := range append(slices.Clone(m.via), m.after) {
		seats += next.First.Left - last.Last.Left
		took += next.First.At().Sub(last.Last.At())
		last = next
	}
	return seats, took
}

func (m Move) String() string {
	seats, _ := m.moved()
	return fmt.Sprintf("Expected %s left %s (%d %s), received %d",
		model.SeatsWord(m.before.Last.Left+m.by), m.after.When, m.before.Last.Left, m.before.When, m.before.Last.Left+seats)
}

func (m Move) try() Try {
	if m.before == nil || m.after == nil {
		return unplayed(m.stop)
	}
	if !m.before.Counted || !m.after.Counted {
		t := unplayed(m.stop)
		t.Uncounted = true
		return t
	}
	seats, took := m.moved()
	t := Try{At: m.after}
	t.Took, t.Off = took, m.off(seats)
	if t.Off != 0 {
		t.Flaw = m.String()
		t.Shown = slices.Concat([]*probe.Exchange{m.before.Last.Shown}, m.between, []*probe.Exchange{m.after.First.Shown})
	}
	return t
}

// off is by how many seats a move is not what it should be.
func (m Move) off(seats int64) int64 {
	off := seats - m.by
	if m.by < 0 && off > 0 {
		return max(0, off-m.infants)
	}
	if m.by > 0 && off < 0 {
		return min(0, off+m.infants)
	}
	return off
}

// taken is that a story has taken the seats of its party, from before its hold to its
// last act, or to the hold without one.
func taken(o *scenario.Opening, acts ...scenario.Act) Move { return moved(o, -o.Guests, acts...) }

// returned is that the seats of the party are back.
func returned(o *scenario.Opening, acts ...scenario.Act) Move { return moved(o, 0, acts...) }

// moved is what a story has done to the seats from before its hold to its last act, or
// to the hold if it has no act.
func moved(o *scenario.Opening, by int64, acts ...scenario.Act) Move {
	m := Move{before: o.Before, after: o.Held, by: by, infants: o.Infants, stop: o.Stop, between: append(o.Reserve(), sent(acts...)...)}
	for _, act := range acts {
		m.via, m.after = append(m.via, m.after), act.After
	}
	return m
}

// still is that acts have done nothing to the seats since a reading.
func still(before *scenario.Reading, stop *scenario.Stop, acts ...scenario.Act) Move {
	return Move{before: before, after: last(acts).After, stop: stop, between: sent(acts...)}
}

// last returns the last of the acts, or the zero Act.
func last(acts []scenario.Act) scenario.Act {
	if len(acts) == 0 {
		return scenario.Act{}
	}
	return acts[len(acts)-1]
}

// reserved is what a reserve after a reading says of its rule, which wants
// one of these answers. That another customer took or gave back the seat that it
// was about can explain a hold or a refusal, and no other answer. The seats are not
// counted where the answer was as it should be.
func reserved(before *scenario.Reading, act scenario.Act, stop *scenario.Stop, wanted ...int) Try {
	if act.Answer == nil {
		return unplayed(stop)
	}
	answer, after := act.Answer, act.After
	for _, answer = range act.Answers() {
		if !answer.OK(wanted...) {
			break
		}
	}
	t := Try{Shown: []*probe.Exchange{before.Last.Exchange, answer.Exchange}}
	if answer.OK(wanted...) {
		return t
	}
	t.Flaw = "Expected " + scenario.AnyOf(wanted) + ", received " + answer.Words()
	t.Sure = after == nil || !answer.OK(200, 201, 400)
	if after != nil {
		t.At, t.Took = after, scenario.Middle(answer.Exchange).Sub(before.Last.At())
	}
	return t
}
