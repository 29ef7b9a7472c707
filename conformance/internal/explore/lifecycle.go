// Package explore generates random lifecycles: sequences of reserves, confirms, releases, cancellations and
// expiries in random order.
//
// Search draws lifecycles from a seed and plays them until one fails. It then plays shorter ones and
// keeps the shortest that also fails. Package model defines what the contract allows after each
// step.
package explore

import (
	"slices"

	"pgregory.net/rapid"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
)

// What a step does in addition to the calls of the model.
const (
	ReleaseUnknown model.Kind = "release unknown"
	ConfirmUnknown model.Kind = "confirm unknown"
	CancelUnknown  model.Kind = "cancel unknown"
	Wait           model.Kind = "wait"         // until every hold has expired
	ReleaseNear    model.Kind = "release near" // of a code, or of a booking's id
	ConfirmNear    model.Kind = "confirm near"
	CancelNear     model.Kind = "cancel near"
	Pull           model.Kind = "pull" // of the catalog
	WholeWindow    model.Kind = "read the slots of the next 60 days"
)

// Step is one call of a lifecycle.
type Step struct {
	Does  model.Kind
	Slot  int       // of a look and a reserve: index of the slot
	Party int       // of a reserve: index of the party
	Hold  int       // of a release, confirm and cancel: index of the reserve that made the hold
	Key   probe.Key // that the call presents
	Body  partner.Body
	Near  int  // which of the codes that are similar to that of the hold
	Blind bool // its seats are counted by a later step
}

// Lifecycle is a lifecycle, step by step. It starts with a reserve, and each step is about a hold that
// was reserved before.
type Lifecycle []Step

// Material is what lifecycles are made of.
type Material struct {
	Slots   int  // number of slots, at least 1
	Parties int  // number of parties, at least 1
	Books   bool // holds are confirmed, and bookings cancelled
	Waits   bool // holds expire
}

// actions lists what a step can do. Actions that make a lifecycle are listed, and so drawn, more often.
func (m Material) actions() []model.Kind {
	actions := []model.Kind{
		model.Look, model.Release, model.Release, model.Release,
		model.Reserve, model.Reserve, model.Reserve, model.Reserve, ReleaseUnknown,
	}
	if m.Books {
		actions = append(actions, model.Confirm, model.Confirm, model.Confirm,
			model.Cancel, model.Cancel, model.Cancel, ConfirmUnknown, CancelUnknown)
	}
	if m.Waits {
		actions = append(actions, Wait)
	}
	return actions
}

const (
	// farBack is how many holds before the latest a step may refer to.
	farBack = 3
	// parts and longestPart bound a lifecycle. It has several parts, because lists are drawn short.
	parts, longestPart = 3, 10
)

// drawnStep is a step as drawn. It counts holds from the latest, so that it keeps its meaning if an
// early step is left out.
type drawnStep struct {
	Step
	back int  // 0 is the latest hold; counts only holds that the step would change,
	any  bool // or all of them, so that calls are repeated or come too late
}

// Draw draws a lifecycle. The same seed, which is at least 1, gives the same lifecycle.
func (m Material) Draw(seed uint64) Lifecycle { return rapid.Custom(m.lifecycle).Example(int(seed)) }

func (m Material) lifecycle(t *rapid.T) Lifecycle {
	next := rapid.Custom(func(t *rapid.T) drawnStep {
		i := drawnStep{Step: Step{Does: rapid.SampledFrom(m.actions()).Draw(t, "does")}}
		switch i.Does {
		case model.Look:
			i.Slot = m.slot(t)
		case model.Reserve:
			return m.reserve(t)
		case model.Release, model.Confirm, model.Cancel:
			i.back = rapid.IntRange(0, farBack).Draw(t, "back")
			i.any = rapid.SampledFrom([]bool{false, false, true}).Draw(t, "any")
		}
		return i
	})
	part := rapid.SliceOfN(next, 0, longestPart)
	ideas := []drawnStep{m.reserve(t)}
	for range parts {
		ideas = append(ideas, part.Draw(t, "steps")...)
	}
	return lifecycleOf(ideas)
}

func (m Material) reserve(t *rapid.T) drawnStep {
	return drawnStep{Step: Step{Does: model.Reserve, Slot: m.slot(t), Party: rapid.IntRange(0, m.Parties-1).Draw(t, "party")}}
}

// slot often draws the first slot, because several steps must use the same one.
func (m Material) slot(t *rapid.T) int {
	return max(0, rapid.IntRange(0, 2*m.Slots-1).Draw(t, "slot")-m.Slots)
}

