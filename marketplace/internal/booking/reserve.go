package booking

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// Held is a booking that a checkout has made, with what has happened to it.
type Held struct {
	marketplace.Booking
	History []marketplace.HistoryEntry
	answer  *Key // that was stored with it; nil: none
}

// request is a checkout as it came.
type request struct {
	key  Key // without a Key it is done as often as it is sent
	tell func(Held, error) Answer
}

// reserve is a reserve that is under way for a booking.
type reserve struct {
	by *Service
	Record
	target partner.Target
	call   Call
	request
}

// send stores a booking with its reserve, sends that, and stores what comes of it. It
// returns the booking, or why there is none.
func (a *reserve) send(ctx context.Context) (Held, error) {
	a.call = Call{ID: uuid.New(), Endpoint: partnerapi.Reserve, At: a.by.Now()}
	a.CreatedAt = a.call.At
	if err := a.by.Store.CreateBooking(ctx, a.Booking, a.call); err != nil {
		return Held{}, err
	}
	asked := partnerapi.ReserveRequest{
		ProductID: a.ProductID, OptionID: a.OptionID, AvailabilityID: a.AvailabilityID, Contact: &a.Contact, ResellerReference: a.ID.String(),
	}
	for _, g := range a.Guests {
		asked.Units = append(asked.Units, partnerapi.UnitQuantity{ID: g.UnitID, Quantity: g.Quantity})
	}
	hold, outcome := a.by.Partner.Reserve(ctx, a.target, a.Health, asked, a.comesLate)
	unwanted := ctx.Err() != nil && a.key.Key == "" // who has named a key may come back for the answer
	return a.keep(ctx, reserveAnswer{a.call, hold, outcome, unwanted})
}

// keep stores what came of a reserve, and returns the booking, or why there is none.
func (a *reserve) keep(ctx context.Context, came reserveAnswer) (Held, error) {
	var held Held
	decide := func(r Record) (Change, error) {
		c, err := came.move(r, a.by.Now())
		if err != nil || c.Booking.ID == uuid.Nil {
			return c, err
		}
		held = Held{Booking: c.Booking, History: append([]marketplace.HistoryEntry{came.call.over(*c.Ends)}, c.History...)}
		if k := a.key; k.Key != "" {
			if k.Answer = a.tell(held, came.whyNotHeld(held.Booking)); k.Answer.Body != nil {
				held.answer, c.Answers = &k, &k
			}
		}
		return c, nil
	}
	_, err := a.by.moves.insist(ctx, a.Record, decide)
	switch code := came.hold.ReservationConfirmationCode; {
	case err == nil:
		return held, came.whyNotHeld(held.Booking)
	case marketplace.CodeOf(err) == marketplace.Conflict:
		// The code is another booking's: to release it would give that one's seats away.
		a.end(ctx, reserveAnswer{call: came.call, Outcome: partner.Outcome{Kind: partner.Refused, Status: came.Status, Took: came.Took, Err: errCodeTwice}}, "a reserve's answer is not stored")
		return Held{}, errCodeTwice
	case code != "":
		// Nobody will know of the hold: the partner is told now, or never.
		a.by.Log.Error("a hold could not be stored, and is released", slog.String("booking_id", a.ID.String()), slog.Any("error", err))
		if o := a.by.Partner.Release(context.WithoutCancel(ctx), a.target, code); o.Err != nil {
			a.by.Log.Error("a hold that could not be stored is not released", slog.String("booking_id", a.ID.String()), slog.Any("error", o.Err))
		}
	}
	return Held{}, err
}

var errCodeTwice = &marketplace.Error{Code: marketplace.PartnerFailed, Message: "the partner answered reserve with a code that another booking has"}

// comesLate stores what came of a reserve that nobody waits for any more.
func (a *reserve) comesLate(hold partnerapi.ReserveAnswer, o partner.Outcome) {
	a.end(context.Background(), reserveAnswer{a.call, hold, o, true}, "a reserve's late answer is not stored")
}

// end stores what came of a reserve that whoever has asked for it has no booking by.
func (a *reserve) end(ctx context.Context, came reserveAnswer, failed string) {
	if _, err := a.by.moves.insist(ctx, a.Record, func(r Record) (Change, error) { return came.move(r, a.by.Now()) }); err != nil {
		a.by.Log.Error(failed, slog.String("booking_id", a.ID.String()), slog.Any("error", err)) // a sweep ends it
	}
}

// reserveAnswer is what came of a reserve.
type reserveAnswer struct {
	call Call
	hold partnerapi.ReserveAnswer
	partner.Outcome
	unwanted bool // nobody waits for the hold any more
}

// whyNotHeld is what whoever has asked for a booking is told where there is none.
func (a reserveAnswer) whyNotHeld(b marketplace.Booking) error {
	switch {
	case b.Status == marketplace.Held:
		return nil
	case a.Kind == partner.SlotRefused:
		return &marketplace.Error{Code: marketplace.Conflict, Message: cmp.Or(a.Message, errNoSlot.Message)}
	case a.Err != nil:
		return a.Err
	default:
		return &marketplace.Error{Code: marketplace.PartnerLate, Message: "the hold came too late, and is given back"}
	}
}

// move is what an answer to reserve makes of a booking.
func (a reserveAnswer) move(r Record, now time.Time) (Change, error) {
	code := a.hold.ReservationConfirmationCode
	if code != "" && r.Code == code {
		return Change{}, nil // stored, and the database's word for it was lost
	}
	on, why := reserveUnanswered, ""
	b := r.Booking
	switch {
	case code != "":
		expires, err := partnerapi.ParseDateTime(a.hold.ExpiresAt)
		on = reserveHold
		if b.Code, b.ExpiresAt = code, expires.UTC().Truncate(time.Microsecond); err != nil || a.unwanted || r.Status != marketplace.Reserving {
			on, why = reserveUnwanted, string(marketplace.Unwanted)
		}
	case a.Kind.Refused() || a.Kind == partner.NotSent:
		on = reserveRefuse
	case r.Status != marketplace.Reserving:
		return Change{}, nil // no news
	}
	message := "whether the partner holds seats is not known"
	if a.Err != nil {
		message = a.Err.Error() + ": " + message
	}
	c, err := move(b, on, now, why, message, uuid.Nil)
	if err != nil {
		return Change{}, err
	}
	c.Ends = end(a.call.ID, a.Outcome)
	return c, nil
}
