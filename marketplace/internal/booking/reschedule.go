package booking

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Reschedule is a request to move the guests of a confirmed booking to another slot of its variation.
type Reschedule struct {
	domain.Scope
	ID      uuid.UUID // of the new booking
	Booking uuid.UUID // to reschedule
	Slot    string    // the new slot's availability id in the marketplace
	Payment string    // reference of the customer's payment of the difference; "": none
}

// Reschedule books the new slot, confirms it, and then cancels the old booking. It is a checkout whose new
// booking is paid by the payment of the old one. Until the new booking is CONFIRMED, the old one stays
// CONFIRMED and cannot be cancelled. Whatever fails before leaves it as it was. If the partner does
// not answer to confirm, respond gets the new booking PAID, and the ordinary retries decide.
//
// respond, the answer and the errors are those of Checkout. A Conflict also means that the booking cannot be
// rescheduled now, that it has the slot, that the slot costs more (Due), or that the partner refused to
// confirm.
func (s *Service) Reschedule(ctx context.Context, q Reschedule, k Key, respond func(Held, error) Answer) (Answer, error) {
	old, err := s.Find(ctx, q.Scope, q.Booking)
	if err != nil {
		return Answer{}, err
	}
	o := Order{
		ID: q.ID, Account: old.AccountID, Mode: old.Mode, Activity: old.ActivityID, Variation: old.VariationID, Slot: q.Slot, Contact: old.Contact,
		Currency: old.Currency, Affiliate: old.AffiliateID, ResellerReference: old.ResellerReference, Old: old, Payment: q.Payment,
	}
	for _, g := range old.Guests {
		o.Guests = append(o.Guests, Party{Type: g.Type, Unit: g.UnitID, Quantity: g.Quantity})
	}
	return s.Checkout(ctx, o, k, respond)
}

func (o Order) reschedules() bool { return o.Old.ID != uuid.Nil }

// checkOld returns a Conflict if the old booking cannot be rescheduled.
func (s *Service) checkOld(old domain.Booking) error {
	if _, err := transitionFor(old, rescheduleBegin); err != nil {
		return err
	}
	switch {
	case !old.Start.After(s.Now()):
		return &domain.Error{Code: domain.Conflict, Reason: domain.SlotStarted, Message: "the booking's slot has already started"}
	case old.Contact.FullName == "":
		return &domain.Error{Code: domain.Conflict, Reason: domain.BookingState, Message: "the guest's data was erased, so no other slot can be booked for the guest"}
	}
	return nil
}

// mistake returns an error about the order. If the order was made from an old booking, the catalog has
// changed since then.
func (o Order) mistake(err error) error {
	var wrong *domain.Error
	if !o.reschedules() || !errors.As(err, &wrong) || wrong.Code != domain.Invalid {
		return err
	}
	return domain.Errorf(domain.Conflict, "the booking can no longer be sold as it was: %s", strings.Join(wrong.Details, "; "))
}

// checkReplacement returns a Conflict if the new slot is the old one, or costs more than was paid.
func checkReplacement(o Order, slot domain.Slot, b domain.Booking) error {
	switch {
	case slot.ID == o.Old.AvailabilityID || slot.Start.Equal(o.Old.Start):
		return &domain.Error{Code: domain.Conflict, Reason: domain.SameSlot, Message: "the booking already has this slot"}
	case o.Payment == "" && b.Total.GreaterThan(o.Old.Total.Decimal):
		due := domain.Price{Amount: domain.Number{Decimal: b.Total.Sub(o.Old.Total.Decimal)}, Currency: b.Currency}
		return &domain.Error{
			Code: domain.Conflict, Reason: domain.PaymentRequired, Due: &due,
			Message: "the new slot costs " + due.Amount.StringFixed(due.Currency.Decimals()) + " " + string(due.Currency) + " more: charge the customer, then send the payment's reference",
		}
	}
	return nil
}

// rescheduled returns the new booking of a reschedule after its confirm, or the partner's refusal.
func (s *Service) rescheduled(ctx context.Context, r Record) (Held, error) {
	switch {
	case r.Status == domain.Cancelled && r.ExternalBookingID == "":
		return Held{}, &domain.Error{Code: domain.Conflict, Reason: domain.ReserveRefused, Message: cmp.Or(r.refusal, "the partner refused the booking")}
	case r.PaymentReference == "":
		return Held{}, errReplicaDied
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	histories, err := s.Store.Histories(within, []uuid.UUID{r.ID})
	return Held{Booking: r.Booking, History: histories[r.ID]}, err
}

// resume returns how the reschedule ended whose replica has not answered.
func (s *Service) resume(ctx context.Context, id uuid.UUID) (Held, error) {
	r, err := s.moves.read(ctx, id)
	if err != nil {
		return Held{}, err
	}
	return s.rescheduled(ctx, r)
}
