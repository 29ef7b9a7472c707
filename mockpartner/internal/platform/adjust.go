package platform

import (
	"fmt"
	"time"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// SetSlot changes a slot from outside the contract, as a partner's own staff would. Its error is a
// *Refusal: UnknownID, or BadRequest if the slot would not have the requested status or would have
// a negative number of seats.
func (p *Platform) SetSlot(productID, optionID, slotID string, change client.SlotChange) error {
	p.life.enter()
	defer p.life.mu.Unlock()
	return p.stock.alter(productID, optionID, slotID, p.stock.setting(change))
}

func (inv *inventory) setting(change client.SlotChange) alteration {
	return func(key slotKey, s *slot, promised int) error {
		s.apply(key, change, promised)
		if change.Status == nil {
			return nil
		}
		when, _ := key.span()
		// The end of the sale must not affect the result, so the status is computed as of before
		// it.
		before := key.saleEnds(when).Add(-time.Second)
		if got := inv.limited(key, *s).status(key, when, before); got != *change.Status {
			return refuse(BadRequest, "with these numbers the slot would be %s, not %s: name its vacancies", got, *change.Status)
		}
		return nil
	}
}

func (s *slot) apply(key slotKey, change client.SlotChange, promised int) {
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
	case status == partnerapi.StatusFreesale, status == partnerapi.StatusAvailable && key.isPlain():
		s.counted = false
	case status == partnerapi.StatusSoldOut:
		s.count(promised)
		s.vacancies = 0
	default:
		s.count(promised)
	}
}

// count starts counting the seats of a slot that had no limit.
func (s *slot) count(promised int) {
	if s.counted {
		return
	}
	s.counted = true
	s.capacity = max(s.capacity, promised)
	s.vacancies = s.capacity - promised
}

// alteration changes a slot that has this many seats promised to callers.
type alteration func(key slotKey, s *slot, promised int) error

func (inv *inventory) alter(productID, optionID, slotID string, change alteration) error {
	key, err := inv.find(productID, optionID, slotID)
	if err != nil {
		return err
	}
	t := inv.state.ledger.tally(key)
	changed := inv.slot(key)
	if err := change(key, &changed, t.held+t.confirmed); err != nil {
		return err
	}
	if changed.counted && (changed.vacancies < 0 || changed.elsewhere < 0) {
		return refuse(BadRequest, "slot %q would have %d vacancies and %d seats sold elsewhere", slotID, changed.vacancies, changed.elsewhere)
	}
	inv.change(client.StaffChange, key, changed)
	inv.leave(key)
	return nil
}

func (inv *inventory) settlePlanned(now time.Time) {
	for len(inv.state.planned) > 0 && !inv.state.planned[0].At.After(now) {
		due := inv.state.planned[0]
		inv.state.planned = inv.state.planned[1:]
		if err := inv.alter(due.ProductID, due.OptionID, due.AvailabilityID, inv.setting(due.Change)); err != nil {
			inv.announce(Change{
				Cause:     client.StaffChange,
				ProductID: due.ProductID,
				OptionID:  due.OptionID,
				Problem:   fmt.Errorf("the slot %q could not be changed as planned: %w", due.AvailabilityID, err),
			})
		}
	}
}
