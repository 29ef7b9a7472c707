package scenario

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/undo"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// mostUncancelled bounds the bookings made with a partner that takes no
// cancellations: they stay.
const mostUncancelled = 2

// Hold is a hold that was made.
type Hold struct {
	Code     string
	Answer   *probe.Answer
	Answered time.Time     // by this machine's clock
	Expires  time.Time     // zero where it cannot be read
	Life     time.Duration // from the answer to Expires

	entry *ledger.Entry
}

// BookingID is the id of the booking that the hold has become, or "".
func (h *Hold) BookingID() string { return h.entry.BookingID }

// Held reports whether the hold was made, and is not a booking or released.
func (h *Hold) Held() bool { return h.entry.State == ledger.Held }

// Traits is what has been seen of the partner so far.
type Traits struct {
	Holdless    bool // it keeps no seats for holds
	NoCancel    bool // it takes no cancellations
	NothingFree bool // nothing was found that could be booked
	held        bool // a hold was made
}

// Bounds is how many holds and bookings may be made.
type Bounds struct{ MaxHolds, MaxBookings int }

// Booker makes holds and bookings, releases and cancels them. Each is in the ledger
// before it is sent, and what came of it before anything else happens.
type Booker struct {
	calls   *caller
	ledger  *ledger.Ledger
	bounds  Bounds
	clock   *Clock
	tickets bool // the partner delivers its own
	traits  *Traits
	witness Witness
	made    int // bookings
}

// Reserve sends one reserve. It outlives an interrupt: an answer that is not read is a
// hold that cannot be released.
func (b *Booker) Reserve(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool, key probe.Key) (*Hold, *Stop) {
	return b.reserveAs(ctx, offer, units, func(entry *ledger.Entry) probe.Call { return reserveCall(purpose, entry, full, key) })
}

// reserveAs sends the reserve that is made of its entry. The hold is one only as far
// as its answer says so.
func (b *Booker) reserveAs(ctx context.Context, offer discover.Offer, units []partnerapi.UnitQuantity, call func(*ledger.Entry) probe.Call) (*Hold, *Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.time.out()
	}
	entry, stop := b.attempt(offer, units)
	if stop != nil {
		return nil, stop
	}
	answer, stop := b.calls.call(context.WithoutCancel(ctx), call(entry), false)
	b.ledger.Record(entry, func(e *ledger.Entry) { recordReserve(e, answer) })
	if stop != nil {
		return nil, stop
	}
	return held(entry, answer), nil
}

// held is the hold that an answer to reserve brought.
func held(entry *ledger.Entry, answer *probe.Answer) *Hold {
	return &Hold{entry: entry, Answer: answer, Code: entry.Code, Answered: answer.StartedAt.Add(answer.Duration)}
}

// attempt enters a reserve that is about to be sent. What is out of bounds, or
// cannot be entered, is not to be sent.
func (b *Booker) attempt(offer discover.Offer, units []partnerapi.UnitQuantity) (*ledger.Entry, *Stop) {
	if b.calls.readOnly {
		return nil, outOfBounds(ReadOnly)
	}
	made := 0
	for _, entry := range b.ledger.Entries() {
		if entry.Code != "" || entry.State == ledger.Attempted || entry.State == ledger.Unheard {
			made++
		}
	}
	if made >= b.bounds.MaxHolds {
		return nil, outOfBounds("no more than %d holds may be made (--max-holds)", b.bounds.MaxHolds)
	}
	entry, err := b.ledger.Attempt(ledger.SlotOf(offer), units)
	if err != nil {
		return nil, unrecorded(err)
	}
	return entry, nil
}

// recordReserve enters what a reserve brought. Whatever the status, an answer
// with a code is a hold to be released.
func recordReserve(entry *ledger.Entry, answer *probe.Answer) {
	switch {
	case answer == nil: // it was not sent
		entry.State = ledger.Refused
	case answer.Failure != nil:
		entry.State = ledger.Unheard
	default:
		entry.Code, entry.ExpiresAt = Text(answer, "reservationConfirmationCode"), Text(answer, "expiresAt")
		switch {
		case entry.Code != "" && answer.Response.Status/100 == 2:
			entry.State = ledger.Held
		case answer.Response.Status/100 == 2:
			entry.State, entry.Trouble = ledger.Unheard, "the answer to reserve had no code"
		default:
			entry.State, entry.Code = ledger.Refused, ""
		}
	}
}

