package scenario

import (
	"context"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

// Act is one call of a lifecycle, and the seats left in its slot afterwards.
type Act struct {
	Answer *probe.Answer
	Again  []*probe.Answer // answers to repeats of a call that has no effect
	After  *Reading        // nil if they were not counted
}

// Answers returns all answers of the act; nil if it was not played.
func (a Act) Answers() []*probe.Answer {
	if a.Answer == nil {
		return nil
	}
	return append([]*probe.Answer{a.Answer}, a.Again...)
}

func (a Act) lastAnswer() *probe.Answer {
	all := a.Answers()
	return all[len(all)-1]
}

// lifecyclePlayer plays a lifecycle step by step. After a stop, no further step is played.
type lifecyclePlayer struct {
	*Player
	ctx     context.Context
	opening *Opening
}

// begin starts a lifecycle with a hold.
func (p *Player) begin(ctx context.Context, opening *Opening, want wanted) lifecyclePlayer {
	*opening = p.open(ctx, p.onCase(want))
	if p.on != nil {
		opening.onCase, opening.Infants = true, p.infants()
	}
	return p.continueLifecycle(ctx, opening)
}

// onCase returns what is wanted with the slot and the party of the case, if there is one.
func (p *Player) onCase(w wanted) wanted {
	if p.on == nil {
		return w
	}
	at := p.on.Offer
	w.Seats, w.Late, w.OptionKey = p.on.Guests(), false, at.OptionKey()
	w.Suits = func(o discover.Offer) bool { return o.Slot.Start.Equal(at.Slot.Start) && o.Slot.ID == at.Slot.ID }
	w.party = func(discover.Option) []partnerapi.UnitQuantity { return p.on.Units }
	w.body = p.on.Body
	return w
}

// continueLifecycle continues a lifecycle that already has a slot.
func (p *Player) continueLifecycle(ctx context.Context, opening *Opening) lifecyclePlayer {
	opening.Traits = p.Book.traits
	return lifecyclePlayer{p, ctx, opening}
}

func (t lifecyclePlayer) step(play func() *partner.Stop) {
	if t.opening.Stop == nil {
		t.opening.Stop = play()
	}
}

func (t lifecyclePlayer) count(when string, into **Reading) {
	t.step(func() (stop *partner.Stop) {
		if *into, stop = t.Seats.seats(t.ctx, t.opening.Offer, when); *into != nil {
			t.opening.addReading(*into)
		}
		return stop
	})
}

// countAfter counts the seats, unless when is "".
func (t lifecyclePlayer) countAfter(when string) {
	if when != "" {
		t.count(when, new(*Reading))
	}
}

// act makes a call and returns its answer; nil if it was not answered. If when is not "", it then counts the seats.
func (t lifecyclePlayer) act(when string, call func() (*probe.Answer, *partner.Stop)) *probe.Answer {
	return t.actWith(true, when, call)
}

// actWith makes a call with or without the optional fields of its body.
func (t lifecyclePlayer) actWith(body bool, when string, call func() (*probe.Answer, *partner.Stop)) (answer *probe.Answer) {
	t.step(func() (stop *partner.Stop) {
		if answer, stop = call(); answer != nil {
			t.opening.addCall(answer, "")
			if !body {
				t.opening.markBare()
			}
		}
		return stop
	})
	t.countAfter(when)
	return answer
}

// callEnded makes a call that must be refused or have no effect, as often as the depth of the run sets
// and its time allows. If when is not "", it then counts the seats.
func (t lifecyclePlayer) callEnded(when string, call func() (*probe.Answer, *partner.Stop)) (last *probe.Answer) {
	last = t.act("", call)
	for range t.repeats(last) {
		last = t.act("", call)
	}
	t.countAfter(when)
	return last
}

// confirmEnded confirms the code of a hold that is no longer live.
func (t lifecyclePlayer) confirmEnded(purpose, when string) {
	t.callEnded(when, func() (*probe.Answer, *partner.Stop) {
		return t.Book.Confirm(t.ctx, purpose, t.opening.Hold, true, probe.GoodKey)
	})
}

// releaseEnded releases a code that is no longer a hold, and returns the last answer.
func (t lifecyclePlayer) releaseEnded(purpose, when string) *probe.Answer {
	return t.callEnded(when, func() (*probe.Answer, *partner.Stop) {
		return t.Book.Release(t.ctx, purpose, t.opening.Hold.Code, probe.GoodKey)
	})
}

// repeat makes a call that must be idempotent, as often as the depth of the run sets.
func (t lifecyclePlayer) repeat(call func(nth int)) {
	for nth := range t.Depth.Repeats() {
		call(nth)
	}
}

// confirmAgain confirms the hold's code once more, with or without the optional fields.
func (t lifecyclePlayer) confirmAgain(purpose string, full bool, when string) {
	t.act(when, func() (*probe.Answer, *partner.Stop) {
		answer, stop := t.Book.Confirm(t.ctx, purpose, t.opening.Hold, full, probe.GoodKey)
		if stop == nil && answer.HasStatus(http.StatusOK) {
			t.Book.observeRepeat(answer)
		}
		return answer, stop
	})
}

// confirm confirms the hold's code and accepts any answer.
func (t lifecyclePlayer) confirm(purpose string, key probe.Key, when string) {
	t.act(when, func() (*probe.Answer, *partner.Stop) {
		return t.Book.Confirm(t.ctx, purpose, t.opening.Hold, true, key)
	})
}

// book confirms the live hold.
func (t lifecyclePlayer) book(purpose string, full bool, when string) *probe.Answer {
	return t.actWith(full, when, func() (*probe.Answer, *partner.Stop) {
		return t.unlessGone(func() (*probe.Answer, *partner.Stop) { return t.Book.book(t.ctx, purpose, t.opening.Hold, full) })
	})
}

// unlessGone makes the confirm of the live hold. A hold that keeps no seats may be refused if other
// customers have taken them (CNF-7).
func (t lifecyclePlayer) unlessGone(confirm func() (*probe.Answer, *partner.Stop)) (answer *probe.Answer, stop *partner.Stop) {
	for refusals := 1; ; refusals++ {
		answer, stop = confirm()
		if stop == nil || answer == nil || !TurnedDown(answer) || !t.opening.Holdless() {
			return answer, stop
		}
		if t.hasVanished(t.ctx, t.opening.Offer, t.opening.Guests) {
			return nil, partner.NotHere(takenMeanwhile)
		}
		if refusals == mostRefusals || !t.Seats.othersPossible(t.ctx, t.opening.Before) {
			return answer, stop
		}
	}
}

// release releases the hold's code and accepts any answer.
func (t lifecyclePlayer) release(purpose string, key probe.Key, when string) {
	t.act(when, func() (*probe.Answer, *partner.Stop) { return t.Book.Release(t.ctx, purpose, t.opening.Hold.Code, key) })
}

// give releases the live hold.
func (t lifecyclePlayer) give(purpose string, body bool, when string) *probe.Answer {
	return t.actWith(body, when, func() (*probe.Answer, *partner.Stop) { return t.Book.releaseHold(t.ctx, purpose, t.opening.Hold, body) })
}

// cancel cancels the booking and accepts any answer.
func (t lifecyclePlayer) cancel(purpose string, key probe.Key, when string) {
	t.act(when, func() (*probe.Answer, *partner.Stop) {
		return t.Book.Cancel(t.ctx, purpose, t.opening.BookingID(), key)
	})
}

// undo cancels the live booking.
func (t lifecyclePlayer) undo(purpose string, body bool, when string) *probe.Answer {
	return t.actWith(body, when, func() (*probe.Answer, *partner.Stop) {
		return t.Book.cancelBooking(t.ctx, purpose, t.opening.Hold, t.opening.BookingID(), body)
	})
}

// reserve sends a reserve for another party and accepts any answer; a hold is released. A refused
// reserve is repeated as callEnded does, without and with its optional fields. The seats are counted if
// count returns true for an answer.
func (t lifecyclePlayer) reserve(purpose string, party []partnerapi.UnitQuantity, into *Act, when string, count func(*probe.Answer) bool) {
	reserve := func(full bool) (*probe.Answer, *partner.Stop) {
		return t.Book.reserveAnyway(t.ctx, purpose, t.opening.Offer, party, full)
	}
	t.step(func() (stop *partner.Stop) {
		into.Answer, stop = reserve(true)
		return stop
	})
	for nth := range t.repeats(into.Answer) {
		if t.opening.Stop != nil || !TurnedDown(into.lastAnswer()) {
			break
		}
		t.step(func() *partner.Stop {
			answer, stop := reserve(nth%2 == 1)
			if answer != nil {
				into.Again = append(into.Again, answer)
			}
			return stop
		})
	}
	if t.opening.Stop == nil && slices.ContainsFunc(into.Answers(), count) {
		t.count(when, &into.After)
	}
}
