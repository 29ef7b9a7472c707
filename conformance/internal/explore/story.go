package explore

import (
	"slices"

	"pgregory.net/rapid"
)

// Deed is what a step does.
type Deed string

// The deeds.
const (
	Look           Deed = "look"    // at the seats of a slot
	Reserve        Deed = "reserve" // a party in a slot
	Release        Deed = "release" // a hold, whatever has become of it
	Confirm        Deed = "confirm" // a hold, whatever has become of it
	Cancel         Deed = "cancel"  // the booking of a hold, whatever has become of it
	ReleaseUnknown Deed = "release unknown"
	ConfirmUnknown Deed = "confirm unknown"
	CancelUnknown  Deed = "cancel unknown"
	Wait           Deed = "wait" // until every hold has expired
)

// Step is one step of a story.
type Step struct {
	Deed  Deed
	Slot  int // of Look and Reserve: the number of the slot
	Party int // of Reserve: the number of the party
	Hold  int // of Release, Confirm and Cancel: the number of the story's reserve that made it
}

// Story is a lifecycle, step by step. It begins with a reserve, and no step is
// about a hold that was not reserved before.
type Story []Step

// Cast is what stories are made of.
type Cast struct {
	Slots   int  // how many slots there are, at least 1
	Parties int  // how many parties there are, at least 1
	Books   bool // holds are confirmed, and bookings cancelled
	Waits   bool // holds expire
}

// deeds lists what a step can do, the simpler first: a story is shortened towards
// these. Those that make a story are drawn more often.
func (c Cast) deeds() []Deed {
	deeds := []Deed{Look, Release, Release, Release, Reserve, Reserve, Reserve, Reserve, ReleaseUnknown}
	if c.Books {
		deeds = append(deeds, Confirm, Confirm, Confirm, Cancel, Cancel, Cancel, ConfirmUnknown, CancelUnknown)
	}
	if c.Waits {
		deeds = append(deeds, Wait)
	}
	return deeds
}

const (
	// farBack is how many holds before the latest a step may be about.
	farBack = 3
	// parts and longestPart bound a story: it has parts, because lists are drawn short.
	parts, longestPart = 3, 10
)

// idea is a step as it is drawn. It means the same when a step far before it is left
// out: it counts the holds from the latest.
type idea struct {
	Step
	back int  // the latest hold is 0; only those count to which the deed would do something,
	any  bool // or all, so that calls are repeated, and come too late
}

// draw makes a story up.
func (c Cast) draw(t *rapid.T) Story {
	next := rapid.Custom(func(t *rapid.T) idea {
		i := idea{Step: Step{Deed: rapid.SampledFrom(c.deeds()).Draw(t, "deed")}}
		switch i.Deed {
		case Look:
			i.Slot = c.slot(t)
		case Reserve:
			return c.reserve(t)
		case Release, Confirm, Cancel:
			i.back = rapid.IntRange(0, farBack).Draw(t, "back")
			i.any = rapid.SampledFrom([]bool{false, false, true}).Draw(t, "any")
		}
		return i
	})
	part := rapid.SliceOfN(next, 0, longestPart)
	ideas := []idea{c.reserve(t)}
	for range parts {
		ideas = append(ideas, part.Draw(t, "steps")...)
	}
	return told(ideas)
}

func (c Cast) reserve(t *rapid.T) idea {
	return idea{Step: Step{Deed: Reserve, Slot: c.slot(t), Party: rapid.IntRange(0, c.Parties-1).Draw(t, "party")}}
}

// slot is often the first: it takes several steps in one to meet.
func (c Cast) slot(t *rapid.T) int {
	return max(0, rapid.IntRange(0, 2*c.Slots-1).Draw(t, "slot")-c.Slots)
}

// told makes a story of ideas. Those about a hold that there is not are left out.
func told(ideas []idea) Story {
	var story Story
	var holds []stage // as they are where nothing is refused
	for _, i := range ideas {
		switch i.Deed {
		case Reserve:
			holds = append(holds, held)
		case Wait:
			for n, s := range holds {
				if s == held {
					holds[n] = expired
				}
			}
		case Release, Confirm, Cancel:
			n, ok := i.hold(holds)
			if !ok {
				continue
			}
			i.Hold, holds[n] = n, i.Deed.after(holds[n])
		}
		story = append(story, i.Step)
	}
	return story
}

// hold returns the number of the hold that the idea is about.
func (i idea) hold(holds []stage) (n int, ok bool) {
	var fit []int
	for n := len(holds) - 1; n >= 0; n-- {
		if i.any || i.Deed.after(holds[n]) != holds[n] {
			fit = append(fit, n)
		}
	}
	if len(fit) == 0 {
		return 0, false
	}
	return fit[i.back%len(fit)], true
}

// after returns the stage of a hold after a deed.
func (d Deed) after(s stage) stage {
	switch {
	case d == Confirm && s == held:
		return booked
	case d == Release && (s == held || s == expired):
		return released
	case d == Cancel && s == booked:
		return cancelled
	default:
		return s
	}
}

// beginsWith reports whether the story begins with the steps of another.
func (s Story) beginsWith(other Story) bool {
	return len(s) >= len(other) && slices.Equal(s[:len(other)], other)
}

// without returns the story without a step, and without those about the hold that it
// makes.
func (s Story) without(left int) Story {
	var shorter Story
	gone, made := -1, 0
	for i, step := range s {
		switch step.Deed {
		case Reserve:
			if i == left {
				gone = made
			}
			made++
		case Release, Confirm, Cancel:
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
