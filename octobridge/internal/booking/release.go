package booking

import (
	"context"
	"errors"

	"partnerkit.dev/octobridge/internal/store"
)

// Release ends a hold. Any code is accepted (REL-4 to REL-6). An error means that the supplier has yet
// to release it: the release is on record, and is sent again.
func (s *Service) Release(ctx context.Context, code string) error {
	_, err := detach(ctx, &s.calls, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.release(ctx, code) }, nil)
	return err
}

func (s *Service) release(ctx context.Context, code string) error {
	release, err := s.busy.acquire(ctx, code)
	if err != nil {
		return err
	}
	defer release()
	b, found, err := s.Store.Find(ctx, code)
	if err != nil || !found {
		return err
	}
	if b.State == store.Confirming {
		if b, err = s.resolve(ctx, b); err != nil {
			return err
		}
	}
	switch b.State {
	case store.Reserving, store.Held, store.Releasing:
		return s.endHold(ctx, b)
	}
	return nil
}

// endHold cancels a booking that was not confirmed.
func (s *Service) endHold(ctx context.Context, b store.Booking) error {
	if b.State == store.Held {
		b.State = store.Releasing
		if err := s.Store.Update(ctx, b, store.Held); err != nil {
			return err
		}
	}
	refused, live, err := s.end(ctx, b, "")
	early := s.Now().Before(b.ExpiresAt)
	switch {
	case err != nil:
		return err // it stays open
	case live && (b.Immediate || early):
		return refused // it stays open until it expires
	case b.State == store.Reserving && refused != nil && early:
		return nil // it stays open: the supplier may not have it yet
	}
	from := b.State
	b.State = store.Released
	return s.Store.Update(ctx, b, from)
}

// end cancels a booking with the supplier, which may refuse: then live says whether it still takes
// seats. An error means that the outcome is not known.
func (s *Service) end(ctx context.Context, b store.Booking, reason string) (refused error, live bool, err error) {
	if _, err := s.Supplier.Cancel(ctx, b.UUID, reason); err == nil {
		return nil, false, nil
	} else if _, final := refusalIn(err); !final {
		return nil, false, err
	} else {
		refused = err
	}
	found, err := s.Supplier.Find(ctx, b.UUID)
	if isUnknown(err) {
		return refused, false, nil
	}
	return refused, isLive(found.Status), err
}

// Cancel ends a booking. Any id is accepted (CAN-4, CAN-5). Its error is *Unsupported, or that of the
// call.
func (s *Service) Cancel(ctx context.Context, id, reason string) error {
	_, err := detach(ctx, &s.calls, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.cancel(ctx, id, reason) }, nil)
	return err
}

func (s *Service) cancel(ctx context.Context, id, reason string) error {
	known, found, err := s.Store.FindBooking(ctx, id)
	if err != nil || !found {
		return err
	}
	release, err := s.busy.acquire(ctx, known.Code)
	if err != nil {
		return err
	}
	defer release()
	b, found, err := s.Store.Find(ctx, known.Code) // in its turn
	if err != nil || !found || b.State != store.Confirmed && b.State != store.Cancelling {
		return err
	}
	if b.State == store.Confirmed {
		b.State = store.Cancelling
		if err := s.Store.Update(ctx, b, store.Confirmed); err != nil {
			return err
		}
	}
	refused, live, err := s.end(ctx, b, reason)
	switch {
	case err != nil:
		return err // it stays open
	case live:
		b.State = store.Confirmed
		return errors.Join(&Unsupported{Behind: refused}, s.Store.Update(ctx, b, store.Cancelling))
	}
	b.State = store.Cancelled
	return s.Store.Update(ctx, b, store.Cancelling)
}
