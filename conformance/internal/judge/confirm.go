package judge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

var booked = judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding { return requireFact(b.BookingID != "", b.Stop) })

func confirmSpecs() []Spec {
	of := func(r rule.Rule, judge func(*scenario.Booking) Finding) Spec {
		return spec(r, booked, judgeOnce(scenario.PlayBooking, judge))
	}
	clean := func(rule.Rule) []Step { return []Step{booked, fields()} }
	specs := specForEach([]rule.Rule{rule.ConfirmStatus, rule.ConfirmJSON, rule.ConfirmBookingID, rule.ConfirmStatusField, rule.ConfirmOptional}, clean)
	specs = append(specs, spec(rule.ConfirmTickets, booked, fields(), judgeOnce(scenario.PlayRecord, deliversTickets)))
	specs = append(specs, specForEach([]rule.Rule{rule.TicketRedemption, rule.TicketOptions, rule.TicketFormat, rule.TicketMethod, rule.TicketValue}, func(rule.Rule) []Step {
		return []Step{booked, fields(), judgeOnce(scenario.PlayBooking, hasTickets)}
	})...)
	return append(specs,
		of(rule.TicketAddress, func(b *scenario.Booking) Finding { return PDFAddresses(b.Confirm.Answer) }),
		spec(rule.ConfirmFields, booked, fields()),
		of(rule.ConfirmConfirmed, func(b *scenario.Booking) Finding { return Expect(b.Confirm.Answer, Confirmed) }),
		of(rule.ConfirmEcho, func(b *scenario.Booking) Finding {
			return Expect(b.Confirm.Answer, Echoes(b.Offer.Product.ID, b.Offer.Option.ID, b.Offer.Slot.ID)).WithEvidence(b.Hold.Answer.Exchange)
		}),
		spec(rule.ConfirmIDUnique, judgeOnce(scenario.PlayAll, requireDistinct("externalBookingId", func(e ledger.Entry) string { return e.BookingID }))),
		spec(rule.ConfirmMinimal, booked, judgeOnce(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Finding { return requireFact(b.BookingID != "", b.Stop) })),
		spec(rule.ConfirmVacancies,
			weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move { return confirmedSeats(&b.Opening, b.Confirm) }),
			optionalStep(weighSeats(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Move { return confirmedSeats(&b.Opening, b.Confirm) }))),
		spec(rule.ConfirmRepeatBooking, judgeOnce(scenario.PlayBooking, sameBooking)),
		spec(rule.ConfirmRepeatVacancies, weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move {
			m := expectUnchanged(b.Confirm.After, b.Stop, b.Repeats...)
			for _, act := range b.Repeats[:max(0, len(b.Repeats)-1)] {
				m.via = append(m.via, act.After)
			}
			return m
		})),
		spec(rule.ConfirmRepeatStatus, judgeOnce(scenario.PlayBooking, repeatStatus)),
		spec(rule.ConfirmUnknown, judgeOnce(scenario.PlayUnknownConfirm, func(h *scenario.RepeatedCall) Finding { return expectRepeated(*h, Status(refusal)) })),
		spec(rule.ConfirmReleased, judgeOnce(scenario.PlayHolding, func(h *scenario.Holding) Finding {
			return expectAfter(h.ConfirmReleased, h.Stop, h.Release, Status(refusal))
		})),
		spec(rule.ConfirmReleasedNoEffect, weighSeats(scenario.PlayHolding, func(h *scenario.Holding) Move {
			return expectUnchanged(lastAct(h.ReleasesAgain).After, h.Stop, h.ConfirmReleased)
		})),
		spec(rule.ConfirmCancelled, cancellable, judgeOnce(scenario.PlayBooking, func(b *scenario.Booking) Finding {
			return expectAfter(b.ConfirmCancelled, b.Stop, b.Cancel, Status(refusal))
		})),
		spec(rule.ConfirmCancelledNoEffect, cancellable, weighSeats(scenario.PlayBooking, func(b *scenario.Booking) Move {
			return expectUnchanged(lastAct(b.CancelsAgain).After, b.Stop, b.ConfirmCancelled)
		})),
		spec(rule.ConfirmWrongKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ConfirmWrong })),
		spec(rule.ConfirmMissingKey, keyRefused(func(k *scenario.WrongKeys) scenario.Act { return k.ConfirmNone })),
		spec(rule.ConfirmAuthEffect, weighSeats(scenario.PlayWrongKeys, func(k *scenario.WrongKeys) Move {
			m := expectUnchanged(k.ReserveNone.After, k.Stop, k.ConfirmWrong, k.ConfirmNone)
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
		return expectTaken(o, confirm)
	}
	m := expectUnchanged(o.Held, o.Stop, confirm)
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
func PDFAddresses(answer *probe.Answer) Finding {
	switch flaw, has := pdfAddresses(answer); {
	case !has:
		return notApplicable("the booking has no ticket with the format PDF_URL")
	case flaw != "":
		return Breach("%s", flaw).WithEvidence(answer.Exchange)
	default:
		return Finding{}
	}
}

// pdfAddresses returns what is wrong with the addresses of the PDFs in a booking's tickets, or "", and whether there
// are any.
func pdfAddresses(answer *probe.Answer) (flaw string, has bool) {
	var sent struct{ Tickets []partnerapi.Ticket }
	if err := json.Unmarshal(answer.Raw, &sent); err != nil {
		return "", false
	}
	for i, ticket := range sent.Tickets {
		for k, option := range ticket.DeliveryOptions {
			if option.DeliveryFormat != partnerapi.PDFURL {
				continue
			}
			address, err := url.Parse(option.DeliveryValue)
			if err != nil || address.Scheme != "https" && address.Scheme != "http" || address.Host == "" {
				return fmt.Sprintf("tickets[%d].deliveryOptions[%d].deliveryValue: expected an http or https address, received %.200q", i, k, option.DeliveryValue), true
			}
			has = true
		}
	}
	return "", has
}

func hasTickets(b *scenario.Booking) Finding {
	if tickets, _ := discover.Object(b.Confirm.Answer.Raw)["tickets"].([]any); len(tickets) > 0 {
		return Finding{}
	}
	f := notApplicable("the booking has no tickets")
	f.Suspects = []rule.Rule{rule.ConfirmTickets}
	return f
}

// Confirmed checks the status of a booking.
func Confirmed(answer *probe.Answer) string {
	if status := partner.Text(answer, "status"); status != partnerapi.StatusConfirmed {
		return fmt.Sprintf("Expected status %q, received %q", partnerapi.StatusConfirmed, status)
	}
	return ""
}

// Echoes checks that a booking has no other ids than those of its hold.
func Echoes(product, option, slot string) Check {
	return func(answer *probe.Answer) string {
		for _, id := range []struct{ name, want string }{{"availabilityId", slot}, {"optionId", option}, {"productId", product}} {
			if got := partner.Text(answer, id.name); got != "" && got != id.want {
				return fmt.Sprintf("%s: expected that of the hold, %q, received %q", id.name, id.want, got)
			}
		}
		return ""
	}
}

// sameBooking finds a repeated confirm whose answer has another booking or other tickets. A
// customer may receive the tickets of any of the answers.
func sameBooking(b *scenario.Booking) Finding {
	f := requireFact(len(answers(b.Repeats)) > 0, b.Stop)
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
		return Breach("Expected the same booking, %q, or a refusal, received booking %q", id, again).WithEvidence(first.Exchange, repeat.Exchange)
	case was != nil && is == nil:
		return Breach("Expected the tickets of the first answer, received none").WithEvidence(first.Exchange, repeat.Exchange)
	case was != nil && !reflect.DeepEqual(was, is):
		return Breach("Expected the tickets of the first answer, received others").WithEvidence(first.Exchange, repeat.Exchange)
	default:
		return Finding{}
	}
}

func repeatStatus(b *scenario.Booking) Finding {
	f := requireFact(len(answers(b.Repeats)) > 0, b.Stop)
	for _, repeat := range answers(b.Repeats) {
		f = f.or(func() Finding {
			if repeat.Failure != nil || repeat.Response.Status != http.StatusOK && repeat.Response.Status/100 != 4 {
				return Breach("Expected 200 or 4xx, received %s", repeat.Words()).WithEvidence(b.Confirm.Answer.Exchange, repeat.Exchange)
			}
			return Finding{}
		})
	}
	return f
}

func confirmRefusals(r scenario.RefusedConfirms) Finding {
	f := FromStop(r.Stop)
	for _, answer := range r.Answers {
		if answer != nil && answer.HasStatus(http.StatusBadRequest) {
			f = f.or(func() Finding { return Expect(answer, MatchesSchema(schemas.Refusal)) })
		}
	}
	return f
}