// lifecycleOf makes a lifecycle of ideas. It leaves out steps about a hold that does not exist.
func lifecycleOf(ideas []drawnStep) Lifecycle {
	var lifecycle Lifecycle
	var holds []model.Stage // assuming that nothing is refused
	for _, i := range ideas {
		switch i.Does {
		case model.Reserve:
			holds = append(holds, model.Held)
		case Wait:
			for n, s := range holds {
				if s == model.Held {
					holds[n] = model.Expired
				}
			}
		case model.Release, model.Confirm, model.Cancel:
			n, ok := i.hold(holds)
			if !ok {
				continue
			}
			i.Hold, holds[n] = n, holds[n].After(i.Does)
		}
		lifecycle = append(lifecycle, i.Step)
	}
	return lifecycle
}

// hold returns the index of the hold that the idea is about.
func (i drawnStep) hold(holds []model.Stage) (n int, ok bool) {
	var fit []int
	for n := len(holds) - 1; n >= 0; n-- {
		if i.any || holds[n].After(i.Does) != holds[n] {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return 0, false
	}
	return fit[i.back%len(fit)], true
}

func (s Lifecycle) beginsWith(other Lifecycle) bool {
	return len(s) >= len(other) && slices.Equal(s[:len(other)], other)
}

// removeStep returns the lifecycle without one step, and without the steps about the hold that it makes.
func (s Lifecycle) removeStep(left int) Lifecycle {
	var shorter Lifecycle
	gone, made := -1, 0
	for i, step := range s {
		switch step.Does {
		case model.Reserve:
			if i == left {
				gone = made
			}
			made++
		case model.Release, model.Confirm, model.Cancel:
			if step.Hold == gone {
				continue
			}
			if gone >= 0 && step.Hold > gone {
				step.Hold--
			}
		}
		if i != left {
			shorter = append(shorter, step)
		}
	}
	return shorter
}

// Verdict is the outcome of playing a lifecycle.
type Verdict int

const (
	Held  Verdict = iota // the contract held
	Broke                // the contract was broken at some step
	Over                 // no further lifecycle can be played
)

// Found is a lifecycle that breaks the contract.
type Found struct {
	Shortest Lifecycle // the shortest
	First    Lifecycle // the drawn lifecycle that it was derived from
	Seed     uint64    // of First: a search from this seed draws First first
	Tries    int       // number of lifecycles that were played to shorten it
}

// Player plays lifecycles. The seed is that of the lifecycle, or of the one that it was derived from. Each
// lifecycle must start from the same state. It also returns the number of steps until the lifecycle fails.
type Player func(seed uint64, lifecycle Lifecycle) (v Verdict, steps int)

// Search plays count lifecycles, drawn from consecutive seeds, until one fails, and then shorter ones.
// The same seed draws the same lifecycles; seeds start at 1. It returns how many of count were played,
// and the failing lifecycle or nil.
func Search(from Material, count int, seed uint64, play Player) (played int, found *Found) {
	for ; played < count; played++ {
		s := search{play: play, found: Found{Seed: seed + uint64(played)}}
		s.judge(from.Draw(s.found.Seed))
		if s.found.First != nil {
			s.trim()
			return played + 1, &s.found
		}
		if s.over {
			return played, nil
		}
	}
	return played, nil
}

type search struct {
	play  Player
	found Found
	broke []Lifecycle // the failing lifecycles, up to the failing step
	held  []Lifecycle
	over  bool
}

// MostTries is the maximum number of lifecycles that are played to shorten one.
const MostTries = 60

// judge plays a lifecycle, unless its result is known: many shortened lifecycles have the same beginning.
func (s *search) judge(lifecycle Lifecycle) Verdict {
	switch {
	case slices.ContainsFunc(s.broke, lifecycle.beginsWith):
		return Broke
	case slices.ContainsFunc(s.held, func(longer Lifecycle) bool { return longer.beginsWith(lifecycle) }):
		return Held
	case s.over, s.found.Tries >= MostTries:
		return Over
	}
	verdict, steps := s.play(s.found.Seed, lifecycle)
	first := s.found.First == nil
	if !first {
		s.found.Tries++
	}
	switch verdict {
	case Over:
		s.over = true
	case Held:
		s.held = append(s.held, lifecycle)
	case Broke:
		if first {
			s.found.First = lifecycle
		}
		lifecycle = lifecycle[:steps]
		s.broke = append(s.broke, lifecycle)
		if first || len(lifecycle) <= len(s.found.Shortest) {
			s.found.Shortest = lifecycle
		}
	}
	return verdict
}

// trim leaves out single steps until no step can be left out.
func (s *search) trim() {
	for before := 0; before != len(s.found.Shortest); {
		before = len(s.found.Shortest)
		for i := before - 2; i >= 0; i-- { // the last step is the one that fails
			i = min(i, len(s.found.Shortest)-2)
			s.judge(s.found.Shortest.removeStep(i))
		}
	}
}

// limitSlots returns the lifecycle for that many slots.
func (s Lifecycle) limitSlots(slots int) Lifecycle {
	lifecycle := append(Lifecycle(nil), s...)
	for i := range lifecycle {
		lifecycle[i].Slot = min(lifecycle[i].Slot, slots-1)
	}
	return lifecycle
}
