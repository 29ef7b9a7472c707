package scenario

import (
	"context"
	"crypto/rand"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/internal/count"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// mostUncancelled is the maximum number of bookings that are made at a partner without
// cancellations: these bookings stay.
const mostUncancelled = 2

// Confirm sends one confirm and records the booking that it made.
func (b *Booker) Confirm(ctx context.Context, purpose string, h *Hold, full bool, key probe.Key) (*probe.Answer, *Stop) {
	return b.confirmAs(ctx, h, confirmCall(purpose, h, full, key))
}

func (b *Booker) confirmAs(ctx context.Context, h *Hold, call probe.Call) (*probe.Answer, *Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.Time.out()
	}
	settle, stop := b.confirming(h)
	if stop != nil {
		return nil, stop
	}
	answer, stop := b.calls.call(context.WithoutCancel(ctx), call, false)
	settle(answer)
	if stop != nil {
		return nil, stop
	}
	return answer, nil
}

// confirming records that a hold's code is about to be confirmed: until the answer is read, a
// booking may exist. The caller passes the answers to settle. The stop is the reason why the code
// must not be confirmed.
func (b *Booker) confirming(h *Hold) (settle func(...*probe.Answer), stop *Stop) {
	if most := b.calls.Bounds.MaxBookings; h.Held() && b.made >= most {
		return nil, outOfBounds("no more than %s may be made (--max-bookings)", count.Of(most, "booking")).WithRemedy("Run with a higher --max-bookings.")
	}
	was := h.entry.State
	if was == ledger.Held || was == ledger.Undone {
		b.calls.Ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Doubtful })
	}
	back := func() { b.calls.Ledger.Record(h.entry, func(e *ledger.Entry) { e.State = was }) }
	if err := b.calls.Ledger.Trouble(); err != nil {
		back()
		return nil, unrecorded(err)
	}
	return func(answers ...*probe.Answer) {
		booked, unheard := false, false
		for _, answer := range answers {
			switch {
			case answer == nil: // it was not sent
			case answer.Failure != nil:
				unheard = true
			case answer.Response.Status/100 == 2:
				booked = b.recordBooking(h, Text(answer, "externalBookingId")) || booked
			}
		}
		if !booked && !unheard {
			back()
		}
	}, nil
}

// recordBooking records a booking of a hold and reports whether it is the hold's own. A booking
// with another id than the hold's first becomes a separate entry, to be cancelled as well.
func (b *Booker) recordBooking(h *Hold, id string) bool {
	entry := h.entry
	if entry.BookingID != "" && entry.BookingID != id {
		if entry = h.others[id]; entry == nil {
			entry = b.calls.Ledger.Add(h.entry.Slot, h.entry.Units)
			if h.others == nil {
				h.others = map[string]*ledger.Entry{}
			}
			h.others[id] = entry
		}
	}
	if entry.State == ledger.Booked {
		return true // a repeat that was answered with the same booking
	}
	b.made++
	b.calls.Ledger.Record(entry, func(e *ledger.Entry) {
		e.State, e.BookingID = ledger.Booked, id
		if id == "" {
			e.State, e.Trouble = ledger.Doubtful, undo.NoBookingID
		}
	})
	return entry == h.entry
}

// book turns a hold into a booking with the registered key.
func (b *Booker) book(ctx context.Context, purpose string, h *Hold, full bool) (*probe.Answer, string, *Stop) {
	if b.traits.NoCancel && b.made >= mostUncancelled {
		return nil, "", Missing("the partner does not support cancellations: no more than %d bookings are made", mostUncancelled).
			WithRemedy("Implement the cancel endpoint.")
	}
	answer, stop := b.Confirm(ctx, purpose, h, full, probe.GoodKey)
	if stop != nil {
		return nil, "", stop
	}
	if stop = unlike(answer, "200 for a live hold", formOf(full), http.StatusOK); stop != nil {
		return answer, "", stop
	}
	if flaw := NoObject(answer); flaw != "" {
		return answer, "", stopAt(Unreadable, answer, "%s", flaw)
	}
	schema := schemas.ConfirmAnswer
	if b.calls.Tickets {
		schema = schemas.ConfirmAnswerWithTickets
	}
	var fatal *Stop
	for _, problem := range schemas.Validate(schema, answer.Raw) {
		if problem.Pointer == "" || problem.Pointer == "/externalBookingId" { // it cannot be cancelled
			fatal = b.misfit(answer, problem)
			continue
		}
		b.calls.Witness.Answer(answer, problem)
	}
	for _, problem := range unstorable(answer, "externalBookingId") {
		b.calls.Witness.Answer(answer, problem)
	}
	return answer, Text(answer, "externalBookingId"), fatal
}

