package platform

import (
	"reflect"
	"testing"
	"time"

	"partnerkit.dev/mockpartner/catalog"
	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/schemas/partnerapi"
)

const day = "2026-07-10"

func TestReserveTakesSeatsImmediately(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	hold := d.reserve(slot, 3)
	d.requireVacancies(day, 2)
	if hold.Code == "" || !hold.ExpiresAt.Equal(noon.Add(DefaultHoldFor)) {
		t.Fatalf("want a code, and an expiry 20 minutes ahead, got %q and %s", hold.Code, hold.ExpiresAt)
	}
	if zone := hold.ExpiresAt.Location().String(); zone != "Europe/Lisbon" {
		t.Fatalf("want the expiry in the product's zone, got %s", zone)
	}
}

func TestAPartyOutsideTheDeclaredLimitsIsRefusedUnlessAQuirkAcceptsIt(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct(func(p *catalog.Product, _ *catalog.Schedule) {
		p.Options[0].Restrictions = partnerapi.PartyLimits{MinUnits: 2, MaxUnits: 3}
	}))
	slot := d.fillSlot(day, 9)
	for _, adults := range []int{1, 4} {
		_, err := d.Reserve(d.request(slot, adults), nil)
		d.requireRefusal(err, Unavailable)
	}
	d.requireVacancies(day, 9)
	d.reserve(slot, 2)
	withInfant := d.request(slot, 1)
	withInfant.Units = append(withInfant.Units, partnerapi.UnitQuantity{ID: "unit-infant", Quantity: 1})
	if _, err := d.Reserve(withInfant, nil); err != nil {
		t.Errorf("want an infant counted as a guest, got %v", err)
	}
	d.requireVacancies(day, 6)

	must(t, d.Behave(Conduct{Quirks: []Quirk{{On: OnReserveBadSize, Does: Accept}}}))
	d.reserve(slot, 1)
	d.reserve(slot, 4)
	_, err := d.Reserve(d.request(slot, 4), nil)
	d.requireRefusal(err, Unavailable) // only one seat is left
	d.requireVacancies(day, 1)
}

func TestReserveIsRefusedAndHoldsNothing(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 2)
	soldOut, closed := d.slotOn("2026-07-11").ID, d.slotOn("2026-07-12").ID
	d.change(soldOut, client.SlotChange{Status: new(partnerapi.StatusSoldOut)})
	d.change(closed, client.SlotChange{Status: new(partnerapi.StatusClosed)})
	with := func(change func(*partnerapi.ReserveRequest)) partnerapi.ReserveRequest {
		r := d.request(slot, 1)
		change(&r)
		return r
	}
	cases := map[string]struct {
		request partnerapi.ReserveRequest
		kind    Kind
	}{
		"more guests than seats":   {d.request(slot, 3), Unavailable},
		"a sold-out slot":          {d.request(soldOut, 1), Unavailable},
		"a closed slot":            {d.request(closed, 1), Unavailable},
		"a slot of this morning":   {d.request(d.slotOn("2026-07-01").ID, 1), Unavailable},
		"a slot of last year":      {d.request(d.slotOn("2025-07-01").ID, 1), Unavailable},
		"an unknown product":       {with(func(r *partnerapi.ReserveRequest) { r.ProductID = "no" }), UnknownID},
		"an unknown option":        {with(func(r *partnerapi.ReserveRequest) { r.OptionID = "no" }), UnknownID},
		"an unknown slot":          {with(func(r *partnerapi.ReserveRequest) { r.AvailabilityID = "no" }), UnknownID},
		"a slot at another hour":   {with(func(r *partnerapi.ReserveRequest) { r.AvailabilityID = slot[:len(slot)-4] + "0901" }), UnknownID},
		"a slot of another option": {with(func(r *partnerapi.ReserveRequest) { r.AvailabilityID = "00000000" + slot[8:] }), UnknownID},
		"an unknown unit":          {with(func(r *partnerapi.ReserveRequest) { r.Units[0].ID = "unit-senior" }), UnknownID},
		"no units":                 {with(func(r *partnerapi.ReserveRequest) { r.Units = nil }), BadRequest},
		"no guests":                {d.request(slot, 0), BadRequest},
		"fewer than no guests":     {d.request(slot, -1), BadRequest},
		"a party beyond all sense": {d.request(slot, maxParty+1), BadRequest},
		"a party beyond it in sum": {with(func(r *partnerapi.ReserveRequest) {
			r.Units = []partnerapi.UnitQuantity{{ID: "unit-adult", Quantity: 600}, {ID: "unit-child", Quantity: 600}}
		}), BadRequest},
		"a party that overflows": {with(func(r *partnerapi.ReserveRequest) {
			r.Units = append(r.Units, partnerapi.UnitQuantity{ID: partnerapi.AdultUnitID, Quantity: 1<<63 - 1})
		}), BadRequest},
	}
	for name, c := range cases {
		_, err := d.Reserve(c.request, nil)
		t.Log(name, "->", err)
		d.requireRefusal(err, c.kind)
	}
	d.requireVacancies(day, 2)
	if holds := d.Holds(); len(holds) != 0 {
		t.Fatalf("want nothing held, got %+v", holds)
	}
}

