package judge

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/plan"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
)

// CaseSpecs returns the specs of the rules that are also judged on a case: the same steps with the
// case's slot, party and order of calls. A rule that may cause another's breach comes first.
func CaseSpecs(on *plan.Case) []Spec {
	takes, gives := seatRules(on.Guests(), len(on.Units))
	holding := appendSteps(seatsHeld, weighSeats(scenario.PlayHolding, func(h *scenario.Holding) Move { return expectTaken(&h.Opening) }))
	released := appendSteps(seatsHeld, weighSeats(scenario.PlayHolding, func(h *scenario.Holding) Move { return expectReturned(&h.Opening, h.Release) }))
	specs := []Spec{
		spec(rule.ReserveAccepts, judgeOnce(scenario.PlayBooking, acceptsCase), optionalStep(weighTries(1, scenario.PlaySellOut, lastSeat))),
		spec(rule.ReserveVacanciesOne, appendSteps(seatsHeld, seatSteps(func(o *scenario.Opening) []Move {
			all := idleMoves(o, model.Held)
			for _, other := range o.Others {
				if !o.TakesLater() {
					all = append(all, Move{before: other.Before, after: other.Held, by: -1})
				}
			}
			return all
		})...)...),
		spec(rule.ReleaseVacanciesOne, appendSteps(seatsHeld, seatSteps(func(o *scenario.Opening) []Move {
			all := idleMoves(o, model.Released)
			for _, other := range o.Others {
				all = append(all, Move{before: other.Before, via: []*scenario.Reading{other.Held}, after: other.Released})
			}
			return all
		})...)...),
		spec(rule.ConfirmVacancies, seatSteps(func(o *scenario.Opening) []Move { return idleMoves(o, model.Booked) })...),
		spec(rule.CancelVacancies, seatSteps(func(o *scenario.Opening) []Move { return idleMoves(o, model.Cancelled) })...),
	}
	specs = append(specs, spec(takes, holding...), spec(gives, released...))
	for _, s := range slices.Concat(reserveSpecs(), confirmSpecs(), releaseSpecs(), cancelSpecs()) {
		if !elsewhere[s.Rule.ID] {
			specs = append(specs, s)
		}
	}
	return specs
}

// seatSteps returns the steps that weigh what happened to the seats between the calls of a booking and
// of a hold. Of several moves, the first unexpected one is weighed.
func seatSteps(moves func(*scenario.Opening) []Move) []Step {
	first := func(o *scenario.Opening) Move { return firstUnexpected(append(moves(o), Move{stop: o.Stop})) }
	return []Step{
		optionalStep(weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move { return first(&b.Opening) })),
		optionalStep(weighSeats(scenario.PlayHolding, func(h *scenario.Holding) Move { return first(&h.Opening) })),
	}
}

// firstUnexpected returns the first move with an unexpected change, or the first move.
func firstUnexpected(all []Move) Move {
	for i, m := range all {
		if m.try().Flaw != "" {
			m.place = int64(i)
			return m
		}
	}
	return all[0]
}

// idleMoves expects that reads have changed no seats while the lifecycle's hold was in that stage.
func idleMoves(o *scenario.Opening, stage model.Stage) (all []Move) {
	for _, i := range o.Idle {
		if i.Stage == stage {
			all = append(all, Move{before: i.Before, after: i.After})
		}
	}
	return all
}

// AboutSeats reports whether a rule is about the number of seats left in a slot. If one such rule
// is broken, an unexpected result in another most likely has the same cause.
func (s Spec) AboutSeats() bool {
	return slices.ContainsFunc(s.Steps, func(step Step) bool { return step.Seats != "" || step.Try != nil && !step.Optional })
}

// elsewhere lists the rules for which a case shows nothing new, or has specs of its own.
var elsewhere = idSet(
	rule.ReserveAccepts, rule.ReserveVacanciesOne, rule.ReserveVacanciesMany, rule.ReserveVacanciesMixed,
	rule.ReserveCodeUnique,
	rule.ConfirmIDUnique, rule.ConfirmUnknown, rule.ConfirmTickets,
	rule.ReleaseVacanciesOne, rule.ReleaseVacanciesMany, rule.ReleaseUnknown, rule.ReleaseUnknownSuccess,
	rule.CancelSupported, rule.CancelUnknown, rule.CancelUnknownSuccess,
)

// Before reports whether a breach of cause may be the cause of a breach of another rule: the specs
// of a case are in the order of causes.
func Before(on *plan.Case, cause, of rule.Rule) bool {
	place := func(r rule.Rule) int {
		specs := CaseSpecs(on)
		if i := slices.IndexFunc(specs, func(s Spec) bool { return s.Rule.ID == r.ID }); i >= 0 {
			return i
		}
		return len(specs)
	}
	return place(cause) <= place(of)
}

func idSet(rules ...rule.Rule) map[string]bool {
	all := map[string]bool{}
	for _, r := range rules {
		all[r.ID] = true
	}
	return all
}

// RecordSpecs returns the specs of the rules about everything that was made in the run. They are
// judged again at the end of the run.
func RecordSpecs() []Spec {
	return []Spec{
		spec(rule.ReserveCodeUnique, judgeOnce(scenario.PlayRecord, requireDistinct("reservationConfirmationCode", func(e ledger.Entry) string { return e.Code }))),
		spec(rule.ConfirmIDUnique, judgeOnce(scenario.PlayRecord, requireDistinct("externalBookingId", func(e ledger.Entry) string { return e.BookingID }))),
	}
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

// acceptsCase finds a slot that is shown as bookable but refused to a small party. A slot without
// vacancies may have only one seat, unless as many lead guests fit.
func acceptsCase(b *scenario.Booking) Finding {
	fits := b.Case.Guests() == 1 || b.Fits || b.Before != nil && b.Before.Counted
	if fits && b.Case.IsSmall() && !b.Case.Bare && b.Hold == nil && b.Stop != nil && b.Stop.Kind == partner.Refused {
		return Breach("No hold was made: %s", b.Stop.Message).WithEvidence(b.Stop.Exchanges...)
	}
	return Finding{}
}
