package scenario

import (
	"context"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// Opening is the start of every lifecycle: a slot, its seats, and a hold on it.
type Opening struct {
	Offer  discover.Offer
	Before *Reading
	Hold   *Hold
	Held   *Reading // after reserve
	Stop   *partner.Stop
	ActLog
	Traits *Traits // of the partner, as known when this is read

	Guests  int64 // of the hold
	Infants int64 // the infants among them, who may take no seat

	Units []partnerapi.UnitQuantity // the party

	onCase bool // of a case
	body   partner.Body
}

// OptionKey returns the key of the lifecycle's option.
func (o *Opening) OptionKey() string { return o.Offer.OptionKey() }

// Reserve returns the exchange of the opening's reserve.
func (o *Opening) Reserve() []*report.Exchange {
	if o.Hold == nil {
		return nil
	}
	return []*report.Exchange{o.Hold.Answer.Exchange}
}

// BookingID returns the id of the lifecycle's booking, or "" if it has none.
func (o *Opening) BookingID() string {
	if o.Hold == nil {
		return ""
	}
	return o.Hold.BookingID()
}

type wanted struct {
	purpose string
	discover.Want
	party func(discover.Option) []partnerapi.UnitQuantity
	full  bool // with contact and reference
	body  partner.Body
}

// leads returns a function that makes a party of n guests of an option's lead unit.
func leads(n int64) func(discover.Option) []partnerapi.UnitQuantity {
	return func(option discover.Option) []partnerapi.UnitQuantity { return partner.Guests(option, n) }
}

// twoTypes is a party of two guests of different types, or of the same type at an option that has only
// one that may come with the lead unit.
func twoTypes(option discover.Option) []partnerapi.UnitQuantity {
	if party := partner.TwoTypes(option); party != nil {
		return party
	}
	return partner.Guests(option, 2)
}

// seat returns a request for a slot with counted seats, for one guest. If option is not "", the
// slot must belong to it.
func seat(purpose, option string) wanted {
	return wanted{purpose: purpose, Want: discover.Want{Seats: 1, Counted: true, OptionKey: option}, party: leads(1), full: true}
}

// open begins a lifecycle: it finds a slot, counts its seats, reserves, and counts again. If a slot is
// refused, it tries another.
func (p *Player) open(ctx context.Context, w wanted) Opening {
	w.Room = 2*w.Seats + 1
	offers, stop := p.Offers(ctx, w.Want)
	if stop != nil {
		return Opening{Stop: stop}
	}
	var refusals []*report.Exchange
	var last Opening
	for _, offer := range plan.Candidates(offers) {
		opened := p.tryOpen(ctx, w, offer)
		if opened.Stop == nil || !opened.Stop.Elsewhere {
			return opened
		}
		last = opened
		refusals = append(refusals, opened.Stop.Exchanges...)
	}
	if len(refusals) > 0 {
		last.Stop.Exchanges = refusals
	}
	if len(refusals) > 0 && !p.Book.traits.held {
		stop := &partner.Stop{Kind: partner.NoneAccepted, Endpoint: partnerapi.Reserve, Exchanges: refusals}
		stop.Message = "No hold was made for a slot that can be booked: " + last.Stop.Message
		last.Stop = stop
	}
	return last
}

// Offers returns the slots that fit, the best first. The stop is the reason why no slot fits.
func (p *Player) Offers(ctx context.Context, want discover.Want) ([]discover.Offer, *partner.Stop) {
	survey := PlaySurvey(ctx, p, 0)
	if survey.Stop != nil {
		return nil, survey.Stop
	}
	if p.Seats.again {
		p.Seats.recheckOption(ctx, want.OptionKey)
	}
	want.Now, want.Used, want.Moved = p.Clock.Now(), p.Seats.used, p.Seats.moved
	offers := discover.Pick(survey.Offers, want)
	if len(offers) == 0 {
		return nil, survey.noSlotStop(want, p.Book.traits)
	}
	return offers, nil
}

// BeginsSoon reports whether a partner may refuse a slot because it begins soon. Where every slot does, it may not.
func (p *Player) BeginsSoon(o discover.Offer) bool {
	return p.survey != nil && p.survey.beginsSoon(o, p.Clock.Now())
}

// offer returns the best slot that fits and marks it as used.
func (p *Player) offer(ctx context.Context, want discover.Want) (discover.Offer, *partner.Stop) {
	offers, stop := p.Offers(ctx, want)
	if stop != nil {
		return discover.Offer{}, stop
	}
	if p.limited && !p.tried[offers[0].OptionKey()] {
		p.learnLeast(ctx, offers[0].OptionKey())
		return p.offer(ctx, want)
	}
	p.Seats.Use(offers[0])
	return offers[0], nil
}

func (p *Player) tryOpen(ctx context.Context, w wanted, offer discover.Offer) Opening {
	p.Seats.Use(offer)
	opened := Opening{Offer: offer}
	if opened.Before, opened.Stop = p.Seats.seats(ctx, offer, "before reserve"); opened.Stop != nil {
		return opened
	}
	opened.addReading(opened.Before)
	needed := max(1, w.Seats, offer.Option.Least)
	if lacksSeats(opened.Before, needed) {
		opened.Stop = partner.NotHere(takenMeanwhile)
		return opened
	}
	// Checkout also reserves the current id.
	opened.Offer.Slot = opened.Before.Last.Slot
	party := w.party(offer.Option)
	opened.Units, opened.body = party, w.body
	if !w.full {
		opened.body = partner.BareBody
	}
	for _, unit := range party {
		opened.Guests += int64(unit.Quantity)
	}
	reserve := func() (*Hold, *partner.Stop) {
		return p.Book.Read(p.Book.reserveAs(ctx, opened.Offer, opened.Units, func(entry *ledger.Entry) probe.Call {
			return w.body.Of(partner.Reserve(w.purpose, entry, w.full, probe.GoodKey))
		}))
	}
	if opened.Hold, opened.Stop = reserve(); opened.Stop != nil {
		if opened.Stop.Kind == partner.Refused && p.BeginsSoon(offer) {
			opened.Stop = partner.NotHere("the slots that were tried begin within three days, and a booking cut-off is lawful")
			return opened
		}
		if p.excuse(ctx, &opened, needed, reserve); !p.takesMore(ctx, &opened, reserve) {
			return opened
		}
	}
	p.Book.traits.held = true
	opened.addHold(&opened, p.infants())
	if opened.Held, opened.Stop = p.Seats.seats(ctx, opened.Offer, "after reserve"); opened.Held != nil {
		opened.addReading(opened.Held)
	}
	if opened.Traits = p.Book.traits; opened.Stop == nil && opened.Holdless() {
		if opened.TakesLater() {
			opened.Traits.late++
		} else {
			opened.Traits.early++
		}
	}
	return opened
}

// Holdless reports whether the lifecycle's hold keeps no seats (RSV-8).
func (o *Opening) Holdless() bool { return o.Hold.Holdless() }

// TakesLater reports whether confirm takes the seats: the partner need not keep seats for this hold,
// and did not (RSV-8).
func (o *Opening) TakesLater() bool {
	return o.Holdless() && (o.Before == nil || o.Held == nil || !o.Held.Counted || o.Held.First.Left >= o.Before.Last.Left)
}

const takenMeanwhile = "the bookable slots were taken in the meantime"

// lacksSeats reports whether a slot no longer has seats for a party.
func lacksSeats(fresh *Reading, party int64) bool {
	return !fresh.Last.Slot.Status.IsBookable() || fresh.Counted && fresh.Last.Left < party
}

// mostRefusals is how often a call must be refused where there may be other customers: they may have had
// the seats for a moment.
const mostRefusals = 3

// hasVanished reports whether a slot no longer has seats for a party.
func (p *Player) hasVanished(ctx context.Context, offer discover.Offer, party int64) bool {
	fresh, stop := p.Seats.Look(ctx, offer, "after the refusal")
	return stop == nil && lacksSeats(fresh, party)
}

// excuse accepts a refusal if the slot no longer has seats for the party or, among other customers, if the
// same reserve then makes a hold.
func (p *Player) excuse(ctx context.Context, opened *Opening, party int64, reserve func() (*Hold, *partner.Stop)) {
	if opened.Stop.Kind != partner.Refused {
		return
	}
	for refusals := 1; ; refusals++ {
		if p.hasVanished(ctx, opened.Offer, party) {
			opened.Stop = partner.NotHere(takenMeanwhile)
			return
		}
		if refusals == mostRefusals || !p.Seats.othersPossible(ctx, opened.Before) {
			break
		}
		made, stop := reserve()
		if stop == nil {
			opened.Stop = partner.NotHere(takenMeanwhile)
			_, _ = p.Book.releaseHold(ctx, "release it", made, true) // otherwise it is undone at the end
			return
		}
		if opened.Stop = stop; stop.Kind != partner.Refused {
			return
		}
	}
}

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
	*opening = p.open(ctx, p.on.applyCase(want))
	if p.on.Case != nil {
		opening.onCase, opening.Infants = true, p.infants()
	}
	return p.continueLifecycle(ctx, opening)
}

// infants returns the number of infants in the party of the case.
func (p *Player) infants() int64 {
	if p.on.Case == nil {
		return 0
	}
	return p.on.Infants
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
			t.opening.addCall(t.opening, answer, "")
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

// repeatShare is the share of the run's time for the repeats of one call without effect.
const repeatShare = 0.02

// repeats returns how often a call without effect is repeated after its first answer: less often at a slow partner.
func (p *Player) repeats(first *probe.Answer) int {
	if first == nil {
		return 0
	}
	most := min(p.Depth.Repeats()-1, p.Calls.Affordable(first.Endpoint, repeatShare))
	if p.on.Case != nil { // there are several
		most = min(most, 1)
	}
	return most
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
