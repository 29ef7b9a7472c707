package judge

import (
	"slices"

	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
)

var (
	// cancellable is the step that checks, on the booking, whether the partner takes cancellations
	// (CAN-6).
	cancellable = judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding { return takesCancels(*b.Traits) })
	// mayCancel is the same check, on what was observed so far.
	mayCancel = judgeOnce(scenario.PlayRecord, func(e scenario.Record) Finding { return takesCancels(e.Traits) })
	// cancelled lists the steps that check that the booking was cancelled.
	cancelled = []Step{cancellable, judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding {
		return requireFact(b.Cancel.Answer != nil, b.Stop).or(func() Finding {
			if !b.Cancel.Answer.HasStatus(200) {
				return FromStop(b.Stop)
			}
			return Finding{}
		})
	})}
)

// cancelledSeats expects that a cancellation, the last of the acts, returns the seats of a booking.
func cancelledSeats(o *scenario.Opening, confirm scenario.Act, acts ...scenario.Act) Move {
	m := expectReturned(o, append([]scenario.Act{confirm}, acts...)...)
	m.between = append(o.Reserve(), exchangesOf(confirm, lastAct(acts))...)
	m.part = &movePart{rule.ConfirmVacancies, confirmedSeats(o, confirm)}
	return m
}

func takesCancels(t scenario.Traits) Finding {
	if t.NoCancel {
		return notApplicable("the partner does not support cancellations")
	}
	return Finding{}
}

func cancelSpecs() []Spec {
	of := func(r rule.Rule, judge func(*scenario.Booking) Finding) Spec {
		return spec(r, appendSteps(cancelled, judgeOnce(scenario.PlayBooking, judge))...)
	}
	second := func(r rule.Rule, act func(*scenario.SecondBooking) scenario.Act, check Check) Spec {
		return spec(r, cancellable, judgeOnce(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Finding {
			return expectAfter(act(b), b.Stop, scenario.Act{}, check)
		}))
	}
	unknown := func(r rule.Rule, check Check) Spec {
		return spec(r, cancellable, judgeOnce(scenario.PlayUnknownCancel, func(h *scenario.RepeatedCall) Finding { return expectRepeated(*h, check) }))
	}
	return []Spec{
		spec(rule.CancelSupported, cancelled...),
		spec(rule.CancelStatus, cancelled...),
		of(rule.CancelJSON, func(b *scenario.Booking) Finding { return Expect(b.Cancel.Answer, scenario.NoObject) }),
		of(rule.CancelSuccess, func(b *scenario.Booking) Finding {
			return Expect(b.Cancel.Answer, MatchesSchema(schemas.CancelAnswer), Succeed)
		}),
		spec(rule.CancelVacancies, cancellable,
			weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move {
				return cancelledSeats(&b.Opening, b.Confirm, slices.Concat(b.Repeats, []scenario.Act{b.LateRelease, b.Cancel})...)
			}),
			optionalStep(weighSeats(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Move {
				return cancelledSeats(&b.Opening, b.Confirm, b.NoKey, b.Cancel)
			}))),
		unknown(rule.CancelUnknown, Status(ok)),
		unknown(rule.CancelUnknownSuccess, Succeed),
		of(rule.CancelRepeatStatus, func(b *scenario.Booking) Finding {
			return afterEach(b.CancelsAgain, b.Stop, b.Cancel, Status(ok), MatchesSchema(schemas.CancelAnswer))
		}),
		of(rule.CancelRepeatSuccess, func(b *scenario.Booking) Finding { return afterEach(b.CancelsAgain, b.Stop, b.Cancel, Succeed) }),
		spec(rule.CancelRepeatVacancies, cancellable, weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move {
			return expectUnchanged(b.Cancel.After, b.Stop, append([]scenario.Act{b.Cancel}, b.CancelsAgain...)...)
		})),
		second(rule.CancelWithoutBody, func(b *scenario.SecondBooking) scenario.Act { return b.Cancel }, Status(ok)),
		second(rule.CancelWrongKey, func(b *scenario.SecondBooking) scenario.Act { return b.WrongKey }, Status(unauthorized)),
		second(rule.CancelMissingKey, func(b *scenario.SecondBooking) scenario.Act { return b.NoKey }, Status(unauthorized)),
		spec(rule.CancelAuthEffect, cancellable, weighSeats(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Move {
			return expectUnchanged(b.Confirm.After, b.Stop, b.WrongKey, b.NoKey)
		})),
	}
}
