package booking_test

import (
	"slices"
	"sync"
	"testing"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

// byHand reports to the partner's judge that an operator sends the next confirm.
func (b *bench) byHand(t *testing.T, held domain.Booking) {
	t.Helper()
	_, err := b.partner.Control.Journal.Testify(t.Context(), client.Testimony{ByHand: held.Code})
	check(t, err)
}

// nothingLeft fails if the partner still keeps seats.
func (b *bench) nothingLeft(t *testing.T) {
	t.Helper()
	of := b.partner.Default().Platform()
	for _, hold := range of.Holds() {
		if hold.State == client.Held {
			t.Errorf("want no hold left, got %+v", hold)
		}
	}
	for _, booked := range of.Bookings() {
		if booked.State == client.Booked {
			t.Errorf("want no booking left, got %+v", booked)
		}
	}
}

func TestACancelledBookingIsNotLeftAtAPartnerThatMayHaveBooked(t *testing.T) {
	t.Parallel()
	const senseless = "that booked, and answered what is invalid"
	for name, fault := range map[string]string{
		"that booked, and answered that it failed": `{match: {endpoint: confirm}, times: 1, when: after, status: 500}`,
		senseless: `{match: {endpoint: confirm}, times: 1, when: after, status: 200, body: 'booked'}`,
		"that booked each time, and whose answer was lost": `{match: {endpoint: confirm}, times: 5, when: after, fault: EMPTY_RESPONSE}`,
		"that failed before it booked":                     `{match: {endpoint: confirm}, times: 1, status: 500}`,
		"that refused":                                     `{match: {endpoint: confirm}, times: 1, status: 400, body: '{"message":"No."}'}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.arm(t, fault)
			held := b.checkout(t)
			b.pays(t, held.ID, "p-1")
			b.work(t)
			if r, err := b.store.Bookings.Booking(t.Context(), held.ID); err != nil || r.Status != domain.Paid || len(r.Attention) != 1 {
				t.Fatalf("Expected PAID, and an operator to be notified, received %+v and %v", r.Booking, err)
			}
			b.byHand(t, held)
			cancelled, err := b.Settle(t.Context(), held.ID, "ill")
			if err != nil || cancelled.Status != domain.Cancelled {
				t.Fatalf("want it CANCELLED, got %+v and %v", cancelled, err)
			}
			b.work(t)
			b.is(t, held.ID, domain.Cancelled)
			b.nothingLeft(t)
			if name != senseless { // the partner's judge counts every 200 as an answer
				b.requireKept(t)
			}
		})
	}
}

func TestACancelledBookingIsListedIfThePartnerDoesNotSayWhetherItHasBooked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.arm(t, `{match: {endpoint: confirm}, when: after, status: 500}`)
	held := b.checkout(t)
	b.pays(t, held.ID, "p-1")
	b.byHand(t, held)
	_, err := b.Settle(t.Context(), held.ID, "")
	check(t, err)
	b.work(t)
	r := b.is(t, held.ID, domain.Cancelled, domain.ConfirmUnknown)
	if got := booking.Actions(r.Booking, domain.ConfirmUnknown); !slices.Equal(got, []domain.Action{domain.Resolve}) {
		t.Errorf("want it to be seen to elsewhere, got %v", got)
	}
	if n := b.calls(t, partnerapi.Confirm); n != 2 || r.Release != domain.Done {
		t.Errorf("want the partner asked once more, and the hold given back, got %d confirms, and the release %s", n, r.Release)
	}
	_, err = b.Resolve(t.Context(), held.ID)
	check(t, err)
	b.is(t, held.ID, domain.Cancelled)
	b.requireKept(t)
}

func TestOnlyOneOfManyConcurrentMovesOfABookingSucceeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.checkout(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			switch i % 4 {
			case 0, 1:
				b.pays(t, held.ID, []string{"p-1", "p-2"}[i%2])
			case 2:
				_, _ = b.Abandon(t.Context(), domain.Scope{Account: b.reseller}, held.ID)
			case 3:
				check(t, b.Sweep(t.Context()))
			}
		})
	}
	all.Wait()
	b.work(t)
	r, err := b.store.Bookings.Booking(t.Context(), held.ID)
	check(t, err)
	if (r.Status != domain.Paid && r.Status != domain.Confirmed) || len(r.Payments) != 2 {
		t.Errorf("want both payments kept, got %s and %+v", r.Status, r.Payments)
	}
	b.requireKept(t)
}
