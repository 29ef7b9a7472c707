// Package explore makes up lifecycles: stories of reserves, confirms, releases,
// cancellations and expiries in an unforeseen order. It is independent of
// HTTP and of the partner.
//
// Search draws stories by a seed and has them played, one after another, until one
// breaks; then it has shorter ones played, and keeps the shortest that breaks as
// well. The player of a story compares each answer with a Model, which says what
// the contract allows in the state that the story has come to.
package explore

import (
	"slices"

	"pgregory.net/rapid"

	"partnerkit.dev/conformance/internal/model"
)

// What a step does beside the calls of the model.
const (
	ReleaseUnknown model.Kind = "release unknown"
	ConfirmUnknown model.Kind = "confirm unknown"
	CancelUnknown  model.Kind = "cancel unknown"
	Wait           model.Kind = "wait" // until every hold has expired
)

type Step struct {
	Does  model.Kind
	Slot  int // of a look and a reserve: the number of the slot
	Party int // of a reserve: the number of the party
	Hold  int // of a release, confirm and cancel: the number of the story's reserve that made it
}

// Story is a lifecycle, step by step. It begins with a reserve, and no step is
// about a hold that was not reserved before.
type Story []Step

// Material is what stories are made of.
type Material struct {
	Slots   int  // how many slots there are, at least 1
	Parties int  // how many parties there are, at least 1
	Books   bool // holds are confirmed, and bookings cancelled
	Waits   bool // holds expire
}

// actions lists what a step can do. Those that make a story are drawn more often.
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
	// farBack is how many holds before the latest a step may be about.
	farBack = 3
	// parts and longestPart bound a story: it has parts, because lists are drawn short.
	parts, longestPart = 3, 10
)

// idea is a step as drawn. It means the same when a step far before it is left
// out: it counts the holds from the latest.
type idea struct {
	Step
	back int  // the latest hold is 0; only those count to which the step would do something,
	any  bool // or all, so that calls are repeated, and come too late
}

// Draw makes a story up: the same one from the same seed, which is at least 1.
func (m Material) Draw(seed uint64) Story { return rapid.Custom(m.story).Example(int(seed)) }

func (m Material) story(t *rapid.T) Story {
	next := rapid.Custom(func(t *rapid.T) idea {
		i := idea{Step: Step{Does: rapid.SampledFrom(m.actions()).Draw(t, "does")}}
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
	ideas := []idea{m.reserve(t)}
	for range parts {
		ideas = append(ideas, part.Draw(t, "steps")...)
	}
	return told(ideas)
}

func (m Material) reserve(t *rapid.T) idea {
	return idea{Step: Step{Does: model.Reserve, Slot: m.slot(t), Party: rapid.IntRange(0, m.Parties-1).Draw(t, "party")}}
}

// slot is often the first: it takes several steps in one to meet.
func (m Material) slot(t *rapid.T) int {
	return max(0, rapid.IntRange(0, 2*m.Slots-1).Draw(t, "slot")-m.Slots)
}

// told makes a story of ideas. Those about a hold that there is not are left out.
func told(ideas []idea) Story {
	var story Story
	var holds []model.Stage // as they are where nothing is refused
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
		story = append(story, i.Step)
	}
	return story
}

// hold returns the number of the hold that the idea is about.
func (i idea) hold(holds []model.Stage) (n int, ok bool) {
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

func (s Story) beginsWith(other Story) bool {
	return len(s) >= len(other) && slices.Equal(s[:len(other)], other)
}

// without returns the story without a step, and without those about the hold that it
// makes.
func (s Story) without(left int) Story {
	var shorter Story
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

type Verdict int

const (
	Held  Verdict = iota // the contract held
	Broke                // the contract was broken at some step
	Over                 // no further story can be played
)

type Found struct {
	Story Story  // the shortest
	First Story  // the one that it was cut out of
	Seed  uint64 // of that: a search that begins there draws it first
	Tries int    // how many stories were played to shorten it
}

// Player plays stories. The seed is that of the story, or of the one that it was cut
// out of. Each is to be played from the same beginning. It returns how many steps the
// story takes to break as well.
type Player func(seed uint64, story Story) (v Verdict, steps int)

// Search has count stories played, drawn from seed and the seeds after it, until one
// breaks, and then shorter ones. The same seed draws the same stories; seeds begin
// at 1. It returns how many of the count were played, and the story that breaks, or
// nil.
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
	broke []Story // what was played, up to where it breaks
	held  []Story
	over  bool
}

// MostTries bounds the stories that are played to shorten one.
const MostTries = 60

// judge has a story played, unless it is known what would come of it: many that are
// cut out of one are the same in their beginning.
func (s *search) judge(story Story) Verdict {
	switch {
	case slices.ContainsFunc(s.broke, story.beginsWith):
		return Broke
	case slices.ContainsFunc(s.held, func(longer Story) bool { return longer.beginsWith(story) }):
		return Held
	case s.over, s.found.Tries >= MostTries:
		return Over
	}
	verdict, steps := s.play(s.found.Seed, story)
	first := s.found.First == nil
	if !first {
		s.found.Tries++
	}
	switch verdict {
	case Over:
		s.over = true
	case Held:
		s.held = append(s.held, story)
	case Broke:
		if first {
			s.found.First = story
		}
		story = story[:steps]
		s.broke = append(s.broke, story)
		if first || len(story) <= len(s.found.Story) {
			s.found.Story = story
		}
	}
	return verdict
}

// trim leaves single steps out until none can be.
func (s *search) trim() {
	for before := 0; before != len(s.found.Story); {
		before = len(s.found.Story)
		for i := before - 2; i >= 0; i-- { // the last step is the one that breaks
			i = min(i, len(s.found.Story)-2)
			s.judge(s.found.Story.without(i))
		}
	}
}
