package judge

import (
	"maps"
	"net/http"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

var booked = once(scenario.PlayBooking, func(b *scenario.Booking) Finding { return reached(b.BookingID != "", b.Stop) })

func confirmSpecs() []Spec {
	of := func(r rule.Rule, judge func(*scenario.Booking) Finding) Spec {
		return spec(r, booked, once(scenario.PlayBooking, judge))
	}
	clean := func(rule.Rule) []Step { return []Step{booked, fields()} }
	specs := each([]rule.Rule{rule.ConfirmStatus, rule.ConfirmJSON, rule.ConfirmBookingID, rule.ConfirmStatusField, rule.ConfirmOptional}, clean)
	specs = append(specs, spec(rule.ConfirmTickets, booked, fields(), once(scenario.PlayRecord, deliversTickets)))
	specs = append(specs, each([]rule.Rule{rule.TicketRedemption, rule.TicketOptions, rule.TicketFormat, rule.TicketMethod, rule.TicketValue}, func(rule.Rule) []Step {
		return []Step{booked, fields(), once(scenario.PlayBooking, hasTickets)}
	})...)
	return append(specs,
		spec(rule.ConfirmFields, booked, fields()),
		of(rule.ConfirmConfirmed, confirmed),
		of(rule.ConfirmEcho, echo),
		spec(rule.ConfirmIDUnique, once(scenario.PlayAll, distinct("externalBookingId", func(e ledger.Entry) string { return e.BookingID }))),
		spec(rule.ConfirmMinimal, booked, once(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Finding { return reached(b.BookingID != "", b.Stop) })),
		spec(rule.ConfirmVacancies,
			counted(scenario.PlayBooking, func(b *scenario.Booking) Move { return moved(&b.Opening, -1, b.Confirm) }),
			also(counted(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Move { return moved(&b.Opening, -1, b.Confirm) }))),
		spec(rule.ConfirmRepeatBooking, once(scenario.PlayBooking, sameBooking)),
		spec(rule.ConfirmRepeatVacancies, counted(scenario.PlayBooking, func(b *scenario.Booking) Move {
			return moved(&b.Opening, -1, b.Confirm, b.Repeat)
		})),
		spec(rule.ConfirmRepeatStatus, once(scenario.PlayBooking, repeatStatus)),
		spec(rule.ConfirmUnknown, once(scenario.PlayUnknownConfirm, func(h *scenario.Heard) Finding { return heard(*h, status(refusal)) })),
		spec(rule.ConfirmReleased, once(scenario.PlayHolding, func(h *scenario.Holding) Finding {
			return after(h.ConfirmReleased, h.Stop, h.Release, status(refusal))
		})),
		spec(rule.ConfirmReleasedNoEffect, counted(scenario.PlayHolding, func(h *scenario.Holding) Move {
			return still(h.ReleaseAgain.After, h.Stop, h.ConfirmReleased)
		})),
		spec(rule.ConfirmCancelled, cancellable, once(scenario.PlayBooking, func(b *scenario.Booking) Finding {
			return after(b.ConfirmCancelled, b.Stop, b.Cancel, status(refusal))
		})),
		spec(rule.ConfirmCancelledNoEffect, cancellable, counted(scenario.PlayBooking, func(b *scenario.Booking) Move {
			return still(b.CancelAgain.After, b.Stop, b.ConfirmCancelled)
		})),
		spec(rule.ConfirmWrongKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ConfirmWrong })),
		spec(rule.ConfirmMissingKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ConfirmNone })),
		spec(rule.ConfirmAuthEffect, counted(scenario.PlayWrongKeys, func(k *scenario.WrongKeys) Move {
			m := still(k.ReserveNone.After, k.Stop, k.ConfirmWrong, k.ConfirmNone)
			m.via, m.after = []*scenario.Reading{k.ReleaseNone.After}, k.Release.After
			if !k.Traits.Holdless { // else the hold took no seat that could be back
				m.by = 1
			}
			return m
		})),
	)
}

func deliversTickets(all scenario.Record) Finding {
	if !all.Tickets {
		return notApplicable("the partner is not registered as delivering its own tickets (--handles-ticket-delivery)")
	}
	return Finding{}
}

func hasTickets(b *scenario.Booking) Finding {
	if tickets, _ := discover.Object(b.Confirm.Answer.Raw)["tickets"].([]any); len(tickets) > 0 {
		return Finding{}
	}
	f := notApplicable("the booking has no tickets")
	f.Suspects = []rule.Rule{rule.ConfirmTickets}
	return f
}

func confirmed(b *scenario.Booking) Finding {
	if status := scenario.Text(b.Confirm.Answer, "status"); status != partnerapi.StatusConfirmed {
		return broken("want status %q, got %q", partnerapi.StatusConfirmed, status).showing(sent(b.Confirm)...)
	}
	return Finding{}
}

func echo(b *scenario.Booking) Finding {
	of := map[string]string{"productId": b.Offer.Product.ID, "optionId": b.Offer.Option.ID, "availabilityId": b.Offer.Slot.ID}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if got := scenario.Text(b.Confirm.Answer, name); got != "" && got != of[name] {
			return broken("%s: want that of the hold, %q, got %q", name, of[name], got).showing(b.Hold.Answer.Exchange, b.Confirm.Answer.Exchange)
		}
	}
	return Finding{}
}

func sameBooking(b *scenario.Booking) Finding {
	repeat := b.Repeat.Answer
	return reached(repeat != nil, b.Stop).or(func() Finding {
		id := scenario.Text(repeat, "externalBookingId")
		if repeat.Failure == nil && repeat.Response.Status/100 == 2 && id != b.BookingID {
			return broken("want the same booking, %q, or a refusal, got booking %q", b.BookingID, id).showing(sent(b.Confirm, b.Repeat)...)
		}
		return Finding{}
	})
}

func repeatStatus(b *scenario.Booking) Finding {
	repeat := b.Repeat.Answer
	return reached(repeat != nil, b.Stop).or(func() Finding {
		if repeat.Failure != nil || repeat.Response.Status != http.StatusOK && repeat.Response.Status/100 != 4 {
			return broken("want 200 or 4xx, got %s", repeat.Words()).showing(sent(b.Confirm, b.Repeat)...)
		}
		return Finding{}
	})
}

func confirmRefusals(r scenario.RefusedConfirms) Finding {
	f := Stopped(r.Stop)
	for _, answer := range r.Answers {
		if answer != nil && answer.OK(http.StatusBadRequest) {
			f = f.or(func() Finding { return expect(answer, fit(schemas.Refusal)) })
		}
	}
	return f
}
