package booking_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/mockpartner"
	sold "partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/schemas/partnerapi"
)

// shownSlot is the slot that the tests book, as resellers read it.
func (b *bench) shownSlot(t *testing.T) domain.Slot {
	t.Helper()
	from := domain.DateIn(b.now(), time.UTC)
	slots, err := b.store.Storefront.Slots(t.Context(), []uuid.UUID{b.order.Variation}, from, from.AddDate(0, 0, 200))
	check(t, err)
	for _, slot := range slots {
		if slot.ID == b.order.Slot {
			return slot
		}
	}
	t.Fatal("the slot is not stored")
	return domain.Slot{}
}

// requireSeatsLeft fails unless the slot is shown with that many seats.
func (b *bench) requireSeatsLeft(t *testing.T, when string, want int) {
	t.Helper()
	if got := b.shownSlot(t); *got.Vacancies != want || (want > 0) != got.Status.IsBookable() {
		t.Errorf("%s: want %d seats left, got %d, %s", when, want, *got.Vacancies, got.Status)
	}
}

func TestTheSeatsOfABookingAreSubtractedAndGivenBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := *b.shownSlot(t).Vacancies
	first := b.checkout(t)
	b.requireSeatsLeft(t, "held", before-2)
	second := b.checkout(t)
	b.requireSeatsLeft(t, "held twice", before-4)
	_, err := b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, second.ID)
	check(t, err)
	b.requireSeatsLeft(t, "not released yet", before-4)
	b.work(t)
	b.requireSeatsLeft(t, "released", before-2)
	b.pays(t, first.ID, "p-1")
	b.requireSeatsLeft(t, "confirmed", before-2)
	_, err = b.Cancel(t.Context(), domain.Scope{Account: b.reseller}, first.ID, "")
	check(t, err)
	b.work(t)
	b.requireSeatsLeft(t, "cancelled", before)
	b.requireKept(t)
}

func TestTheLastSeatsAreSoldOutUntilTheyAreGivenBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	all := *b.shownSlot(t).Vacancies
	held := b.checkout(t, func(o *booking.Order) { o.Guests[0].Quantity = all })
	b.requireSeatsLeft(t, "held", 0)
	_, err := b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, held.ID)
	check(t, err)
	b.work(t)
	b.requireSeatsLeft(t, "released", all)
}

func TestAPartnerWithoutHoldsLosesSeatsByConfirm(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *mockpartner.Options) {
		c := *sold.Default()
		c.Policy.NoHolds = true
		o.Catalog = &c
	})
	before := *b.shownSlot(t).Vacancies
	held := b.checkout(t)
	b.requireSeatsLeft(t, "held", before)
	b.pays(t, held.ID, "p-1")
	b.requireSeatsLeft(t, "confirmed", before-2)
}

// A pull that was sent before a hold does not include it.
func TestAnOlderAnswerDoesNotGiveHeldSeatsBackAndANewerOneDoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.shownSlot(t)
	b.ahead.Add(int64(time.Minute))
	b.checkout(t)
	pulled := func(sent time.Time) {
		t.Helper()
		_, err := b.store.Catalog.StoreSlots(t.Context(), catalog.SlotPull{
			VariationID: b.order.Variation, SentAt: sent, PulledSlots: &catalog.PulledSlots{
				Answer: &catalog.SlotAnswer{Slots: []domain.Slot{before}}, Read: []catalog.Window{{Zone: time.UTC, From: before.LocalDate, To: before.LocalDate}}, Skipped: []time.Time{},
			},
		})
		check(t, err)
	}
	pulled(b.now().Add(-time.Second))
	b.requireSeatsLeft(t, "an older answer", *before.Vacancies-2)
	pulled(b.now().Add(time.Second))
	b.requireSeatsLeft(t, "a newer one", *before.Vacancies)
}

// An answer that the partner gave after the hold expired may already count its seats.
func TestSeatsOfAnExpiredHoldAreNotGivenBackTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.shownSlot(t)
	b.checkout(t)
	b.pass(t, time.Hour)
	check(t, b.store.Bookings.KeepFresh(t.Context(), booking.Fresh{At: b.now(), Variation: b.order.Variation, Asked: before.ID, Slot: &before}))
	check(t, b.Sweep(t.Context()))
	b.work(t)
	b.requireSeatsLeft(t, "expired", *before.Vacancies)
}

