package booking

import (
	"context"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Abandon releases a hold that the customer no longer wants. A job calls the partner. The error is
// NotFound, or a Conflict that names the state.
func (s *Service) Abandon(ctx context.Context, of domain.Scope, id uuid.UUID) (domain.Booking, error) {
	return s.decide(ctx, of, id, abandon, "")
}

// Cancel cancels a confirmed booking. A job calls the partner. Its errors are those of Abandon.
func (s *Service) Cancel(ctx context.Context, of domain.Scope, id uuid.UUID, reason string) (domain.Booking, error) {
	return s.decide(ctx, of, id, customerCancel, reason)
}

// Settle cancels a paid or confirmed booking for an operator. If the partner may have booked, its
// confirm is sent once more before the hold is released, as Retry does. No confirm may follow a
// release (CNF-5), and a cancellation needs the id of the partner's booking. If the partner's
// answer stays unknown, the booking needs attention. The new booking of a reschedule cannot be
// cancelled while it is PAID: if the partner then confirmed it, the guest would have none. Its errors
// are those of Abandon.
func (s *Service) Settle(ctx context.Context, id uuid.UUID, reason string) (domain.Booking, error) {
	r, err := s.Store.Booking(ctx, id)
	if err == nil && r.Status == domain.Paid && r.Doubted && !replacing.holds(r.Booking) {
		_, err = s.Retry(ctx, id)
	}
	if err != nil && domain.CodeOf(err) != domain.Conflict { // another call was first
		return domain.Booking{}, err
	}
	return s.decide(ctx, domain.Scope{}, id, operatorCancel, reason)
}

// Deliver sends a failed release or cancellation again. Its errors are those of Abandon.
func (s *Service) Deliver(ctx context.Context, id uuid.UUID) (domain.Booking, error) {
	return s.decide(ctx, domain.Scope{}, id, operatorDeliver, "")
}

// Resolve marks a booking's attention as resolved, except for reasons that keep a payment from its
// booking. A reschedule in doubt ends: the partner has said that it has not booked the new slot, and the
// old booking stays. Its errors are those of Abandon.
func (s *Service) Resolve(ctx context.Context, id uuid.UUID) (domain.Booking, error) {
	return s.decide(ctx, domain.Scope{}, id, operatorResolve, "")
}

// leftInDoubt is shown to operators when a booking was cancelled while its state was
// in doubt. No other decision raises attention.
const leftInDoubt = "the booking was cancelled, but it is unknown whether the partner has booked: ask the partner to cancel what it has"

// decide makes a transition whose calls to the partner are made by jobs.
func (s *Service) decide(ctx context.Context, of domain.Scope, id uuid.UUID, on event, reason string) (domain.Booking, error) {
	r, _, err := s.moves.step(ctx, id, func(r Record) (Change, error) {
		if err := checkVisible(r.Booking, of); err != nil {
			return Change{}, err
		}
		row, err := transitionFor(r.Booking, on)
		if err != nil {
			return Change{}, err
		}
		if row.From == row.To && row.Ask == "" && on != operatorResolve {
			return Change{}, nil // already done
		}
		why := string(on)
		if reason != "" {
			why += ": " + reason
		}
		c, err := move(r.Booking, on, s.Now(), why, leftInDoubt, uuid.Nil)
		if reason != "" && row.Cancel != "" {
			c.Booking.CancelReason = reason
		}
		return c, err
	})
	return r.Booking, err
}
