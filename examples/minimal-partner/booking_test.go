package main

import (
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func TestAHoldTakesItsSeatsAtOnce(t *testing.T) { // RSV-3
	t.Parallel()
	p := start(t)
	p.reserve(boatFor(3))
	p.wantVacancies(1, "after a hold for three")
}

func TestEveryGuestTakesASeat(t *testing.T) { // RSV-9
	t.Parallel()
	p := start(t)
	p.reserve(partnerapi.ReserveRequest{
		ProductID: "harbour-cruise", OptionID: "shared-boat", AvailabilityID: "shared-boat-2026-03-03-1400",
		Units: []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 2}, {ID: "unit-child", Quantity: 3}},
	})
	if slot := p.slots("shared-boat", boatDay, boatDay)[1]; *slot.Vacancies != 35 {
		t.Errorf("after two adults and three children: want 35 of 40 seats left, got %d", *slot.Vacancies)
	}
}

func TestAHoldLastsTwentyMinutes(t *testing.T) { // RSV-7
	t.Parallel()
	p := start(t)
	hold := p.reserve(boatFor(1))
	if life := dateTime(t, hold.ExpiresAt).Sub(p.now()); life != 20*time.Minute {
		t.Errorf("want a hold of 20 minutes, got %s", life)
	}
}

func TestMoreGuestsThanSeatsAreRefusedAndNothingIsHeld(t *testing.T) { // RSV-5
	t.Parallel()
	p := start(t)
	p.reserve(boatFor(2))
	p.wantRefused(partnerapi.ReservePath, boatFor(3))
	p.wantVacancies(2, "after a refused reserve")
}

func TestASoldOutSlotIsRefused(t *testing.T) { // RSV-5
	t.Parallel()
	p := start(t)
	p.reserve(boatFor(4))
	p.wantRefused(partnerapi.ReservePath, boatFor(1))
}

func TestConcurrentReservesNeverSellASeatTwice(t *testing.T) {
	t.Parallel()
	p := start(t)
	body := `{"productId":"harbour-cruise","optionId":"shared-boat","availabilityId":"shared-boat-2026-03-03-1000","units":[{"id":"unit-adult","quantity":1}]}`
	var held atomic.Int32
	var holds sync.Map
	var customers sync.WaitGroup
	for range 10 {
		customers.Go(func() {
			for range 10 {
				status, answer := p.send("Bearer "+testKey, "POST", "/bookings/reserve", body)
				if status != http.StatusOK {
					continue
				}
				held.Add(1)
				if _, again := holds.LoadOrStore(string(answer), true); again {
					t.Errorf("two holds are the same: %s (RSV-4)", answer)
				}
			}
		})
	}
	customers.Wait()
	if held.Load() != 40 {
		t.Errorf("want 40 of 100 guests on a boat of 40 seats, got %d", held.Load())
	}
	if slot := p.slots("shared-boat", boatDay, boatDay)[0]; *slot.Vacancies != 0 {
		t.Errorf("after the rush: want no seats left, got %d", *slot.Vacancies)
	}
}

func TestAConfirmedHoldIsABookingWithATicketForEachGuest(t *testing.T) { // CNF-2, CNF-3, CNF-6, CNF-7
	t.Parallel()
	p := start(t)
	hold := p.reserve(boatFor(3))
	var booking partnerapi.ConfirmAnswer
	guest := &partnerapi.Contact{FullName: "Maria Silva", EmailAddress: "maria@example.com", PhoneNumber: "+351 21 000 0000"}
	request := partnerapi.ConfirmRequest{
		ReservationConfirmationCode: hold.ReservationConfirmationCode, Contact: guest, ResellerReference: "B-1",
	}
	p.call("POST", "/bookings/confirm", request, 200, schemas.ConfirmAnswerWithTickets, &booking)
	if booking.Status != "CONFIRMED" || booking.AvailabilityID != p.boat().ID || !reflect.DeepEqual(booking.Contact, guest) {
		t.Errorf("want the hold's slot and guest, CONFIRMED; got %+v", booking)
	}
	if len(booking.Tickets) != 3 {
		t.Errorf("want 3 tickets, got %d", len(booking.Tickets))
	}
	p.wantVacancies(1, "after confirm")
}

func TestAContactGivenAtReserveIsKeptForTheBooking(t *testing.T) {
	t.Parallel()
	p := start(t)
	request := boatFor(1)
	request.Contact = &partnerapi.Contact{FullName: "Maria Silva"}
	booking := p.confirm(p.reserve(request).ReservationConfirmationCode)
	if booking.Contact == nil || booking.Contact.FullName != "Maria Silva" {
		t.Errorf("want the contact of the hold, got %+v", booking.Contact)
	}
}

func TestASecondConfirmAnswersTheSameBooking(t *testing.T) { // CNF-4
	t.Parallel()
	p := start(t)
	hold := p.reserve(boatFor(2))
	first, second := p.confirm(hold.ReservationConfirmationCode), p.confirm(hold.ReservationConfirmationCode)
	if !reflect.DeepEqual(first, second) {
		t.Errorf("want the same booking twice, got\n%+v\n%+v", first, second)
	}
	p.wantVacancies(2, "after two confirms of a hold for two")
}

