package storefront

import (
	"fmt"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// slotView is a slot as resellers read it.
type slotView struct {
	ID        string                `json:"availability_id"`
	Start     string                `json:"start"` // RFC 3339, in the product's zone
	End       string                `json:"end"`
	Status    partnerapi.SlotStatus `json:"status"`
	Bookable  bool                  `json:"bookable"`
	Vacancies *int                  `json:"vacancies"` // seats left; null where they are not known, or not counted
	Capacity  *int                  `json:"capacity"`
	Currency  marketplace.Currency  `json:"currency"`
	Pricing   Pricing               `json:"pricing"`
}

// day is a date of a calendar as resellers read it.
type day struct {
	Date      string                `json:"date"`       // YYYY-MM-DD, in the product's zone
	Status    partnerapi.SlotStatus `json:"status"`     // the best of its slots; noSlots where there is none
	FromPrice *marketplace.Number   `json:"from_price"` // the least that an adult, or the group, pays; null where nothing can be booked
	Currency  marketplace.Currency  `json:"currency"`
	Slots     int                   `json:"slots"`
	Vacancies *int                  `json:"vacancies"` // of what can be booked; null where seats are not known, or not counted
}

// noSlots is the status of a day without slots.
const noSlots partnerapi.SlotStatus = "NONE"

// best orders the statuses that are shown (AVL-9): the greater the better.
var best = map[partnerapi.SlotStatus]int{
	noSlots: 0, partnerapi.StatusSoldOut: 1, partnerapi.StatusLimited: 2, partnerapi.StatusFreesale: 3, partnerapi.StatusAvailable: 4,
}

// showSlots shows a variation's slots in their order, with their own prices; closed ones are
// hidden (AVL-9). The error is Invalid where a rate is missing.
func showSlots(a marketplace.Activity, v marketplace.Variation, slots []marketplace.Slot, terms marketplace.Terms, currency marketplace.Currency) ([]slotView, error) {
	pricer, err := newPricer(a, v, terms, currency)
	if err != nil {
		return nil, err
	}
	shown := []slotView{}
	for _, slot := range slots {
		if slot.Status == partnerapi.StatusClosed {
			continue
		}
		priced, err := pricer.price(slot)
		if err != nil {
			return nil, err
		}
		shown = append(shown, slotView{
			ID: slot.ID, Start: partnerapi.FormatDateTime(slot.Start.In(pricer.zone)), End: partnerapi.FormatDateTime(slot.End.In(pricer.zone)),
			Status: slot.Status, Bookable: slot.Status.Bookable(), Vacancies: pricer.vacancies(slot), Capacity: slot.Capacity,
			Currency: pricer.quote.currency, Pricing: priced,
		})
	}
	return shown, nil
}

// showCalendar shows a row for every date from one to the other, both inclusive, of a
// variation's slots. The error is Invalid where a rate is missing.
func showCalendar(a marketplace.Activity, v marketplace.Variation, slots []marketplace.Slot, from, to time.Time, terms marketplace.Terms, currency marketplace.Currency) ([]day, error) {
	pricer, err := newPricer(a, v, terms, currency)
	if err != nil {
		return nil, err
	}
	days := []day{}
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		days = append(days, day{Date: date.Format(time.DateOnly), Status: noSlots, Currency: pricer.quote.currency, Vacancies: new(int)})
	}
	for _, slot := range slots {
		at := int(slot.LocalDate.Sub(from) / (24 * time.Hour)) // dates are midnights in UTC, where every day is as long
		if at < 0 || at >= len(days) || slot.Status == partnerapi.StatusClosed {
			continue
		}
		if err := pricer.add(slot, &days[at]); err != nil {
			return nil, err
		}
	}
	return days, nil
}

// pricer prices the slots of one variation.
type pricer struct {
	activity  marketplace.Activity
	variation marketplace.Variation
	zone      *time.Location
	quote     *quote
	plain     Pricing // of slots without prices of their own
}

func newPricer(a marketplace.Activity, v marketplace.Variation, terms marketplace.Terms, currency marketplace.Currency) (*pricer, error) {
	zone, err := time.LoadLocation(a.Product.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("read the zone of activity %s: %w", a.ID, err)
	}
	if currency == "" {
		currency = a.Currency()
	}
	quote, err := quoteFor(a, terms, currency)
	if err != nil {
		return nil, err
	}
	plain, err := priceVariation(a, v, nil, quote)
	return &pricer{a, v, zone, quote, plain}, err
}

func (p *pricer) price(slot marketplace.Slot) (Pricing, error) {
	if len(slot.UnitPricing) == 0 {
		return p.plain, nil
	}
	return priceVariation(p.activity, p.variation, slot.UnitPricing, p.quote)
}

// vacancies are the seats left, where seats are counted (AVL-14).
func (p *pricer) vacancies(slot marketplace.Slot) *int {
	if p.activity.Product.AllowFreesale || slot.Status == partnerapi.StatusFreesale {
		return nil
	}
	return slot.Vacancies
}

// add counts a slot in its date.
func (p *pricer) add(slot marketplace.Slot, date *day) error {
	date.Slots++
	if best[slot.Status] > best[date.Status] {
		date.Status = slot.Status
	}
	if !slot.Status.Bookable() {
		return nil
	}
	if left := p.vacancies(slot); left == nil || date.Vacancies == nil {
		date.Vacancies = nil
	} else {
		*date.Vacancies += *left
	}
	priced, err := p.price(slot)
	if err != nil {
		return err
	}
	if price := p.leading(priced); price != nil && (date.FromPrice == nil || price.LessThan(date.FromPrice.Decimal)) {
		date.FromPrice = price
	}
	return nil
}

// leading is the price that a slot is known by: the group's, else that of the unit that
// slots are asked for, an adult's (PRD-15). Nil where nobody pays.
func (p *pricer) leading(priced Pricing) *marketplace.Number {
	if priced.GroupPrice != nil {
		return priced.GroupPrice
	}
	asked := marketplace.AskedUnit(p.variation.Option)
	for i, unit := range p.variation.Option.Units {
		if unit.ID == asked {
			return &priced.Units[i].Price
		}
	}
	return nil
}