func TestTheAvailabilityReadAtCheckoutIsStored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jq     string // of the slot
		status partnerapi.SlotStatus
		seats  int
		held   bool
	}{
		"another number of seats": {`.vacancies = 3`, partnerapi.StatusAvailable, 1, true},
		"sold out":                {`.status = "SOLD_OUT" | .vacancies = 0`, partnerapi.StatusSoldOut, 0, false},
		"gone":                    {`empty`, partnerapi.StatusClosed, -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.arm(t, fmt.Sprintf(`{match: {endpoint: availability}, jq: 'map(if .id == %q then (%s) else . end)'}`, b.order.Slot, c.jq))
			if _, err := b.hold(t.Context(), b.wants()); (err == nil) != c.held {
				t.Fatalf("want held %t, got %v", c.held, err)
			}
			if got := b.shownSlot(t); got.Status != c.status || c.seats >= 0 && *got.Vacancies != c.seats {
				t.Errorf("want %s with %d seats, got %s with %d", c.status, c.seats, got.Status, *got.Vacancies)
			}
		})
	}
}

func TestASlotWhoseIDHasChangedIsReservedByItsNewID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, fmt.Sprintf(`{match: {endpoint: availability}, times: 1, jq: 'map(if .id == %q then .id = "renamed" else . end)'}`, b.order.Slot))
	b.arm(t, fmt.Sprintf(`{match: {endpoint: reserve, body: '.availabilityId == "renamed"'}, times: 1, status: 200, body: '{"reservationConfirmationCode":"c","expiresAt":%q}'}`, partnerapi.FormatDateTime(b.now().Add(time.Hour))))
	if held := b.checkout(t); held.AvailabilityID != "renamed" {
		t.Errorf("want the new id, got %q", held.AvailabilityID)
	}
}

func TestASlotBeyondTheWindowIsAskedForByItsOwnDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	far := b.shownSlot(t)
	far.ID = "far"
	far.Start, far.End, far.LocalDate = far.Start.AddDate(0, 0, 100), far.End.AddDate(0, 0, 100), far.LocalDate.AddDate(0, 0, 100)
	check(t, b.store.Bookings.KeepFresh(t.Context(), booking.Fresh{At: b.now(), Variation: b.order.Variation, Asked: far.ID, Slot: &far}))
	b.order.Slot = far.ID
	asked := b.calls(t, partnerapi.Availability)
	b.arm(t, `{match: {endpoint: availability}, times: 1, status: 400}`)
	if _, err := b.hold(t.Context(), b.wants()); domain.ReasonOf(err) != domain.SlotSoldOut {
		t.Errorf("want a 4xx to be a conflict, got %v", err)
	}
	b.requireCalls(t, partnerapi.Availability, asked+1)
	b.arm(t, `{match: {endpoint: availability}, times: 1, status: 500}`)
	if _, err := b.hold(t.Context(), b.wants()); domain.CodeOf(err) != domain.PartnerFailed {
		t.Errorf("want a 5xx to be the partner's failure, got %v", err)
	}
	b.arm(t, fmt.Sprintf(`{match: {endpoint: availability}, times: 1, jq: '[{id: "far", localDateTimeStart: %q, localDateTimeEnd: %q, status: "AVAILABLE"}]'}`,
		partnerapi.FormatDateTime(far.Start), partnerapi.FormatDateTime(far.End)))
	b.arm(t, fmt.Sprintf(`{match: {endpoint: reserve}, times: 1, status: 200, body: '{"reservationConfirmationCode":"c","expiresAt":%q}'}`, partnerapi.FormatDateTime(b.now().Add(time.Hour))))
	b.checkout(t)
}

