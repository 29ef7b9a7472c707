package booking

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// patience is how long a payment waits for confirm beyond the partner's limit.
const patience = time.Second

// Pay records the payment provider's result. It is idempotent for a reference. After a successful
// payment the booking is confirmed at the partner. Pay returns the booking's state after that. The
// error is NotFound, or a Conflict that names the state.
func (s *Service) Pay(ctx context.Context, of domain.Scope, id uuid.UUID, p domain.Payment) (domain.Booking, error) {
	call, by := uuid.New(), partner.SendWithin(sendTime)
	r, _, err := s.moves.step(ctx, id, func(r Record) (Change, error) {
		if err := checkVisible(r.Booking, of); err != nil {
			return Change{}, err
		}
		return s.pay(r, p, call)
	})
	if err != nil {
		return domain.Booking{}, err
	}
	return s.andConfirm(ctx, r, call, by).Booking, nil
}

// pay applies a payment to a booking.
func (s *Service) pay(r Record, p domain.Payment, call uuid.UUID) (Change, error) {
	if slices.ContainsFunc(r.Payments, func(known domain.Payment) bool {
		return known.Reference == p.Reference && known.Succeeded == p.Succeeded
	}) {
		return Change{}, nil
	}
	p.At = s.Now()
	on, why := paymentFail, "payment "+p.Reference+" failed"
	if p.Succeeded {
		on, why = paymentSucceed, "payment "+p.Reference+" succeeded"
	}
	c, err := move(r.Booking, on, p.At, why, attention[on][r.Status], call)
	if err != nil {
		return Change{}, err
	}
	if p.Succeeded {
		c.Booking.PaymentReference = cmp.Or(c.Booking.PaymentReference, p.Reference)
		nameRefund(r.Booking, c.Booking, p.Reference)
	}
	c.Payment = &p
	return c, nil
}

// nameRefund adds a payment to the list of payments to refund, if a booking was paid again.
func nameRefund(before, after domain.Booking, reference string) {
	duplicate := func(a domain.Attention) bool { return a.Reason == domain.DuplicatePayment }
	now := slices.IndexFunc(after.Attention, duplicate)
	if now < 0 || reference == after.PaymentReference {
		return
	}
	var listed []string
	if was := slices.IndexFunc(before.Attention, duplicate); was >= 0 {
		listed = before.Attention[was].Refund
	}
	refund := append(slices.Clone(listed), reference)
	after.Attention[now].Refund = refund
	after.Attention[now].Message = "paid more than once: refund " + strings.Join(refund, ", ")
}

// attention contains the messages for operators about payments.
var attention = map[event]map[domain.BookingStatus]string{paymentSucceed: {
	domain.Released: "the payment arrived after the hold was released: the seats may be sold; refund the payment",
}}

// Retry confirms a paid booking again for an operator, even after the partner refused to confirm.
// It waits as Pay does.
func (s *Service) Retry(ctx context.Context, id uuid.UUID) (domain.Booking, error) {
	call, by := uuid.New(), partner.SendWithin(sendTime)
	r, _, err := s.moves.step(ctx, id, func(r Record) (Change, error) {
		if r.ConfirmCall == call {
			return Change{}, nil // stored; only the database's reply was lost
		}
		return move(r.Booking, operatorConfirm, s.Now(), string(operatorConfirm), "", call)
	})
	if err != nil {
		return domain.Booking{}, err
	}
	return s.andConfirm(ctx, r, call, by).Booking, nil
}

// andConfirm sends a confirm if the booking is due for one, and waits a while for the result. The
// call continues after the caller has gone.
func (s *Service) andConfirm(ctx context.Context, r Record, call uuid.UUID, by partner.SendBy) Record {
	if r.ConfirmCall != call {
		return r
	}
	after := make(chan Record, 1)
	s.calls.Go(func() {
		r, _ := s.confirm(context.WithoutCancel(ctx), r, call, by) // logged inside; a sweep takes the call over
		after <- r
	})
	timer := time.NewTimer(partnerapi.Confirm.Timeout(r.Health) + patience)
	defer timer.Stop()
	select {
	case r = <-after:
	case <-timer.C:
	case <-ctx.Done():
	}
	return r
}

