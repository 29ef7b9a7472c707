package judge

import "time"

// gap is a period in which calls about holds and bookings were not judged.
type gap struct {
	from, to time.Time
	bridged  bool
	touched  *lifecycle // by the previous call
}

func (g gap) none() bool { return g.from.IsZero() }

// Missed records that calls about holds and bookings were made between these times but not taken.
// Their effects are unknown, so their consequences never count against the partner or the caller.
// Call Missed before taking a call that ended after the first missed call began.
func (t *Traffic) Missed(from, to time.Time) {
	if t.gap.none() || from.Before(t.gap.from) {
		t.gap.from, t.gap.bridged = from, false
	}
	if to.After(t.gap.to) {
		t.gap.to = to
	}
}

// bridge sets the state of every hold and booking to unknown if calls were missed before c ended.
func (t *Traffic) bridge(c *Call) {
	if t.gap.none() || c.ended().Before(t.gap.from) {
		return
	}
	of := t.bookings.order
	if t.gap.bridged && len(of) > 0 {
		of = of[len(of)-1:] // the previous call has opened the others
	}
	for _, l := range of {
		l.stage = open
	}
	if t.gap.touched != nil {
		t.gap.touched.stage = open
	}
	if c.StartedAt.After(t.gap.to) {
		t.gap = gap{}
		return
	}
	c.raced, t.gap.bridged, t.gap.touched = true, true, t.bookings.about(c)
}
