package scenario

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Hold is a hold that the run tried to make.
type Hold struct {
	Code     string
	Answer   *probe.Answer
	Answered time.Time     // by this machine's clock
	Expires  time.Time     // zero if it cannot be read
	Life     time.Duration // from the answer to Expires
	Guests   int64         // that it is for

	entry  *ledger.Entry
	others map[string]*ledger.Entry // further bookings that confirms of the code returned, by booking id
}

// BookingID returns the id of the hold's booking, or "" if the hold has none.
func (h *Hold) BookingID() string { return h.entry.BookingID }

// Units returns the guests that the hold is for.
func (h *Hold) Units() []partnerapi.UnitQuantity { return h.entry.Units }

// IsHeld reports whether the hold was made and is neither booked nor released.
func (h *Hold) IsHeld() bool { return h.entry.State == ledger.Held }

// Traits is what the run has observed of the partner so far.
type Traits struct {
	NoCancel    bool   // it takes no cancellations
	Cancels     bool   // it has accepted a cancellation, so a later 404 is a breach
	NothingFree string // why no slot can be booked; "" if one can
	early, late int    // of the holds without seats: how many took them nevertheless, and how many did not
	held        bool   // a hold was made
	keeps       bool   // a hold was made that keeps seats
	brief       bool   // the last hold expires within ShortWait
	// without lists the products with holds that keep no seats.
	without map[string]bool
}

// MadeHolds reports whether a hold was made.
func (t Traits) MadeHolds() bool { return t.held }

// Holdless reports whether no hold so far keeps seats (RSV-8).
func (t Traits) Holdless() bool { return t.AnyHoldless() && !t.keeps }

// AnyHoldless reports whether a hold kept no seats.
func (t Traits) AnyHoldless() bool { return len(t.without) > 0 }

// TakesLater reports whether the partner's confirms take the seats, as observed so far.
func (t Traits) TakesLater() bool { return t.Holdless() && t.early <= t.late }

// TakesLaterIn reports the same of the holds of one product.
func (t Traits) TakesLaterIn(product string) bool { return t.without[product] && t.early <= t.late }

// KeepsNone is the reason why a hold is not judged by its seats (RSV-8).
const KeepsNone = "the partner keeps no seats for such a hold"

// KeepsSeats accepts offers of products whose holds keep seats, if the holds of any product do.
func (p *Player) KeepsSeats(o discover.Offer) bool {
	return !p.Book.traits.keeps || !p.Book.traits.without[o.Product.ID]
}

// Holdless reports whether the hold keeps no seats: it ends far ahead (RSV-8).
func (h *Hold) Holdless() bool { return h != nil && h.Life > partnerapi.HoldlessAfter }

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

// Reserve sends one reserve. An interrupt does not cancel it: a hold whose answer is not read
// cannot be released.
func (b *Booker) Reserve(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool, key probe.Key) (*Hold, *partner.Stop) {
	return b.reserveAs(ctx, offer, units, func(entry *ledger.Entry) probe.Call { return partner.Reserve(purpose, entry, full, key) })
}

// reserveAs sends the reserve that call makes from its ledger entry. Check Held: the returned Hold
// may be a refused reserve.
func (b *Booker) reserveAs(ctx context.Context, offer discover.Offer, units []partnerapi.UnitQuantity, call func(*ledger.Entry) probe.Call) (*Hold, *partner.Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.Time.StopCause()
	}
	entry, stop := b.account.attempt(offer, units)
	if stop != nil {
		return nil, stop
	}
	answer, stop := b.calls.Call(context.WithoutCancel(ctx), call(entry), false)
	b.account.recordReserve(entry, answer)
	if stop != nil {
		return nil, stop
	}
	return newHold(entry, answer), nil
}

func newHold(entry *ledger.Entry, answer *probe.Answer) *Hold {
	return &Hold{entry: entry, Guests: entry.Guests(), Answer: answer, Code: entry.Code, Answered: answer.StartedAt.Add(answer.Duration)}
}

