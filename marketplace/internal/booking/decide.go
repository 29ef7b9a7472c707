package booking

import (
	"context"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Abandon gives a hold back that the customer does not want any more. The partner is
// told by a job. The error is NotFound, or Conflict and names the state.
func (s *Service) Abandon(ctx context.Context, of marketplace.Scope, id uuid.UUID) (marketplace.Booking, error) {
	return s.decide(ctx, of, id, abandon, "")
}

// Cancel calls a confirmed booking off. The partner is told by a
// job. Errors are those of Abandon.
func (s *Service) Cancel(ctx context.Context, of marketplace.Scope, id uuid.UUID, reason string) (marketplace.Booking, error) {
	return s.decide(ctx, of, id, customerCancel, reason)
}

// Settle calls a paid or confirmed booking off, as an operator has decided. A partner that
// may have booked is asked once more before its hold is given back, by a confirm, as
// Retry does: no confirm may follow the release (CNF-5), and without the id of its
// booking nothing can be cancelled. Where it does not say, an operator is told. Errors
// are those of Abandon.
func (s *Service) Settle(ctx context.Context, id uuid.UUID, reason string) (marketplace.Booking, error) {
	r, err := s.Store.Booking(ctx, id)
	if err == nil && r.Status == marketplace.Paid && r.Doubted {
		_, err = s.Retry(ctx, id)
	}
	if err != nil && marketplace.CodeOf(err) != marketplace.Conflict { // somebody else was first
		return marketplace.Booking{}, err
	}
	return s.decide(ctx, marketplace.Scope{}, id, operatorCancel, reason)
}

// Deliver has what was given up sent again. Errors are those of Abandon.
func (s *Service) Deliver(ctx context.Context, id uuid.UUID) (marketplace.Booking, error) {
	return s.decide(ctx, marketplace.Scope{}, id, operatorDeliver, "")
}

// Resolve ends the attention of a booking that was seen to elsewhere, but for a reason
// that keeps a payment from its booking. Errors are those of Abandon.
func (s *Service) Resolve(ctx context.Context, id uuid.UUID) (marketplace.Booking, error) {
	return s.decide(ctx, marketplace.Scope{}, id, operatorResolve, "")
}

// leftInDoubt is shown to operators when a booking was cancelled while its state was
// in doubt. No other decision raises attention.
const leftInDoubt = "the booking was cancelled, but it is unknown whether the partner has booked: ask the partner to cancel what it has"

// decide makes a transition after which only jobs call the partner.
func (s *Service) decide(ctx context.Context, of marketplace.Scope, id uuid.UUID, on event, reason string) (marketplace.Booking, error) {
	r, _, err := s.moves.step(ctx, id, func(r Record) (Change, error) {
		if err := visible(r.Booking, of); err != nil {
			return Change{}, err
		}
		row, err := next(r.Booking, on)
		if err != nil {
			return Change{}, err
		}
		if row.From == row.To && row.Ask == "" && on != operatorResolve {
			return Change{}, nil // it was done before
		}
		why := string(on)
		if reason != "" {
			why += ": " + reason
		}
		c, err := move(r.Booking, on, s.Now(), why, leftInDoubt, uuid.Nil)
		if reason != "" && row.Cancel == marketplace.Pending {
			c.Booking.CancelReason = reason
		}
		return c, err
	})
	return r.Booking, err
}