func TestCodesThatHoldNothingCannotBeConfirmed(t *testing.T) { // CNF-5
	t.Parallel()
	t.Run("unknown", func(t *testing.T) {
		t.Parallel()
		start(t).wantConfirmRefused("no-such-code")
	})
	t.Run("released", func(t *testing.T) {
		t.Parallel()
		p := start(t)
		code := p.reserve(boatFor(1)).ReservationConfirmationCode
		p.release(code)
		p.wantConfirmRefused(code)
		p.wantVacancies(4, "after a refused confirm")
	})
	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		p := start(t)
		code := p.reserve(boatFor(1)).ReservationConfirmationCode
		p.advance(holdLife)
		p.wantConfirmRefused(code)
		p.wantVacancies(4, "after a refused confirm")
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		p := start(t)
		code := p.reserve(boatFor(1)).ReservationConfirmationCode
		p.cancel(p.confirm(code).ExternalBookingID)
		p.wantConfirmRefused(code)
		p.wantVacancies(4, "after a refused confirm")
	})
}

func TestAnExpiredHoldGivesItsSeatsBackByItself(t *testing.T) { // REL-7
	t.Parallel()
	p := start(t)
	hold := p.reserve(boatFor(3))
	p.advance(holdLife - time.Second)
	p.wantVacancies(1, "a second before expiry")
	p.advance(time.Second)
	p.wantVacancies(4, "at expiry")
	if done := p.release(hold.ReservationConfirmationCode); !done.Success {
		t.Error("releasing an expired code: want success (REL-4)")
	}
	p.wantVacancies(4, "after the release of an expired hold")
}

func TestABookingDoesNotExpire(t *testing.T) {
	t.Parallel()
	p := start(t)
	p.confirm(p.reserve(boatFor(3)).ReservationConfirmationCode)
	p.advance(24 * time.Hour)
	p.wantVacancies(1, "a day after confirm")
}

func TestAReleaseGivesSeatsBackOnce(t *testing.T) { // REL-3, REL-5
	t.Parallel()
	p := start(t)
	p.reserve(boatFor(1))
	code := p.reserve(boatFor(2)).ReservationConfirmationCode
	for range 2 {
		if done := p.release(code); !done.Success {
			t.Error("want success each time")
		}
		p.wantVacancies(3, "while another holds one seat")
	}
}

func TestReleasingAConfirmedCodeLeavesTheBooking(t *testing.T) { // REL-6
	t.Parallel()
	p := start(t)
	code := p.reserve(boatFor(2)).ReservationConfirmationCode
	booking := p.confirm(code)
	if done := p.release(code); done.Success || done.Message == "" {
		t.Errorf("want to hear that nothing was released, got %+v", done)
	}
	p.wantVacancies(2, "after the release of a confirmed code")
	if again := p.confirm(code); again.ExternalBookingID != booking.ExternalBookingID {
		t.Errorf("want booking %s to stand, got %s", booking.ExternalBookingID, again.ExternalBookingID)
	}
}

func TestACancellationGivesSeatsBackOnce(t *testing.T) { // CAN-3, CAN-5
	t.Parallel()
	p := start(t)
	p.reserve(boatFor(1))
	booking := p.confirm(p.reserve(boatFor(2)).ReservationConfirmationCode)
	for range 2 {
		if done := p.cancel(booking.ExternalBookingID); !done.Success {
			t.Error("want success each time")
		}
		p.wantVacancies(3, "while another holds one seat")
	}
}

func TestAnyOpaqueCodeIsOneSegmentOfThePath(t *testing.T) { // RSV-6, REL-4, CAN-4
	t.Parallel()
	p := start(t)
	for _, code := range []string{"unknown", "..", ".", "a/b", "a/../b", "100%", "%2F", "a+b c", "é…", "?q#f", "reserve", strings.Repeat("x", 4000)} {
		if !p.release(code).Success || !p.cancel(code).Success {
			t.Errorf("unknown code %q: want success", code)
		}
	}
}

func TestReleaseAndCancelTakeABodyOrNone(t *testing.T) { // REL-1, CAN-1
	t.Parallel()
	p := start(t)
	code := p.reserve(boatFor(1)).ReservationConfirmationCode
	var done partnerapi.Done
	p.call("DELETE", partnerapi.ReleasePath(code), partnerapi.ReleaseRequest{ReservationConfirmationCode: code}, 200, schemas.ReleaseAnswer, &done)
	booking := p.confirm(p.reserve(boatFor(1)).ReservationConfirmationCode)
	p.call("POST", partnerapi.CancelPath(booking.ExternalBookingID), partnerapi.CancelRequest{Reason: "ill"}, 200, schemas.CancelAnswer, &done)
	p.wantVacancies(4, "after release and cancel with a body")
}
