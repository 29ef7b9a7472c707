package scenario

import (
	"context"
	"net/http"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// mostUncancelled is the maximum number of bookings that are made at a partner without
// cancellations: these bookings stay.
const mostUncancelled = 2

// mostStuck is the maximum number of bookings that could not be cancelled at a partner with
// cancellations.
const mostStuck = 5

// MayBook returns the reason why no booking must be made: too many cannot be cancelled.
func (b *Booker) MayBook(ctx context.Context) *partner.Stop {
	if b.traits.NoCancel && b.account.made >= mostUncancelled {
		return partner.NewStop("the partner does not support cancellations: no more than %d bookings are made", mostUncancelled).
			WithRemedy("Implement the cancel endpoint.")
	}
	if stuck := b.account.stuckBookings(); len(stuck) >= mostStuck && !b.stuck {
		for _, h := range stuck {
			b.Undo(ctx, h, "", "cancel a booking once more, before others are made")
		}
		b.stuck = len(b.account.stuckBookings()) >= mostStuck
	}
	if b.stuck {
		return partner.NewStop("%d bookings could not be cancelled, so no more are made", mostStuck).WithRemedy("Fix the cancel endpoint first.")
	}
	return nil
}

// CanCancel reports whether further bookings can be expected to be cancelled.
func (b *Booker) CanCancel(ctx context.Context) bool {
	return !b.traits.NoCancel && b.MayBook(ctx) == nil
}

// Confirm sends one confirm and records the booking that it made.
func (b *Booker) Confirm(ctx context.Context, purpose string, h *Hold, full bool, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.confirmAs(ctx, h, partner.Confirm(purpose, h.Code, h.entry, full, key))
}

func (b *Booker) confirmAs(ctx context.Context, h *Hold, call probe.Call) (*probe.Answer, *partner.Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.Time.StopCause()
	}
	settle, stop := b.account.beginConfirm(h)
	if stop != nil {
		return nil, stop
	}
	answer, stop := b.calls.Call(context.WithoutCancel(ctx), call, false)
	settle(answer)
	if stop != nil {
		return nil, stop
	}
	return answer, nil
}

// ReserveWith sends a reserve with a form of its body.
func (b *Booker) ReserveWith(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, body partner.Body, key probe.Key) (*Hold, *partner.Stop) {
	return b.reserveAs(ctx, offer, units, func(entry *ledger.Entry) probe.Call {
		return body.Of(partner.Reserve(purpose, entry, body != partner.BareBody, key))
	})
}

// ConfirmWith sends a confirm with a form of its body.
func (b *Booker) ConfirmWith(ctx context.Context, purpose string, h *Hold, body partner.Body, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.confirmAs(ctx, h, body.Of(partner.Confirm(purpose, h.Code, h.entry, body != partner.BareBody, key)))
}

// ReleaseWith sends a release with a form of its body.
func (b *Booker) ReleaseWith(ctx context.Context, purpose, code string, body partner.Body, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.calls.Call(ctx, body.Of(partner.Release(purpose, code, body != partner.BareBody, key)), true)
}

// CancelWith sends a cancellation with a form of its body.
func (b *Booker) CancelWith(ctx context.Context, purpose, id string, body partner.Body, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.calls.Call(ctx, body.Of(partner.Cancel(purpose, id, body != partner.BareBody, key)), true)
}

// book turns a hold into a booking with the registered key.
func (b *Booker) book(ctx context.Context, purpose string, h *Hold, full bool) (*probe.Answer, *partner.Stop) {
	if stop := b.MayBook(ctx); stop != nil {
		return nil, stop
	}
	answer, stop := b.Confirm(ctx, purpose, h, full, probe.GoodKey)
	if stop != nil {
		return nil, stop
	}
	if stop = unexpectedStop(answer, "200 for a live hold", formOf(full), http.StatusOK); stop != nil {
		return answer, stop
	}
	if flaw := NoObject(answer); flaw != "" {
		return answer, partner.StopAt(partner.Unreadable, answer, "%s", flaw)
	}
	return answer, b.observeBooking(answer)
}

