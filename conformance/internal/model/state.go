// Package model is the partner's seats and bookings as the contract has them: what
// each call does to them, and which answers to it the contract allows. The rules about
// calls at the same time and the random lifecycles are held against this one model.
//
// It knows nothing of HTTP.
package model

import (
	"fmt"
	"slices"
)

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

type Stage int

const (
	Refused Stage = iota // it was never made
	Held
	Booked
	Released
	Expired
	Cancelled
)

// After returns the stage that an accepted call of a kind leads to.
func (s Stage) After(call Kind) Stage {
	switch {
	case call == Confirm && s == Held:
		return Booked
	case call == Release && (s == Held || s == Expired):
		return Released
	case call == Cancel && s == Booked:
		return Cancelled
	default:
		return s
	}
}

type Kind string

const (
	Look    Kind = "availability"
	Reserve Kind = "reserve"
	Confirm Kind = "confirm"
	Release Kind = "release"
	Cancel  Kind = "cancel"
)

type Hold struct {
	Slot    int
	Party   Party
	Stage   Stage
	Booking int // the number of the booking that it has become; 0 if unknown
}

func (h Hold) Past() string {
	return [...]string{
		Booked: ", which is a booking", Released: ", which was released",
		Expired: ", which has expired", Cancelled: ", whose booking was cancelled",
	}[h.Stage]
}

func (h Hold) WasBooked() bool { return h.Stage == Booked || h.Stage == Cancelled }

// State is the slots and the holds on them, as a partner has them that does one thing
// after another.
type State struct {
	Slots    []Seats
	Holds    []Hold // by the number of their reserve
	Holdless bool   // seats are taken by confirm (CNF-7)
}

func (s State) clone() State {
	s.Slots, s.Holds = slices.Clone(s.Slots), slices.Clone(s.Holds)
	return s
}

func (s State) equal(other State) bool {
	return slices.Equal(s.Slots, other.Slots) && slices.Equal(s.Holds, other.Holds)
}

type Want struct{ Accept, Refuse bool }

func (w Want) allows(accepted bool) bool { return accepted && w.Accept || !accepted && w.Refuse }

// WantReserve says what the answer to a reserve may be. A party is welcome where
// the partner has shown that it takes such a one in this slot: there is no other
// reason to refuse it than want of seats (RSV-5).
func (s *State) WantReserve(slot int, party Party, welcome bool) Want {
	left := s.Slots[slot]
	switch {
	case !left.Counted:
		// How many seats it has is not known: with others of this run in it, it may be full.
		return Want{Accept: true, Refuse: !welcome || s.occupied(slot)}
	case s.Holdless:
		return Want{Accept: true, Refuse: !welcome || left.Least < party.Guests}
	case left.Least+left.More < party.Guests-party.Infants:
		return Want{Refuse: true}
	default:
		return Want{Accept: true, Refuse: !welcome || left.Least < party.Guests}
	}
}

// occupied reports whether a hold or a booking takes seats of a slot.
func (s *State) occupied(slot int) bool {
	return slices.ContainsFunc(s.Holds, func(h Hold) bool {
		return h.Slot == slot && (h.Stage == Held || h.Stage == Booked || h.Stage == Expired)
	})
}

// Reserved enters the answer to the reserve of that number; each further one has the
// next.
func (s *State) Reserved(number, slot int, party Party, accepted bool) {
	hold := Hold{Slot: slot, Party: party}
	if accepted {
		hold.Stage = Held
		if !s.Holdless {
			s.take(hold)
		}
	}
	for len(s.Holds) <= number {
		s.Holds = append(s.Holds, Hold{})
	}
	s.Holds[number] = hold
}

// WantConfirm says what the answer to a confirm may be. One that is accepted though
// the hold is a booking already names the same booking again (CNF-4).
func (s *State) WantConfirm(number int) Want {
	h := s.Holds[number]
	switch h.Stage {
	case Held:
		left := s.Slots[h.Slot]
		return Want{Accept: true, Refuse: s.Holdless && (!left.Counted || left.Least < h.Party.Guests)}
	case Booked:
		return Want{Accept: true, Refuse: true}
	default:
		return Want{Refuse: true}
	}
}

// Confirmed enters the answer to a confirm, and the number of the booking that it
// brought.
func (s *State) Confirmed(number int, accepted bool, booking int) {
	if h := &s.Holds[number]; h.Stage == Held && accepted {
		h.Stage, h.Booking = Booked, booking
		if s.Holdless {
			s.take(*h)
		}
	}
}

// Released enters a release, which is always accepted (REL-4 to REL-6).
func (s *State) Released(number int) {
	h := &s.Holds[number]
	was := h.Stage
	h.Stage = was.After(Release)
	switch {
	case was == Held && !s.Holdless:
		s.giveBack(*h)
	case was == Expired:
		// Now they are back, if they were not before (REL-7).
		s.Slots[h.Slot].Least += h.Party.Guests
		s.Slots[h.Slot].More -= h.Party.Guests
	}
}

// Cancelled enters a cancellation, which is always accepted (CAN-4, CAN-5).
func (s *State) Cancelled(number int) {
	if h := &s.Holds[number]; h.Stage == Booked {
		h.Stage = Cancelled
		s.giveBack(*h)
	}
}

// Waited enters that the time of every hold is over. Its seats may be back, or wait
// for the release (REL-7).
func (s *State) Waited() {
	for i := range s.Holds {
		if h := &s.Holds[i]; h.Stage == Held {
			h.Stage = Expired
			s.Slots[h.Slot].More += h.Party.Guests - h.Party.Infants
		}
	}
}

func (s *State) take(h Hold) {
	s.Slots[h.Slot].Least -= h.Party.Guests
	s.Slots[h.Slot].More += h.Party.Infants
}

func (s *State) giveBack(h Hold) {
	s.Slots[h.Slot].Least += h.Party.Guests
	s.Slots[h.Slot].More -= h.Party.Infants
}
