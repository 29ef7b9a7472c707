package judge

import (
	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/scenario"
	"partnerkit.dev/conformance/rule"
)

func confirmSpecs() []Spec {
	specs := specForEach([]rule.Rule{rule.ConfirmStatus, rule.ConfirmJSON, rule.ConfirmBookingID, rule.ConfirmStatusField, rule.ConfirmOptional}, booked, Recorded{})
	specs = append(specs, spec(rule.ConfirmTickets, booked, Recorded{}, judgeOnce(scenario.PlayRecord, deliversTickets)))
	specs = append(specs, specForEach([]rule.Rule{rule.TicketRedemption, rule.TicketOptions, rule.TicketFormat, rule.TicketMethod, rule.TicketValue},
		booked, Recorded{}, judgeOnce(scenario.PlayBooking, hasTickets))...)
	confirmed := func(r rule.Rule) Spec { return spec(r, booked, answersIn(r, booking)) }
	keys := func(r rule.Rule) Spec { return spec(r, answersIn(r, wrongKeys)) }
	// A confirm of a code that is no hold may have made a booking, which keeps the seats, and so does a release that returns none.
	oneReturned := seatsIn(rule.ReleaseVacanciesOne, optionChecks).withNeed(Further)
	return append(specs,
		spec(rule.TicketAddress, booked, judgeOnce(scenario.PlayBooking, hasPDF), answersIn(rule.TicketAddress, booking)),
		spec(rule.ConfirmFields, booked, Recorded{}),
		confirmed(rule.ConfirmConfirmed),
		confirmed(rule.ConfirmEcho),
		distinctBookings(scenario.PlayAll),
		spec(rule.ConfirmMinimal, booked, judgeOnce(scenario.PlaySecondBooking, func(b *scenario.SecondBooking) Finding { return requireFact(b.BookingID() != "", b.Stop) })),
		spec(rule.ConfirmVacancies, seatsIn(rule.ConfirmVacancies, booking), seatsIn(rule.ConfirmVacancies, secondBooking).withNeed(Further)),
		spec(rule.ConfirmRepeatBooking, answersIn(rule.ConfirmRepeatBooking, booking)),
		spec(rule.ConfirmRepeatVacancies, seatsIn(rule.ConfirmRepeatVacancies, booking)),
		spec(rule.ConfirmRepeatStatus, answersIn(rule.ConfirmRepeatStatus, booking)),
		spec(rule.ConfirmUnknown, answersIn(rule.ConfirmUnknown, story(scenario.PlayUnknownConfirm))),
		spec(rule.ConfirmReleased, answersIn(rule.ConfirmReleased, holding)),
		spec(rule.ConfirmReleasedNoEffect, oneReturned, seatsIn(rule.ConfirmReleasedNoEffect, holding)),
		spec(rule.ConfirmCancelled, cancellable, answersIn(rule.ConfirmCancelled, booking)),
		spec(rule.ConfirmCancelledNoEffect, cancellable, seatsIn(rule.ConfirmCancelledNoEffect, booking)),
		keys(rule.ConfirmWrongKey),
		keys(rule.ConfirmMissingKey),
		spec(rule.ConfirmAuthEffect, oneReturned, seatsIn(rule.ConfirmAuthEffect, wrongKeys)),
	)
}

func deliversTickets(all scenario.Record) Finding {
	if !all.Tickets {
		return notApplicable("the partner is not registered as delivering its own tickets (--handles-ticket-delivery)")
	}
	return Finding{}
}

// hasPDF finds that a booking has no ticket whose address can be judged.
func hasPDF(b *scenario.Booking) Finding {
	if _, has := pdfAddresses(b.Confirm); !has {
		f := notApplicable("the booking has no ticket with the format PDF_URL")
		f.Suspects = []rule.Rule{rule.TicketFormat, rule.TicketValue}
		return f
	}
	return Finding{}
}

func hasTickets(b *scenario.Booking) Finding {
	if tickets, _ := discover.Object(b.Confirm.Raw)["tickets"].([]any); len(tickets) > 0 {
		return Finding{}
	}
	f := notApplicable("the booking has no tickets")
	f.Suspects = []rule.Rule{rule.ConfirmTickets}
	return f
}
