package booking

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// Held is a booking from a checkout, with its history.
type Held struct {
	domain.Booking
	History []domain.HistoryEntry
	answer  *Key // stored with the booking; nil: no key
}

// request is a checkout with its key.
type request struct {
	key     Key // without a Key, every request makes a booking
	respond func(Held, error) Answer
}

// reserve is a reserve call in progress.
type reserve struct {
	by *Service
	Record
	target partner.Target
	fresh  Fresh
	full   bool // the partner has stated too few seats
	call   Call
	request
	payment string // reference of the payment for the new booking of a reschedule
}

// send stores a booking with its reserve, sends the reserve, and stores the result. The new booking of a
// reschedule is confirmed, too. It returns the booking or the error.
func (a *reserve) send(ctx context.Context) (Held, error) {
	a.call = Call{ID: uuid.New(), Endpoint: partnerapi.Reserve, At: a.by.Now()}
	a.CreatedAt = a.call.At
	by := partner.SendWithin(sendTime)
	if err := a.create(ctx); err != nil {
		if domain.CodeOf(err) == domain.Internal { // the booking may still be stored
			a.by.calls.Go(func() { a.withdraw(err) })
		}
		return Held{}, err
	}
	asked := partnerapi.ReserveRequest{
		ProductID: a.ProductID, OptionID: a.OptionID, AvailabilityID: a.AvailabilityID, Contact: &a.Contact, ResellerReference: a.ID.String(),
	}
	for _, g := range a.Guests {
		asked.Units = append(asked.Units, partnerapi.UnitQuantity{ID: g.UnitID, Quantity: g.Quantity})
	}
	hold, outcome := a.by.Partner.Reserve(ctx, by, a.target, a.Health, asked, a.storeLateAnswer)
	unwanted := ctx.Err() != nil && a.key.Key == "" // a caller with a key may come back for the answer
	came := reserveAnswer{call: a.call, hold: hold, Outcome: outcome, unwanted: unwanted, full: a.full, payment: a.payment, confirm: uuid.New()}
	if !replacing.holds(a.Booking) {
		return a.keep(ctx, came)
	}
	by = partner.SendWithin(sendTime)
	if held, err := a.keep(ctx, came); err != nil {
		return held, err
	}
	return a.by.rescheduled(ctx, a.by.andConfirm(ctx, a.Record, came.confirm, by))
}

// create stores a booking with its reserve. If the commit's outcome is unknown, it looks for the
// recorded reserve. If the reserve is not found, it is not sent.
func (a *reserve) create(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	traceBooking(ctx, a.Booking)
	err := a.by.Store.CreateBooking(within, a.Booking, a.call, a.key, a.fresh)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotOwner):
		return errUnderWay
	case domain.CodeOf(err) != domain.Internal:
		return err
	}
	within, cancel = context.WithTimeout(ctx, doubtTime)
	defer cancel()
	if recorded, failed := a.by.Store.HasCall(within, a.call.ID); failed != nil || !recorded {
		return err
	}
	return nil
}

// withdraw ends a booking whose reserve is not sent, because it is unknown whether it is stored. It frees the
// key, so that a retry books. Otherwise both would wait for a minute, and then for an operator. A request
// that took the key over may have stored a booking with the same id, which is not this one.
func (a *reserve) withdraw(why error) {
	var recorded bool
	err := a.by.keepTrying(func(ctx context.Context) (err error) {
		recorded, err = a.by.Store.HasCall(ctx, a.call.ID)
		return err
	})
	ctx := context.Background()
	if err == nil && recorded {
		unsent := reserveAnswer{call: a.call, Outcome: partner.Outcome{Kind: partner.NotSent, Err: why}}
		_, _, err = a.by.moves.retryStore(ctx, a.Record, func(r Record) (Change, error) { return unsent.move(r, a.by.Now()) })
	}
	if err != nil {
		a.by.Log.Error("a booking whose reserve was not sent was not withdrawn", slog.String("booking_id", a.ID.String()), slog.Any("error", err)) // a sweep finishes it
		return
	}
	if a.key.Key != "" {
		_ = a.by.settleKey(ctx, a.key)
	}
}

// keep stores the result of a reserve and returns the booking or the error. A hold is released only
// through its booking: after a failure without a clear answer the hold may be stored as HELD, and a
// customer may pay it.
func (a *reserve) keep(ctx context.Context, came reserveAnswer) (Held, error) {
	var left atomic.Bool
	after, c, err := a.by.moves.storeResult(ctx, a.Record, &left, func(r Record) (Change, error) {
		came := came
		came.unwanted = came.unwanted || left.Load() || r.keyTaken
		c, err := came.move(r, a.by.Now())
		if err != nil || c.Booking.ID == uuid.Nil || r.keyTaken {
			return c, err
		}
		if k := a.key; k.Key != "" {
			if c.Booking.Status != domain.Paid { // otherwise the answer follows the confirm
				k.Answer = a.respond(came.toHeld(c), came.whyNotHeld(c.Booking))
			}
			if k.Answer.Body != nil || c.Booking.Status == domain.Paid {
				c.Answers = &k
			}
		}
		return c, nil
	})
	switch {
	case err == nil && after.keyTaken:
		return Held{}, errUnderWay // the owner of the key knows its answer
	case err == nil:
		a.Record = after
		return came.toHeld(c), came.whyNotHeld(c.Booking)
	case domain.CodeOf(err) == domain.Conflict:
		a.end(ctx, came.withSharedCode(), "a reserve's answer was not stored")
		return Held{}, errCodeTwice
	case domain.CodeOf(err) == domain.PartnerFailed: // the database cannot store the answer
		a.end(ctx, came.withOutcome(partner.Unreadable, err), "a reserve's answer was not stored")
	}
	return Held{}, err
}

