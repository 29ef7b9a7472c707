package supplier

import (
	"encoding/json"
	"time"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// availability answers POST /availability.
func availability(c call) (any, error) {
	asked, err := read[octo.AvailabilityRequest](c)
	if err != nil {
		return nil, err
	}
	option, slots, err := c.slots(asked)
	if err != nil {
		return nil, err
	}
	shown := make([]octo.Availability, 0, len(slots))
	for _, slot := range slots {
		one, err := c.showSlot(option, slot)
		if err != nil {
			return nil, err
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// slots returns the option's slots in the window.
func (c call) slots(asked octo.AvailabilityRequest) (*catalog.IndexedOption, []partnerapi.Slot, error) {
	option, err := c.option(asked.ProductID, asked.OptionID)
	if err != nil {
		return nil, nil, err
	}
	units, err := soldUnits(option, asked.Units)
	if err != nil {
		return nil, nil, err
	}
	window, err := c.business().Availability(partnerapi.AvailabilityRequest{
		ProductID: asked.ProductID, OptionID: asked.OptionID, LocalDateStart: asked.LocalDateStart, LocalDateEnd: asked.LocalDateEnd, Units: units,
	})
	return option, window.Slots, err
}

// showSlot returns a slot in OCTO's form: one that is open during a window is a day with opening hours.
func (c call) showSlot(option *catalog.IndexedOption, s partnerapi.Slot) (octo.Availability, error) {
	start, err := partnerapi.ParseDateTime(s.LocalDateTimeStart)
	if err != nil {
		return octo.Availability{}, err
	}
	end, err := partnerapi.ParseDateTime(s.LocalDateTimeEnd)
	if err != nil {
		return octo.Availability{}, err
	}
	shown := octo.Availability{
		ID:                 s.ID,
		LocalDateTimeStart: s.LocalDateTimeStart,
		LocalDateTimeEnd:   s.LocalDateTimeEnd,
		Available:          s.Status.IsBookable(),
		Status:             string(s.Status),
		Vacancies:          s.Vacancies,
		Capacity:           s.Capacity,
		UTCCutoffAt:        utc(start.Add(-option.Schedule.CutOff)),
		OpeningHours:       []octo.Hours{},
	}
	if option.AvailabilityType == partnerapi.OpeningHours {
		from, to := start.In(option.Product.Location), end.In(option.Product.Location)
		day := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, option.Product.Location)
		shown.AllDay = true
		shown.LocalDateTimeStart, shown.LocalDateTimeEnd = partnerapi.FormatDateTime(day), partnerapi.FormatDateTime(day.AddDate(0, 0, 1))
		shown.OpeningHours = []octo.Hours{{From: from.Format("15:04"), To: to.Format("15:04")}}
		shown.UTCCutoffAt = utc(end.Add(-option.Schedule.CutOff))
	}
	if c.isPriced() {
		shown.UnitPricing = pricesOf(option, s)
	}
	return shown, nil
}

// pricesOf returns the slot's own prices, or else those of its option.
func pricesOf(option *catalog.IndexedOption, s partnerapi.Slot) []octo.Price {
	own := s.UnitPricing
	if len(own) == 0 {
		own = option.Prices
	}
	shown := make([]octo.Price, 0, len(own))
	for _, price := range own {
		shown = append(shown, octo.Price{
			UnitID: unitID(price.UnitID), Original: number(price.Original), Retail: new(number(price.Original)), Currency: price.Currency,
			CurrencyPrecision: decimals(price.CurrencyPrecision), IncludedTaxes: []json.RawMessage{},
		})
	}
	return shown
}

// day is one date of POST /availability/calendar.
type day struct {
	LocalDate    string       `json:"localDate"`
	Available    bool         `json:"available"`
	Status       string       `json:"status"`
	Vacancies    *int         `json:"vacancies"`
	Capacity     *int         `json:"capacity"`
	OpeningHours []octo.Hours `json:"openingHours"`
}

// calendar answers POST /availability/calendar: for each date with slots the one that is best to book.
func calendar(c call) (any, error) {
	asked, err := read[octo.AvailabilityRequest](c)
	if err != nil {
		return nil, err
	}
	option, slots, err := c.slots(asked)
	if err != nil {
		return nil, err
	}
	days := []day{}
	for _, slot := range slots {
		shown, err := c.showSlot(option, slot)
		if err != nil {
			return nil, err
		}
		of := day{shown.LocalDateTimeStart[:len(time.DateOnly)], shown.Available, shown.Status, shown.Vacancies, shown.Capacity, shown.OpeningHours}
		switch last := len(days) - 1; {
		case last < 0 || days[last].LocalDate != of.LocalDate:
			days = append(days, of)
		case of.Available && !days[last].Available:
			days[last] = of
		}
	}
	return days, nil
}

func utc(t time.Time) string { return t.UTC().Format(time.RFC3339) }
