package traffic

import (
	"net/http"
	"slices"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// history tracks the holds and bookings of a recording, by code and by id.
type history struct {
	byCode map[string]*lifecycle
	byID   map[string]*lifecycle
	order  []*lifecycle // in the order in which they were made
	gap    gap
}

// mostLifecycles is the maximum number of holds and bookings that are tracked. The oldest are
// forgotten.
const mostLifecycles = 20_000

func newHistory() *history {
	return &history{byCode: map[string]*lifecycle{}, byID: map[string]*lifecycle{}}
}

// stage is the known state of a hold.
type stage int

const (
	live stage = iota
	open       // its state is unknown: an answer was lost, or calls overlapped
	released
	confirmedStage
	cancelledStage
)

// lifecycle is a hold and its booking.
type lifecycle struct {
	code, id string
	asked    partnerapi.ReserveRequest
	expires  time.Time // zero if it cannot be read
	stage    stage
	until    time.Time // the end of the last call about it
	reserve  *report.Exchange
	confirm  *probe.Answer // the first one answered with a booking
	ended    *report.Exchange
}

// unsure is the time around a hold's expiry in which its state is unknown: partners remove expired
// holds periodically, and clocks may have full seconds only.
const unsure = time.Minute

// stageAt returns the stage by the partner's clock, and whether a live hold has expired. A hold that may
// just have expired is open.
func (l *lifecycle) stageAt(now time.Time) (s stage, over bool) {
	if l.stage != live {
		return l.stage, false
	}
	switch {
	case l.expires.IsZero() || now.After(l.expires.Add(-unsure)) && !now.After(l.expires.Add(unsure)):
		return open, false
	case now.After(l.expires):
		return live, true
	}
	return live, false
}

// enter starts to track a hold.
func (h *history) enter(l *lifecycle) {
	if len(h.order) == mostLifecycles {
		h.forget(h.order[0])
		h.order = slices.Delete(h.order, 0, 1)
	}
	h.byCode[l.code] = l
	h.order = append(h.order, l)
}

func (h *history) forget(l *lifecycle) {
	if h.byCode[l.code] == l {
		delete(h.byCode, l.code)
	}
	if h.byID[l.id] == l {
		delete(h.byID, l.id)
	}
}

// lifecycleOf returns the lifecycle that a call is about; nil if the recording has not shown it.
func (h *history) lifecycleOf(c *call) *lifecycle {
	switch c.Endpoint {
	case partnerapi.Confirm, partnerapi.Release:
		return h.byCode[c.subject()]
	case partnerapi.Cancel:
		return h.byID[c.subject()]
	default:
		return nil
	}
}

// recordLost records a call without a usable answer: its effect is unknown.
func (h *history) recordLost(c *call) {
	if l := h.lifecycleOf(c); l != nil && !c.HasStatus(http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests) {
		l.stage, l.until = open, c.endTime()
	}
}

// gap is a period in which calls about holds and bookings were not judged.
type gap struct {
	from, to time.Time
	bridged  bool
	touched  *lifecycle // by the previous call
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
	if h.gap.isEmpty() || c.endTime().Before(h.gap.from) {
		return
	}
	of := h.order
	if h.gap.bridged && len(of) > 0 {
		of = of[len(of)-1:] // the previous call has opened the others
	}
	for _, l := range of {
		l.stage = open
	}
	if h.gap.touched != nil {
		h.gap.touched.stage = open
	}
	if c.StartedAt.After(h.gap.to) {
		h.gap = gap{}
		return
	}
	c.raced, h.gap.bridged, h.gap.touched = true, true, h.lifecycleOf(c)
}
