package platform

import (
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// SlotChange is what SetSlot changes; nil leaves a thing as it is.
type SlotChange struct {
	// Status opens or closes the slot. SOLD_OUT sells what is left elsewhere,
	// FREESALE takes the limit away; AVAILABLE and LIMITED want Vacancies
	// where the slot has not as many as the status says.
	Status *partnerapi.SlotStatus
	// Capacity is the new number of seats; what is sold stays sold.
	Capacity *int
	// Vacancies is how many seats are to be left: the others that are not held
	// or confirmed count as sold elsewhere.
	Vacancies *int
}

// SetSlot changes a slot from outside the contract, as a partner's own staff
// would. Its error is a *Refusal: UnknownID, or BadRequest where the slot would
// not be as asked.
func (p *Platform) SetSlot(productID, optionID, slotID string, change SlotChange) error {
	return p.adjust(productID, optionID, slotID, setting(change))
}

// setting is what SetSlot does to a slot.
func setting(change SlotChange) alteration {
	return func(key slotKey, s *slot, promised int) error {
		s.apply(key, change, promised)
		if change.Status == nil {
			return nil
		}
		when, _ := key.span()
		// The sale's end is not the change's business: judge as of before it.
		before := key.saleEnds(when).Add(-time.Second)
		if got := s.status(key, when, before); got != *change.Status {
			return refuse(BadRequest, "with these numbers the slot would be %s, not %s: name its vacancies", got, *change.Status)
		}
		return nil
	}
}

func (s *slot) apply(key slotKey, change SlotChange, promised int) {
	if change.Status != nil {
		s.become(key, *change.Status, promised)
	}
	if change.Capacity != nil {
		s.count(promised)
		s.vacancies += *change.Capacity - s.capacity
		s.capacity = *change.Capacity
	}
	if change.Vacancies != nil {
		s.count(promised)
		s.vacancies = *change.Vacancies
		s.capacity = max(s.capacity, s.vacancies+promised)
	}
	if s.counted {
		s.elsewhere = s.capacity - s.vacancies - promised
	}
}

func (s *slot) become(key slotKey, status partnerapi.SlotStatus, promised int) {
	s.closed = status == partnerapi.StatusClosed
	switch {
	case s.closed:
	case status == partnerapi.StatusFreesale, status == partnerapi.StatusAvailable && key.plain():
		s.counted = false
	case status == partnerapi.StatusSoldOut:
		s.count(promised)
		s.vacancies = 0
	default:
		s.count(promised)
	}
}

// count begins to count the seats of a slot that had no limit.
func (s *slot) count(promised int) {
	if s.counted {
		return
	}
	s.counted = true
	s.capacity = max(s.capacity, promised)
	s.vacancies = s.capacity - promised
}

// AdjustVacancies gives a slot so many vacancies more, or fewer for a negative
// number: they come back from other channels, or are sold there. Where more
// come back than were sold, the capacity grows. Its error is a *Refusal.
func (p *Platform) AdjustVacancies(productID, optionID, slotID string, delta int) error {
	return p.adjust(productID, optionID, slotID, func(key slotKey, s *slot, promised int) error {
		if !s.counted {
			return refuse(BadRequest, "slot %q has no limit: it has no vacancies to adjust", slotID)
		}
		s.apply(key, SlotChange{Vacancies: new(s.vacancies + delta)}, promised)
		return nil
	})
}

// alteration changes a slot of which so many seats are promised to callers.
type alteration func(key slotKey, s *slot, promised int) error

func (p *Platform) adjust(productID, optionID, slotID string, change alteration) error {
	p.enter()
	defer p.mu.Unlock()
	return p.alter(productID, optionID, slotID, change)
}

// alter is adjust where the platform is locked.
func (p *Platform) alter(productID, optionID, slotID string, change alteration) error {
	key, err := p.find(productID, optionID, slotID)
	if err != nil {
		return err
	}
	t := p.state.ledger.tally(key)
	was := p.slot(key)
	changed := was
	if err := change(key, &changed, t.held+t.confirmed); err != nil {
		return err
	}
	if changed.counted && (changed.vacancies < 0 || changed.elsewhere < 0) {
		return refuse(BadRequest, "slot %q would have %d vacancies and %d seats sold elsewhere", slotID, changed.vacancies, changed.elsewhere)
	}
	p.put(key, changed)
	p.leave(key)
	p.announceSlot(StaffChange, key, was, changed)
	return nil
}