// confirm sends a recorded confirm and stores the result. The error is that of storing it.
func (s *Service) confirm(ctx context.Context, r Record, call uuid.UUID, by partner.SendBy) (Record, error) {
	target, err := s.Target(r.Integration)
	if err != nil {
		return s.endConfirm(ctx, r, call, partnerapi.ConfirmAnswer{}, partner.Outcome{Kind: partner.NotSent, Err: err})
	}
	answer, outcome := s.Partner.Confirm(ctx, by, target, r.Health, partnerapi.ConfirmRequest{
		ReservationConfirmationCode: r.Code, Contact: &r.Contact, ResellerReference: r.ID.String(),
	}, r.Integration.HandlesTicketDelivery)
	return s.endConfirm(ctx, r, call, answer, outcome)
}

// endConfirm stores the outcome of a confirm. If that takes too long, it returns the booking
// unchanged.
func (s *Service) endConfirm(ctx context.Context, r Record, call uuid.UUID, answer partnerapi.ConfirmAnswer, o partner.Outcome) (Record, error) {
	var left atomic.Bool // not read: the caller does the same in both cases
	after, _, err := s.moves.storeResult(ctx, r, &left, func(r Record) (Change, error) { return s.applyConfirm(r, call, answer, o) })
	if err != nil && domain.CodeOf(err) == domain.PartnerFailed {
		unreadable := o
		unreadable.Kind, unreadable.Err = partner.Unreadable, err
		after, _, err = s.moves.storeResult(ctx, r, &left, func(r Record) (Change, error) {
			return s.applyConfirm(r, call, partnerapi.ConfirmAnswer{}, unreadable)
		})
	}
	if err != nil {
		s.Log.Error("the result of a confirm was not stored", slog.String("booking_id", r.ID.String()), slog.Any("error", err))
		return r, err
	}
	if o.Kind == partner.Refused {
		after.refusal = o.Message
	}
	return after, nil
}

// applyConfirm applies the outcome of a confirm call to a booking.
func (s *Service) applyConfirm(r Record, call uuid.UUID, answer partnerapi.ConfirmAnswer, o partner.Outcome) (Change, error) {
	if answer.ExternalBookingID != "" && r.ExternalBookingID == answer.ExternalBookingID {
		return Change{}, nil // stored; only the database's reply was lost
	}
	now := s.Now()
	on := silence(r.Booking, now)
	switch o.Kind {
	case partner.Done:
		if on = confirmAccept; r.idTaken {
			on, o.Message = confirmShared, sharesID
		}
	case partner.Refused:
		on = confirmRefuse
	case partner.Failed, partner.Unreadable:
		on = confirmFail
	}
	message := o.Message
	if message == "" && o.Err != nil {
		message = o.Err.Error()
	}
	if on == confirmFail || on == confirmRefuse && r.Doubted {
		doubt := mayHaveBooked
		if replacing.holds(r.Booking) {
			doubt = bothKept
		}
		message += "; " + doubt
	}
	c, err := move(r.Booking, on, now, "", message, call)
	if silent := on == confirmUnanswered || on == confirmGiveUp; err != nil || silent && r.ConfirmCall != call {
		// It changes no state; only the history keeps it.
		return Change{At: now, Booking: r.Booking, Ends: end(call, o)}, nil
	}
	if o.Kind == partner.Done {
		c.NewID, c.SharesID = true, r.idTaken
		c.Booking.ExternalBookingID, c.Booking.Tickets = answer.ExternalBookingID, answer.Tickets
		c.Breaches = breaches(r.Booking, partnerapi.Confirm, now, o.Breaches)
		if r.AffiliateID != uuid.Nil && c.Booking.Status == domain.Confirmed {
			c.Commission = s.commission(r.Booking)
		}
	}
	c.Ends = end(call, o)
	return c, nil
}

// mayHaveBooked is added to the messages about a confirm that failed, or that was refused after an
// earlier one without an answer. A partner may refuse to repeat what it has done (CNF-4).
const mayHaveBooked = "the partner may have booked: confirm again, or cancel, which asks the partner once more"

// commission returns an affiliate's share of a booking in the booking's currency.
func (s *Service) commission(b domain.Booking) *decimal.Decimal {
	share := b.Total.Mul(s.AffiliatesShare).Shift(-2).Rat()
	rounded := domain.Round(share, b.Currency).Decimal
	return &rounded
}
