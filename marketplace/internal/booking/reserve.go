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

// reserve stores a booking with its reserve, sends that, and stores what comes of it. It
// returns the booking, or why there is none.
func (s *Service) reserve(ctx context.Context, r Record, target partner.Target, q request) (Held, error) {
	asked := reserveRequest(r.Booking)
	row, err := Next(r.Booking, CheckOut)
	if err != nil {
		return Held{}, err
	}
	call, by := Call{ID: uuid.New(), Endpoint: partnerapi.Reserve, At: s.Now()}, partner.Within(sendTime)
	r.Status, r.CreatedAt = row.To, call.At
	if err := s.create(ctx, r.Booking, call, q.Key); err != nil {
		return Held{}, err
	}
	a := reserved{call: call}
	a.hold, a.Outcome = s.Partner.Reserve(ctx, by, target, r.Health, asked, func(hold partnerapi.ReserveAnswer, o partner.Outcome) {
		s.comesLate(r, reserved{call, hold, o, true})
	})
	a.unwanted = ctx.Err() != nil && q.Key.Key == "" // who has named a key may come back for the answer
	return s.reserved(ctx, r, a, q)
}

// create stores a booking with its reserve. Where the outcome of that commit is not known
// the reserve may be on record, and is looked for; where it is not found it is not sent.
func (s *Service) create(ctx context.Context, b marketplace.Booking, call Call, k Key) error {
	within, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	err := s.Store.CreateBooking(within, b, call, k)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotOwner):
		return errUnderWay
	case marketplace.CodeOf(err) != marketplace.Internal:
		return err
	}
	within, cancel = context.WithTimeout(ctx, storeTime)
	defer cancel()
	if recorded, failed := s.Store.Recorded(within, call.ID); failed != nil || !recorded {
		return err
	}
	return nil
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

// reserved is what came of a reserve.
type reserved struct {
	call Call
	hold partnerapi.ReserveAnswer
	partner.Outcome
	unwanted bool // nobody waits for the hold any more
}

// reserved stores what came of reserve, and returns the booking, or why there is none. A
// hold is given back through its booking alone: what is not stored may be stored as HELD,
// and be paid by somebody who has read that.
func (s *Service) reserved(ctx context.Context, r Record, a reserved, q request) (Held, error) {
	var left atomic.Bool
	after, c, err := s.moves.insist(ctx, r, &left, func(r Record) (Change, error) {
		a := a
		a.unwanted = a.unwanted || left.Load() || r.disowned
		c, err := a.move(r, s.Now())
		if err != nil || c.Booking.ID == uuid.Nil {
			return c, err
		}
		if !r.disowned {
			c.Answers = q.answer(a.made(c), a.whyNotHeld(c.Booking))
		}
		return c, nil
	})
	switch {
	case err == nil && after.disowned:
		return Held{}, errUnderWay // whoever has the key knows its answer
	case err == nil:
		held := a.made(c)
		held.answer = c.Answers
		return held, a.whyNotHeld(held.Booking)
	case marketplace.CodeOf(err) == marketplace.Conflict:
		// The code is another booking's: to release it would give that one's seats away.
		s.unusable(ctx, r, a, partner.Refused, errCodeTwice)
		return Held{}, errCodeTwice
	case marketplace.CodeOf(err) == marketplace.PartnerFailed: // it cannot be stored
		s.unusable(ctx, r, a, partner.Unreadable, err)
		return Held{}, err
	default:
		return Held{}, err
	}
}

// made is the booking that a change makes of an answer to reserve.
func (a reserved) made(c Change) Held {
	h := Held{Booking: c.Booking, History: c.History}
	if c.Ends != nil {
		h.History = append([]marketplace.HistoryEntry{a.call.over(*c.Ends)}, c.History...)
	}
	return h
}

var errCodeTwice = &marketplace.Error{Code: marketplace.PartnerFailed, Message: "the partner answered reserve with a code that another booking has"}

// unusable stores that an answer to reserve was as good as another one, without a hold.
func (s *Service) unusable(ctx context.Context, r Record, a reserved, kind partner.Kind, why error) {
	a = reserved{call: a.call, Outcome: partner.Outcome{Kind: kind, Status: a.Status, Took: a.Took, Err: why}}
	var left atomic.Bool // nothing changes with it
	if _, _, err := s.moves.insist(ctx, r, &left, func(r Record) (Change, error) { return a.move(r, s.Now()) }); err != nil {
		s.Log.Error("what came of a reserve is not stored", slog.String("booking_id", r.ID.String()), slog.Any("error", err)) // a sweep ends it
	}
}

// comesLate stores what came of a reserve that nobody waits for any more.
func (s *Service) comesLate(r Record, a reserved) {
	var left atomic.Bool // nothing changes with it
	if _, _, err := s.moves.insist(context.Background(), r, &left, func(r Record) (Change, error) { return a.move(r, s.Now()) }); err != nil {
		s.Log.Error("a reserve's late answer is not stored", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
	}
}

// whyNotHeld is what whoever has asked for a booking is told where there is none.
func (a reserved) whyNotHeld(b marketplace.Booking) error {
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
func (a reserved) move(r Record, now time.Time) (Change, error) {
	code := a.hold.ReservationConfirmationCode
	if code != "" && r.Code == code {
		return Change{}, nil // stored, and the database's word for it was lost
	}
	on, why := ReserveUnanswered, ""
	b := r.Booking
	switch {
	case code != "":
		expires, err := partnerapi.ParseDateTime(a.hold.ExpiresAt)
		on = ReserveHold
		if b.Code, b.ExpiresAt = code, expires.UTC().Truncate(time.Microsecond); err != nil || a.unwanted || r.Status != marketplace.Reserving {
			on, why = ReserveUnwanted, string(marketplace.Unwanted)
		}
	case a.Kind.Refused() || a.Kind == partner.NotSent:
		on = ReserveRefuse
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