func TestInfantsTakeNoSeatUnlessTheCatalogSaysSo(t *testing.T) {
	t.Parallel()
	family := []partnerapi.UnitQuantity{
		{ID: "unit-adult", Quantity: 1}, {ID: "unit-child", Quantity: 2}, {ID: "unit-infant", Quantity: 3},
	}
	for want, seats := range map[int]map[string]int{
		3: nil,
		6: {"unit-infant": 1},
		4: {"unit-child": 0, "unit-infant": 1},
	} {
		d := open(t, oneProduct(func(_ *catalog.Product, s *catalog.Schedule) { s.Seats = seats }))
		request := d.request(d.fillSlot(day, 10), 1)
		request.Units = family
		if _, err := d.Reserve(request, nil); err != nil {
			t.Fatal(err)
		}
		d.requireVacancies(day, 10-want)
	}
}

func TestConfirmBooksAndASecondConfirmBooksNothing(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	hold := d.reserve(d.fillSlot(day, 5), 2)
	first := d.confirm(hold.Code)
	if first.ID == "" || first.ID == hold.Code || len(first.Tickets) == 0 {
		t.Fatalf("want a booking id of its own and tickets, got %+v", first)
	}
	d.requireVacancies(day, 3)
	d.clock.Advance(time.Hour)
	again, err := d.Confirm(partnerapi.ConfirmRequest{
		ReservationConfirmationCode: hold.Code, Contact: &partnerapi.Contact{FullName: "Somebody Else"},
	}, nil)
	if err != nil || !reflect.DeepEqual(again, first) {
		t.Fatalf("want the first booking again, got %+v, %v", again, err)
	}
	d.requireVacancies(day, 3)
	if n := len(d.Bookings()); n != 1 {
		t.Fatalf("want one booking, got %d", n)
	}
}

func TestConfirmKeepsTheContactOfReserveUnlessItBringsItsOwn(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	request := d.request(d.fillSlot(day, 5), 1)
	request.Contact = &partnerapi.Contact{FullName: "Ana"}
	request.ResellerReference = "b-1"
	hold, err := d.Reserve(request, nil)
	must(t, err)
	request.Contact.FullName = "changed by the caller afterwards"
	booking := d.confirm(hold.Code)
	if booking.Contact.FullName != "Ana" || booking.ResellerReference != "b-1" {
		t.Fatalf("want Ana's booking b-1, got %+v, %q", booking.Contact, booking.ResellerReference)
	}
}

func TestConfirmIsRefusedWithoutALiveHold(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.fillSlot(day, 5)
	d.refusesConfirm("unknown")

	released := d.reserve(slot, 1)
	d.release(released.Code, HoldReleased)
	d.refusesConfirm(released.Code)

	cancelled := d.reserve(slot, 1)
	d.cancel(d.confirm(cancelled.Code).ID, BookingCancelled)
	d.refusesConfirm(cancelled.Code)

	expired := d.reserve(slot, 1)
	d.clock.Advance(DefaultHoldFor)
	d.refusesConfirm(expired.Code)
	d.requireVacancies(day, 5)
}

func TestReleaseGivesSeatsBackOnceWhateverTheCode(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	hold := d.reserve(d.fillSlot(day, 5), 2)
	d.release("unknown", HoldUnknown)
	d.requireVacancies(day, 3)
	d.release(hold.Code, HoldReleased)
	d.requireVacancies(day, 5)
	d.release(hold.Code, HoldReleasedYet)
	d.requireVacancies(day, 5)
}

func TestCancelGivesSeatsBackOnceWhateverTheID(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	hold := d.reserve(d.fillSlot(day, 5), 2)
	booking := d.confirm(hold.Code)
	d.cancel("unknown", BookingUnknown)
	d.cancel(hold.Code, BookingUnknown)
	d.requireVacancies(day, 3)
	d.cancel(booking.ID, BookingCancelled)
	d.requireVacancies(day, 5)
	d.cancel(booking.ID, BookingCancelledYet)
	d.requireVacancies(day, 5)
	d.release(hold.Code, HoldConfirmed)
	d.requireVacancies(day, 5)
}

