package storefront

import (
	"testing"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

func seats(n int) *int { return &n }

var date = time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)

func slotOf(id string, status partnerapi.SlotStatus, vacancies *int) domain.Slot {
	return domain.Slot{ID: id, LocalDate: date, Start: date.Add(9 * time.Hour), End: date.Add(10 * time.Hour), Status: status, Vacancies: vacancies}
}

func calendar(t *testing.T, a domain.Activity, slots ...domain.Slot) day {
	t.Helper()
	return calendarAt(t, date, a, slots...)
}

func calendarAt(t *testing.T, now time.Time, a domain.Activity, slots ...domain.Slot) day {
	t.Helper()
	days, err := showCalendar(a, a.Variations[0], slots, date, date, terms, "EUR", now)
	if err != nil || len(days) != 1 {
		t.Fatalf("want a day, got %v and %v", days, err)
	}
	return days[0]
}

func TestADayShowsTheBestOfItsSlots(t *testing.T) {
	t.Parallel()
	order := []partnerapi.SlotStatus{partnerapi.StatusAvailable, partnerapi.StatusFreesale, partnerapi.StatusLimited, partnerapi.StatusSoldOut}
	for i, status := range order {
		for _, worse := range append(order[i:], partnerapi.StatusClosed) {
			if got := calendar(t, walk(), slotOf("a", worse, seats(1)), slotOf("b", status, seats(1))).Status; got != status {
				t.Errorf("%s and %s: got %s", worse, status, got)
			}
		}
	}
}

func TestSeatsOfAFreesaleAreNotCounted(t *testing.T) {
	t.Parallel()
	free := walk()
	free.Product.AllowFreesale = true
	for name, got := range map[string]day{
		"a product":         calendar(t, free, slotOf("a", partnerapi.StatusAvailable, seats(5))),
		"a slot":            calendar(t, walk(), slotOf("a", partnerapi.StatusFreesale, seats(5)), slotOf("b", partnerapi.StatusLimited, seats(2))),
		"seats not stated":  calendar(t, walk(), slotOf("a", partnerapi.StatusAvailable, nil), slotOf("b", partnerapi.StatusLimited, seats(2))),
		"stated one by one": calendar(t, walk(), slotOf("b", partnerapi.StatusLimited, seats(2)), slotOf("a", partnerapi.StatusAvailable, nil)),
	} {
		if got.Vacancies != nil {
			t.Errorf("%s: want no number of seats, got %d", name, *got.Vacancies)
		}
	}
	if day := calendar(t, walk(), slotOf("a", partnerapi.StatusSoldOut, nil), slotOf("b", partnerapi.StatusLimited, seats(2))); *day.Vacancies != 2 {
		t.Errorf("want the seats of what can be booked, got %d", *day.Vacancies)
	}
}

func TestADaysPriceIsTheLeastThatAnAdultPays(t *testing.T) {
	t.Parallel()
	cheap := slotOf("a", partnerapi.StatusLimited, nil)
	cheap.UnitPricing = []partnerapi.UnitPricing{{UnitID: "unit-adult", Original: 1000, Currency: "EUR"}, {UnitID: "unit-child", Original: 1, Currency: "EUR"}}
	sold := slotOf("b", partnerapi.StatusSoldOut, nil)
	sold.UnitPricing = []partnerapi.UnitPricing{{UnitID: "unit-adult", Original: 1, Currency: "EUR"}}
	plain := slotOf("c", partnerapi.StatusAvailable, nil)
	group := walk()
	group.Variations[0].Details.GroupPrice = &domain.GroupPrice{Amount: amount("200"), Currency: "EUR"}
	childrenOnly := walk()
	childrenOnly.Variations[0].Option.Units = childrenOnly.Variations[0].Option.Units[1:]
	for name, c := range map[string]struct {
		day  day
		want string
	}{
		"the least":        {calendar(t, walk(), plain, cheap, sold), "11.5"}, // 10.00 and 1.50
		"the option's":     {calendar(t, walk(), plain, sold), "24"},
		"the group's":      {calendar(t, group, plain, cheap), "201.5"},
		"the first unit's": {calendar(t, childrenOnly, plain), "12.5"},
	} {
		if c.day.FromPrice == nil || !c.day.FromPrice.Equal(amount(c.want)) {
			t.Errorf("%s: want %s, got %v", name, c.want, c.day.FromPrice)
		}
	}
	if day := calendar(t, walk(), sold); day.FromPrice != nil {
		t.Errorf("want no price where nothing can be booked, got %s", day.FromPrice)
	}
}

