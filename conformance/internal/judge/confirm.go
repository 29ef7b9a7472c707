package judge

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
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
		of(rule.TicketAddress, PDFAddresses),
		spec(rule.ConfirmFields, booked, fields()),
		of(rule.ConfirmConfirmed, Confirmed),
		of(rule.ConfirmEcho, echo),
		spec(rule.ConfirmIDUnique, once(scenario.PlayAll, distinct("externalBookingId", func(e ledger.Entry) string { return e.BookingID }))),
		spec(rule.ConfirmMinimal, booked, once(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Finding { return reached(b.BookingID != "", b.Stop) })),
		spec(rule.ConfirmVacancies,
			counted(scenario.PlayBooking, func(b *scenario.Booking) Move { return confirmedSeats(&b.Opening, b.Confirm) }),
			also(counted(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Move { return confirmedSeats(&b.Opening, b.Confirm) }))),
		spec(rule.ConfirmRepeatBooking, once(scenario.PlayBooking, sameBooking)),
		spec(rule.ConfirmRepeatVacancies, counted(scenario.PlayBooking, func(b *scenario.Booking) Move {
			m := still(b.Confirm.After, b.Stop, b.Repeats...)
			for _, act := range b.Repeats[:max(0, len(b.Repeats)-1)] {
				m.via = append(m.via, act.After)
			}
			return m
		})),
		spec(rule.ConfirmRepeatStatus, once(scenario.PlayBooking, repeatStatus)),
		spec(rule.ConfirmUnknown, once(scenario.PlayUnknownConfirm, func(h *scenario.RepeatedCall) Finding { return expectRepeated(*h, Status(refusal)) })),
		spec(rule.ConfirmReleased, once(scenario.PlayHolding, func(h *scenario.Holding) Finding {
			return after(h.ConfirmReleased, h.Stop, h.Release, Status(refusal))
		})),
		spec(rule.ConfirmReleasedNoEffect, counted(scenario.PlayHolding, func(h *scenario.Holding) Move {
			return still(last(h.ReleasesAgain).After, h.Stop, h.ConfirmReleased)
		})),
		spec(rule.ConfirmCancelled, cancellable, once(scenario.PlayBooking, func(b *scenario.Booking) Finding {
			return after(b.ConfirmCancelled, b.Stop, b.Cancel, Status(refusal))
		})),
		spec(rule.ConfirmCancelledNoEffect, cancellable, counted(scenario.PlayBooking, func(b *scenario.Booking) Move {
			return still(last(b.CancelsAgain).After, b.Stop, b.ConfirmCancelled)
		})),
		spec(rule.ConfirmWrongKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ConfirmWrong })),
		spec(rule.ConfirmMissingKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ConfirmNone })),
		spec(rule.ConfirmAuthEffect, counted(scenario.PlayWrongKeys, func(k *scenario.WrongKeys) Move {
			m := still(k.ReserveNone.After, k.Stop, k.ConfirmWrong, k.ConfirmNone)
			m.via, m.after = []*scenario.Reading{k.ReleaseNone.After}, k.Release.After
			if !k.TakesLater() { // otherwise the hold took no seat that could be returned
				m.by, m.infants = k.Guests, k.Infants
			}
			return m
		})),
	)
}

// confirmedSeats expects that a booking has the seats of its party. Confirm changes no seats if the
// hold took them, so the hold shows whether an infant takes a seat.
func confirmedSeats(o *scenario.Opening, confirm scenario.Act) Move {
	if o.Infants == 0 || o.Held == nil || o.TakesLater() {
		return taken(o, confirm)
	}
	m := still(o.Held, o.Stop, confirm)
	m.between = append(o.Reserve(), m.between...)
	return m
}

func deliversTickets(all scenario.Record) Finding {
	if !all.Tickets {
		return notApplicable("the partner is not registered as delivering its own tickets (--handles-ticket-delivery)")
	}
	return Finding{}
}

