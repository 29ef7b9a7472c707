// Package model is the partner's seats and bookings by the contract: what each call changes, and
// which answers the contract allows. The rules about concurrent calls and the random lifecycles use
// this one model.
//
// It does not depend on HTTP.
package model

import (
	"fmt"
	"slices"
)

// Party is the guests of a reserve. Infants may take no seat (RSV-9).
type Party struct {
	Guests  int64 // number of all guests, including infants
	Infants int64
}

// Seats is what is known about the seats left in a slot: at least Least, and at most Least plus
// More.
type Seats struct {
	Counted bool // the partner shows them
	Endless bool // they are sold without limit (AVL-9)
	Wrong   bool // a number was shown that breaks the contract: how many are left is unknown
	Least   int64
	More    int64
}

// Allow reports whether the contract allows a reading.
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

// Stage is how far a hold has come.
type Stage int

// The stages of a hold.
const (
	Refused Stage = iota // never made
	Held
	Booked
	Released
	Expired
	Cancelled
	Unknown // a call about it was lost, failed, or overlapped with another
)

// After returns the stage that an accepted call of a kind leads to.
func (s Stage) After(call Kind) Stage {
	switch {
	case call == Confirm && (s == Held || s == Unknown):
		return Booked
	case call == Release && (s == Held || s == Expired):
		return Released
	case call == Cancel && s == Booked:
		return Cancelled
	default:
		return s
	}
}

// Kind is the kind of a call.
type Kind string

// The kinds of calls.
const (
	Look    Kind = "availability"
	Reserve Kind = "reserve"
	Confirm Kind = "confirm"
	Release Kind = "release"
	Cancel  Kind = "cancel"
	Expire  Kind = "expire" // no call: time passes until the hold has expired
)

// Hold is a hold on seats of one slot.
type Hold struct {
	Slot    int
	Party   Party
	Stage   Stage
	Booking int  // number of its booking; 0 if unknown
	Back    bool // it has expired, and its seats were seen to be available again
}

// DescribePast returns what became of the hold, as the end of a sentence; "" while it is held.
func (h Hold) DescribePast() string {
	return [...]string{
		Booked: ", which is a booking", Released: ", which was released",
		Expired: ", which has expired", Cancelled: ", whose booking was cancelled", Unknown: ", whose state is unknown",
	}[h.Stage]
}

// WasBooked reports whether the hold was confirmed, even if its booking is cancelled.
func (h Hold) WasBooked() bool { return h.Stage == Booked || h.Stage == Cancelled }

// State is the slots and the holds on them, of a partner that handles one call at a time.
type State struct {
	Slots    []Seats
	Holds    []Hold // by the number of their reserve
	Holdless bool   // confirm takes the seats (CNF-7)
}

func (s State) clone() State {
	s.Slots, s.Holds = slices.Clone(s.Slots), slices.Clone(s.Holds)
	return s
}

func (s State) equal(other State) bool {
	return slices.Equal(s.Slots, other.Slots) && slices.Equal(s.Holds, other.Holds)
}

// Want says which answers to a call the contract allows.
type Want struct{ Accept, Refuse bool }

func (w Want) allows(accepted bool) bool { return accepted && w.Accept || !accepted && w.Refuse }

// WantReserve returns which answers to a reserve are allowed. A party is welcome if the partner has
// accepted such a party in this slot: it may then be refused only for lack of seats (RSV-5).
func (s *State) WantReserve(slot int, party Party, welcome bool) Want {
	left := s.Slots[slot]
	switch {
	case left.Endless:
		return Want{Accept: true, Refuse: !welcome}
	case !left.Counted:
		// The number of seats is unknown, so other holds of this run, or what broke the contract, may have filled the slot.
		return Want{Accept: true, Refuse: !welcome || left.Wrong || s.isOccupied(slot)}
	case s.Holdless:
		return Want{Accept: true, Refuse: !welcome || left.Least < party.Guests}
	case left.Least+left.More < party.Guests-party.Infants:
		return Want{Refuse: true}
	default:
		return Want{Accept: true, Refuse: !welcome || left.Least < party.Guests}
	}
}

// isOccupied reports whether a hold or a booking takes seats of a slot.
func (s *State) isOccupied(slot int) bool {
	return slices.ContainsFunc(s.Holds, func(h Hold) bool {
		return h.Slot == slot && (h.Stage == Held || h.Stage == Booked || h.Stage == Expired || h.Stage == Unknown)
	})
}

