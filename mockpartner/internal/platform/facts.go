package platform

import (
	"time"
)

// Facts are the inside of what one call was about, at one moment. What there was
// not is nil. They must not be changed.
type Facts struct {
	Slot    *SlotState `json:"slot,omitempty"`
	Hold    *Hold      `json:"hold,omitempty"`
	Booking *Booking   `json:"booking,omitempty"`
}

// Tell is told what was there before and after a call; nothing comes between the
// call and its facts. A call that is refused before it reaches a slot, a hold or a
// booking is not told of. A nil Tell is nobody.
type Tell func(before, after Facts)

// scene is what a call is about, while it is under way.
type scene struct {
	stock  *inventory
	now    time.Time
	tell   Tell
	slot   slotKey // its option is nil where it is not known
	code   string
	before Facts
}

// look begins a scene; end ends it. The platform is locked meanwhile.
func (l *lifecycle) look(now time.Time, tell Tell, slot slotKey, code string) *scene {
	s := &scene{stock: l.stock, now: now, tell: tell, slot: slot, code: code}
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
	state := &s.stock.state
	if hold, ok := state.holds.Get(s.code); ok {
		f.Hold, s.slot = hold, hold.slot
		f.Booking, _ = state.bookings.Get(hold.BookingID)
	}
	if s.slot.option != nil {
		f.Slot = new(s.stock.inside(s.slot, s.now))
	}
	return f
}
