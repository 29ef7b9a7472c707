package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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

// Held is a booking that a checkout has made, with what has happened to it.
type Held struct {
	marketplace.Booking
	History []marketplace.HistoryEntry
}

// Checkout asks the partner for the slot as it is now, and for a hold. It returns the
// booking, HELD. The error is Invalid, NotFound, Conflict where the slot cannot be
// booked (with the partner's words, where it has some), PartnerFailed or PartnerLate.
// Where ctx has ended meanwhile nobody waits for the hold, and it is given back.
func (s *Service) Checkout(ctx context.Context, o Order) (Held, error) {
	offer, err := s.Store.Offer(ctx, o.Activity, o.Variation, o.Slot)
	if err != nil {
		return Held{}, err
	}
	return s.checkout(ctx, o, offer, nil)
}

func (s *Service) checkout(ctx context.Context, o Order, offer Offer, once *once) (Held, error) {
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
	b.AvailabilityID, b.Start, b.End = slot.ID, slot.Start, slot.End
	row, err := Next(b, CheckOut)
	if err != nil {
		return Held{}, err
	}
	call := Call{ID: uuid.New(), Endpoint: partnerapi.Reserve, At: s.Now()}
	b.Status, b.CreatedAt = row.To, call.At
	if err := s.Store.CreateBooking(ctx, b, call); err != nil {
		return Held{}, err
	}
	r := Record{Booking: b, Version: 1, Integration: offer.Integration, Health: offer.Health}
	answer, outcome := s.Partner.Reserve(ctx, target, offer.Health, reserveRequest(b), func(answer partnerapi.ReserveAnswer, outcome partner.Outcome) {
		s.comesLate(r, call.ID, answer, outcome)
	})
	gone := ctx.Err() != nil && once == nil // who has named a key may come back for the answer
	return s.reserved(ctx, r, target, call, answer, outcome, gone, once)
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
	zone, err := time.LoadLocation(offer.Activity.Product.TimeZone)
	if err != nil {
		return marketplace.Slot{}, fmt.Errorf("the zone of activity %s: %w", o.Activity, err)
	}
	date, today := marketplace.DateIn(offer.Start, zone), marketplace.DateIn(s.Now(), zone)
	if date.Before(today) || date.After(today.AddDate(0, 0, partnerapi.LookaheadDays)) {
		return marketplace.Slot{}, errNoSlot
	}
	window := catalog.Window{Zone: zone, From: date, To: date}
	var read *catalog.SlotAnswer
	within, cancel := context.WithTimeoutCause(ctx, freshTime, errBusy)
	defer cancel()
	_, err = s.Partner.Availability(within, target, window.Request(catalog.SlotOption{
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

var errNoSlot = &marketplace.Error{Code: marketplace.Conflict, Message: "the slot can no longer be booked"}

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

func reserveRequest(b marketplace.Booking) partnerapi.ReserveRequest {
	asked := partnerapi.ReserveRequest{
		ProductID: b.ProductID, OptionID: b.OptionID, AvailabilityID: b.AvailabilityID, Contact: &b.Contact, ResellerReference: b.ID.String(),
	}
	for _, g := range b.Guests {
		asked.Units = append(asked.Units, partnerapi.UnitQuantity{ID: g.UnitID, Quantity: g.Quantity})
	}
	return asked
}

// reserved stores what came of reserve, and returns the booking, or why there is none.
// gone says that nobody waits for it any more.
func (s *Service) reserved(ctx context.Context, r Record, target partner.Target, call Call, hold partnerapi.ReserveAnswer, o partner.Outcome, gone bool, once *once) (Held, error) {
	var held Held
	var answer *Key
	_, err := s.insist(ctx, r, func(r Record) (Change, error) {
		c, err := s.hold(r, call.ID, hold, o, gone)
		if err != nil || c.Booking.ID == uuid.Nil {
			return c, err
		}
		held = Held{c.Booking, append([]marketplace.HistoryEntry{call.over(*c.Ends)}, c.History...)}
		answer = once.answer(held, whyNotHeld(held.Booking, o))
		c.Answers = answer
		return c, nil
	})
	switch {
	case err != nil && marketplace.CodeOf(err) == marketplace.Conflict:
		// The code is another booking's: to release it would give that one's seats away.
		_, _ = s.insist(ctx, r, func(r Record) (Change, error) {
			return s.hold(r, call.ID, partnerapi.ReserveAnswer{}, partner.Outcome{Kind: partner.Refused, Status: o.Status, Took: o.Took, Err: errCodeTwice}, false)
		})
		return Held{}, errCodeTwice
	case err != nil && hold.ReservationConfirmationCode != "":
		// Nobody will know of the hold: the partner is told now, or never.
		s.Log.Error("a hold could not be stored, and is released", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
		s.Partner.Release(context.WithoutCancel(ctx), target, hold.ReservationConfirmationCode)
		return Held{}, err
	case err != nil:
		return Held{}, err
	}
	once.answered(answer)
	return held, whyNotHeld(held.Booking, o)
}

// whyNotHeld is what whoever has asked for a booking is told where there is none.
func whyNotHeld(b marketplace.Booking, o partner.Outcome) error {
	switch {
	case b.Status == marketplace.Held:
		return nil
	case o.Kind == partner.Refused && o.Status == http.StatusBadRequest:
		return &marketplace.Error{Code: marketplace.Conflict, Message: cmp.Or(o.Message, errNoSlot.Message)}
	case o.Err != nil:
		return o.Err
	default:
		return &marketplace.Error{Code: marketplace.PartnerLate, Message: "the hold came too late, and is given back"}
	}
}

var errCodeTwice = &marketplace.Error{Code: marketplace.PartnerFailed, Message: "the partner answered reserve with a code that another booking has"}

// hold is what an answer to reserve makes of a booking.
func (s *Service) hold(r Record, call uuid.UUID, answer partnerapi.ReserveAnswer, o partner.Outcome, unwanted bool) (Change, error) {
	code := answer.ReservationConfirmationCode
	if code != "" && r.Code == code {
		return Change{}, nil // stored, and the database's word for it was lost
	}
	on, why := ReserveUnanswered, ""
	b := r.Booking
	switch {
	case code != "":
		expires, err := partnerapi.ParseDateTime(answer.ExpiresAt)
		on = ReserveHold
		if b.Code, b.ExpiresAt = code, expires.UTC().Truncate(time.Microsecond); err != nil || unwanted || r.Status != marketplace.Reserving {
			on, why = ReserveUnwanted, string(marketplace.Unwanted)
		}
	case o.Kind == partner.Refused || o.Kind == partner.NotSent:
		on = ReserveRefuse
	case r.Status != marketplace.Reserving:
		return Change{}, nil // no news
	}
	message := "whether the partner holds seats is not known"
	if o.Err != nil {
		message = o.Err.Error() + ": " + message
	}
	c, err := move(b, on, s.Now(), why, message, uuid.Nil)
	if err != nil {
		return Change{}, err
	}
	c.Ends = end(call, o)
	return c, nil
}

// comesLate stores what came of a reserve that nobody waits for any more.
func (s *Service) comesLate(r Record, call uuid.UUID, answer partnerapi.ReserveAnswer, o partner.Outcome) {
	ctx := context.Background()
	if _, err := s.insist(ctx, r, func(r Record) (Change, error) { return s.hold(r, call, answer, o, true) }); err != nil {
		s.Log.Error("a reserve's late answer is not stored", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
	}
}
