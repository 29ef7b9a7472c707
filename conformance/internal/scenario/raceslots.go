package scenario

import (
	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
)

const (
	// roamEvery is the interval of the rounds on another option's slot.
	roamEvery = 5
	// mostRoamed is the maximum number of other options that the rounds use.
	mostRoamed = 12
	// mostSeatsLeft is the maximum number of seats that a slot on another option may have for a race.
	mostSeatsLeft = 12
)

// raceSlots keeps the slots on which races are repeated, by race name.
type raceSlots struct {
	seats *Seats
	known map[string]discover.Offer
}

// siteOf returns the slot of a race. After an unexpected result a new slot must be chosen.
func (s *raceSlots) siteOf(name string) (discover.Offer, bool) {
	known, ok := s.known[name]
	return known, ok && !s.seats.again
}

// choose returns the slot of the race of that name; if it has none yet, find chooses one.
func (s *raceSlots) choose(name string, find func() (discover.Offer, *partner.Stop)) (discover.Offer, *partner.Stop) {
	if known, ok := s.siteOf(name); ok {
		return known, nil
	}
	offer, stop := find()
	if stop == nil {
		s.known[name] = offer
	}
	return offer, stop
}

// suspect returns the slot with an unexpected result: every second round is played there, since the
// breach may depend on the slot, and the others on other slots of its option.
func (s *raceSlots) suspect(round int) (discover.Offer, bool) {
	if s.seats.suspect == nil || round%2 > 0 {
		return discover.Offer{}, false
	}
	return *s.seats.suspect, true
}

// otherOption returns the other option that a round uses, or "" for the usual slot. After an
// unexpected result, all further rounds use the option where it occurred.
func (s *raceSlots) otherOption(v *Survey, round int, want discover.Want) string {
	if s.seats.suspect != nil {
		return s.seats.suspect.OptionKey()
	}
	if round%roamEvery != roamEvery-1 {
		return ""
	}
	var keys []string
	for _, slots := range discover.ByOption(discover.Pick(v.Offers, want)) {
		keys = append(keys, slots[0].OptionKey())
	}
	if keys = plan.Spread(keys, mostRoamed); len(keys) == 0 {
		return ""
	}
	return keys[round/roamEvery%len(keys)]
}

// isSmallSlot reports whether a slot can be sold down with one or two holds.
func isSmallSlot(o discover.Offer) bool {
	return o.Slot.Vacancies != nil && *o.Slot.Vacancies <= mostSeatsLeft
}