// observeBooking records what is wrong with the fields of a booking. The stop is the reason why the booking cannot be
// cancelled.
func (b *Booker) observeBooking(answer *probe.Answer) *partner.Stop {
	schema := schemas.ConfirmAnswer
	if b.tickets {
		schema = schemas.ConfirmAnswerWithTickets
	}
	var fatal *partner.Stop
	for _, problem := range schemas.Validate(schema, answer.Raw) {
		if problem.Pointer == "" || problem.Pointer == "/externalBookingId" && partner.Text(answer, "externalBookingId") == "" { // it cannot be cancelled
			fatal = b.misfit(answer, problem)
			continue
		}
		b.observer.Answer(answer, problem)
	}
	return fatal
}

// ObserveBooking records what is wrong with the fields of a booking, in the answer to its first or a repeated confirm.
func (b *Booker) ObserveBooking(answer *probe.Answer, repeated bool) *partner.Stop {
	if repeated {
		b.observeRepeat(answer)
		return nil
	}
	return b.observeBooking(answer)
}

// observeRepeat records what is wrong with the fields of a repeated confirm's answer. Its booking id
// and its tickets are compared with the first ones.
func (b *Booker) observeRepeat(answer *probe.Answer) {
	for _, problem := range schemas.Validate(schemas.ConfirmAnswer, answer.Raw) {
		if problem.Pointer != "" && problem.Pointer != "/externalBookingId" && !strings.HasPrefix(problem.Pointer, "/tickets") {
			b.observer.Answer(answer, problem)
		}
	}
}

// Release releases a code with the usual body.
func (b *Booker) Release(ctx context.Context, purpose, code string, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.ReleaseAs(ctx, purpose, code, true, key)
}

// ReleaseAs releases a code with or without a body.
func (b *Booker) ReleaseAs(ctx context.Context, purpose, code string, body bool, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.calls.Call(ctx, partner.Release(purpose, code, body, key), true)
}

// releaseHold releases a live hold with the registered key.
func (b *Booker) releaseHold(ctx context.Context, purpose string, h *Hold, body bool) (*probe.Answer, *partner.Stop) {
	answer, stop := b.calls.Call(ctx, partner.Release(purpose, h.Code, body, probe.GoodKey), true)
	if stop != nil {
		return nil, stop
	}
	if stop = unexpectedStop(answer, "200 for a live hold", formOf(body), http.StatusOK); stop == nil {
		b.account.Settle(answer, h)
	}
	return answer, stop
}

// formOf returns Usual for a call with all optional fields in its body, Minimal for one without.
func formOf(full bool) partner.Form {
	if full {
		return partner.Usual
	}
	return partner.Minimal
}

// Cancel cancels a booking with the usual body.
func (b *Booker) Cancel(ctx context.Context, purpose, id string, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.CancelAs(ctx, purpose, id, true, key)
}

// CancelAs cancels a booking with or without a body.
func (b *Booker) CancelAs(ctx context.Context, purpose, id string, body bool, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.calls.Call(ctx, partner.Cancel(purpose, id, body, key), true)
}

// cancelBooking cancels a live booking with the registered key.
func (b *Booker) cancelBooking(ctx context.Context, purpose string, h *Hold, id string, body bool) (*probe.Answer, *partner.Stop) {
	answer, stop := b.calls.Call(ctx, partner.Cancel(purpose, id, body, probe.GoodKey), true)
	if stop != nil {
		return nil, stop
	}
	if body && !b.traits.Cancels && answer.HasStatus(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
		b.traits.NoCancel = true
		return answer, partner.NewStop("the partner does not support cancellations: it answered %s", answer.Words())
	}
	b.account.Settle(answer, h)
	if stop = unexpectedStop(answer, "200 for a live booking", formOf(body), http.StatusOK); stop == nil {
		b.traits.Cancels, b.traits.NoCancel = true, false
	}
	return answer, stop
}

// Undo releases a hold, or cancels its booking. It reports whether nothing is left to undo.
func (b *Booker) Undo(ctx context.Context, h *Hold, release, cancel string) bool {
	var answer *probe.Answer
	var stop *partner.Stop
	switch h.entry.State {
	case ledger.Held:
		answer, stop = b.Release(ctx, release, h.Code, probe.GoodKey)
	case ledger.Booked:
		answer, stop = b.Cancel(ctx, cancel, h.entry.BookingID, probe.GoodKey)
	default:
		return true
	}
	if stop == nil {
		b.account.Settle(answer, h)
	}
	return stop == nil && undo.Done(answer)
}

// Traits returns what is known about the partner's holds and bookings so far.
func (b *Booker) Traits() Traits { return *b.traits }