// RecordReserve records the answer to the reserve with that number. Reserves are numbered consecutively.
func (s *State) RecordReserve(number, slot int, party Party, accepted bool) {
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

// WantConfirm returns which answers to a confirm are allowed. If the hold is already booked, an
// accepted confirm must return the same booking (CNF-4).
func (s *State) WantConfirm(number int) Want {
	h := s.Holds[number]
	switch h.Stage {
	case Held:
		left := s.Slots[h.Slot]
		return Want{Accept: true, Refuse: s.Holdless && (!left.Counted || left.Least < h.Party.Guests)}
	case Booked, Unknown:
		return Want{Accept: true, Refuse: true}
	default:
		return Want{Refuse: true}
	}
}

// RecordConfirm records the answer to a confirm, and the number of its booking.
func (s *State) RecordConfirm(number int, accepted bool, booking int) {
	h := &s.Holds[number]
	was := h.Stage
	if !accepted || was.After(Confirm) == was {
		return
	}
	h.Stage, h.Booking = Booked, booking
	if was == Held && s.Holdless {
		s.take(*h)
	}
}

// RecordUnknown records that it is unknown what became of a hold: its seats may be taken or free.
func (s *State) RecordUnknown(number int) {
	h, left := &s.Holds[number], &s.Slots[s.Holds[number].Slot]
	switch {
	case h.Stage == Unknown:
	case h.Stage == Held && !s.Holdless, h.Stage == Booked:
		left.More += h.Party.Guests - h.Party.Infants
	default:
		left.Least -= h.Party.Guests
		left.More += h.Party.Guests
	}
	h.Stage = Unknown
}

// RecordRelease records a release, which is always accepted (REL-4 to REL-6).
func (s *State) RecordRelease(number int) {
	h := &s.Holds[number]
	was := h.Stage
	h.Stage = was.After(Release)
	switch {
	case was == Held && !s.Holdless:
		s.giveBack(*h)
	case was == Expired:
		s.recordBack(h)
	}
}

// recordBack records that the seats of an expired hold are available again, by itself or by its release (REL-7).
func (s *State) recordBack(h *Hold) {
	if !h.Back {
		s.Slots[h.Slot].Least += h.Party.Guests
		s.Slots[h.Slot].More -= h.Party.Guests
	}
	h.Back = true
}

// RecordReading records how many seats a slot was seen to have left. If these are all that it may have, the seats of
// expired holds are back, and stay. If only the infants of one hold were uncertain, it is known now how many take a seat.
func (s *State) RecordReading(slot int, left int64) {
	of := &s.Slots[slot]
	if h := s.onlyWithInfants(slot); h != nil && h.Party.Infants == of.More {
		h.Party = Party{Guests: h.Party.Guests - (left - of.Least)}
		of.Least, of.More = left, 0
	}
	if left != of.Least+of.More {
		return
	}
	for i := range s.Holds {
		if h := &s.Holds[i]; h.Slot == slot && h.Stage == Expired {
			s.recordBack(h)
		}
	}
}

// onlyWithInfants returns the only hold or booking of a slot whose infants may take a seat or not; nil if there are several,
// or none, or if it is uncertain for another reason what takes seats of the slot.
func (s *State) onlyWithInfants(slot int) (only *Hold) {
	for i := range s.Holds {
		h := &s.Holds[i]
		switch {
		case h.Slot != slot:
		case h.Stage == Unknown, h.Stage == Expired && !h.Back:
			return nil
		case h.Party.Infants == 0, h.Stage != Booked && (h.Stage != Held || s.Holdless):
		case only != nil:
			return nil
		default:
			only = h
		}
	}
	return only
}

// Cancelled records a cancellation, which is always accepted (CAN-4, CAN-5).
func (s *State) Cancelled(number int) {
	if h := &s.Holds[number]; h.Stage == Booked {
		h.Stage = Cancelled
		s.giveBack(*h)
	}
}

// RecordExpiry records that every hold has expired. Its seats may be available again, or only after the
// release (REL-7).
func (s *State) RecordExpiry() {
	for i := range s.Holds {
		if h := &s.Holds[i]; h.Stage == Held {
			h.Stage = Expired
			s.Slots[h.Slot].More += h.Party.Guests - h.Party.Infants
		}
	}
}

// DecideHoldless decides by the seats left after a hold that need not keep any (RSV-8) whether it does. It decides
// nothing, and returns false, if the hold is no longer held.
func (s *State) DecideHoldless(number int, left int64) bool {
	h := s.Holds[number]
	if s.Holdless = h.Stage == Held && left >= s.Slots[h.Slot].Least; h.Stage == Held && !s.Holdless {
		s.take(h)
	}
	return h.Stage == Held
}

func (s *State) take(h Hold) {
	s.Slots[h.Slot].Least -= h.Party.Guests
	s.Slots[h.Slot].More += h.Party.Infants
}

func (s *State) giveBack(h Hold) {
	s.Slots[h.Slot].Least += h.Party.Guests
	s.Slots[h.Slot].More -= h.Party.Infants
}