// read reads the answer to a reserve with the registered key: it has to be a hold that
// can be worked with, or a lawful refusal.
func (b *Booker) read(h *Hold, stop *Stop) (*Hold, *Stop) {
	if stop != nil {
		return nil, stop
	}
	answer := h.Answer
	switch {
	case answer.BrokeOff(http.StatusOK, http.StatusCreated):
		return nil, stopAt(Unreadable, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case answer.OK(http.StatusBadRequest):
		stop := stopAt(Refused, answer, "reserve was refused: %s", RefusalOf(answer))
		stop.Elsewhere = true
		return nil, stop
	case !answer.OK(http.StatusOK, http.StatusCreated):
		return nil, stopAt(WrongStatus, answer, "want 200 or 201 with a hold, got %s", answer.Words())
	}
	if flaw := NoObject(answer); flaw != "" {
		return nil, stopAt(Unreadable, answer, "%s", flaw)
	}
	for _, problem := range schemas.Validate(schemas.ReserveAnswer, answer.Raw) {
		if problem.Pointer != "/expiresAt" { // without it a hold can be worked with
			return nil, b.misfit(answer, problem)
		}
		b.witness.Answer(answer, problem)
	}
	if expires, err := partnerapi.ParseDateTime(h.entry.ExpiresAt); err == nil {
		h.Expires, h.Life = expires, expires.Sub(h.Answered.Add(b.clock.Ahead()))
		b.traits.Holdless = b.traits.Holdless || h.Life > partnerapi.HoldlessAfter
	}
	return h, nil
}

// misfit is the stop of an answer that does not fit its schema.
func (b *Booker) misfit(answer *probe.Answer, problem schemas.Problem) *Stop {
	stop := stopAt(Misfit, answer, "%s", problem)
	stop.Problem = problem
	stop.Exchanges[0] = answer.Marked(discover.Object(answer.Raw), problem.Pointer, b.calls.client.Redactor().Redact)
	return stop
}

// RefusalOf returns the message of a refusal.
func RefusalOf(answer *probe.Answer) string {
	if message := Text(answer, "message"); message != "" {
		return fmt.Sprintf("%q", message)
	}
	return "no message"
}

// NoObject says why an answer's body is no JSON object, or "".
func NoObject(answer *probe.Answer) string {
	value, err := discover.Decode(answer.Raw)
	if err != nil {
		return "want a JSON object: " + err.Error()
	}
	if _, ok := value.(map[string]any); !ok {
		return "want a JSON object, got another JSON value"
	}
	return ""
}

// Confirm sends one confirm and enters a booking that it made.
func (b *Booker) Confirm(ctx context.Context, purpose string, h *Hold, full bool, key probe.Key) (*probe.Answer, *Stop) {
	return b.confirmAs(ctx, h, confirmCall(purpose, h, full, key))
}

func (b *Booker) confirmAs(ctx context.Context, h *Hold, call probe.Call) (*probe.Answer, *Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.time.out()
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

// confirming enters that a hold's code is about to be confirmed: until the answer
// is read nobody knows whether there is a booking. The answers are to be given to
// settle. The stop says why the code must not be confirmed.
func (b *Booker) confirming(h *Hold) (settle func(...*probe.Answer), stop *Stop) {
	if most := b.bounds.MaxBookings; h.Held() && b.made >= most {
		return nil, outOfBounds("no more than %d bookings may be made (--max-bookings)", most)
	}
	was := h.entry.State
	if was == ledger.Held || was == ledger.Undone {
		b.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Doubtful })
	}
	back := func() { b.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = was }) }
	if err := b.ledger.Trouble(); err != nil {
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

// recordBooking enters a booking of a hold, and reports whether it is the hold's
// own. One under another id than the hold's first is an entry of its own, to be
// cancelled as well.
func (b *Booker) recordBooking(h *Hold, id string) bool {
	entry := h.entry
	if entry.BookingID != "" && entry.BookingID != id {
		entry = b.ledger.Add(h.entry.Slot, h.entry.Units)
	}
	if entry.State == ledger.Booked {
		return true // a repeat that was answered with the same booking
	}
	b.made++
	b.ledger.Record(entry, func(e *ledger.Entry) {
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
		return nil, "", Missing("the partner takes no cancellations: no more than %d bookings are made", mostUncancelled)
	}
	answer, stop := b.Confirm(ctx, purpose, h, full, probe.GoodKey)
	switch {
	case stop != nil:
		return nil, "", stop
	case answer.BrokeOff(http.StatusOK):
		return answer, "", stopAt(Unreadable, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case !answer.OK(http.StatusOK):
		form := Usual
		if !full && answer.OK(http.StatusBadRequest) {
			form = Minimal
		}
		return answer, "", stopAt(WrongStatus, answer, "want 200 for a live hold, got %s", answer.Words()).in(form)
	}
	if flaw := NoObject(answer); flaw != "" {
		return answer, "", stopAt(Unreadable, answer, "%s", flaw)
	}
	schema := schemas.ConfirmAnswer
	if b.tickets {
		schema = schemas.ConfirmAnswerWithTickets
	}
	var fatal *Stop
	for _, problem := range schemas.Validate(schema, answer.Raw) {
		if problem.Pointer == "" || problem.Pointer == "/externalBookingId" { // it cannot be cancelled
			fatal = b.misfit(answer, problem)
			continue
		}
		b.witness.Answer(answer, problem)
	}
	return answer, Text(answer, "externalBookingId"), fatal
}

// Release sends one release.
func (b *Booker) Release(ctx context.Context, purpose, code string, key probe.Key) (*probe.Answer, *Stop) {
	return b.calls.call(ctx, releaseCall(purpose, code, true, key), true)
}

// releaseHold releases a live hold with the registered key.
func (b *Booker) releaseHold(ctx context.Context, purpose string, h *Hold, body bool) (*probe.Answer, *Stop) {
	answer, stop := b.calls.call(ctx, releaseCall(purpose, h.Code, body, probe.GoodKey), true)
	switch {
	case stop != nil:
		return nil, stop
	case answer.BrokeOff(http.StatusOK):
		return answer, stopAt(Unreadable, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case !answer.OK(http.StatusOK):
		form := Usual
		if !body {
			form = Minimal
		}
		return answer, stopAt(WrongStatus, answer, "want 200 for a live hold, got %s", answer.Words()).in(form)
	}
	b.Settle(answer, h)
	return answer, nil
}

// Settle enters that a hold is over, or a booking cancelled, where an answer leaves no
// doubt of it. A release leaves what became a booking as it is.
func (b *Booker) Settle(answer *probe.Answer, h *Hold) {
	if !undo.Done(answer) {
		return
	}
	if answer.Endpoint == partnerapi.Cancel {
		b.ledger.Record(h.entry, func(e *ledger.Entry) { e.State = ledger.Undone })
		return
	}
	b.over(h)
}

// over enters that a hold is over.
func (b *Booker) over(h *Hold) {
	b.ledger.Record(h.entry, func(e *ledger.Entry) {
		if e.State == ledger.Held {
			e.State = ledger.Undone
		}
	})
}

// Cancel sends one cancellation.
func (b *Booker) Cancel(ctx context.Context, purpose, id string, key probe.Key) (*probe.Answer, *Stop) {
	return b.calls.call(ctx, cancelCall(purpose, id, true, key), true)
}

// cancelBooking cancels a live booking with the registered key.
func (b *Booker) cancelBooking(ctx context.Context, purpose string, h *Hold, id string, body bool) (*probe.Answer, *Stop) {
	answer, stop := b.calls.call(ctx, cancelCall(purpose, id, body, probe.GoodKey), true)
	switch {
	case stop != nil:
		return nil, stop
	case answer.BrokeOff(http.StatusOK):
		return answer, stopAt(Unreadable, answer, "want a whole JSON object: %s", answer.Failure.Message)
	case !body && !answer.OK(http.StatusOK):
		return answer, stopAt(WrongStatus, answer, "want 200 for a live booking, got %s", answer.Words()).in(Minimal)
	case answer.OK(http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented):
		b.traits.NoCancel = true
		return answer, Missing("the partner takes no cancellations: it answered %s", answer.Words())
	case !answer.OK(http.StatusOK):
		return answer, stopAt(WrongStatus, answer, "want 200 for a live booking, got %s", answer.Words())
	}
	b.Settle(answer, h)
	return answer, nil
}

// Undo releases a hold, or cancels the booking that it has become, and reports whether
// nothing is left of it.
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

// Traits is what has been seen of the partner so far.
func (b *Booker) Traits() Traits { return *b.traits }

// Unknown is a hold that does not exist, with a code that no partner can know: should
// the partner book it all the same, the booking is cancelled like any other.
func (b *Booker) Unknown(offer discover.Offer) *Hold {
	return &Hold{entry: b.ledger.Add(ledger.SlotOf(offer), nil), Code: b.UnknownCode()}
}

// UnknownCode returns a code that no partner can know.
func (b *Booker) UnknownCode() string { return "unknown-" + b.ledger.Head().Run + "-" + rand.Text() }
