package judge

import (
	"context"
	"fmt"
	"time"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func reserveSpecs() []Spec {
	specs := []Spec{
		spec(rule.ReserveStatus, held),
		spec(rule.ReserveAccepts, held, judgeOnce(scenario.PlayAllOptionChecks, accepts), weighTries(scenario.PlaySellOut, lastSeat).withNeed(Optional)),
	}
	specs = append(specs, specForEach([]rule.Rule{rule.ReserveJSON, rule.ReserveCode, rule.ReserveExpiresAt}, held, Recorded{})...)
	return append(specs,
		spec(rule.ReserveExpiresLater, held, judgeOnce(scenario.PlayBooking, holdLife), answersIn(rule.ReserveExpiresLater, booking), judgeOnce(scenario.PlayExpireEarly, judgeNothing[*scenario.Booking])),
		spec(rule.ReserveExpiresWindow, held, judgeOnce(scenario.PlayBooking, keepsSeats), answersIn(rule.ReserveExpiresWindow, booking)),
		distinctCodes(scenario.PlayAll),
		spec(rule.ReserveMinimal, held, judgeOnce(scenario.PlayHolding, func(h *scenario.Holding) Finding { return requireFact(h.Hold != nil, h.Stop) })),
		spec(rule.ReserveVacanciesOne, appendSteps(seatsHeld, oneGuest, seatsIn(rule.ReserveVacanciesOne, join(booking, optionChecks)))...),
		spec(rule.ReserveVacanciesMany, appendSteps(seatsHeld, severalGuests, seatsIn(rule.ReserveVacanciesMany, holding))...),
		spec(rule.ReserveVacanciesMixed, appendSteps(seatsHeld, judgeOnce(scenario.PlayMixedParty, mixedTaken), seatsIn(rule.ReserveVacanciesMixed, story(scenario.PlayMixedParty)))...),
		spec(rule.ReserveSoldOut,
			weighTries(scenario.PlayClosedSlot(partnerapi.StatusSoldOut), closedRefused).withNeed(BreachOnly),
			weighTries(scenario.PlayClosedSlot(partnerapi.StatusClosed), closedRefused).withNeed(BreachOnly),
			Enough{func(ctx context.Context, p *scenario.Player) bool { return notSoldOut(scenario.PlaySellOut(ctx, p, 0)) }},
			judgeOnce(scenario.PlaySellOut, soldOut),
			weighTries(scenario.PlaySellOut, fullRefused)),
		spec(rule.ReserveTooMany, appendSteps(seatsHeld, weighTries(scenario.PlaySellOut, func(t *scenario.SellOut) Try {
			return judgeReserve(t.Before, t.TooMany, t.Stop, refusal...)
		}))...),
		spec(rule.ReserveRefusalMessage, judgeOnce(scenario.PlayRefusedReserves, reserveRefusals)),
		spec(rule.ReserveRefusalNoEffect, appendSteps(seatsHeld,
			weighSeats(scenario.PlaySellOut, func(t *scenario.SellOut) Move { return expectUnchanged(t.Before, t.Stop, t.TooMany) }),
			weighSeats(scenario.PlayClosedSlot(partnerapi.StatusSoldOut), closedUnchanged).withNeed(Optional),
			weighSeats(scenario.PlayClosedSlot(partnerapi.StatusClosed), closedUnchanged).withNeed(Optional),
		)...),
		spec(rule.ReservePartyOutside, limitSteps(outsideLimits)...),
		spec(rule.ReservePartyWithin, limitSteps(withinLimits)...),
		spec(rule.ReserveWrongKey, answersIn(rule.ReserveWrongKey, wrongKeys)),
		spec(rule.ReserveMissingKey, answersIn(rule.ReserveMissingKey, wrongKeys)),
		spec(rule.ReserveAuthEffect, seatsIn(rule.ReserveAuthEffect, wrongKeys)),
	)
}

func judgeNothing[T any](T) Finding { return Finding{} }

// accepts finds options whose slots are shown as bookable but refused. If others are held, what needs a hold is judged
// there.
func accepts(checks []*scenario.OptionCheck) (f Finding) {
	var refused []string
	f.Options = map[string]string{}
	for _, v := range checks {
		if v.Hold != nil {
			f.Options[v.Offer.OptionKey()] = ""
		}
		switch stop := v.Stop; {
		case stop != nil && stop.Kind == partner.Refused:
			refused = append(refused, fmt.Sprintf("product %q, option %q: Expected a hold of a slot that is shown as bookable: %s", v.Offer.Product.ID, v.Offer.Option.ID, stop.Message))
			f.Options[v.Offer.OptionKey()] = refused[len(refused)-1]
			f.Partly = v.Traits != nil && v.Traits.MadeHolds()
			f.Exchanges = append(append(f.Exchanges, v.Before.Last.Exchange), stop.Exchanges...)
		case v.Hold == nil && stop != nil && !stop.OnlyMissing() && len(refused) == 0:
			return FromStop(stop)
		}
	}
	if len(refused) == 0 {
		return Finding{Options: f.Options}
	}
	all := problems(refused, f.Exchanges...)
	all.Partly, all.Options = f.Partly, f.Options
	return all
}

// holdLife finds that the lifetime of the first hold cannot be read.
func holdLife(b *scenario.Booking) Finding {
	f := Finding{}
	if b.Hold.Expires.IsZero() {
		f = blockedBy(rule.ReserveExpiresAt)
	}
	return f.WithEvidence(b.Hold.Answer.Exchange)
}

// keepsSeats finds that the first hold keeps no seats, or that its lifetime cannot be read.
func keepsSeats(b *scenario.Booking) Finding {
	return holdLife(b).or(func() Finding {
		if b.Holdless() {
			return notApplicable("%s: its expiresAt is %s ahead", scenario.KeepsNone, b.Hold.Life.Round(time.Minute))
		}
		return Finding{}
	})
}

func mixedTaken(m *scenario.MixedParty) Finding {
	switch {
	case m.Hold != nil || m.Stop == nil:
		return Finding{}
	case m.Stop.Kind == partner.Refused:
		return notApplicable("the partner refuses such a party: %s", m.Stop.Message)
	case m.Stop.OnlyMissing() && m.Stop.Kind != partner.OutOfBounds:
		return notApplicable("no option has two guest types that take seats, and seats for both")
	default:
		return Finding{}
	}
}

func closedRefused(t *scenario.ClosedSlot) Try {
	return judgeReserve(t.Before, t.Act, t.Stop, refusal...)
}

// closedUnchanged expects that a refused reserve of a slot that cannot be booked takes no seats.
func closedUnchanged(t *scenario.ClosedSlot) Move {
	if t.Act.Answer != nil && !t.Act.Answer.HasStatus(refusal...) {
		return Move{stop: partner.NotHere("the reserve was not refused")} // another rule is about that
	}
	return expectUnchanged(t.Before, t.Stop, t.Act)
}

func notSoldOut(t *scenario.SellOut) bool { return t.Full == nil || t.Holdless() }

func soldOut(t *scenario.SellOut) Finding {
	switch {
	case t.Holdless():
		return notApplicable("%s, and no slot is shown as sold out", scenario.KeepsNone)
	case t.Full != nil && t.Full.Counted && t.Full.Last.Left > 0:
		return suspectRules(rule.ReserveVacanciesOne, rule.ReserveVacanciesMany)
	default:
		return Finding{}
	}
}

func fullRefused(t *scenario.SellOut) Try {
	if t.Full != nil && t.Full.Counted && t.Full.Last.Left > 0 {
		return stoppedTry(partner.NotHere("the slot was no longer full: other customers changed its seats"))
	}
	return judgeReserve(t.Full, t.Over, t.Stop, refusal...)
}

func reserveRefusals(answers []*probe.Answer) Finding {
	f := Doubt("no reserve was refused with 400")
	for _, answer := range answers {
		if answer != nil && scenario.TurnedDown(answer) {
			if f.Outcome == report.Inconclusive {
				f = Finding{}
			}
			f = f.or(func() Finding { return Expect(answer, MatchesSchema(schemas.Refusal)) })
		}
	}
	return f
}

// lastSeat weighs the refusal of a seat that the slot shows as left. If the lifecycle has already taken
// all seats, the slot shows seats of its holds, which another rule is about.
func lastSeat(t *scenario.SellOut) Try {
	if t.Refused == nil || t.Full == nil || !t.Full.Counted || t.Full.Last.Left < 1 || t.Taken >= t.TooMany.After.Last.Left {
		return Try{Skip: true}
	}
	return Try{
		Flaw: fmt.Sprintf("Expected a hold of 1 seat, with %s left; received a refusal: %s", model.SeatsWord(t.Full.Last.Left), t.Refused.Message),
		At:   t.Full, Shown: append([]*report.Exchange{t.Full.Last.Shown}, t.Refused.Exchanges...),
	}
}

// closedOptions is the number of slots of a status that are tried, each of another option if
// possible.
const closedOptions = 14

// ClosedSpecs returns the specs that judge again, in several options, whether slots that cannot be
// booked are refused.
func ClosedSpecs() []Spec {
	var steps []Step
	for _, status := range scenario.ClosedStatuses {
		play := scenario.PlayClosedSlot(status)
		for nth := range closedOptions {
			steps = append(steps, weighTries(func(ctx context.Context, p *scenario.Player, attempt int) *scenario.ClosedSlot {
				if p.Depth == plan.Quick || p.Time.LateForMore() {
					return play(ctx, p, attempt)
				}
				return play(ctx, p, nth+attempt)
			}, closedRefused).withNeed(BreachOnly))
		}
	}
	return []Spec{spec(rule.ReserveSoldOut, steps...)}
}
