package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/marketplace/internal/storefront"
	"partnerkit.dev/schemas/partnerapi"
)

// Order is a customer's request for a booking.
type Order struct {
	ID                uuid.UUID // of the booking to create
	Account           uuid.UUID // the reseller's
	Mode              domain.Mode
	Activity          uuid.UUID
	Variation         uuid.UUID
	Slot              string // its availability id in the marketplace
	Guests            []Party
	Contact           partnerapi.Contact
	Currency          domain.Currency // "": the partner's own
	Affiliate         uuid.UUID       // zero: no affiliate
	ResellerReference string
	Old               domain.Booking // that a reschedule replaces; zero: none
	Payment           string         // reference of the payment for a slot that costs more; "": none
}

// Party is a number of guests of one unit.
type Party struct {
	Type     partnerapi.UnitType // "": the type of the unit
	Unit     string              // its id; "": the only unit of the type
	Quantity int                 // at least 1
}

// checkout books a slot up to the hold.
func (s *Service) checkout(ctx context.Context, o Order, offer Offer, q request) (Held, error) {
	if o.reschedules() {
		if err := s.checkOld(o.Old); err != nil {
			return Held{}, err
		}
	}
	b, err := s.draft(ctx, o, offer)
	if err != nil {
		return Held{}, o.mistake(err)
	}
	target, err := s.Target(offer.Integration)
	if err != nil {
		return Held{}, err
	}
	fresh, err := s.readSlot(ctx, target, o, offer)
	if err != nil {
		return Held{}, err
	}
	if b, err = inSlot(b, o, offer, fresh.Slot, s.Now()); err != nil {
		s.keepFresh(ctx, fresh)
		return Held{}, o.mistake(err)
	}
	a := &reserve{by: s, payment: cmp.Or(o.Payment, o.Old.PaymentReference), Record: Record{Booking: b, Version: 1, Integration: offer.Integration, Health: offer.Health}, target: target, fresh: fresh, full: isFull(*fresh.Slot, offer.Activity.Product, b), request: q}
	return a.send(ctx)
}

// inSlot returns the booking with the partner's current slot. The error is Conflict if the slot
// cannot be booked. The partner decides whether enough seats are left.
func inSlot(b domain.Booking, o Order, offer Offer, slot *domain.Slot, now time.Time) (domain.Booking, error) {
	switch {
	case slot == nil || !slot.Status.IsBookable():
		return b, errNoSlot
	case !slot.Start.After(now):
		return b, errSlotStarted
	}
	b, err := applyPrices(b, o, offer, *slot)
	if err != nil {
		return b, err
	}
	if o.reschedules() {
		if err := checkReplacement(o, *slot, b); err != nil {
			return b, err
		}
	}
	row, err := transitionFor(b, checkOut)
	b.Status, b.AvailabilityID, b.Start, b.End = row.To, slot.ID, slot.Start, slot.End
	return b, err
}

// keepFresh stores the partner's answer about a slot that was not booked.
func (s *Service) keepFresh(ctx context.Context, fresh Fresh) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	if err := s.Store.KeepFresh(ctx, fresh); err != nil {
		s.Log.Warn("a partner's answer about a slot was not stored", slog.String("variation_id", fresh.Variation.String()), slog.Any("error", err))
	}
}

// draft validates the order and returns the booking as known before the partner is called.
func (s *Service) draft(ctx context.Context, o Order, offer Offer) (domain.Booking, error) {
	variation := offer.variation(o.Variation)
	b := domain.Booking{
		ID: o.ID, AccountID: o.Account, IntegrationID: offer.Integration.ID, Mode: o.Mode, ActivityID: o.Activity, VariationID: o.Variation,
		ProductID: offer.Activity.Product.ID, OptionID: variation.Option.ID, Zone: offer.Activity.Product.TimeZone,
		Sold: soldDetails(offer.Activity, variation), Contact: o.Contact, AffiliateID: o.Affiliate, ResellerReference: o.ResellerReference,
	}
	if o.reschedules() {
		b.RescheduledFrom, b.ReplacedTotal = o.Old.ID, &o.Old.Total
	}
	wrong := &domain.Error{Code: domain.Invalid, Message: "invalid request"}
	guests := 0
	for i, party := range o.Guests {
		unit, mistake := unitOf(variation.Option, party)
		if slices.ContainsFunc(b.Guests, func(g domain.Guests) bool { return g.UnitID == unit.ID }) {
			mistake = cmp.Or(mistake, "type: expected each type or unit_id once")
		}
		if mistake != "" {
			wrong.Details = append(wrong.Details, fmt.Sprintf("units[%d].%s", i, mistake))
			continue
		}
		guests += party.Quantity
		b.Guests = append(b.Guests, domain.Guests{Type: unit.Type, Quantity: party.Quantity, UnitID: unit.ID})
	}
	if mistake := partyMistake(variation.Option.Restrictions, guests); mistake != "" && wrong.Details == nil {
		wrong.Details = []string{mistake}
	}
	if o.Affiliate != uuid.Nil {
		known, err := s.Store.IsAffiliate(ctx, o.Affiliate)
		if err != nil {
			return b, err
		}
		if !known {
			wrong.Details = append(wrong.Details, "affiliate_code: expected an affiliate's code")
		}
	}
	if wrong.Details != nil {
		return b, wrong
	}
	if most := variation.Details.MaxNoBooking; most > 0 && guests > most {
		return b, domain.Errorf(domain.Conflict, "at most %d guests in one booking of this variation", most)
	}
	// A missing exchange rate is found before the partner is called.
	return b, storefront.CanPrice(offer.Activity, offer.Terms, o.Currency)
}

