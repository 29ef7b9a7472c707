package mockpartner_test

import (
	"fmt"
	"strings"
	"testing"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// sharing is a slot whose seats are held, and the vacancies that callers then see, by slot as in
// "harbour/deck 10 10:00".
type sharing struct {
	hold   string
	adults int
	want   map[string]int
}

func TestEachKindOfSharedSeatsMovesTheVacanciesOfOtherSlots(t *testing.T) {
	t.Parallel()
	for variant, c := range map[string]sharing{
		"one-boat-for-two-options": {"harbour/deck 10 10:00", 3, map[string]int{
			"harbour/deck 10 10:00": 9, "harbour/lunch 10 10:00": 9, "harbour/lunch 10 15:00": 12, "harbour/lunch 11 10:00": 12,
		}},
		"one-guide-for-two-products": {"castle/walls 10 14:00", 15, map[string]int{
			"castle/walls 10 14:00": 0, "cathedral/inside 10 14:00": 0, "cathedral/inside 10 10:00": 15,
		}},
		"quota-for-the-day": {"caves/short 10 09:00", 15, map[string]int{
			"caves/short 10 09:00": 5, "caves/short 10 15:00": 15, "caves/long 10 14:00": 15, "caves/long 11 14:00": 30,
		}},
		"one-pool-for-the-season": {"island/permit 10 08:00", 20, map[string]int{
			"island/permit 10 08:00": 100, "island/permit 11 08:00": 100,
		}},
		"a-fleet": {"desert/dunes 10 08:00", 1, map[string]int{
			"desert/dunes 10 08:00": 23, "desert/oasis 10 10:00": 16, "desert/dunes 10 13:00": 24, "desert/oasis 11 10:00": 24,
		}},
	} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			m := start(t, func(o *mockpartner.Options) { o.Variants = []string{variant} })
			free := map[string]int{}
			for slot := range c.want {
				free[slot] = *m.sharedSlot(slot).Vacancies
			}
			hold := m.reserveShared(c)
			m.requireSeats(c.want)
			m.release(hold)
			m.requireSeats(free)
			booking := read[partnerapi.ConfirmAnswer](m.confirm(m.reserveShared(c)))
			m.requireSeats(c.want)
			m.cancel(booking.ExternalBookingID)
			m.requireSeats(free)
			m.reserveShared(c)
			m.call("POST", "/_mock/clock", `{"advance":"1h"}`)
			m.requireSeats(free)
		})
	}
}

func (c caller) reserveShared(s sharing) (code string) {
	c.t.Helper()
	name, _, _ := strings.Cut(s.hold, " ")
	product, option, _ := strings.Cut(name, "/")
	body := fmt.Sprintf(`{"productId":%q,"optionId":%q,"availabilityId":%q,"units":[{"id":"unit-adult","quantity":%d}]}`, product, option, c.sharedSlot(s.hold).ID, s.adults)
	return read[partnerapi.ReserveAnswer](c.call("POST", partnerapi.ReservePath, body).is(200, schemas.ReserveAnswer)).ReservationConfirmationCode
}

func (c caller) sharedSlot(named string) partnerapi.Slot {
	c.t.Helper()
	words := strings.Fields(named)
	product, option, _ := strings.Cut(words[0], "/")
	body := fmt.Sprintf(`{"productId":%q,"optionId":%q,"localDateStart":"2026-07-%s","localDateEnd":"2026-07-%s","units":[{"id":"unit-adult","quantity":1}]}`, product, option, words[1], words[1])
	for _, slot := range read[[]partnerapi.Slot](c.call("POST", partnerapi.AvailabilityPath, body).is(200, schemas.AvailabilityAnswer)) {
		if strings.Contains(slot.LocalDateTimeStart, "T"+words[2]) {
			return slot
		}
	}
	c.t.Fatalf("want a slot %s, got none", named)
	return partnerapi.Slot{}
}

// requireSeats expects the vacancies of slots, and SOLD_OUT where there are none.
func (c caller) requireSeats(want map[string]int) {
	c.t.Helper()
	c.requireBalanced()
	for name, seats := range want {
		slot := c.sharedSlot(name)
		if *slot.Vacancies != seats || (slot.Status == partnerapi.StatusSoldOut) != (seats == 0) {
			c.t.Errorf("%s: want %d vacancies, got %d and %s", name, seats, *slot.Vacancies, slot.Status)
		}
	}
}
