package judge

import (
	"fmt"
	"slices"

	"partnerkit.dev/conformance/internal/model"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// The first steps of specs: they check whether a rule can be judged.

var catalog = judgeOnce(scenario.PlaySurvey, func(v *scenario.Survey) Finding { return FromStop(v.Stop) })

func slotsSteps(r rule.Rule) []Step {
	return []Step{catalog, judgeOnce(scenario.PlaySurvey, slotsRead(r)), judgeOnce(scenario.PlaySurvey, slotsAsked)}
}

// slotsRead finds why no answer about slots could be read, or that the first unreadable answer
// breaks r.
func slotsRead(r rule.Rule) func(*scenario.Survey) Finding {
	return func(v *scenario.Survey) Finding {
		f := FromStop(v.SlotsStop)
		if len(v.Answers) == 0 || f.Cause != nil && f.Cause.ID == r.ID {
			return f
		}
		return Finding{}
	}
}

// slotsAsked finds that no option could be asked for its slots. Options without stable ids are not asked.
func slotsAsked(v *scenario.Survey) Finding {
	if len(v.Answers) > 0 {
		return Finding{}
	}
	f := Doubt("the catalog has no option to ask slots for")
	if v.Outside != "" {
		f.Message = v.Outside
	}
	f.Suspects = []rule.Rule{rule.ProductPermanent, rule.OptionPermanent, rule.UnitFixedID}
	return f
}

var (
	// held is the step that checks that a hold could be made.
	held = judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding { return requireFact(b.Hold != nil, b.Stop) })
	// seatsHeld lists the steps that check that holds take seats.
	seatsHeld = []Step{held, judgeOnce(scenario.PlayRecord, func(e scenario.Record) Finding {
		if e.Traits.Holdless() {
			return notApplicable("the partner does not hold seats: expiresAt is more than %s ahead", partnerapi.HoldlessAfter)
		}
		return Finding{}
	})}
	// oneGuest is the step that checks that an option takes a single guest.
	oneGuest = judgeOnce(scenario.PlayAllOptionChecks, func(checks []*scenario.OptionCheck) Finding {
		if len(checks) > 0 && !slices.ContainsFunc(checks, func(v *scenario.OptionCheck) bool { return v.Offer.Option.Least <= 1 }) {
			return notApplicable("no option takes a single guest: the smallest party is %d", checks[0].Offer.Option.Least)
		}
		return Finding{}
	})
	// severalGuests is the step that checks that a slot has seats for a party.
	severalGuests = judgeOnce(scenario.PlayHolding, func(h *scenario.Holding) Finding {
		if h.Hold != nil && h.Guests < scenario.SeveralGuests {
			return Doubt("no bookable slot has %s left", model.SeatsWord(scenario.SeveralGuests)).
				withRemedy(fmt.Sprintf("Offer a slot with %s or more.", model.SeatsWord(scenario.SeveralGuests)))
		}
		return Finding{}
	})
)

var booked = judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding { return requireFact(b.BookingID() != "", b.Stop) })

var (
	// cancellable is the step that checks, on the booking, whether the partner takes cancellations
	// (CAN-6).
	cancellable = judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding { return takesCancels(*b.Traits) })
	// mayCancel is the same check, on what was observed so far.
	mayCancel = judgeOnce(scenario.PlayRecord, func(e scenario.Record) Finding { return takesCancels(e.Traits) })
	// cancelled lists the steps that check that the booking was cancelled.
	cancelled = []Step{cancellable, judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding {
		return requireFact(b.Cancel != nil, b.Stop).or(func() Finding {
			if !b.Cancel.HasStatus(200) {
				return FromStop(b.Stop)
			}
			return Finding{}
		})
	})}
)

func takesCancels(t scenario.Traits) Finding {
	if t.NoCancel {
		return notApplicable("the partner does not support cancellations")
	}
	return Finding{}
}

// ofCancel returns the first steps of a rule about an endpoint that a partner may lack.
func ofCancel(r rule.Rule) []Step {
	if r.Endpoint == partnerapi.Cancel {
		return []Step{mayCancel}
	}
	return nil
}

// together is the step that checks that concurrent calls are allowed.
var together = judgeOnce(scenario.PlayRecord, func(e scenario.Record) Finding {
	if e.Alone {
		return ends(report.Skipped, "no calls were sent at the same time (--no-races)").withRemedy("Run without --no-races.")
	}
	return Finding{}
})
