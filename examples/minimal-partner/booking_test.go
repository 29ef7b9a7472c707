package main

import (
	"strings"
	"testing"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

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
