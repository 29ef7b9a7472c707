package catalog

import (
	"time"

	"github.com/google/uuid"
)

// Round is the progress of pulling the slots of all options of an integration. A pass goes through
// the options that have not been pulled since the request, one slice at a time. Failed options are
// retried in the next pass.
type Round struct {
	AskedAt time.Time     // every option will be pulled after this; a future time: not yet
	Serves  time.Time     // the request that this pass serves; zero: no request yet
	Pass    int           // of that request, starting at 0
	After   uuid.UUID     // the last option that was tried; zero: the pass begins
	Whole   bool          // the pass started at the first option
	Pulled  time.Time     // every option has been pulled since; zero: unknown
	Took    time.Duration // how long the last complete round took; 0: unknown
	Slow    bool          // the last slice was slow, so that other partners come first
}

// SkippedPause is the shortest time between two pulls of a partner's slots while
// its catalog stays the same.
const SkippedPause = 5 * time.Minute

// Slice is the result of part of a pass.
type Slice struct {
	Last   uuid.UUID // the last option that was tried; zero: no option
	Tried  int
	Failed int
	Ended  bool // no option follows
	Left   bool // some options must still be pulled
	Slow   bool // the partner's answers kept the job busy for long
}

// retries are the pauses before the second and the third pass.
var retries = []time.Duration{time.Minute, 5 * time.Minute}

// Start returns the round when a slice begins. A request that arrived meanwhile is served from here
// on; options before this place follow after the end.
func (r Round) Start(now time.Time) Round {
	if r.AskedAt.After(r.Serves) && !r.AskedAt.After(now) {
		r.Serves, r.Pass, r.Whole = r.AskedAt, 0, r.After == uuid.Nil
	}
	return r
}

// Next returns the round after a slice, and when the next slice is due: zero if none is due. A
// partner that failed a complete slice gets a pause. The next pass starts where this one ended, so
// that a few failing options do not block others.
func (r Round) Next(now time.Time, s Slice) (next Round, due time.Time) {
	if !s.Left && r.Pulled != r.Serves {
		r.Pulled, r.Took = r.Serves, now.Sub(r.Serves)
	}
	if s.Tried > 0 {
		r.Slow = s.Slow
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
		return r, laterTime(now, r.AskedAt)
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

func laterTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
