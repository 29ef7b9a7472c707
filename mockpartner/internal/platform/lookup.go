package platform

import "partnerkit.dev/schemas/partnerapi"

// FindHold returns the hold of that code, and false where none is remembered.
func (p *Platform) FindHold(code string) (Hold, bool) {
	p.enter()
	defer p.mu.Unlock()
	hold, ok := p.state.holds.Get(code)
	if !ok {
		return Hold{}, false
	}
	return *hold, true
}

// FindBooking returns the booking of that id, and false where none is
// remembered.
func (p *Platform) FindBooking(id string) (Booking, bool) {
	p.enter()
	defer p.mu.Unlock()
	booking, ok := p.state.bookings.Get(id)
	if !ok {
		return Booking{}, false
	}
	return *booking, true
}

// SlotStatus returns how a slot is shown now (AVL-9), and false where the
// option has no such slot.
func (p *Platform) SlotStatus(productID, optionID, availabilityID string) (partnerapi.SlotStatus, bool) {
	now := p.enter()
	defer p.mu.Unlock()
	key, err := p.find(productID, optionID, availabilityID)
	if err != nil {
		return "", false
	}
	when, _ := key.span()
	return p.slot(key).status(key, when, now), true
}

// find finds a slot by its ids. Its error is a *Refusal: UnknownID.
func (p *Platform) find(productID, optionID, availabilityID string) (slotKey, error) {
	option, err := p.option(productID, optionID)
	if err != nil {
		return slotKey{}, err
	}
	key, ok := p.keyOf(option, availabilityID)
	if !ok {
		return slotKey{}, refuse(UnknownID, "option %q has no slot %q: ask for availability again", optionID, availabilityID)
	}
	return key, nil
}
