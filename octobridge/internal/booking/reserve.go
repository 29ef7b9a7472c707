package booking

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/octobridge/internal/supplier"
	"partnerkit.dev/schemas/partnerapi"
)

// Order is what a guest wants to book.
type Order struct {
	ProductID, OptionID, AvailabilityID string
	Items                               []octo.UnitItem
	Reference                           string // the reseller's
}

// mayAppear is how long a supplier may take to know of a reservation whose answer was lost. Until then it
// is cancelled again.
const mayAppear = 2 * callTime

// noHold is for the customer if the supplier gives no reason.
const noHold = "This time can no longer be booked. Please choose another one."

// Reserve puts an order on hold. Its error is a *Refusal, or that of the call. A hold whose caller has
// left is released.
func (s *Service) Reserve(ctx context.Context, o Order) (partnerapi.ReserveAnswer, error) {
	code := uuid.NewString()
	b := store.Booking{
		Code: code, UUID: code, State: store.Reserving, ProductID: o.ProductID, OptionID: o.OptionID, AvailabilityID: o.AvailabilityID,
		ExpiresAt: s.Now().Add(mayAppear),
	}
	held, err := detach(ctx, &s.calls, func(ctx context.Context) (store.Booking, error) {
		return s.reserve(ctx, b, o)
	}, func(ctx context.Context, err error) {
		if err == nil {
			s.releaseUnwanted(ctx, code)
		}
	})
	return partnerapi.ReserveAnswer{ReservationConfirmationCode: code, ExpiresAt: partnerapi.FormatDateTime(held.ExpiresAt)}, err
}

// reserve reserves with the supplier, and stores the outcome.
func (s *Service) reserve(ctx context.Context, b store.Booking, o Order) (store.Booking, error) {
	release, err := s.busy.acquire(ctx, b.Code)
	if err != nil {
		return b, err
	}
	defer release()
	if err := s.Store.Insert(ctx, b); err != nil {
		return b, err
	}
	reserved, err := s.Supplier.Reserve(ctx, octo.ReservationRequest{
		UUID: b.Code, ProductID: o.ProductID, OptionID: o.OptionID, AvailabilityID: o.AvailabilityID,
		ExpirationMinutes: int(s.HoldFor / time.Minute), UnitItems: o.Items, ResellerReference: o.Reference,
	})
	if err != nil {
		return b, s.failReserve(ctx, b, err)
	}
	if reserved.UUID != "" {
		b.UUID = reserved.UUID
	}
	if !isLive(reserved.Status) {
		behind := &supplier.Failure{Call: "POST /bookings", Err: errors.New("the booking has the status " + reserved.Status)}
		return b, errors.Join(&Refusal{Message: noHold, Behind: behind}, s.Store.Delete(ctx, b.Code))
	}
	if b.ExpiresAt, err = s.expiryOf(reserved); err != nil {
		return b, err // it stays open, and is cancelled
	}
	b.State, b.Immediate = store.Held, reserved.Status == octo.Confirmed || reserved.Status == octo.Redeemed
	return b, s.Store.Update(ctx, b, store.Reserving)
}

// failReserve returns the error of a reserve that failed. Unless it surely had no effect, the booking
// stays open, and is cancelled.
func (s *Service) failReserve(ctx context.Context, b store.Booking, err error) error {
	if isWithoutEffect(err) {
		if failed := s.Store.Delete(ctx, b.Code); failed != nil {
			return failed
		}
	}
	if refused, final := refusalIn(err); final {
		return &Refusal{Message: messageOf(refused, noHold), Behind: err}
	}
	return err
}

// expiryOf returns when a hold expires. If the supplier states nothing, it has no holds: then the bridge
// ends the booking itself.
func (s *Service) expiryOf(b octo.Booking) (time.Time, error) {
	if b.UTCExpiresAt == nil || *b.UTCExpiresAt == "" {
		return s.Now().Add(s.HoldFor).UTC().Truncate(time.Second), nil
	}
	expires, err := partnerapi.ParseDateTime(*b.UTCExpiresAt)
	if err != nil {
		return expires, &supplier.Failure{Call: "POST /bookings", Err: errors.New("utcExpiresAt: " + err.Error())}
	}
	return expires.UTC(), nil
}

// releaseUnwanted releases a hold whose caller has left.
func (s *Service) releaseUnwanted(ctx context.Context, code string) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if err := s.release(ctx, code); err != nil {
		s.Log.Warn("release a hold that came too late", "code", code, "error", err)
	}
}
