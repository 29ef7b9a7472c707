package explore

import "fmt"

// Party is the guests of a reserve. Infants may take no seat (RSV-9).
type Party struct {
	Guests  int64 // all of them, infants too
	Infants int64
}

// Seats is what is known of the seats that a slot has left: at least Least, and at
// most so many More.
type Seats struct {
	Counted bool // the partner tells them
	Least   int64
	More    int64
}

// Allow reports whether a reading is one that the contract allows.
func (s Seats) Allow(left int64) bool { return !s.Counted || s.Least <= left && left <= s.Least+s.More }

func (s Seats) String() string {
	switch {
	case !s.Counted:
		return "any number of seats left"
	case s.More == 0:
		return fmt.Sprintf("%d left", s.Least)
	default:
		return fmt.Sprintf("%d to %d left", max(0, s.Least), s.Least+s.More)
	}
}

// Want is which answers to a call the contract allows.
type Want struct{ Accept, Refuse bool }

// stage is where a hold is in its life.
type stage int

const (
	refused stage = iota // it was never made
	held
	booked
	released
	expired
	cancelled
)

// Hold is a hold of a story, and what has become of it.
type Hold struct {
	Slot  int
	party Party
	stage stage
}

// Live reports whether the hold can be confirmed, or released.
func (h Hold) Live() bool { return h.stage == held }

// Booked reports whether the hold is a booking that stands.
func (h Hold) Booked() bool { return h.stage == booked }

// Past says in words what has become of the hold, or "".
func (h Hold) Past() string {
	return [...]string{
		booked: ", which is a booking", released: ", which was released",
		expired: ", which has expired", cancelled: ", whose booking was cancelled",
	}[h.stage]
}

// Made reports whether there ever was such a hold.
func (h Hold) Made() bool { return h.stage != refused }

// WasBooked reports whether there ever was a booking of it.
func (h Hold) WasBooked() bool { return h.stage == booked || h.stage == cancelled }

// Model is the partner's seats as the contract has them, and the holds of one
// story.
type Model struct {
	Slots    []Seats
	Holds    []Hold // by the number of their reserve
	Holdless bool   // seats are taken by confirm (CNF-7)
}

// WantReserve says what the answer to a reserve may be. A party is welcome where
// the partner has shown that it takes such a one in this slot: there is no other
// reason to refuse it than want of seats (RSV-5).
func (m *Model) WantReserve(slot int, party Party, welcome bool) Want {
	left := m.Slots[slot]
	switch {
	case !left.Counted:
		return Want{Accept: true, Refuse: !welcome}
	case m.Holdless:
		return Want{Accept: true, Refuse: !welcome || left.Least < party.Guests}
	case left.Least+left.More < party.Guests-party.Infants:
		return Want{Refuse: true}
	default:
		return Want{Accept: true, Refuse: !welcome || left.Least < party.Guests}
	}
}

// Reserved enters the answer to a reserve.
func (m *Model) Reserved(slot int, party Party, accepted bool) {
	hold := Hold{Slot: slot, party: party}
	if accepted {
		hold.stage = held
		if !m.Holdless {
			m.take(hold)
		}
	}
	m.Holds = append(m.Holds, hold)
}

// WantConfirm says what the answer to a confirm may be. One that is accepted though
// the hold is a booking already names the same booking again (CNF-4).
func (m *Model) WantConfirm(hold int) Want {
	h := m.Holds[hold]
	switch h.stage {
	case held:
		left := m.Slots[h.Slot]
		return Want{Accept: true, Refuse: m.Holdless && (!left.Counted || left.Least < h.party.Guests)}
	case booked:
		return Want{Accept: true, Refuse: true}
	default:
		return Want{Refuse: true}
	}
}

// Confirmed enters the answer to a confirm.
func (m *Model) Confirmed(hold int, accepted bool) {
	if h := &m.Holds[hold]; h.stage == held && accepted {
		h.stage = booked
		if m.Holdless {
			m.take(*h)
		}
	}
}

// Released enters a release, which is always accepted (REL-4 to REL-6).
func (m *Model) Released(hold int) {
	switch h := &m.Holds[hold]; h.stage {
	case held:
		h.stage = released
		if !m.Holdless {
			m.giveBack(*h)
		}
	case expired:
		// Now they are back, if they were not before (REL-7).
		h.stage = released
		m.Slots[h.Slot].Least += h.party.Guests
		m.Slots[h.Slot].More -= h.party.Guests
	}
}

// Cancelled enters a cancellation, which is always accepted (CAN-4, CAN-5).
func (m *Model) Cancelled(hold int) {
	if h := &m.Holds[hold]; h.stage == booked {
		h.stage = cancelled
		m.giveBack(*h)
	}
}

// Waited enters that the time of every hold is over. Its seats may be back, or wait
// for the release (REL-7).
func (m *Model) Waited() {
	for i := range m.Holds {
		if h := &m.Holds[i]; h.stage == held {
			h.stage = expired
			m.Slots[h.Slot].More += h.party.Guests - h.party.Infants
		}
	}
}

func (m *Model) take(h Hold) {
	m.Slots[h.Slot].Least -= h.party.Guests
	m.Slots[h.Slot].More += h.party.Infants
}

func (m *Model) giveBack(h Hold) {
	m.Slots[h.Slot].Least += h.party.Guests
	m.Slots[h.Slot].More -= h.party.Infants
}
