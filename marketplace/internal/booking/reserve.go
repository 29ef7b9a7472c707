package booking

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
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
	key  Key // without a Key every request makes a booking
	tell func(Held, error) Answer
}

// reserve is a reserve that is under way for a booking.
type reserve struct {
	by *Service
	Record
	target partner.Target
	fresh  Fresh
	call   Call
	request
}

// send stores a booking with its reserve, sends the reserve and stores the result. It
// returns the booking or the error.
func (a *reserve) send(ctx context.Context) (Held, error) {
	a.call = Call{ID: uuid.New(), Endpoint: partnerapi.Reserve, At: a.by.Now()}
	a.CreatedAt = a.call.At
	by := partner.Within(sendTime)
	if err := a.create(ctx); err != nil {
		return Held{}, err
	}
	asked := partnerapi.ReserveRequest{
		ProductID: a.ProductID, OptionID: a.OptionID, AvailabilityID: a.AvailabilityID, Contact: &a.Contact, ResellerReference: a.ID.String(),
	}
	for _, g := range a.Guests {
		asked.Units = append(asked.Units, partnerapi.UnitQuantity{ID: g.UnitID, Quantity: g.Quantity})
	}
	hold, outcome := a.by.Partner.Reserve(ctx, by, a.target, a.Health, asked, a.comesLate)
	unwanted := ctx.Err() != nil && a.key.Key == "" // who has named a key may come back for the answer
	return a.keep(ctx, reserveAnswer{a.call, hold, outcome, unwanted})
}

// create stores a booking with its reserve. Where the outcome of that commit is not known
// the reserve may be on record, and is looked for; where it is not found it is not sent.
func (a *reserve) create(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	traced(ctx, a.Booking)
	err := a.by.Store.CreateBooking(within, a.Booking, a.call, a.key, a.fresh)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotOwner):
		return errUnderWay
	case marketplace.CodeOf(err) != marketplace.Internal:
		return err
	}
	within, cancel = context.WithTimeout(ctx, doubtTime)
	defer cancel()
	if recorded, failed := a.by.Store.Recorded(within, a.call.ID); failed != nil || !recorded {
		return err
	}
	return nil
}

// keep stores the result of a reserve, and returns the booking or the error. A hold is
// released only through its booking: if storing it failed without a clear answer, it
// may be stored as HELD, and a customer may pay it.
func (a *reserve) keep(ctx context.Context, came reserveAnswer) (Held, error) {
	var left atomic.Bool
	after, c, err := a.by.moves.insist(ctx, a.Record, &left, func(r Record) (Change, error) {
		came := came
		came.unwanted = came.unwanted || left.Load() || r.disowned
		c, err := came.move(r, a.by.Now())
		if err != nil || c.Booking.ID == uuid.Nil || r.disowned {
			return c, err
		}
		if k := a.key; k.Key != "" {
			if k.Answer = a.tell(came.made(c), came.whyNotHeld(c.Booking)); k.Answer.Body != nil {
				c.Answers = &k
			}
		}
		return c, nil
	})
	switch {
	case err == nil && after.disowned:
		return Held{}, errUnderWay // the owner of the key knows its answer
	case err == nil:
		return came.made(c), came.whyNotHeld(c.Booking)
	case marketplace.CodeOf(err) == marketplace.Conflict:
		// The code is another booking's: to release it would give that one's seats away.
		a.end(ctx, came.without(partner.Refused, errCodeTwice), "a reserve's answer was not stored")
		return Held{}, errCodeTwice
	case marketplace.CodeOf(err) == marketplace.PartnerFailed: // it cannot be stored
		a.end(ctx, came.without(partner.Unreadable, err), "a reserve's answer was not stored")
	}
	return Held{}, err
}

var errCodeTwice = &marketplace.Error{Code: marketplace.PartnerFailed, Message: "the partner's reserve returned the code of another booking"}

// comesLate stores the result of a reserve whose caller has gone.
func (a *reserve) comesLate(hold partnerapi.ReserveAnswer, o partner.Outcome) {
	a.end(context.Background(), reserveAnswer{a.call, hold, o, true}, "a reserve's late answer was not stored")
}

// end stores the result of a reserve that gave its caller no booking.
func (a *reserve) end(ctx context.Context, came reserveAnswer, failed string) {
	var left atomic.Bool // nothing changes with it
	if _, _, err := a.by.moves.insist(ctx, a.Record, &left, func(r Record) (Change, error) { return came.move(r, a.by.Now()) }); err != nil {
		a.by.Log.Error(failed, slog.String("booking_id", a.ID.String()), slog.Any("error", err)) // a sweep ends it
	}
}

// reserveAnswer is what came of a reserve.
type reserveAnswer struct {
	call Call
	hold partnerapi.ReserveAnswer
	partner.Outcome
	unwanted bool // the caller no longer waits for the hold
}

// without is the answer as it counts where its hold cannot be used.
func (a reserveAnswer) without(kind partner.Kind, why error) reserveAnswer {
	return reserveAnswer{call: a.call, Outcome: partner.Outcome{Kind: kind, Status: a.Status, Took: a.Took, Err: why}}
}

// made is the booking that a change makes of the answer.
func (a reserveAnswer) made(c Change) Held {
	h := Held{Booking: c.Booking, History: c.History, answer: c.Answers}
	if c.Ends != nil {
		h.History = append([]marketplace.HistoryEntry{a.call.over(*c.Ends)}, c.History...)
	}
	return h
}

// whyNotHeld is the error for a caller whose checkout produced no hold.
func (a reserveAnswer) whyNotHeld(b marketplace.Booking) error {
	switch {
	case b.Status == marketplace.Held:
		return nil
	case a.Kind == partner.SlotRefused:
		return &marketplace.Error{Code: marketplace.Conflict, Reason: marketplace.SlotSoldOut, Message: cmp.Or(a.Message, errNoSlot.Message)}
	case a.Err != nil:
		return a.Err
	default:
		return &marketplace.Error{Code: marketplace.PartnerLate, Message: "the hold arrived too late and is released"}
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
	message := "it is unknown whether the partner holds seats"
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
