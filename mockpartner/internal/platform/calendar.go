package platform

import "time"

// MaxCalendarDays is how many days a calendar shows at most.
const MaxCalendarDays = 60

// Calendar returns the inside of every slot that the option has on the days from
// the date on, by start. A zero date is today in the product's zone. Its error is
// a *Refusal: UnknownID, or BadRequest for days that a calendar cannot show.
func (p *Platform) Calendar(productID, optionID string, from time.Time, days int) ([]SlotState, error) {
	option, err := p.option(productID, optionID)
	if err != nil {
		return nil, err
	}
	if days < 1 || days > MaxCalendarDays {
		return nil, refuse(BadRequest, "days: want a number from 1 to %d, got %d", MaxCalendarDays, days)
	}
	now := p.enter()
	defer p.mu.Unlock()
	if from.IsZero() {
		from = now.In(option.Product.Location)
	}
	year, month, day := from.Date()
	first := dayNumber(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
	slots := []SlotState{}
	for number := first; number < first+int64(days); number++ {
		for _, minute := range option.Starts {
			key := slotKey{option: option, day: number, minute: minute}
			if _, ok := key.span(); ok {
				slots = append(slots, p.inside(key, now))
			}
		}
	}
	return slots, nil
}

// Slot returns the inside of the slot of that id. Its error is a *Refusal:
// UnknownID.
func (p *Platform) Slot(productID, optionID, availabilityID string) (SlotState, error) {
	option, err := p.option(productID, optionID)
	if err != nil {
		return SlotState{}, err
	}
	key, ok := p.keyOf(option, availabilityID)
	if !ok {
		return SlotState{}, refuse(UnknownID, "option %q has no slot %q", optionID, availabilityID)
	}
	now := p.enter()
	defer p.mu.Unlock()
	return p.inside(key, now), nil
}
