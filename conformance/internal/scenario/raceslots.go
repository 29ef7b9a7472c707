package scenario

import (
	"time"

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

// otherOption returns the other option that a round uses, or "" for the usual slot, and how often such rounds have used
// all of them before. After an unexpected result, all further rounds use the option where it occurred.
func (s *raceSlots) otherOption(v *Survey, round int, want discover.Want) (key string, pass int) {
	if s.seats.suspect != nil {
		return s.seats.suspect.OptionKey(), 0
	}
	if round%roamEvery != roamEvery-1 {
		return "", 0
	}
	var keys []string
	for _, slots := range discover.ByOption(discover.Pick(v.Offers, want)) {
		keys = append(keys, slots[0].OptionKey())
	}
	if keys = plan.Spread(keys, mostRoamed); len(keys) == 0 {
		return "", 0
	}
	at := round / roamEvery
	return keys[at%len(keys)], at / len(keys)
}

// lastStarts returns the slots of an option that are the last of several of their day, by Key. They may be sold in another
// way than the first.
func lastStarts(offers []discover.Offer, option string) map[string]bool {
	last, several := map[string]discover.Offer{}, map[string]bool{}
	for _, offer := range offers {
		if offer.OptionKey() != option {
			continue
		}
		day := offer.Slot.Start.Format(time.DateOnly)
		if other, known := last[day]; known {
			if several[day] = true; other.Slot.Start.After(offer.Slot.Start) {
				continue
			}
		}
		last[day] = offer
	}
	keys := map[string]bool{}
	for day := range several {
		keys[last[day].Key()] = true
	}
	return keys
}

// isSmallSlot reports whether a slot can be sold down with one or two holds.
func isSmallSlot(o discover.Offer) bool {
	return o.Slot.Vacancies != nil && *o.Slot.Vacancies <= mostSeatsLeft
}
