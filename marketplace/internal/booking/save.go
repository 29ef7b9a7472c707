package booking

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// moves stores the moves of bookings, by compare-and-set.
type moves struct {
	store Store
	log   *slog.Logger
}

// mostRaces bounds how often a move is tried that others come before.
const mostRaces = 20

// step moves a booking: it reads it, and stores what decide makes of it, anew where
// somebody else was first. A change without a booking is none.
func (m moves) step(ctx context.Context, id uuid.UUID, decide func(Record) (Change, error)) (Record, Change, error) {
	r, err := m.store.Booking(ctx, id)
	if err != nil {
		return r, Change{}, err
	}
	return m.stepFrom(ctx, r, decide)
}

// stepFrom is step for a booking that was just read.
func (m moves) stepFrom(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, Change, error) {
	for range mostRaces {
		c, err := decide(r)
		if err != nil || c.Booking.ID == uuid.Nil {
			return r, c, err
		}
		err = m.store.SaveBooking(ctx, c, r.Version)
		if err == nil {
			m.alarm(r.Booking, c.Booking)
			r.Booking, r.Version = c.Booking, r.Version+1
			return r, c, nil
		}
		if !errors.Is(err, ErrStale) {
			return r, Change{}, err
		}
		if r, err = m.store.Booking(ctx, r.ID); err != nil {
			return r, Change{}, err
		}
	}
	return r, Change{}, ErrStale
}

// alarm logs why a booking needs an operator from now on.
func (m moves) alarm(before, after marketplace.Booking) {
	for _, a := range after.Attention {
		if !slices.ContainsFunc(before.Attention, func(known marketplace.Attention) bool { return known.Reason == a.Reason }) {
			m.log.Warn("a booking needs an operator", slog.String("booking_id", after.ID.String()), slog.String("integration_id", after.IntegrationID.String()), slog.String("reason", string(a.Reason)))
		}
	}
}

const (
	// insistFor is how long what a partner has answered is tried to be stored.
	insistFor   = 20 * time.Second
	insistPause = 250 * time.Millisecond
)

// insist stores what came of a call, which cannot be asked for again: it outlives ctx,
// and a database that is away for a moment.
func (m moves) insist(ctx context.Context, r Record, decide func(Record) (Change, error)) (Record, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), insistFor)
	defer cancel()
	for {
		after, _, err := m.stepFrom(ctx, r, decide)
		if err == nil || marketplace.CodeOf(err) != marketplace.Internal {
			return after, err
		}
		m.log.Warn("what came of a call is not stored yet", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
		select {
		case <-ctx.Done():
			return after, err
		case <-time.After(insistPause):
		}
	}
}
