package scenario

import (
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/partner"
)

const (
	// LongestWait is the longest lifetime of a hold that a run waits for.
	LongestWait = 35 * time.Minute
	// ShortWait is the longest lifetime of a hold that a run waits for without being asked to.
	ShortWait = time.Minute
	// Clocks differ, and partners remove expired holds periodically. Near its expiry, for a share
	// of its lifetime, the state of a hold proves nothing.
	marginShare                 = 20
	leastMargin, greatestMargin = time.Second, time.Minute
	// lastMoment is how long before its expiry a hold is confirmed if the target's clock can be moved: a time that is
	// stated to the minute may be up to a minute off.
	lastMoment = 90 * time.Second
	// lifeShare is the divisor of a hold's lifetime that limits how far the clock is moved.
	lifeShare = 3
)

// ends returns, by this machine's clock, the time until which a hold is certainly live and the time
// from which it has certainly expired. The Date header of its answer shows how far the partner's
// clock differs.
func (h *Hold) ends() (live, over time.Time) {
	first, last := h.Expires, h.Expires
	if date, err := http.ParseTime(h.Answer.Response.Header.Get("Date")); err == nil {
		dated := h.Answered.Add(h.Expires.Sub(date))
		if dated.Before(first) {
			first = dated
		} else {
			last = dated
		}
	}
	early, late := h.margins()
	return first.Add(-early), last.Add(late)
}

// margins returns how long before its expiry the hold is certainly live, and how long after it is certainly over.
func (h *Hold) margins() (early, late time.Duration) {
	late = min(max(h.Life/marginShare, leastMargin), greatestMargin)
	if h.Life > lifeShare*lastMoment {
		return lastMoment, late
	}
	return late, late
}

// mayBeOver reports whether a hold may have expired. The target's clock is used where it is known, because it may be hours
// from this machine's.
func (h *Hold) mayBeOver(clock *partner.Clock) bool {
	if h.Expires.IsZero() {
		return false
	}
	live, _ := h.ends()
	if clock.CanMove() {
		early, _ := h.margins()
		live = h.Expires.Add(-early)
	}
	return clock.Now().After(live)
}

// EndsInTime reports whether a hold expires within the time that a run waits.
func (h *Hold) EndsInTime() bool {
	if h.Expires.IsZero() {
		return false
	}
	_, over := h.ends()
	return over.Sub(h.Answered) <= LongestWait
}