// A slot that has started cannot be booked, and a slot that has ended is not listed.
func TestASlotCanBeBookedUntilItStartsAndIsShownUntilItEnds(t *testing.T) {
	t.Parallel()
	a, slot := walk(), slotOf("a", partnerapi.StatusAvailable, seats(5))
	start, end := slot.Start, slot.End
	for name, c := range map[string]struct {
		end, now        time.Time
		shown, bookable bool
		status          partnerapi.SlotStatus
	}{
		"before":                          {end, start.Add(-1), true, true, partnerapi.StatusAvailable},
		"at the start":                    {end, start, true, false, noSlots},
		"before its end":                  {end, end.Add(-1), true, false, noSlots},
		"at its end":                      {end, end, false, false, noSlots},
		"without an end before its start": {time.Time{}, start.Add(-1), true, true, partnerapi.StatusAvailable},
		"without an end at its start":     {time.Time{}, start, false, false, noSlots},
	} {
		slot.End = c.end
		views, err := showSlots(a, a.Variations[0], []domain.Slot{slot}, terms, "EUR", c.now)
		must(t, err)
		if len(views) == 1 != c.shown || c.shown && views[0].Bookable != c.bookable {
			t.Errorf("%s: want shown %t and bookable %t, got %+v", name, c.shown, c.bookable, views)
		}
		day := calendarAt(t, c.now, a, slot)
		if day.Status != c.status || (day.Slots == 1) != c.bookable || (day.FromPrice != nil) != c.bookable || (*day.Vacancies == 5) != c.bookable {
			t.Errorf("%s: want %s, got %+v", name, c.status, day)
		}
	}
}

func TestASlotOfAGroupPricedVariationHasNoUnitPrices(t *testing.T) {
	t.Parallel()
	a, slot := walk(), slotOf("a", partnerapi.StatusAvailable, seats(5))
	a.Variations[0].Details.GroupPrice = &domain.GroupPrice{Amount: amount("200"), Currency: "EUR"}
	slot.UnitPricing = []partnerapi.UnitPricing{{UnitID: "unit-adult", Original: 1000, Currency: "EUR"}}
	views, err := showSlots(a, a.Variations[0], []domain.Slot{slot}, terms, "EUR", date)
	must(t, err)
	if priced := views[0].Pricing; priced.GroupPrice == nil || !priced.GroupPrice.Equal(amount("201.5")) || len(priced.Units) != 0 || !views[0].Bookable {
		t.Errorf("want 201.5 for the group and no units, got %+v", views[0])
	}
}

func TestASlotWithoutARateIsShownAndCannotBeBooked(t *testing.T) {
	t.Parallel()
	a, slot := walk(), slotOf("a", partnerapi.StatusAvailable, seats(5))
	slot.UnitPricing = []partnerapi.UnitPricing{{UnitID: "unit-adult", Original: 1000, Currency: "CHF"}, {UnitID: "unit-child", Original: 1000, Currency: "CHF"}}
	views, err := showSlots(a, a.Variations[0], []domain.Slot{slot, slotOf("b", partnerapi.StatusLimited, seats(1))}, terms, "EUR", date)
	must(t, err)
	if views[0].Bookable || len(views[0].Pricing.Units) != 0 || !views[1].Bookable || len(views[1].Pricing.Units) != 2 {
		t.Errorf("want the first without a price, and the second as ever, got %+v", views)
	}
	if day := calendar(t, a, slot); day.Status != partnerapi.StatusAvailable || day.FromPrice != nil || day.Slots != 1 || *day.Vacancies != 5 {
		t.Errorf("want a day with seats and without a price, got %+v", day)
	}
}

// When clocks go back, 02:30 occurs twice; when they go forward, it does not occur.
func TestSlotsOnTheDaysWhenClocksAreChangedKeepTheirOwnOffsets(t *testing.T) {
	t.Parallel()
	a := walk()
	a.Product.TimeZone = "Europe/Berlin"
	for on, starts := range map[string][]string{
		"2026-10-25": {"2026-10-25T01:30:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", "2026-10-25T23:30:00+01:00"},
		"2026-03-29": {"2026-03-29T00:00:00+01:00", "2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00", "2026-03-29T23:30:00+02:00"},
	} {
		date, err := time.Parse(time.DateOnly, on)
		must(t, err)
		zone, err := time.LoadLocation(a.Product.TimeZone)
		must(t, err)
		var slots []domain.Slot
		for _, text := range starts {
			start, err := partnerapi.ParseDateTime(text)
			must(t, err)
			slot := slotOf(text, partnerapi.StatusAvailable, seats(1))
			slot.Start, slot.End, slot.LocalDate = start.UTC(), start.UTC().Add(time.Hour), domain.DateIn(start, zone)
			slots = append(slots, slot)
		}
		views, err := showSlots(a, a.Variations[0], slots, terms, "EUR", date.AddDate(0, 0, -1))
		must(t, err)
		for i, view := range views {
			if view.Start != starts[i] || !view.Bookable {
				t.Errorf("want %s, got %+v", starts[i], view)
			}
		}
		days, err := showCalendar(a, a.Variations[0], slots, date.AddDate(0, 0, -1), date.AddDate(0, 0, 1), terms, "EUR", date.AddDate(0, 0, -1))
		must(t, err)
		if days[1].Slots != 4 || *days[1].Vacancies != 4 || days[0].Slots+days[2].Slots != 0 {
			t.Errorf("want all four on %s, got %+v", on, days)
		}
	}
}
