package booking

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"partnerkit.dev/internal/octo"
	"partnerkit.dev/octobridge/internal/offer"
	"partnerkit.dev/octobridge/internal/store"
	"partnerkit.dev/schemas/partnerapi"
)

// What a customer reads who confirms what is no live hold (CNF-5).
const (
	unknownCode = "There is no reservation with this code."
	ended       = "This reservation has ended and can no longer be confirmed."
	cancelled   = "This booking was cancelled and cannot be confirmed again."
)

// Confirm turns a hold into a booking, and returns the answer as JSON: the same one each time (CNF-4).
// Its error is a *Refusal, or that of the call. The call goes on if the caller leaves.
func (s *Service) Confirm(ctx context.Context, r partnerapi.ConfirmRequest) ([]byte, error) {
	return detach(ctx, &s.calls, func(ctx context.Context) ([]byte, error) {
		release, err := s.busy.acquire(ctx, r.ReservationConfirmationCode)
		if err != nil {
			return nil, err
		}
		defer release()
		b, found, err := s.Store.Find(ctx, r.ReservationConfirmationCode)
		switch {
		case err != nil:
			return nil, err
		case !found:
			return nil, &Refusal{Message: unknownCode}
		case b.State == store.Confirming: // an earlier answer was lost
			if b, err = s.resolve(ctx, b); err != nil {
				return nil, err
			}
		}
		return s.confirm(ctx, b, r)
	}, nil)
}

func (s *Service) confirm(ctx context.Context, b store.Booking, r partnerapi.ConfirmRequest) ([]byte, error) {
	switch {
	case b.State == store.Confirmed:
		return b.Answer, nil
	case b.State == store.Cancelled, b.State == store.Cancelling:
		return nil, &Refusal{Message: cancelled}
	case b.State != store.Held, b.Immediate && !s.Now().Before(b.ExpiresAt): // which the supplier does not end
		return nil, &Refusal{Message: ended}
	}
	b.State = store.Confirming
	if err := s.Store.Update(ctx, b, store.Held); err != nil {
		return nil, err
	}
	confirmed, err := s.Supplier.Confirm(ctx, b.UUID, octo.ConfirmationRequest{ResellerReference: r.ResellerReference, Contact: contactOf(r.Contact)})
	if err == nil && isLive(confirmed.Status) && confirmed.Status != octo.OnHold {
		b, err = s.book(ctx, b, confirmed)
		return b.Answer, err
	}
	refused, final := refusalIn(err)
	switch {
	case err == nil, final:
		// It may be confirmed already, or have ended, or the request may lack something.
		if b, unknown := s.resolve(ctx, b); unknown != nil || b.State == store.Confirmed {
			return b.Answer, unknown
		}
		if err == nil {
			return nil, &Refusal{Message: ended}
		}
		return nil, &Refusal{Message: messageOf(refused, ended), Behind: err}
	case isWithoutEffect(err):
		b.State = store.Held
		return nil, errors.Join(err, s.Store.Update(ctx, b, store.Confirming))
	}
	return nil, err // it stays open
}

// book stores a confirmed booking with its answer.
func (s *Service) book(ctx context.Context, b store.Booking, confirmed octo.Booking) (store.Booking, error) {
	from := b.State
	b.State = store.Confirmed
	answer := partnerapi.ConfirmAnswer{
		Status: partnerapi.StatusConfirmed, UUID: b.UUID,
		ProductID: b.ProductID, OptionID: b.OptionID, AvailabilityID: b.AvailabilityID, Tickets: offer.Tickets(confirmed),
	}
	if confirmed.Status == octo.Pending {
		answer.Status = octo.Pending
	}
	// An id that another booking has would cancel that one.
	for _, answer.ExternalBookingID = range bookingIDs(b, confirmed) {
		text, err := json.Marshal(answer)
		if err != nil {
			return b, err
		}
		b.BookingID, b.Answer = answer.ExternalBookingID, text
		if err := s.Store.Update(ctx, b, from); !errors.Is(err, store.ErrTaken) {
			return b, err
		}
	}
	return b, store.ErrTaken
}

// maxID is the maximum length of an id, in bytes (GEN-10).
const maxID = 1000

// bookingIDs returns what can be the external booking id, the best first: what people at the supplier
// know, what its system knows, and what only the bridge has.
func bookingIDs(b store.Booking, confirmed octo.Booking) (ids []string) {
	known := ""
	if confirmed.SupplierReference != nil {
		known = *confirmed.SupplierReference
	}
	for _, id := range []string{known, confirmed.ID} {
		if id != "" && len(id) <= maxID && !strings.ContainsRune(id, 0) {
			ids = append(ids, id)
		}
	}
	return append(ids, b.Code)
}

// contactOf returns a guest in OCTO's form, which has first and last names too.
func contactOf(c *partnerapi.Contact) *octo.Contact {
	if c == nil {
		return nil
	}
	contact := &octo.Contact{FullName: nullable(c.FullName), EmailAddress: nullable(c.EmailAddress), PhoneNumber: nullable(c.PhoneNumber)}
	words := strings.Fields(c.FullName)
	if last := len(words) - 1; last > 0 {
		contact.FirstName, contact.LastName = new(strings.Join(words[:last], " ")), &words[last]
	} else if last == 0 {
		contact.FirstName = &words[0]
	}
	return contact
}

func nullable(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
