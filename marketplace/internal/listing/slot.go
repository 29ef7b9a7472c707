package listing

import (
	"fmt"
	"time"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/pricing"
	"partnerkit.dev/schemas/partnerapi"
)

// Slot is a slot as resellers read it.
type Slot struct {
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

// Day is a date of a calendar as resellers read it.
type Day struct {
	Date      string                `json:"date"`       // YYYY-MM-DD, in the product's zone
	Status    partnerapi.SlotStatus `json:"status"`     // the best of its slots; None where there is none
	FromPrice *marketplace.Number   `json:"from_price"` // the least that an adult, or the group, pays; null where nothing can be booked
	Currency  marketplace.Currency  `json:"currency"`
	Slots     int                   `json:"slots"`
	Vacancies *int                  `json:"vacancies"` // of what can be booked; null where seats are not known, or not counted
}

// None is the status of a day without slots.
const None partnerapi.SlotStatus = "NONE"

// best orders the statuses that are shown (AVL-9): the greater the better.
var best = map[partnerapi.SlotStatus]int{
	None: 0, partnerapi.StatusSoldOut: 1, partnerapi.StatusLimited: 2, partnerapi.StatusFreesale: 3, partnerapi.StatusAvailable: 4,
}

// Slots shows a variation's slots in their order, with their own prices; closed ones are
// hidden (AVL-9). The error is Invalid where a rate is missing.
func Slots(a marketplace.Activity, v marketplace.Variation, slots []marketplace.Slot, terms Terms, currency marketplace.Currency) ([]Slot, error) {
	desk, err := newDesk(a, v, terms, currency)
	if err != nil {
		return nil, err
	}
	shown := []Slot{}
	for _, slot := range slots {
		if slot.Status == partnerapi.StatusClosed {
			continue
		}
		priced, err := desk.price(slot)
		if err != nil {
			return nil, err
		}
		shown = append(shown, Slot{
			ID: slot.ID, Start: partnerapi.FormatDateTime(slot.Start.In(desk.zone)), End: partnerapi.FormatDateTime(slot.End.In(desk.zone)),
			Status: slot.Status, Bookable: slot.Status.Bookable(), Vacancies: desk.vacancies(slot), Capacity: slot.Capacity,
			Currency: desk.quote.Currency(), Pricing: priced,
		})
	}
	return shown, nil
}

// Calendar shows a row for every date from one to the other, both inclusive, of a
// variation's slots. The error is Invalid where a rate is missing.
func Calendar(a marketplace.Activity, v marketplace.Variation, slots []marketplace.Slot, from, to time.Time, terms Terms, currency marketplace.Currency) ([]Day, error) {
	desk, err := newDesk(a, v, terms, currency)
	if err != nil {
		return nil, err
	}
	days := []Day{}
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		days = append(days, Day{Date: date.Format(time.DateOnly), Status: None, Currency: desk.quote.Currency(), Vacancies: new(int)})
	}
	for _, slot := range slots {
		at := int(slot.LocalDate.Sub(from) / (24 * time.Hour)) // dates are midnights in UTC, where every day is as long
		if at < 0 || at >= len(days) || slot.Status == partnerapi.StatusClosed {
			continue
		}
		if err := desk.add(slot, &days[at]); err != nil {
			return nil, err
		}
	}
	return days, nil
}

// desk prices the slots of one variation.
type desk struct {
	activity  marketplace.Activity
	variation marketplace.Variation
	zone      *time.Location
	quote     *pricing.Quote
	plain     Pricing // of slots without prices of their own
}

func newDesk(a marketplace.Activity, v marketplace.Variation, terms Terms, currency marketplace.Currency) (*desk, error) {
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
	plain, err := Price(a, v, nil, quote)
	return &desk{a, v, zone, quote, plain}, err
}

func (d *desk) price(slot marketplace.Slot) (Pricing, error) {
	if len(slot.UnitPricing) == 0 {
		return d.plain, nil
	}
	return Price(d.activity, d.variation, slot.UnitPricing, d.quote)
}

// vacancies are the seats left, where seats are counted (AVL-14).
func (d *desk) vacancies(slot marketplace.Slot) *int {
	if d.activity.Product.AllowFreesale || slot.Status == partnerapi.StatusFreesale {
		return nil
	}
	return slot.Vacancies
}

// add counts a slot in its day.
func (d *desk) add(slot marketplace.Slot, day *Day) error {
	day.Slots++
	if best[slot.Status] > best[day.Status] {
		day.Status = slot.Status
	}
	if !slot.Status.Bookable() {
		return nil
	}
	if left := d.vacancies(slot); left == nil || day.Vacancies == nil {
		day.Vacancies = nil
	} else {
		*day.Vacancies += *left
	}
	priced, err := d.price(slot)
	if err != nil {
		return err
	}
	if price := d.leading(priced); price != nil && (day.FromPrice == nil || price.LessThan(day.FromPrice.Decimal)) {
		day.FromPrice = price
	}
	return nil
}

// leading is the price that a slot is known by: the group's, else that of the unit that
// slots are asked for, an adult's (PRD-15). Nil where nobody pays.
func (d *desk) leading(priced Pricing) *marketplace.Number {
	if priced.GroupPrice != nil {
		return priced.GroupPrice
	}
	asked := marketplace.AskedUnit(d.variation.Option)
	for i, unit := range d.variation.Option.Units {
		if unit.ID == asked {
			return &priced.Units[i].Price
		}
	}
	return nil
}
