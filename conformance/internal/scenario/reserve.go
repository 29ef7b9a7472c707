package scenario

import (
	"context"
	"fmt"
	"net/http"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

// Reserve sends one reserve. An interrupt does not cancel it: a hold whose answer is not read
// cannot be released.
func (b *Booker) Reserve(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, full bool, key probe.Key) (*Hold, *partner.Stop) {
	return b.ReserveWith(ctx, purpose, offer, units, bodyOf(full), key)
}

// ReserveWith sends a reserve with a form of its body. Check IsHeld: the returned Hold may be a refused reserve.
func (b *Booker) ReserveWith(ctx context.Context, purpose string, offer discover.Offer, units []partnerapi.UnitQuantity, body partner.Body, key probe.Key) (*Hold, *partner.Stop) {
	if ctx.Err() != nil {
		return nil, b.calls.Time.StopCause()
	}
	entry, stop := b.account.attempt(offer, units)
	if stop != nil {
		return nil, stop
	}
	answer, stop := b.calls.Call(context.WithoutCancel(ctx), body.Of(partner.Reserve(purpose, entry, body != partner.BareBody, key)), false)
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

// RefusalOf describes a refusal: its quoted message, or what the answer has in place of one.
func RefusalOf(answer *probe.Answer) string {
	if message := partner.Text(answer, "message"); message != "" {
		return fmt.Sprintf("%q", message)
	}
	return "no message"
}

// TurnedDown reports whether a reserve was refused with the status that the contract provides.
func TurnedDown(answer *probe.Answer) bool { return answer.HasStatus(http.StatusBadRequest) }

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