func TestAVariationTakesAtMostSoManyGuestsInOneBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE variations SET details = details || '{"max_no_booking": 2}' WHERE id = $1`, b.order.Variation)
	check(t, err)
	asked := b.calls(t, partnerapi.Availability)
	if _, err := b.hold(t.Context(), b.wants(func(o *booking.Order) { o.Guests = []booking.Party{{Type: partnerapi.Adult, Quantity: 3}} })); domain.CodeOf(err) != domain.Conflict {
		t.Errorf("want 3 guests refused, got %v", err)
	}
	b.requireCalls(t, partnerapi.Availability, asked)
	b.checkout(t)
}

func TestAPartyOutsideTheOptionsLimitsNeverReachesThePartner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.store.Pool().Exec(t.Context(), `UPDATE variations SET option = option || '{"restrictions": {"minUnits": 2, "maxUnits": 3}}' WHERE id = $1`, b.order.Variation)
	check(t, err)
	party := func(adults, children int) booking.Order {
		return b.wants(func(o *booking.Order) {
			o.Guests = []booking.Party{{Type: partnerapi.Adult, Quantity: adults}}
			if children > 0 {
				o.Guests = append(o.Guests, booking.Party{Type: partnerapi.Child, Quantity: children})
			}
		})
	}
	asked, reserved := b.calls(t, partnerapi.Availability), b.calls(t, partnerapi.Reserve)
	for _, c := range []struct {
		order booking.Order
		wants string
	}{
		{party(1, 0), "units: expected at least 2 guests in one booking of this variation, received 1"},
		{party(4, 0), "units: expected at most 3 guests in one booking of this variation, received 4"},
		{party(2, 2), "units: expected at most 3 guests in one booking of this variation, received 4"},
	} {
		_, err := b.hold(t.Context(), c.order)
		if wrong, _ := err.(*domain.Error); wrong == nil || wrong.Code != domain.Invalid || !slices.Equal(wrong.Details, []string{c.wants}) {
			t.Errorf("%+v: want %q, got %+v", c.order.Guests, c.wants, err)
		}
	}
	b.requireCalls(t, partnerapi.Availability, asked)
	b.requireCalls(t, partnerapi.Reserve, reserved)
	for _, taken := range []booking.Order{party(2, 0), party(1, 2)} {
		_, err := b.hold(t.Context(), taken)
		check(t, err)
	}
}

func TestATypeThatTwoUnitsHaveIsBookedByUnit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.store.Pool().Exec(t.Context(), `
		UPDATE variations SET option = jsonb_set(option, '{units}', option->'units' || '[
			{"id":"student-a","internalName":"Pupil","type":"STUDENT","pricingFrom":[{"original":500,"currency":"JPY","currencyPrecision":0}]},
			{"id":"student-b","internalName":"Student","type":"STUDENT","pricingFrom":[{"original":700,"currency":"JPY","currencyPrecision":0}]}]') WHERE id = $1`, b.order.Variation)
	check(t, err)
	guests := func(parties ...booking.Party) booking.Order {
		return b.wants(func(o *booking.Order) { o.Guests = parties })
	}
	for _, c := range []struct {
		party booking.Party
		wants string
	}{
		{booking.Party{Type: partnerapi.Student, Quantity: 1}, "units[0].unit_id: required, because this variation has several units of type STUDENT: expected one of student-a, student-b"},
		{booking.Party{Unit: "student-c", Quantity: 1}, "units[0].unit_id: unknown unit of this variation"},
		{booking.Party{Unit: "student-a", Type: partnerapi.Adult, Quantity: 1}, "units[0].type: the unit has another type, STUDENT"},
	} {
		_, err := b.hold(t.Context(), guests(c.party))
		if wrong, _ := err.(*domain.Error); wrong == nil || wrong.Code != domain.Invalid || len(wrong.Details) != 1 || wrong.Details[0] != c.wants {
			t.Errorf("%+v: want %q, got %+v", c.party, c.wants, err)
		}
	}
	b.arm(t, fmt.Sprintf(`{match: {endpoint: reserve}, times: 1, status: 200, body: '{"reservationConfirmationCode":"c","expiresAt":%q}'}`, partnerapi.FormatDateTime(b.now().Add(time.Hour))))
	held, err := b.hold(t.Context(), guests(booking.Party{Unit: "student-a", Quantity: 2}, booking.Party{Unit: "student-b", Type: partnerapi.Student, Quantity: 1}))
	check(t, err)
	if held.Guests[0].Type != partnerapi.Student || held.Guests[0].UnitID != "student-a" || held.Guests[1].UnitID != "student-b" || held.Total.String() != "1700" {
		t.Errorf("want two of one and one of the other, got %+v for %s", held.Guests, held.Total)
	}
}

// Which of two slots with one id the partner would book is unknown (AVL-8).
func TestNoReserveIsSentForAnIDThatTwoSlotsHave(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]string{
		"on the same day": `.[0] | .id = %q | .localDateTimeStart = "2026-07-10T23:30:00+09:00" | .localDateTimeEnd = "2026-07-10T23:45:00+09:00"`,
		"on another day":  `.[0] | .id = %q | .localDateTimeStart = "2026-07-19T05:30:00+09:00" | .localDateTimeEnd = "2026-07-19T08:30:00+09:00"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.arm(t, fmt.Sprintf(`{match: {endpoint: availability}, jq: '. + [`+other+`]'}`, b.order.Slot))
			if _, err := b.hold(t.Context(), b.wants()); domain.CodeOf(err) != domain.Conflict {
				t.Errorf("Expected the checkout refused, received %v", err)
			}
			b.requireCalls(t, partnerapi.Reserve, 0)
		})
	}
}
