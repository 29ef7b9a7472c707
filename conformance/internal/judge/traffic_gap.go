package judge

import "time"

// gap is a time in which calls about holds and bookings passed that were not judged.
type gap struct {
	from, to time.Time
	bridged  bool
	touched  *lifecycle // by the call before
}

func (g gap) none() bool { return g.from.IsZero() }

// Missed tells that calls about holds and bookings passed between these times without being
// taken. What they did is not known: nothing that follows from it is held against the partner or the caller.
// It is told before a call is judged that ended after the first of them began.
func (t *Traffic) Missed(from, to time.Time) {
	if t.gap.none() || from.Before(t.gap.from) {
		t.gap.from, t.gap.bridged = from, false
	}
	if to.After(t.gap.to) {
		t.gap.to = to
	}
}

// bridge leaves open what became of every hold and booking, where calls were missed before c
// ended.
func (t *Traffic) bridge(c *Call) {
	if t.gap.none() || c.ended().Before(t.gap.from) {
		return
	}
	of := t.bookings.order
	if t.gap.bridged && len(of) > 0 {
		of = of[len(of)-1:] // the others are open since the call before
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
