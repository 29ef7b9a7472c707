package booking

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/store"
)

// resolve asks the supplier what has become of a confirm whose answer was lost or is unclear, and stores
// that: the booking is confirmed, still held, or has ended.
func (s *Service) resolve(ctx context.Context, b store.Booking) (store.Booking, error) {
	found, err := s.Supplier.Find(ctx, b.UUID)
	switch {
	case err != nil && !isUnknown(err):
		return b, err
	case err != nil, !isLive(found.Status):
		b.State = store.Released
	case found.Status == octo.OnHold:
		b.State = store.Held
	default:
		return s.book(ctx, b, found)
	}
	return b, s.Store.Update(ctx, b, store.Confirming)
}

// These bound the work of Settle.
const (
	settleAtOnce = 8
	settleMost   = 200
	settlePause  = 15 * time.Second
	pruneEvery   = time.Hour
)

// These are how long ended holds and bookings are kept. An unknown code is answered like that of an
// ended hold.
const (
	keepHolds    = 7 * 24 * time.Hour
	keepBookings = 400 * 24 * time.Hour
)

// Run settles what is open, first what a bridge that died has left, until the context ends.
func (s *Service) Run(ctx context.Context) {
	began := s.Now()
	if !s.Store.IsAlone() {
		began = began.Add(-2 * callTime) // later ones may be calls of another bridge
	}
	pruned := time.Time{}
	for ctx.Err() == nil {
		s.Settle(ctx, began)
		if s.Now().Sub(pruned) > pruneEvery {
			pruned = s.Now()
			s.warn(ctx, "prune", s.Store.Prune(ctx, pruned.Add(-keepHolds), pruned.Add(-keepBookings)))
		}
		select {
		case <-ctx.Done():
		case <-time.After(settlePause):
			began = s.Now().Add(-2 * callTime)
		}
	}
}

// Settle decides about bookings whose call began before that time and whose outcome is not known. A
// reservation is cancelled, because its caller has no code. A confirm is looked up. A release and a
// cancellation are sent again. So is an immediate booking cancelled that was not confirmed in time.
func (s *Service) Settle(ctx context.Context, began time.Time) {
	open, err := s.Store.InProgress(ctx, began, settleMost)
	s.warn(ctx, "settle", err)
	abandoned, err := s.Store.Abandoned(ctx, s.Now(), settleMost)
	s.warn(ctx, "settle", err)
	group := errgroup.Group{}
	group.SetLimit(settleAtOnce)
	for _, b := range append(open, abandoned...) {
		group.Go(func() error {
			if err := s.settle(ctx, b); err != nil {
				s.warn(ctx, "settle", err, "code", b.Code, "state", string(b.State))
				s.warn(ctx, "settle", s.Store.Touch(ctx, b.Code))
			}
			return nil
		})
	}
	_ = group.Wait()
}

func (s *Service) settle(ctx context.Context, b store.Booking) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	switch b.State {
	case store.Cancelling:
		return s.cancel(ctx, b.BookingID, "")
	case store.Confirming:
		return s.settleConfirm(ctx, b.Code)
	}
	return s.release(ctx, b.Code)
}

func (s *Service) settleConfirm(ctx context.Context, code string) error {
	release, err := s.busy.acquire(ctx, code)
	if err != nil {
		return err
	}
	defer release()
	b, found, err := s.Store.Find(ctx, code)
	if err != nil || !found || b.State != store.Confirming {
		return err
	}
	_, err = s.resolve(ctx, b)
	return err
}

// warn logs an error, unless the service stops.
func (s *Service) warn(ctx context.Context, what string, err error, about ...any) {
	if err != nil && ctx.Err() == nil {
		s.Log.Warn(what, append(about, "error", err)...)
	}
}