// PDFAddresses judges the addresses of the PDFs in a booking's tickets.
func PDFAddresses(b *scenario.Booking) Finding {
	var sent struct{ Tickets []partnerapi.Ticket }
	if err := json.Unmarshal(b.Confirm.Answer.Raw, &sent); err != nil {
		return notApplicable("the booking has no tickets that can be read")
	}
	seen := false
	for i, ticket := range sent.Tickets {
		for k, option := range ticket.DeliveryOptions {
			if option.DeliveryFormat != partnerapi.PDFURL {
				continue
			}
			seen = true
			address, err := url.Parse(option.DeliveryValue)
			if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" {
				return Broken("tickets[%d].deliveryOptions[%d].deliveryValue: expected an http or https address, received %.200q", i, k, option.DeliveryValue).
					Showing(b.Confirm.Answer.Exchange)
			}
		}
	}
	if !seen {
		return notApplicable("the booking has no ticket with the format PDF_URL")
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

// Confirmed judges the status of a booking.
func Confirmed(b *scenario.Booking) Finding {
	if status := partner.Text(b.Confirm.Answer, "status"); status != partnerapi.StatusConfirmed {
		return Broken("Expected status %q, received %q", partnerapi.StatusConfirmed, status).Showing(sent(b.Confirm)...)
	}
	return Finding{}
}

func echo(b *scenario.Booking) Finding {
	of := map[string]string{"productId": b.Offer.Product.ID, "optionId": b.Offer.Option.ID, "availabilityId": b.Offer.Slot.ID}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if got := partner.Text(b.Confirm.Answer, name); got != "" && got != of[name] {
			return Broken("%s: expected that of the hold, %q, received %q", name, of[name], got).Showing(b.Hold.Answer.Exchange, b.Confirm.Answer.Exchange)
		}
	}
	return Finding{}
}

// sameBooking finds a repeated confirm whose answer has another booking or other tickets. A
// customer may receive the tickets of any of the answers.
func sameBooking(b *scenario.Booking) Finding {
	f := reached(len(answers(b.Repeats)) > 0, b.Stop)
	for _, repeat := range answers(b.Repeats) {
		f = f.or(func() Finding {
			if repeat.Failure != nil || repeat.Response.Status/100 != 2 {
				return Finding{}
			}
			return SameBooking(b.Confirm.Answer, repeat)
		})
	}
	return f
}

// SameBooking judges the booking in a repeated confirm's answer. Tickets may be made after the first
// answer, but none that it had may be missing.
func SameBooking(first, repeat *probe.Answer) Finding {
	was, is := discover.Object(first.Raw)["tickets"], discover.Object(repeat.Raw)["tickets"]
	switch id, again := partner.Text(first, "externalBookingId"), partner.Text(repeat, "externalBookingId"); {
	case again != id:
		return Broken("Expected the same booking, %q, or a refusal, received booking %q", id, again).Showing(first.Exchange, repeat.Exchange)
	case was != nil && is == nil:
		return Broken("Expected the tickets of the first answer, received none").Showing(first.Exchange, repeat.Exchange)
	case was != nil && !reflect.DeepEqual(was, is):
		return Broken("Expected the tickets of the first answer, received others").Showing(first.Exchange, repeat.Exchange)
	default:
		return Finding{}
	}
}

func repeatStatus(b *scenario.Booking) Finding {
	f := reached(len(answers(b.Repeats)) > 0, b.Stop)
	for _, repeat := range answers(b.Repeats) {
		f = f.or(func() Finding {
			if repeat.Failure != nil || repeat.Response.Status != http.StatusOK && repeat.Response.Status/100 != 4 {
				return Broken("Expected 200 or 4xx, received %s", repeat.Words()).Showing(b.Confirm.Answer.Exchange, repeat.Exchange)
			}
			return Finding{}
		})
	}
	return f
}

func confirmRefusals(r scenario.RefusedConfirms) Finding {
	f := Stopped(r.Stop)
	for _, answer := range r.Answers {
		if answer != nil && answer.OK(http.StatusBadRequest) {
			f = f.or(func() Finding { return Expect(answer, Fit(schemas.Refusal)) })
		}
	}
	return f
}