func (o Offer) variation(id uuid.UUID) domain.Variation {
	for _, v := range o.Activity.Variations {
		if v.ID == id {
			return v
		}
	}
	return domain.Variation{} // the store has found it
}

// soldDetails is the part of the catalog that a booking keeps.
func soldDetails(a domain.Activity, v domain.Variation) domain.Sold {
	return domain.Sold{ActivityTitle: a.Title, VariationTitle: v.Title, Voucher: domain.Voucher{
		PartnerName: a.PartnerName, Address: a.Details.Address, Pickup: v.Details.Pickup,
		CancellationPolicy: v.Option.CancellationCutoff, Notes: v.Details.Notes,
	}}
}

// unitOf returns the unit of a party, or what is wrong with the party.
func unitOf(option partnerapi.Option, p Party) (found partnerapi.Unit, mistake string) {
	var fit []string
	for _, unit := range option.Units {
		if p.Unit != "" && unit.ID == p.Unit || p.Unit == "" && unit.Type == p.Type {
			found, fit = unit, append(fit, unit.ID)
		}
	}
	switch {
	case p.Unit != "" && len(fit) == 0:
		return found, "unit_id: unknown unit of this variation"
	case p.Unit != "" && p.Type != "" && p.Type != found.Type:
		return found, fmt.Sprintf("type: the unit has another type, %s", found.Type)
	case len(fit) == 0:
		return found, "type: this variation has no guests of that type"
	case len(fit) > 1:
		return found, fmt.Sprintf("unit_id: required, because this variation has several units of type %s: expected one of %s", p.Type, strings.Join(fit, ", "))
	}
	return found, ""
}

// partyMistake returns what is wrong with the size of a party that the partner would refuse.
func partyMistake(limits partnerapi.PartyLimits, guests int) string {
	switch {
	case guests < limits.MinUnits:
		return fmt.Sprintf("units: expected at least %s in one booking of this variation, received %d", plural.Count(limits.MinUnits, "guest"), guests)
	case limits.MaxUnits > 0 && guests > limits.MaxUnits:
		return fmt.Sprintf("units: expected at most %s in one booking of this variation, received %d", plural.Count(limits.MaxUnits, "guest"), guests)
	}
	return ""
}

// applyPrices returns the booking with the prices of its slot.
func applyPrices(b domain.Booking, o Order, offer Offer, slot domain.Slot) (domain.Booking, error) {
	variation := offer.variation(o.Variation)
	prices, currency, err := storefront.PriceOf(offer.Activity, variation, slot, offer.Terms, o.Currency)
	if err != nil {
		return b, err
	}
	b.Currency, b.Total = currency, domain.Number{}
	if prices.GroupPrice != nil {
		b.Total = *prices.GroupPrice
		return b, nil
	}
	guests := make([]domain.Guests, len(b.Guests))
	for i, g := range b.Guests {
		if g.Price, err = prices.UnitPrice(g.UnitID); err != nil {
			return b, err
		}
		b.Total.Decimal = b.Total.Add(g.Price.Mul(decimal.NewFromInt(int64(g.Quantity))))
		guests[i] = g
	}
	b.Guests = guests
	return b, nil
}

// readSlot reads the slot from the partner: by its id, or else by its start. The error is Conflict if
// the slot has begun, or is too far in the future.
func (s *Service) readSlot(ctx context.Context, target partner.Target, o Order, offer Offer) (Fresh, error) {
	fresh := Fresh{At: s.Now(), Variation: o.Variation, Asked: o.Slot}
	if !offer.Start.After(fresh.At) {
		return fresh, errSlotStarted
	}
	zone, err := time.LoadLocation(offer.Activity.Product.TimeZone)
	if err != nil {
		return fresh, fmt.Errorf("the zone of activity %s: %w", o.Activity, err)
	}
	date := domain.DateIn(offer.Start, zone)
	window := catalog.Window{Zone: zone, From: date, To: date}
	var read *catalog.SlotAnswer
	err = s.Partner.FreshAvailability(ctx, target, window.Request(catalog.SlotOption{
		VariationID: o.Variation, ProductID: offer.Activity.Product.ID, TimeZone: offer.Activity.Product.TimeZone, Option: offer.variation(o.Variation).Option,
	}), func(ctx context.Context, body []byte) (err error) {
		read, err = catalog.ReadSlots(ctx, body, window)
		return err
	})
	if err == nil && ctx.Err() != nil { // the customer has left, so nothing is reserved
		err = context.Cause(ctx)
	}
	if err != nil {
		if last := domain.DateIn(fresh.At, zone).AddDate(0, 0, partnerapi.LookaheadDays); date.After(last) && refusedByPartner(err) {
			err = errNoSlot // lawful for a date that far in the future
		}
		return fresh, err
	}
	fresh.Slot, fresh.Gone = match(read.Slots, o.Slot, offer.Start), read.Lacks(o.Slot)
	return fresh, nil
}

// refusedByPartner reports whether the partner answered with a 4xx.
func refusedByPartner(err error) bool {
	var failed *domain.Error
	return errors.As(err, &failed) && failed.PartnerStatus/100 == 4
}

var errNoSlot = &domain.Error{Code: domain.Conflict, Reason: domain.SlotSoldOut, Message: "the slot can no longer be booked"}

var errSlotStarted = &domain.Error{Code: domain.Conflict, Reason: domain.SlotStarted, Message: "the slot has already started"}

func match(slots []domain.Slot, id string, start time.Time) *domain.Slot {
	for i := range slots {
		if slots[i].ID == id {
			return &slots[i]
		}
	}
	for i := range slots {
		if slots[i].Start.Equal(start) {
			return &slots[i]
		}
	}
	return nil
}
