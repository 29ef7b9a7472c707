package scenario

import (
	"context"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/trace"
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

// PlayedActs returns the acts of a lifecycle, and why it was not played to its end; nil if it was.
func (o *Opening) PlayedActs() ([]PlayedAct, *partner.Stop) { return o.acts, o.Stop }

// addHold adds the reserve of the hold that the scenario is about.
func (o *Opening) addHold(infants int64) {
	o.add(PlayedAct{Act: trace.Act{
		Does: model.Reserve, Offer: o.Offer, Units: o.Units, Party: model.Party{Guests: o.Guests, Infants: infants}, Life: o.Hold.Life, Answer: o.Hold.Answer,
	}})
}

// addCall adds a call about the hold, or a reserve with another key than the partner's. What a partner answers to too many
// calls shows nothing.
func (o *Opening) addCall(answer *probe.Answer, how string) {
	if answer == nil || partner.IsBusy(answer) {
		return
	}
	act := trace.Act{Does: kinds[answer.Endpoint], Offer: o.Offer, Units: o.Units, Party: model.Party{Guests: o.Guests}, Key: answer.Key, Answer: answer}
	if act.Does == model.Reserve {
		for _, before := range o.acts {
			if before.Does == model.Reserve {
				act.Hold++
			}
		}
	}
	o.add(PlayedAct{Act: act, How: how})
}

type wanted struct {
	purpose string
	discover.Want
	party func(discover.Option) []partnerapi.UnitQuantity
	body  partner.Body
}

// seat returns a request for a slot with counted seats, for one guest. If option is not "", the
// slot must belong to it.
func seat(purpose, option string) wanted {
	return wanted{purpose: purpose, Want: discover.Want{Seats: 1, Counted: true, OptionKey: option}, party: leads(1)}
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

// OfferNear returns another slot of an offer's option that fits, used or not: of equals the nearest in time, because a breach
// may depend on the day. Without one it returns the offer itself.
func (p *Player) OfferNear(ctx context.Context, of discover.Offer, want discover.Want) discover.Offer {
	want.Now, want.OptionKey, want.Counted, want.Near, want.Moved = p.Clock.Now(), of.OptionKey(), true, of.Slot.Start, p.Seats.moved
	want.Suits = func(o discover.Offer) bool { return o.Key() != of.Key() && p.Seats.MayHave(o, want.Seats) }
	others := discover.Pick(PlaySurvey(ctx, p, 0).Offers, want)
	if len(others) == 0 {
		return of
	}
	return others[0]
}

// BeginsSoon reports whether a partner may refuse a slot because it begins soon. Where every slot does, it may not.
func (p *Player) BeginsSoon(o discover.Offer) bool {
	return p.survey != nil && p.survey.beginsSoon(o, p.Clock.Now())
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
	opened.Guests = discover.GuestsIn(party)
	reserve := func() (*Hold, *partner.Stop) {
		return p.Book.Read(p.Book.ReserveWith(ctx, w.purpose, opened.Offer, opened.Units, w.body, probe.GoodKey))
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
	opened.addHold(p.infants())
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
	if opened.Stop == nil {
		opened.Stop = p.endWithoutSeats(ctx, &opened)
	}
	return opened
}

// endWithoutSeats ends a lifecycle that is repeated because seats were wrong, in a run that makes few calls, if its hold has
// taken none: that is the breach, and what follows shows nothing more about seats.
func (p *Player) endWithoutSeats(ctx context.Context, o *Opening) *partner.Stop {
	if !p.Calls.Sparing || !p.Seats.again || o.Holdless() || !o.Held.Counted || o.Held.First.Left < o.Before.Last.Left {
		return nil
	}
	_, _ = p.Book.releaseHold(ctx, "release it", o.Hold, true) // otherwise it is undone at the end
	return &partner.Stop{Kind: partner.SeatsWrong, Message: "the hold has taken no seat"}
}

// infants returns the number of infants in the party of the case.
func (p *Player) infants() int64 {
	if p.on == nil {
		return 0
	}
	return p.on.Infants
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

// takesMore reports whether an option that refuses a party takes a larger one, which is that of the hold then, and the
// smallest party of the option from then on: a partner may sell to no fewer than two.
func (p *Player) takesMore(ctx context.Context, opened *Opening, reserve func() (*Hold, *partner.Stop)) bool {
	alone := len(opened.Units) == 1 && opened.Units[0].ID == opened.Offer.Option.Lead()
	// The form of another body may be what is refused, which says nothing about parties.
	if opened.Stop.Kind != partner.Refused || !alone || opened.body != partner.FullBody || p.on != nil || opened.Offer.Option.Least > opened.Offer.Option.Limits.Min {
		return false
	}
	p.tried[opened.OptionKey()] = true
	refusal, units := opened.Stop, opened.Units
	for guests := opened.Guests + 1; guests <= opened.Offer.Option.Fit(opened.Offer.Option.Limits.Min+mostLeast) && (!opened.Before.Counted || guests <= opened.Before.Last.Left); guests++ {
		opened.Units = partner.Guests(opened.Offer.Option, guests)
		if opened.Hold, opened.Stop = reserve(); opened.Stop == nil {
			p.survey.setLeast(opened.OptionKey(), guests)
			opened.Guests, opened.Offer.Option.Least, p.limited = guests, guests, true
			return true
		}
		if opened.Stop.Kind != partner.Refused {
			return false
		}
	}
	opened.Stop, opened.Units = refusal, units
	if p.takesAny(ctx, forAnother, opened.Offer, otherTypes(opened.Offer.Option)) {
		opened.Stop = partner.NotHere("the option takes no party of one guest type")
	}
	return false
}

// requireCount returns a stop if there are no seats to count. Otherwise it updates the offer's slot
// from the reading.
func requireCount(offer *discover.Offer, fresh *Reading) *partner.Stop {
	if !fresh.Counted {
		stop := partner.NewStop("no bookable slot states its vacancies")
		stop.Kind = partner.Unsupported
		return stop
	}
	if fresh.Last.Left < 1 {
		return partner.NotHere(takenMeanwhile)
	}
	offer.Slot = fresh.Last.Slot
	return nil
}
