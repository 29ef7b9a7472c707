package platform

import (
	"cmp"
	"slices"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Inside is what a platform has in it at one moment.
type Inside struct {
	Now      time.Time
	Holds    []Hold      // oldest first
	Bookings []Booking   // oldest first
	Slots    []SlotState // by start
}

// Inside returns what the platform has in it.
func (p *Platform) Inside() Inside {
	now := p.enter()
	defer p.mu.Unlock()
	return Inside{Now: now, Holds: p.listHolds(), Bookings: p.listBookings(), Slots: p.listSlots(now)}
}

// SlotState is the inside of a slot.
type SlotState struct {
	ProductID      string                `json:"productId"`
	OptionID       string                `json:"optionId"`
	AvailabilityID string                `json:"availabilityId"`
	Start          time.Time             `json:"localDateTimeStart"`
	End            time.Time             `json:"localDateTimeEnd"`
	Status         partnerapi.SlotStatus `json:"status"`
	Counted        bool                  `json:"counted"` // false: no limit
	Capacity       int                   `json:"capacity"`
	Vacancies      int                   `json:"vacancies"`
	Elsewhere      int                   `json:"elsewhere"` // sold through other channels
	Held           int                   `json:"held"`
	Confirmed      int                   `json:"confirmed"`
}

// Slots returns the slots that are in use or were changed, by start. All others
// are as the catalog and the seed make them.
func (p *Platform) Slots() []SlotState { return p.Inside().Slots }

func (p *Platform) inside(key slotKey, now time.Time) SlotState {
	when, _ := key.span()
	s, t := p.slot(key), p.state.ledger.tally(key)
	return SlotState{
		ProductID:      key.option.Product.ID,
		OptionID:       key.option.ID,
		AvailabilityID: key.id(),
		Start:          when.start,
		End:            when.end,
		Status:         s.status(key, when, now),
		Counted:        s.counted,
		Capacity:       s.capacity,
		Vacancies:      s.vacancies,
		Elsewhere:      s.elsewhere,
		Held:           t.held,
		Confirmed:      t.confirmed,
	}
}

func (p *Platform) listSlots(now time.Time) []SlotState {
	slots := make([]SlotState, 0, p.state.slots.len())
	for key := range p.state.slots.all() {
		slots = append(slots, p.inside(key, now))
	}
	slices.SortFunc(slots, func(a, b SlotState) int {
		if !a.Start.Equal(b.Start) {
			return a.Start.Compare(b.Start)
		}
		return cmp.Or(cmp.Compare(a.AvailabilityID, b.AvailabilityID), cmp.Compare(a.ProductID, b.ProductID))
	})
	return slots
}
