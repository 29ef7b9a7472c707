package platform

import (
	"testing"

	"partnerkit.dev/schemas/partnerapi"
)

func TestACallTellsWhatEachCallChanged(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.full(day, 5)
	var before, after Facts
	told := 0
	tell := func(b, a Facts) { before, after, told = b, a, told+1 }

	hold, err := d.Reserve(d.request(slot, 2), tell)
	if err != nil || before.Hold != nil || after.Hold.State != Held || before.Slot.Vacancies != 5 || after.Slot.Vacancies != 3 || after.Slot.Held != 2 {
		t.Fatalf("want a hold of two seats, got %+v, then %+v, %v", before, after, err)
	}
	booking, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: hold.Code}, tell)
	if err != nil || before.Hold.State != Held || before.Booking != nil || after.Hold.State != Confirmed || after.Booking.ID != booking.ID || after.Slot.Confirmed != 2 {
		t.Fatalf("want the hold become a booking, got %+v, then %+v, %v", before, after, err)
	}
	d.Cancel(booking.ID, tell)
	if before.Booking.State != Booked || after.Booking.State != Cancelled || before.Slot.Vacancies != 3 || after.Slot.Vacancies != 5 {
		t.Fatalf("want the booking cancelled, got %+v, then %+v", before, after)
	}
	d.Release(d.reserve(slot, 1).Code, tell)
	if before.Hold.State != Held || after.Hold.State != Released || after.Slot.Vacancies != before.Slot.Vacancies+1 {
		t.Fatalf("want the hold released, got %+v, then %+v", before, after)
	}
	if _, err := d.Reserve(d.request(slot, 6), tell); err == nil || before.Slot == nil || *before.Slot != *after.Slot || after.Hold != nil {
		t.Fatalf("want a refusal that changed nothing, got %+v, then %+v, %v", before, after, err)
	}
	d.Release("unknown", tell)
	d.Cancel("unknown", tell)
	if told != 5 {
		t.Fatalf("want nothing told of codes and ids that do not exist, got %d facts", told)
	}
	d.balanced()
}
