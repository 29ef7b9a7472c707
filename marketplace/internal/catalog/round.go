package catalog

import (
	"time"

	"github.com/google/uuid"
)

// Round is how far the slots of an integration's options have been pulled again. Its
// passes go through the options that have not been pulled since they were asked for, a slice at a
// time; what fails is tried again in the next pass.
type Round struct {
	AskedAt time.Time // every option is to be pulled after this; ahead of now: not yet
	Serves  time.Time // the request that the pass under way serves; zero: there was none yet
	Pass    int       // of that request, from 0
	After   uuid.UUID // the last option that the pass has tried; zero: it begins
	Whole   bool      // the pass began with the first option
	Pulled  time.Time // every option has been pulled since; zero: not known
}

// SkippedPause is the shortest time between two pulls of a partner's slots while
// its catalog stays the same.
const SkippedPause = 5 * time.Minute

// Slice is what came of a part of a pass.
type Slice struct {
	Last   uuid.UUID // the last option that was tried; zero: there was none
	Tried  int
	Failed int
	Ended  bool // there is no option after it
	Left   bool // options, before or after, still have to be pulled
}

// retries are the pauses before a round's second pass, and the third.
var retries = []time.Duration{time.Minute, 5 * time.Minute}

// Start is the round as a slice begins: a request that came meanwhile is served from
// here on. What is before the place comes after the end.
func (r Round) Start(now time.Time) Round {
	if r.AskedAt.After(r.Serves) && !r.AskedAt.After(now) {
		r.Serves, r.Pass, r.Whole = r.AskedAt, 0, r.After == uuid.Nil
	}
	return r
}

// Next is the round after a slice, and when the next slice is due, zero where there is
// none. A partner that failed in all of a slice is left alone for a while; the next
// pass begins where this one ended, so that a few bad options starve no others.
func (r Round) Next(now time.Time, s Slice) (next Round, due time.Time) {
	if !s.Left {
		r.Pulled = r.Serves
	}
	failing := s.Tried > 0 && s.Failed == s.Tried
	switch {
	case s.Ended:
		r.After = uuid.Nil
	case s.Tried > 0:
		r.After = s.Last
	}
	switch {
	case !s.Ended && !failing:
		return r, now
	case r.AskedAt.After(r.Serves):
		return r, later(now, r.AskedAt)
	case !s.Left:
		return r, time.Time{}
	case s.Ended && !failing && !r.Whole:
		r.Whole = true
		return r, now
	case r.Pass < len(retries):
		due = now.Add(retries[r.Pass])
		r.Pass, r.Whole = r.Pass+1, s.Ended
		return r, due
	default:
		return r, time.Time{}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
