package traffic

import (
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/judge"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// history tracks the holds and bookings of a recording, by code and by id.
type history struct {
	byCode map[string]*hold
	byID   map[string]*hold
	given  judge.Given
	order  []*hold // in the order in which they were made
	gap    gap
}

// mostHolds is the maximum number of holds and bookings that are tracked. The oldest are
// forgotten.
const mostHolds = 20_000

func newHistory() *history {
	return &history{byCode: map[string]*hold{}, byID: map[string]*hold{}, given: judge.Given{}}
}

// hold is a hold and its booking, with the judge of the calls about them.
type hold struct {
	*judge.Lifecycle
	code, id string
	expires  time.Time                 // zero if it cannot be read
	until    time.Time                 // the end of the last call about it
	asked    partnerapi.ReserveRequest // its slot alone, without the guest
	before   *int64                    // seats that its slot was last shown to have left before it; nil: unknown
	reserve  *report.Exchange
	confirm  *report.Exchange // the first one answered with a booking
	ended    *report.Exchange
}

func (h *hold) stage() model.Stage { return h.State().Holds[0].Stage }

// lose records that the state of the hold is unknown: an answer was lost, or calls overlapped.
func (h *hold) lose() { h.State().RecordUnknown(0) }

// evidence returns the calls that have changed the hold.
func (h *hold) evidence() (all []*report.Exchange) {
	for _, x := range []*report.Exchange{h.reserve, h.confirm, h.ended} {
		if x != nil {
			all = append(all, x)
		}
	}
	return all
}

// unsure is the time around a hold's expiry in which its state is unknown: partners remove expired
// holds periodically, and clocks may have full seconds only.
const unsure = time.Minute

// age records whether the hold has expired, by the partner's clock. The state of a hold that may just have expired is
// unknown.
func (h *hold) age(now time.Time) {
	switch {
	case h.stage() != model.Held:
	case h.expires.IsZero() || now.After(h.expires.Add(-unsure)) && !now.After(h.expires.Add(unsure)):
		h.lose()
	case now.After(h.expires):
		h.State().RecordExpiry()
	}
}

// enter starts to track a hold.
func (h *history) enter(l *hold) {
	if len(h.order) == mostHolds {
		h.forget(h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
	h.byCode[l.code] = l
	h.order = append(h.order, l)
}

func (h *history) forget(l *hold) {
	if h.byCode[l.code] == l {
		delete(h.byCode, l.code)
	}
	if h.byID[l.id] == l {
		delete(h.byID, l.id)
	}
	h.given.Forget(l.code, l.id)
}

// holdOf returns the hold that a call is about; nil if the recording has not shown it.
func (h *history) holdOf(c *call) *hold {
	switch c.Endpoint {
	case partnerapi.Confirm, partnerapi.Release:
		return h.byCode[c.subject()]
	case partnerapi.Cancel:
		return h.byID[c.subject()]
	default:
		return nil
	}
}

// sharesHold reports whether two calls are about the same hold, one by its code and one by the id of its booking.
func (h *history) sharesHold(c, other *call) bool {
	of := h.holdOf(c)
	return of != nil && of == h.holdOf(other)
}

// recordLost records a call without a usable answer: its effect is unknown.
func (h *history) recordLost(c *call) {
	if l := h.holdOf(c); l != nil && !c.HasStatus(http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests) {
		l.lose()
		l.until = c.EndTime()
	}
}

// gap is a period in which calls about holds and bookings were not judged.
type gap struct {
	from, to time.Time
	bridged  bool
	touched  *hold // by the previous call
}

func (g gap) isEmpty() bool { return g.from.IsZero() }

// recordMissed records calls that were not taken: see Judge.Missed.
func (h *history) recordMissed(from, to time.Time) {
	if h.gap.isEmpty() || from.Before(h.gap.from) {
		h.gap.from, h.gap.bridged = from, false
	}
	if to.After(h.gap.to) {
		h.gap.to = to
	}
}

// bridge sets the state of every hold and booking to unknown if calls were missed before c ended.
func (h *history) bridge(c *call) {
	if h.gap.isEmpty() || c.EndTime().Before(h.gap.from) {
		return
	}
	of := h.order
	if h.gap.bridged && len(of) > 0 {
		of = of[len(of)-1:] // the previous call has opened the others
	}
	for _, l := range of {
		l.lose()
	}
	if h.gap.touched != nil {
		h.gap.touched.lose()
	}
	if c.StartedAt.After(h.gap.to) {
		h.gap = gap{}
		return
	}
	c.raced, h.gap.bridged, h.gap.touched = c.Endpoint, true, h.holdOf(c)
}
