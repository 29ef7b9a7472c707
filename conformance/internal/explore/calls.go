package explore

import (
	"fmt"
	"net/http"
	"strings"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/internal/trace"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// drawnParties lists the parties of random lifecycles. If an option lacks a unit of the party, the party is a single
// guest.
var drawnParties = []party{
	leadParty(1), leadParty(2), leadParty(3), withCompanion,
	func(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
		units := partner.Guests(option, 1)
		if unit, ok := option.Infant(); ok {
			return append(units, partnerapi.UnitQuantity{ID: unit, Quantity: 1}), 1, false
		}
		return units, 0, false
	},
	func(option discover.Option, left model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
		return partner.Leads(option, max(1, left.Least+left.More+1, option.Least)), 0, false // one more than there are seats
	},
}

func leadParty(n int64) party {
	return func(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
		return partner.Guests(option, n), 0, false
	}
}

// withCompanion is a party of guests of two types, or of a single guest.
func withCompanion(option discover.Option, _ model.Seats) ([]partnerapi.UnitQuantity, int64, bool) {
	if units := partner.TwoTypes(option); units != nil {
		return units, 0, false
	}
	return partner.Guests(option, 1), 0, false
}

func partyWords(units []partnerapi.UnitQuantity) string {
	var words []string
	for _, unit := range units {
		words = append(words, fmt.Sprintf("%d %s", unit.Quantity, unit.ID))
	}
	return strings.Join(words, " and ")
}

// keyWords describes a key that is not the partner's, as the end of a step.
func keyWords(key probe.Key) string {
	if key == probe.GoodKey {
		return ""
	}
	return " with " + key.String()
}

// bodyWords describes a body that is not the usual one.
func bodyWords(body partner.Body) string {
	if body == partner.FullBody {
		return ""
	}
	return ", " + body.String()
}

func (p *run) reserve(step Step) {
	offer := p.offers[step.Slot]
	units, infants, welcome := p.parties[step.Party](offer.Option, p.state.Slots[step.Slot])
	guests := model.Party{Guests: discover.GuestsIn(units), Infants: infants}
	known := acceptedParty{offer.Key(), partyWords(units)}
	reported := p.addStep("reserve %s%s, which is hold %d%s%s", partyWords(units), trace.SlotName(step.Slot, len(p.offers)), len(p.holds)+1, bodyWords(step.Body), keyWords(step.Key))
	made, stop := p.Book.ReserveWith(p.ctx, reported.Does, offer, units, step.Body, step.Key)
	if p.stopAt(stop) {
		return
	}
	if made.IsHeld() {
		p.Book.ReadExpiry(made)
	}
	if made.Answer.HasStatus(http.StatusBadRequest) && step.Key == probe.GoodKey && p.open[step.Slot] && !p.accepted[known] {
		// The body may be what was refused, or the party.
		if step.Body != partner.FullBody && p.state.WantReserve(step.Slot, guests, true).Accept && p.Takes(p.ctx, offer, units) {
			p.accept(known, guests)
		} else if welcome {
			welcome = !p.TakesOther(p.ctx, offer, units)
		}
	}
	act := trace.Act{
		Does: model.Reserve, Slot: step.Slot, Offer: offer, Hold: len(p.holds), Units: units, Party: guests, Key: step.Key, Body: step.Body,
		Welcome: p.open[step.Slot] && !p.BeginsSoon(offer) && (p.accepted[known] || welcome) && p.fits(step.Slot, guests), Filled: p.Seats.HasBeenFull(offer), Life: made.Life, Answer: made.Answer,
	}
	p.refused = p.refused || step.Party == caseParty && made.Answer.HasStatus(http.StatusBadRequest)
	p.holds = append(p.holds, made)
	p.take(reported, act)
	if left := p.state.Slots[step.Slot]; made.IsHeld() && left.Counted && left.Least <= 0 {
		p.Seats.NoteFull(offer)
	}
	if p.unlawful.Others { // others may have returned or taken the seats
		p.at = p.reads[step.Slot]
		p.took = scenario.Middle(made.Answer.Exchange).Sub(p.at.Last.Time())
	}
	if made.IsHeld() && p.goesOn() {
		p.accept(known, guests)
		_, stop = p.Book.Read(made, nil)
		p.stopAt(stop)
	}
	p.countAfter(step, reported, step.Slot)
}

// accept records that a slot has taken a party.
func (p *run) accept(known acceptedParty, guests model.Party) {
	p.accepted[known], p.fitted = true, max(p.fitted, guests.Guests)
}

// fits reports whether a slot that shows itself as bookable has seats for a party. One without vacancies may have only
// one, unless it has held as many.
func (p *run) fits(slot int, guests model.Party) bool {
	seats := p.state.Slots[slot]
	return seats.Counted || seats.Endless || guests.Guests <= max(1, p.fitted)
}

// countAfter counts the seats of a slot after a call, unless the step leaves that to a later one.
func (p *run) countAfter(step Step, reported *report.LifecycleStep, slot int) {
	if !step.Blind {
		p.count(reported, slot)
	}
}

// callAbout makes a call about a hold or its booking.
func (p *run) callAbout(step Step, hold model.Hold) {
	h := p.holds[step.Hold]
	if step.Does == model.Confirm && hold.Stage == model.Held && step.Key == probe.GoodKey && p.stopAt(p.Book.MayBook(p.ctx)) {
		return
	}
	what := "hold"
	if step.Does == model.Cancel {
		what = "the booking of hold"
	}
	reported := p.addStep("%s %s %d%s%s%s", step.Does, what, step.Hold+1, hold.DescribePast(), bodyWords(step.Body), keyWords(step.Key))
	var answer *probe.Answer
	var stop *partner.Stop
	switch step.Does {
	case model.Confirm:
		answer, stop = p.Book.ConfirmWith(p.ctx, reported.Does, h, step.Body, step.Key)
	case model.Release:
		answer, stop = p.Book.ReleaseWith(p.ctx, reported.Does, h.Code, step.Body, step.Key)
	case model.Cancel:
		answer, stop = p.Book.CancelWith(p.ctx, reported.Does, p.judge.ID(step.Hold), step.Body, step.Key)
	}
	if p.stopAt(stop) {
		return
	}
	if step.Does != model.Confirm && step.Key == probe.GoodKey {
		p.Account.Settle(answer, h)
	}
	p.take(reported, trace.Act{Does: step.Does, Slot: hold.Slot, Offer: p.offers[hold.Slot], Hold: step.Hold, Units: h.Units(), Party: hold.Party, Key: step.Key, Body: step.Body, Answer: answer})
	if step.Does == model.Confirm && answer.HasStatus(http.StatusOK) && p.goesOn() {
		p.stopAt(p.Book.ObserveBooking(answer, hold.Stage == model.Booked))
	}
	p.countAfter(step, reported, hold.Slot)
}

// callUnknown makes a call about a code or a booking id that does not exist: one that is similar to a live one, if that is
// given.
func (p *run) callUnknown(step Step, live string) {
	var answer *probe.Answer
	var stop *partner.Stop
	var reported *report.LifecycleStep
	code := func(does model.Kind, endpoint partnerapi.Endpoint, what string) string {
		if live == "" {
			reported = p.addStep("%s an unknown %s", does, what)
			return p.Account.UnknownCode()
		}
		near := p.NearCode(endpoint, live, step.Near)
		reported = p.addStep("%s the %s of hold %d %s", does, what, step.Hold+1, near.Form)
		return near.Code
	}
	act := trace.Act{Hold: trace.None}
	switch step.Does {
	case ReleaseUnknown, ReleaseNear:
		act.Does = model.Release
		unknown := code(act.Does, partnerapi.Release, "code")
		answer, stop = p.Book.Release(p.ctx, reported.Does, unknown, probe.GoodKey)
	case ConfirmUnknown, ConfirmNear:
		act.Does = model.Confirm
		unknown := p.UnknownHold()
		unknown.Code = code(act.Does, partnerapi.Confirm, "code")
		answer, stop = p.Book.Confirm(p.ctx, reported.Does, unknown, true, probe.GoodKey)
	default:
		act.Does = model.Cancel
		unknown := code(act.Does, partnerapi.Cancel, "booking")
		answer, stop = p.Book.Cancel(p.ctx, reported.Does, unknown, probe.GoodKey)
	}
	if act.Answer = answer; p.stopAt(stop) {
		return
	}
	p.take(reported, act)
	if live != "" {
		p.countAfter(step, reported, p.state.Holds[step.Hold].Slot)
	}
}