func (b *Booker) Release(ctx context.Context, purpose, code string, key probe.Key) (*probe.Answer, *Stop) {
	return b.ReleaseAs(ctx, purpose, code, true, key)
}

// ReleaseAs releases a code with or without a body.
func (b *Booker) ReleaseAs(ctx context.Context, purpose, code string, body bool, key probe.Key) (*probe.Answer, *Stop) {
	return b.calls.call(ctx, releaseCall(purpose, code, body, key), true)
}

// releaseBare releases a code with a request that has no body.
func (b *Booker) releaseBare(ctx context.Context, purpose, code string) (*probe.Answer, *Stop) {
	return b.ReleaseAs(ctx, purpose+", without a body", code, false, probe.GoodKey)
}

// releaseHold releases a live hold with the registered key.
func (b *Booker) releaseHold(ctx context.Context, purpose string, h *Hold, body bool) (*probe.Answer, *Stop) {
	answer, stop := b.calls.call(ctx, releaseCall(purpose, h.Code, body, probe.GoodKey), true)
	if stop != nil {
		return nil, stop
	}
	if stop = unlike(answer, "200 for a live hold", formOf(body), http.StatusOK); stop == nil {
		b.Settle(answer, h)
	}
	return answer, stop
}

// formOf returns Usual for a call with all optional fields in its body, Minimal for one without.
func formOf(full bool) Form {
	if full {
		return Usual
	}
	return Minimal
}

// Settle records that a hold was released, or a booking cancelled, if the answer leaves no doubt. A
// release does not change a booking.
func (b *Booker) Settle(answer *probe.Answer, h *Hold) {
	if !undo.Done(answer) {
		return
	}
	if answer.Endpoint == partnerapi.Cancel {
		b.calls.Ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Undone })
		return
	}
	b.over(h)
}

func (b *Booker) over(h *Hold) {
	b.calls.Ledger.Record(h.entry, func(e *ledger.Entry) {
		if e.State == ledger.Held {
			e.State = ledger.Undone
		}
	})
}

func (b *Booker) Cancel(ctx context.Context, purpose, id string, key probe.Key) (*probe.Answer, *Stop) {
	return b.CancelAs(ctx, purpose, id, true, key)
}

// CancelAs cancels a booking with or without a body.
func (b *Booker) CancelAs(ctx context.Context, purpose, id string, body bool, key probe.Key) (*probe.Answer, *Stop) {
	return b.calls.call(ctx, cancelCall(purpose, id, body, key), true)
}

// cancelBooking cancels a live booking with the registered key.
func (b *Booker) cancelBooking(ctx context.Context, purpose string, h *Hold, id string, body bool) (*probe.Answer, *Stop) {
	answer, stop := b.calls.call(ctx, cancelCall(purpose, id, body, probe.GoodKey), true)
	if stop != nil {
		return nil, stop
	}
	if body && answer.OK(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented) {
		b.traits.NoCancel = true
		return answer, Missing("the partner does not support cancellations: it answered %s", answer.Words())
	}
	if stop = unlike(answer, "200 for a live booking", formOf(body), http.StatusOK); stop == nil {
		b.Settle(answer, h)
	}
	return answer, stop
}

// Undo releases a hold, or cancels its booking. It reports whether nothing is left to undo.
func (b *Booker) Undo(ctx context.Context, h *Hold, release, cancel string) bool {
	var answer *probe.Answer
	var stop *Stop
	switch h.entry.State {
	case ledger.Held:
		answer, stop = b.Release(ctx, release, h.Code, probe.GoodKey)
	case ledger.Booked:
		answer, stop = b.Cancel(ctx, cancel, h.entry.BookingID, probe.GoodKey)
	default:
		return true
	}
	if stop == nil {
		b.Settle(answer, h)
	}
	return stop == nil && undo.Done(answer)
}

func (b *Booker) Traits() Traits { return *b.traits }

// Unknown returns a hold that does not exist, with a code that no partner can know. If the partner
// still books it, that booking is cancelled like any other.
func (b *Booker) Unknown(offer discover.Offer) *Hold {
	return &Hold{entry: b.calls.Ledger.Add(ledger.SlotOf(offer), nil), Code: b.UnknownCode()}
}

// UnknownCode returns a code that no partner can know.
func (b *Booker) UnknownCode() string {
	return "unknown-" + b.calls.Ledger.Head().Run + "-" + rand.Text()
}