// Read reads the answer to a reserve with the registered key. It must be a usable hold or a lawful
// refusal.
func (b *Booker) Read(h *Hold, stop *partner.Stop) (*Hold, *partner.Stop) {
	if stop != nil {
		return nil, stop
	}
	answer := h.Answer
	if answer.HasStatus(http.StatusBadRequest) {
		stop := partner.StopAt(partner.Refused, answer, "reserve was refused: %s", RefusalOf(answer))
		stop.Elsewhere = true
		return nil, stop
	}
	if stop := unexpectedStop(answer, "200 or 201 with a hold", partner.Usual, http.StatusOK, http.StatusCreated); stop != nil {
		return nil, stop
	}
	if flaw := NoObject(answer); flaw != "" {
		return nil, partner.StopAt(partner.Unreadable, answer, "%s", flaw)
	}
	for _, problem := range schemas.Validate(schemas.ReserveAnswer, answer.Raw) {
		// A hold without expiresAt, and one with a code that is too long, can still be used.
		if problem.Pointer != "/expiresAt" && (problem.Pointer != "/reservationConfirmationCode" || partner.Text(answer, "reservationConfirmationCode") == "") {
			return nil, b.misfit(answer, problem)
		}
		b.observer.Answer(answer, problem)
	}
	b.ReadExpiry(h)
	return h, nil
}

// ReadExpiry reads when a hold expires, if its answer says so.
func (b *Booker) ReadExpiry(h *Hold) {
	expires, err := partnerapi.ParseDateTime(h.entry.ExpiresAt)
	if err != nil {
		return
	}
	h.Expires, h.Life = expires, expires.Sub(h.Answered.Add(b.clock.Offset()))
	b.traits.brief = h.Life > 0 && h.Life <= ShortWait
	if h.Holdless() {
		b.traits.without[h.entry.ProductID] = true
	} else {
		b.traits.keeps = true
	}
}

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

// RefusalOf describes a refusal: its quoted message, or what the answer has in place of one.
func RefusalOf(answer *probe.Answer) string {
	if message := partner.Text(answer, "message"); message != "" {
		return fmt.Sprintf("%q", message)
	}
	return "no message"
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

// reserveAnyway sends a reserve and accepts any answer, including a refusal. A hold that was made
// is released immediately.
func (b *Booker) reserveAnyway(ctx context.Context, purpose string, offer discover.Offer, party []partnerapi.UnitQuantity, full bool) (*probe.Answer, *partner.Stop) {
	made, stop := b.Reserve(ctx, purpose, offer, party, full, probe.GoodKey)
	if stop != nil {
		return nil, stop
	}
	if made.IsHeld() {
		_, stop = b.releaseHold(ctx, "release it", made, true)
	}
	return made.Answer, stop
}

// mostReserves is the maximum number of reserves that take sends, including refused ones.
const mostReserves = 10

// take reserves the given number of seats in one hold, or in several if the option declares smaller parties. If the partner
// limits its party size otherwise, take halves the party until it is accepted. purpose contains a format verb (%s) for the seats. Holds
// are returned even if there is a stop.
func (b *Booker) take(ctx context.Context, offer discover.Offer, seats int64, purpose string) ([]*Hold, *partner.Stop) {
	var holds []*Hold
	party := seats
	for range mostReserves {
		if seats == 0 {
			return holds, nil
		}
		if party = min(party, evenly(seats, offer.Option.Limits.Max)); party < offer.Option.Least {
			return holds, partner.NewStop("the option takes no party of %d", party)
		}
		made, stop := b.Read(b.Reserve(ctx, fmt.Sprintf(purpose, model.SeatsWord(party)), offer, partner.Guests(offer.Option, party), true, probe.GoodKey))
		switch {
		case stop == nil:
			holds = append(holds, made)
			seats -= party
		case stop.Kind == partner.Refused && party > 1:
			party /= 2
		default:
			return holds, stop
		}
	}
	if seats == 0 {
		return holds, nil
	}
	return holds, partner.NewStop("no slot has few enough seats to be sold out by %d reserves", mostReserves).
		WithRemedy("Offer a slot with few vacancies.")
}

// evenly returns the size of the largest of the fewest parties that take the seats together, so that none is much smaller
// than the others. most limits each party, unless it is 0.
func evenly(seats, most int64) int64 {
	if most == 0 {
		return seats
	}
	parties := (seats + most - 1) / most
	return (seats + parties - 1) / parties
}

func (b *Booker) giveAll(ctx context.Context, purpose string, holds []*Hold) *partner.Stop {
	for _, made := range holds {
		if !made.IsHeld() {
			continue
		}
		if _, stop := b.releaseHold(ctx, purpose, made, true); stop != nil {
			return stop
		}
	}
	return nil
}
