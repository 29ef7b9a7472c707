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

func TestAnExpiredHoldGivesItsSeatsBackByItself(t *testing.T) { // REL-7
	t.Parallel()
	p := start(t)
	hold := p.reserve(boatFor(3))
	p.advance(holdLife - time.Second)
	p.wantVacancies(1, "a second before expiry")
	p.advance(time.Second)
	p.wantVacancies(4, "at expiry")
	p.wantRefused(partnerapi.ConfirmPath, partnerapi.ConfirmRequest{ReservationConfirmationCode: hold.ReservationConfirmationCode}) // CNF-5
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

func TestAnyOpaqueCodeIsOneSegmentOfThePath(t *testing.T) { // RSV-6, REL-4, CAN-4
	t.Parallel()
	p := start(t)
	for _, code := range []string{"unknown", "..", ".", "a/b", "a/../b", "100%", "%2F", "a+b c", "é…", "?q#f", "reserve", strings.Repeat("x", 4000)} {
		if !p.release(code).Success || !p.cancel(code).Success {
			t.Errorf("unknown code %q: want success", code)
		}
	}
}
