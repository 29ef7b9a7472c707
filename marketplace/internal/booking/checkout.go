package booking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/schemas/partnerapi"
)

// Order is what a customer wants to book.
type Order struct {
	ID                uuid.UUID // of the booking that it makes
	Account           uuid.UUID // the reseller's
	Activity          uuid.UUID
	Variation         uuid.UUID
	Slot              string // its availability id, as the marketplace shows it
	Guests            []Party
	Contact           partnerapi.Contact
	Currency          marketplace.Currency // "": the partner's
	Affiliate         uuid.UUID            // the zero id: none
	ResellerReference string
}

// Party is a number of guests of one type.
type Party struct {
	Type     partnerapi.UnitType
	Quantity int // at least 1
}

// checkout books a slot, as far as a hold.
func (s *Service) checkout(ctx context.Context, o Order, offer Offer, q request) (Held, error) {
	b, err := s.draft(ctx, o, offer)
	if err != nil {
		return Held{}, err
	}
	target, err := s.Target(offer.Integration)
	if err != nil {
		return Held{}, err
	}
	slot, err := s.fresh(ctx, target, o, offer)
	if err != nil {
		return Held{}, err
	}
	if b, err = priced(b, o, offer, slot); err != nil {
		return Held{}, err
	}
	row, err := next(b, checkOut)
	if err != nil {
		return Held{}, err
	}
	b.Status, b.AvailabilityID, b.Start, b.End = row.To, slot.ID, slot.Start, slot.End
	a := &reserve{by: s, Record: Record{Booking: b, Version: 1, Integration: offer.Integration, Health: offer.Health}, target: target, request: q}
	return a.send(ctx)
}

// draft is the booking as far as it is known before the partner is asked. What is wrong
// with the order is found here.
func (s *Service) draft(ctx context.Context, o Order, offer Offer) (marketplace.Booking, error) {
	variation := offer.variation(o.Variation)
	b := marketplace.Booking{
		ID: o.ID, AccountID: o.Account, IntegrationID: offer.Integration.ID, ActivityID: o.Activity, VariationID: o.Variation,
		ProductID: offer.Activity.Product.ID, OptionID: variation.Option.ID, Zone: offer.Activity.Product.TimeZone,
		Contact: o.Contact, AffiliateID: o.Affiliate, ResellerReference: o.ResellerReference,
	}
	wrong := &marketplace.Error{Code: marketplace.Invalid, Message: "the request is not as it should be"}
	taken := map[partnerapi.UnitType]bool{}
	for i, party := range o.Guests {
		unit, known := unitOf(variation.Option, party.Type)
		switch {
		case !known:
			wrong.Details = append(wrong.Details, fmt.Sprintf("units[%d].type: this variation has no guests of that type", i))
		case taken[party.Type]:
			wrong.Details = append(wrong.Details, fmt.Sprintf("units[%d].type: want each type once", i))
		}
		taken[party.Type] = true
		b.Guests = append(b.Guests, marketplace.Guests{Type: party.Type, Quantity: party.Quantity, UnitID: unit.ID})
	}
	if o.Affiliate != uuid.Nil {
		known, err := s.Store.IsAffiliate(ctx, o.Affiliate)
		if err != nil {
			return b, err
		}
		if !known {
			wrong.Details = append(wrong.Details, "affiliate_code: want an affiliate's code")
		}
	}
	if wrong.Details != nil {
		return b, wrong
	}
	// A currency that has no rate is found before anybody is called.
	return priced(b, o, offer, marketplace.Slot{})
}

func (o Offer) variation(id uuid.UUID) marketplace.Variation {
	for _, v := range o.Activity.Variations {
		if v.ID == id {
			return v
		}
	}
	return marketplace.Variation{} // the store has found it
}

func unitOf(option partnerapi.Option, kind partnerapi.UnitType) (partnerapi.Unit, bool) {
	for _, unit := range option.Units {
		if unit.Type == kind {
			return unit, true
		}
	}
	return partnerapi.Unit{}, false
}

// priced is the booking with what its slot costs.
func priced(b marketplace.Booking, o Order, offer Offer, slot marketplace.Slot) (marketplace.Booking, error) {
	variation := offer.variation(o.Variation)
	prices, currency, err := storefront.PriceOf(offer.Activity, variation, slot, offer.Terms, o.Currency)
	if err != nil {
		return b, err
	}
	b.Currency, b.Total = currency, marketplace.Number{}
	if prices.GroupPrice != nil {
		b.Total = *prices.GroupPrice
		return b, nil
	}
	guests := make([]marketplace.Guests, len(b.Guests))
	for i, g := range b.Guests {
		for j, unit := range variation.Option.Units {
			if unit.ID == g.UnitID {
				g.Price = &prices.Units[j].Price
				b.Total.Decimal = b.Total.Add(g.Price.Mul(decimal.NewFromInt(int64(g.Quantity))))
				break
			}
		}
		guests[i] = g
	}
	b.Guests = guests
	return b, nil
}

// fresh returns the slot as the partner has it now: by its id, else by its start. The
// error is Conflict where it cannot be booked; how many seats are left is the partner's
// to judge.
func (s *Service) fresh(ctx context.Context, target partner.Target, o Order, offer Offer) (marketplace.Slot, error) {
	if !offer.Start.After(s.Now()) {
		return marketplace.Slot{}, errSlotStarted
	}
	zone, err := time.LoadLocation(offer.Activity.Product.TimeZone)
	if err != nil {
		return marketplace.Slot{}, fmt.Errorf("the zone of activity %s: %w", o.Activity, err)
	}
	date, today := marketplace.DateIn(offer.Start, zone), marketplace.DateIn(s.Now(), zone)
	if date.After(today.AddDate(0, 0, partnerapi.LookaheadDays)) {
		return marketplace.Slot{}, errNoSlot
	}
	window := catalog.Window{Zone: zone, From: date, To: date}
	var read *catalog.SlotAnswer
	within, cancel := context.WithTimeoutCause(ctx, freshTime, errBusy)
	defer cancel()
	err = s.Partner.Availability(within, target, window.Request(catalog.SlotOption{
		VariationID: o.Variation, ProductID: offer.Activity.Product.ID, TimeZone: offer.Activity.Product.TimeZone, Option: offer.variation(o.Variation).Option,
	}), func(body []byte) (err error) {
		read, err = catalog.ReadSlots(body, window)
		return err
	})
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(within), errBusy) {
		err = errBusy
	}
	if err != nil {
		return marketplace.Slot{}, err
	}
	slot, found := match(read.Slots, o.Slot, offer.Start)
	if !found || !slot.Status.Bookable() {
		return slot, errNoSlot
	}
	return slot, nil
}

// freshTime bounds the availability of a checkout, the wait for a turn with the partner
// included.
const freshTime = 22 * time.Second

var errBusy = &marketplace.Error{Code: marketplace.PartnerLate, Message: "the partner has not answered earlier calls"}

var errNoSlot = &marketplace.Error{Code: marketplace.Conflict, Reason: marketplace.SlotSoldOut, Message: "the slot can no longer be booked"}

var errSlotStarted = &marketplace.Error{Code: marketplace.Conflict, Reason: marketplace.SlotStarted, Message: "the slot has already started"}

func match(slots []marketplace.Slot, id string, start time.Time) (marketplace.Slot, bool) {
	for _, slot := range slots {
		if slot.ID == id {
			return slot, true
		}
	}
	for _, slot := range slots {
		if slot.Start.Equal(start) {
			return slot, true
		}
	}
	return marketplace.Slot{}, false
}