func TestSeatsOfAnExpiredHoldComeBackByThemselvesAtTheSecond(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	d.clock.Set(noon.Add(300 * time.Millisecond))
	hold := d.reserve(d.fillSlot(day, 5), 2)
	if !hold.ExpiresAt.Equal(noon.Add(DefaultHoldFor)) {
		t.Fatalf("want an expiry in whole seconds, got %s", hold.ExpiresAt)
	}
	d.clock.Set(hold.ExpiresAt.Add(-time.Nanosecond))
	d.requireVacancies(day, 3)
	d.clock.Set(hold.ExpiresAt)
	d.requireVacancies(day, 5)
	d.release(hold.Code, HoldExpired)
	d.requireVacancies(day, 5)
}

func TestAHoldExpiresOnTimeHoweverLateItIsRead(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	hold := d.reserve(d.fillSlot(day, 5), 2)
	d.clock.Advance(48 * time.Hour)
	if ended := d.Holds()[0]; ended.State != client.Expired || !ended.EndedAt.Equal(hold.ExpiresAt) {
		t.Fatalf("want the hold expired at %s, got %s at %s", hold.ExpiresAt, ended.State, ended.EndedAt)
	}
}

func TestAPartnerWithoutHoldsTakesSeatsAtConfirm(t *testing.T) {
	t.Parallel()
	c := oneProduct()
	c.NoHolds = true
	d := open(t, c)
	slot := d.fillSlot(day, 3)
	first, second := d.reserve(slot, 2), d.reserve(slot, 2)
	d.requireVacancies(day, 3)
	if ahead := first.ExpiresAt.Sub(noon); ahead != 24*time.Hour {
		t.Fatalf("want an expiry 24 hours ahead, got %s", ahead)
	}
	d.confirm(first.Code)
	d.requireVacancies(day, 1)
	_, err := d.Confirm(partnerapi.ConfirmRequest{ReservationConfirmationCode: second.Code}, nil)
	d.requireRefusal(err, Unavailable)
	d.release(second.Code, HoldReleased)
	d.requireVacancies(day, 1)
	d.cancel(d.Bookings()[0].ID, BookingCancelled)
	d.requireVacancies(day, 3)
	d.reserve(slot, 3)
	d.clock.Advance(24 * time.Hour)
	d.requireVacancies(day, 3)
}

func TestSlotsWithoutLimitTakeAnyPartyAndNameNoVacancies(t *testing.T) {
	t.Parallel()
	for status, change := range map[partnerapi.SlotStatus]func(*catalog.Product, *catalog.Schedule){
		partnerapi.StatusFreesale:  func(_ *catalog.Product, s *catalog.Schedule) { s.Freesale = true },
		partnerapi.StatusAvailable: func(p *catalog.Product, _ *catalog.Schedule) { p.AllowFreesale = true },
	} {
		d := open(t, oneProduct(change))
		slot := d.slotOn(day)
		if slot.Status != status || slot.Vacancies != nil || slot.Capacity != nil {
			t.Fatalf("want %s without numbers, got %+v", status, slot)
		}
		hold := d.reserve(slot.ID, 900)
		d.cancel(d.confirm(hold.Code).ID, BookingCancelled)
		d.reserve(slot.ID, 1000)
	}
}

func TestAPlatformRemembersABoundedNumberOfHolds(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	d.life.most = 3
	slot := d.fillSlot(day, 5)
	kept := d.confirm(d.reserve(slot, 1).Code)
	first := d.reserve(slot, 1)
	d.release(first.Code, HoldReleased)
	second := d.reserve(slot, 1)
	d.release(second.Code, HoldReleased)
	d.reserve(slot, 1)
	d.release(first.Code, HoldUnknown)
	d.release(second.Code, HoldReleasedYet)
	d.reserve(slot, 1)
	d.release(second.Code, HoldUnknown)
	_, err := d.Reserve(d.request(slot, 1), nil)
	d.requireRefusal(err, Full)
	d.cancel(kept.ID, BookingCancelled)
	d.reserve(slot, 1)
	d.cancel(kept.ID, BookingUnknown)
	d.requireVacancies(day, 2)
}

func TestSlotsThatAreNoLongerInUseAreNotStored(t *testing.T) {
	t.Parallel()
	d := open(t, oneProduct())
	slot := d.slotOn(day)
	hold := d.reserve(slot.ID, 1)
	booking := d.confirm(d.reserve(slot.ID, 1).Code)
	if n := len(d.State().Slots); n != 1 {
		t.Fatalf("want the slot stored while it is in use, got %d", n)
	}
	d.release(hold.Code, HoldReleased)
	d.cancel(booking.ID, BookingCancelled)
	if n := len(d.State().Slots); n != 0 {
		t.Fatalf("want no slot stored, got %d", n)
	}
	if again := d.slotOn(day); !reflect.DeepEqual(again, slot) {
		t.Fatalf("want the slot as before, %+v, got %+v", slot, again)
	}
}
