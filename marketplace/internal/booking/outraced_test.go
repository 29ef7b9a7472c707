package booking_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
)

// outracedStore is a store in which another caller always moves a booking first.
type outracedStore struct{ booking.Store }

func (outracedStore) SaveBooking(context.Context, booking.Change, int64) error {
	return booking.ErrStale
}

func TestACallerThatKeepsLosingRacesIsAskedToRetry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.checkout(t)
	busy, err := booking.NewService(booking.Config{
		Store: outracedStore{b.store.Bookings}, Keys: b.store.Bookings, Partner: b.client, Target: b.integrations.Target,
		AffiliatesShare: decimal.NewFromInt(10), Now: b.now, Log: slog.New(slog.DiscardHandler),
	})
	check(t, err)
	_, err = busy.Abandon(t.Context(), domain.Scope{Account: b.reseller}, held.ID)
	if row := domain.ReasonOf(err).Row(); row.Status != 503 || row.RetryAfter == 0 || !errors.Is(err, booking.ErrStale) {
		t.Errorf("want a 503 with a time to come back after, got %d and %v", row.Status, err)
	}
}
