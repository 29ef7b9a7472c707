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
)

// Booker makes holds and bookings, and releases and cancels them.
type Booker struct {
	calls    *partner.Caller
	account  *Account
	observer Observer
	clock    *partner.Clock
	tickets  bool // the partner delivers its own tickets
	traits   *Traits
	stuck    bool // mostStuck bookings could not be cancelled
}

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
	return b.ConfirmWith(ctx, purpose, h, bodyOf(full), key)
}

// ConfirmWith sends a confirm with a form of its body.
func (b *Booker) ConfirmWith(ctx context.Context, purpose string, h *Hold, body partner.Body, key probe.Key) (*probe.Answer, *partner.Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.Time.StopCause()
	}
	settle, stop := b.account.beginConfirm(h)
	if stop != nil {
		return nil, stop
	}
	answer, stop := b.calls.Call(context.WithoutCancel(ctx), body.Of(partner.Confirm(purpose, h.Code, h.entry, body != partner.BareBody, key)), false)
	settle(answer)
	if stop != nil {
		return nil, stop
	}
	return answer, nil
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
	return b.ReleaseWith(ctx, purpose, code, partner.FullBody, key)
}

// ReleaseWith sends a release with a form of its body.
func (b *Booker) ReleaseWith(ctx context.Context, purpose, code string, body partner.Body, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.calls.Call(ctx, body.Of(partner.Release(purpose, code, body != partner.BareBody, key)), true)
}

// releaseHold releases a live hold with the registered key.
func (b *Booker) releaseHold(ctx context.Context, purpose string, h *Hold, body bool) (*probe.Answer, *partner.Stop) {
	answer, stop := b.ReleaseWith(ctx, purpose, h.Code, bodyOf(body), probe.GoodKey)
	if stop != nil {
		return nil, stop
	}
	if stop = unexpectedStop(answer, "200 for a live hold", formOf(body), http.StatusOK); stop == nil {
		b.account.Settle(answer, h)
	}
	return answer, stop
}

// bodyOf returns the usual body, with all optional fields, or the one without any.
func bodyOf(full bool) partner.Body {
	if full {
		return partner.FullBody
	}
	return partner.BareBody
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
	return b.CancelWith(ctx, purpose, id, partner.FullBody, key)
}

// CancelWith sends a cancellation with a form of its body.
func (b *Booker) CancelWith(ctx context.Context, purpose, id string, body partner.Body, key probe.Key) (*probe.Answer, *partner.Stop) {
	return b.calls.Call(ctx, body.Of(partner.Cancel(purpose, id, body != partner.BareBody, key)), true)
}

// cancelBooking cancels a live booking with the registered key.
func (b *Booker) cancelBooking(ctx context.Context, purpose string, h *Hold, id string, body bool) (*probe.Answer, *partner.Stop) {
	answer, stop := b.CancelWith(ctx, purpose, id, bodyOf(body), probe.GoodKey)
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

// unexpectedStop returns the stop of an answer that broke off or has another status than the given ones.
func unexpectedStop(answer *probe.Answer, want string, form partner.Form, statuses ...int) *partner.Stop {
	switch {
	case answer.BrokeOff(statuses...):
		return partner.StopAt(partner.Unreadable, answer, "Expected a complete JSON object: %s", answer.Failure.Message)
	case !answer.HasStatus(statuses...):
		return partner.StopAt(partner.WrongStatus, answer, "Expected %s, received %s", want, answer.Words()).WithForm(form)
	default:
		return nil
	}
}

func (b *Booker) misfit(answer *probe.Answer, problem schemas.Problem) *partner.Stop {
	stop := partner.StopAt(partner.Misfit, answer, "%s", problem)
	stop.Problem = problem
	stop.Exchanges[0] = probe.Marked(answer.Exchange, discover.Object(answer.Raw), problem.Pointer, b.calls.Client.Redactor().Redact)
	return stop
}

// NoObject returns why an answer's body is not a JSON object, or "".
func NoObject(answer *probe.Answer) string {
	value, err := discover.Decode(answer.Raw)
	if err != nil {
		return "Expected a JSON object: " + err.Error()
	}
	if _, ok := value.(map[string]any); !ok {
		return "Expected a JSON object, received another JSON value"
	}
	return ""
}
