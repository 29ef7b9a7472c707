package storefront

import (
	"fmt"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// slotView is a slot as resellers read it.
type slotView struct {
	ID        string                `json:"availability_id"`
	Start     string                `json:"start"` // RFC 3339, in the product's zone
	End       *string               `json:"end"`   // null if the partner has not sent it
	Status    partnerapi.SlotStatus `json:"status"`
	Bookable  bool                  `json:"bookable"`
	Vacancies *int                  `json:"vacancies"` // free seats; null if unknown or unlimited
	Capacity  *int                  `json:"capacity"`
	Currency  domain.Currency       `json:"currency"`
	Pricing   Pricing               `json:"pricing"`
}

// day is a date of a calendar.
type day struct {
	Date      string                `json:"date"`       // YYYY-MM-DD, in the product's zone
	Status    partnerapi.SlotStatus `json:"status"`     // the best status of its slots that have not started; noSlots if it has none
	FromPrice *domain.Number        `json:"from_price"` // the lowest price for an adult or for the group; null if nothing can be booked in the currency
	Currency  domain.Currency       `json:"currency"`
	Slots     int                   `json:"slots"`
	Vacancies *int                  `json:"vacancies"` // of the bookable slots; null if unknown or unlimited
}

// noSlots is the status of a day without slots.
const noSlots partnerapi.SlotStatus = "NONE"

// best orders the visible statuses (AVL-9), greater is better.
var best = map[partnerapi.SlotStatus]int{
	noSlots: 0, partnerapi.StatusSoldOut: 1, partnerapi.StatusLimited: 2, partnerapi.StatusFreesale: 3, partnerapi.StatusAvailable: 4,
}

// shows reports whether resellers see a slot: it is not closed (AVL-9) and has not ended. Without a
// known end, it is not shown after its start.
func shows(slot domain.Slot, now time.Time) bool {
	return slot.Status != partnerapi.StatusClosed && (slot.End.After(now) || slot.Start.After(now))
}

// showSlots returns a variation's visible slots at that time, in order, with their prices.
func showSlots(a domain.Activity, v domain.Variation, slots []domain.Slot, terms domain.Terms, currency domain.Currency, now time.Time) ([]slotView, error) {
	pricer, err := newPricer(a, v, terms, currency)
	if err != nil {
		return nil, err
	}
	shown := []slotView{}
	for _, slot := range slots {
		if !shows(slot, now) {
			continue
		}
		priced := pricer.price(slot)
		view := slotView{
			ID: slot.ID, Start: partnerapi.FormatDateTime(slot.Start.In(pricer.zone)),
			Status: slot.Status, Bookable: isBookable(slot, priced, now), Vacancies: pricer.vacancies(slot), Capacity: slot.Capacity,
			Currency: pricer.quote.currency, Pricing: priced,
		}
		if !slot.End.IsZero() {
			view.End = new(partnerapi.FormatDateTime(slot.End.In(pricer.zone)))
		}
		shown = append(shown, view)
	}
	return shown, nil
}

// isBookable reports whether a checkout would send the slot to the partner.
func isBookable(slot domain.Slot, priced Pricing, now time.Time) bool {
	return slot.Status.IsBookable() && slot.Start.After(now) && priced.isSellable()
}

// showCalendar returns a row for each date of a range, both ends inclusive, from a variation's
// slots that have not started.
func showCalendar(a domain.Activity, v domain.Variation, slots []domain.Slot, from, to time.Time, terms domain.Terms, currency domain.Currency, now time.Time) ([]day, error) {
	pricer, err := newPricer(a, v, terms, currency)
	if err != nil {
		return nil, err
	}
	days := []day{}
	for date := from; !date.After(to); date = date.AddDate(0, 0, 1) {
		days = append(days, day{Date: date.Format(time.DateOnly), Status: noSlots, Currency: pricer.quote.currency, Vacancies: new(int)})
	}
	for _, slot := range slots {
		at := int(slot.LocalDate.Sub(from) / (24 * time.Hour)) // dates are midnights in UTC, where all days have 24 hours
		if at < 0 || at >= len(days) || !shows(slot, now) || !slot.Start.After(now) {
			continue
		}
		pricer.add(slot, &days[at])
	}
	return days, nil
}

// pricer prices the slots of one variation.
type pricer struct {
	activity  domain.Activity
	variation domain.Variation
	zone      *time.Location
	quote     *quote
	plain     Pricing // of slots without own prices
}

func newPricer(a domain.Activity, v domain.Variation, terms domain.Terms, currency domain.Currency) (*pricer, error) {
	zone, err := time.LoadLocation(a.Product.TimeZone)
	if err != nil {
		return nil, fmt.Errorf("read the zone of activity %s: %w", a.ID, err)
	}
	if currency == "" {
		currency = a.Currency()
	}
	quote := quoteFor(a, terms, currency)
	return &pricer{a, v, zone, quote, priceVariation(a, v, nil, quote)}, nil
}

func (p *pricer) price(slot domain.Slot) Pricing {
	if len(slot.UnitPricing) == 0 {
		return p.plain
	}
	return priceVariation(p.activity, p.variation, slot.UnitPricing, p.quote)
}

// vacancies returns the free seats if seats are counted (AVL-14).
func (p *pricer) vacancies(slot domain.Slot) *int {
	if p.activity.Product.AllowFreesale || slot.Status == partnerapi.StatusFreesale {
		return nil
	}
	return slot.Vacancies
}

// add adds a slot to its date. A slot without a price in the currency has seats, but no price.
func (p *pricer) add(slot domain.Slot, date *day) {
	date.Slots++
	if best[slot.Status] > best[date.Status] {
		date.Status = slot.Status
	}
	if !slot.Status.IsBookable() {
		return
	}
	if left := p.vacancies(slot); left == nil || date.Vacancies == nil {
		date.Vacancies = nil
	} else {
		*date.Vacancies += *left
	}
	if price := p.leadingPrice(p.price(slot)); price != nil && (date.FromPrice == nil || price.LessThan(date.FromPrice.Decimal)) {
		date.FromPrice = price
	}
}

// leadingPrice returns a slot's representative price: the group's, otherwise that of the unit in
// availability requests, an adult's (PRD-15). It is nil if all guests are free, or a rate is
// missing.
func (p *pricer) leadingPrice(priced Pricing) *domain.Number {
	if priced.GroupPrice != nil {
		return priced.GroupPrice
	}
	price, _ := priced.UnitPrice(domain.AskedUnit(p.variation.Option)) // nil after an error
	return price
}