var errCodeTwice = &domain.Error{Code: domain.PartnerFailed, Message: "the partner's reserve returned the code of another booking"}

// storeLateAnswer stores the result of a reserve whose caller has gone.
func (a *reserve) storeLateAnswer(hold partnerapi.ReserveAnswer, o partner.Outcome) {
	a.end(context.Background(), reserveAnswer{call: a.call, hold: hold, Outcome: o, unwanted: true, full: a.full}, "a reserve's late answer was not stored")
}

// end stores the result of a reserve whose caller receives no booking.
func (a *reserve) end(ctx context.Context, came reserveAnswer, failed string) {
	var left atomic.Bool // not read: the caller does the same in both cases
	_, _, err := a.by.moves.storeResult(ctx, a.Record, &left, func(r Record) (Change, error) { return came.move(r, a.by.Now()) })
	switch {
	case errors.Is(err, ErrCodeTaken):
		a.end(ctx, came.withSharedCode(), failed)
	case err != nil:
		a.by.Log.Error(failed, slog.String("booking_id", a.ID.String()), slog.Any("error", err)) // a sweep finishes it
	}
}

// reserveAnswer is the outcome of a reserve.
type reserveAnswer struct {
	call Call
	hold partnerapi.ReserveAnswer
	partner.Outcome
	unwanted   bool      // the caller no longer waits for the hold
	full       bool      // the partner has stated too few seats
	sharedCode string    // the code of another booking, which the partner has returned again
	payment    string    // for the new booking of a reschedule
	confirm    uuid.UUID // the confirm that such a booking begins with its hold
}

// withSharedCode returns the answer as a refusal, because its code belongs to another booking. Nothing is
// known about what is behind the code, so neither booking is confirmed with it.
func (a reserveAnswer) withSharedCode() reserveAnswer {
	refused := a.withOutcome(partner.Refused, errCodeTwice)
	refused.sharedCode = a.hold.ReservationConfirmationCode
	return refused
}

// codeTaken is the message for a code that two reserves have returned (RSV-4).
const codeTaken = "reservationConfirmationCode: expected a code that no other booking has, because a confirm could book the seats of the other one"

// withOutcome returns the answer with another outcome, because its hold cannot be used.
func (a reserveAnswer) withOutcome(kind partner.Kind, why error) reserveAnswer {
	return reserveAnswer{call: a.call, Outcome: partner.Outcome{Kind: kind, Status: a.Status, Took: a.Took, Err: why}}
}

// toHeld returns the booking after a change.
func (a reserveAnswer) toHeld(c Change) Held {
	h := Held{Booking: c.Booking, History: c.History, answer: c.Answers}
	if c.Ends != nil {
		h.History = append([]domain.HistoryEntry{a.call.historyEntry(*c.Ends)}, c.History...)
	}
	return h
}

// whyNotHeld is the error for a caller whose checkout produced no hold.
func (a reserveAnswer) whyNotHeld(b domain.Booking) error {
	switch {
	case b.Status == domain.Held, b.Status == domain.Paid:
		return nil
	case a.Kind == partner.SlotRefused && a.full:
		return &domain.Error{Code: domain.Conflict, Reason: domain.SlotSoldOut, Message: cmp.Or(a.Message, errNoSlot.Message)}
	case a.Kind == partner.SlotRefused:
		return &domain.Error{Code: domain.Conflict, Reason: domain.ReserveRefused, Message: cmp.Or(a.Message, "the partner refused the booking")}
	case a.Err != nil:
		return a.Err
	default:
		return &domain.Error{Code: domain.PartnerLate, Message: "the hold arrived too late and is released"}
	}
}

// move applies an answer to reserve to a booking.
func (a reserveAnswer) move(r Record, now time.Time) (Change, error) {
	code := a.hold.ReservationConfirmationCode
	if code != "" && r.Code == code {
		return Change{}, nil // stored; only the database's reply was lost
	}
	on, why := reserveUnanswered, ""
	b := r.Booking
	switch {
	case code != "":
		expires, err := partnerapi.ParseDateTime(a.hold.ExpiresAt)
		on = reserveHold
		if b.Code, b.ExpiresAt = code, expires.UTC().Truncate(time.Microsecond); err != nil || a.unwanted || r.Status != domain.Reserving {
			on, why = reserveUnwanted, string(domain.Unwanted)
		}
	case a.Kind.IsRefused() || a.Kind == partner.NotSent:
		on = reserveRefuse
	case r.Status != domain.Reserving:
		return Change{}, nil // nothing new
	}
	message := "it is unknown whether the partner holds seats"
	if a.Err != nil {
		message = a.Err.Error() + ": " + message
	}
	if on == reserveHold && replacing.holds(b) {
		why = "rescheduled from " + b.RescheduledFrom.String() + ", payment " + a.payment
	}
	c, err := move(b, on, now, why, message, a.confirm)
	if err != nil {
		return Change{}, err
	}
	if c.Booking.Status == domain.Paid {
		c.Booking.PaymentReference = a.payment
		c.Payment = &domain.Payment{Reference: a.payment, Succeeded: true, At: now}
	}
	c.Ends = end(a.call.ID, a.Outcome)
	if c.SharesCode = a.sharedCode; c.SharesCode != "" {
		c.Breaches = breaches(b, partnerapi.Reserve, now, []string{codeTaken})
	}
	return c, nil
}
