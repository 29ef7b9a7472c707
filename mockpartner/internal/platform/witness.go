package platform

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Facts are the inside of what one call was about, at one moment. What there was
// not is nil. They must not be changed.
type Facts struct {
	Slot    *SlotState `json:"slot,omitempty"`
	Hold    *Hold      `json:"hold,omitempty"`
	Booking *Booking   `json:"booking,omitempty"`
}

// Witness makes calls on a platform, and is told what was there before and after
// each. Nothing comes between a call and its facts.
type Witness struct {
	platform *Platform
	tell     func(before, after Facts)
}

// Witness returns a witness that passes on to tell what it sees. A call that is
// refused before it reaches a slot, a hold or a booking is not told of.
func (p *Platform) Witness(tell func(before, after Facts)) Witness {
	return Witness{platform: p, tell: tell}
}

// Reserve is Platform.Reserve.
func (w Witness) Reserve(r partnerapi.ReserveRequest) (Hold, error) {
	return w.platform.reserve(r, w.tell)
}

// Confirm is Platform.Confirm.
func (w Witness) Confirm(r partnerapi.ConfirmRequest) (Booking, error) {
	return w.platform.confirm(r, w.tell)
}

// Release is Platform.Release.
func (w Witness) Release(code string) Outcome { return w.platform.release(code, w.tell) }

// Cancel is Platform.Cancel.
func (w Witness) Cancel(id string) Outcome { return w.platform.cancel(id, w.tell) }

// scene is what a call is about, while it is under way.
type scene struct {
	platform *Platform
	now      time.Time
	tell     func(before, after Facts)
	slot     slotKey // its option is nil where it is not known
	code     string
	before   Facts
}

// look begins a scene; end ends it. The platform is locked meanwhile.
func (p *Platform) look(now time.Time, tell func(before, after Facts), slot slotKey, code string) *scene {
	s := &scene{platform: p, now: now, tell: tell, slot: slot, code: code}
	if tell != nil {
		s.before = s.facts()
	}
	return s
}

func (s *scene) end() {
	if s.tell == nil {
		return
	}
	if after := s.facts(); after != (Facts{}) || s.before != (Facts{}) {
		s.tell(s.before, after)
	}
}

func (s *scene) facts() (f Facts) {
	state := &s.platform.state
	if hold, ok := state.holds.Get(s.code); ok {
		f.Hold, s.slot = hold, hold.slot
		f.Booking, _ = state.bookings.Get(hold.BookingID)
	}
	if s.slot.option != nil {
		f.Slot = new(s.platform.inside(s.slot, s.now))
	}
	return f
}
