package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/confirm: the booking and its fields.
var (
	ConfirmStatus = Rule{
		ID: "confirm.status", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-2", Needs: []string{"reserve.code"},
		Title: "Confirming a live hold is answered with 200",
		Why:   "The customer has paid: any other answer leaves a paid booking without a seat.",
		Fix:   "Answer 200 once the booking is stored.",
	}
	ConfirmJSON = Rule{
		ID: "confirm.json", Level: Must, Endpoint: partnerapi.Confirm, Clause: "GEN-1", Needs: []string{"confirm.status"},
		Title: "A booking is answered with a JSON object",
		Why:   "A booking whose answer cannot be read can be neither shown nor cancelled.",
		Fix:   "Send one JSON object in UTF-8, whole.",
	}
	ConfirmBookingID = Rule{
		ID: "confirm.booking-id", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-2", Needs: []string{"confirm.json"},
		Title: "A booking has an external booking id",
		Why:   "Without externalBookingId the booking can never be cancelled.",
		Fix:   "Send externalBookingId as a string that is not empty.",
	}
	ConfirmStatusField = confirmField("status-field", "CNF-2", "A booking has a status",
		"The marketplace reads it to tell a booking from a request.", "Send status as a string.")
	ConfirmOptional = confirmField("optional-fields", "CNF-2", "A booking's optional fields have their types",
		"A field of the wrong type is lost.", "Send uuid, productId, optionId and availabilityId as strings and contact as an object, or leave them out.")
	ConfirmTickets = confirmField("tickets", "CNF-6", "A partner that delivers its own tickets sends at least one",
		"The customer has paid and has nothing to show at the gate.", "Send tickets with the answer to confirm, or register without ticket delivery.")
	TicketRedemption = confirmField("ticket.redemption-method", "CNF-6", "Every ticket says how it is redeemed",
		"Customers are told whether to print it.", "Send redemptionMethod as a string, such as DIGITAL or PRINT.")
	TicketOptions = confirmField("ticket.delivery-options", "CNF-6", "Every ticket has its delivery options",
		"Without them there is nothing to forward to the customer.", "Send deliveryOptions as an array of objects.")
	TicketFormat = confirmField("ticket.delivery-format", "CNF-6", "Every delivery format is one of the five",
		"The format decides how the value is drawn: a wrong one gives a barcode that no scanner reads.", "Send QRCODE, CODE128, PDF_URL, AZTEC or EAN13, in capitals.")
	TicketMethod = confirmField("ticket.delivery-method", "CNF-6", "Every delivery method is one of the two",
		"It decides whether the customer is sent a ticket or a voucher.", "Send TICKET or VOUCHER, in capitals.")
	TicketValue = confirmField("ticket.delivery-value", "CNF-6", "Every delivery value is a text",
		"It is what the barcode holds, or where the PDF lies.", "Send deliveryValue as a string that is not empty; a number loses its leading zeros.")
	ConfirmFields = confirmField("fields", "CNF-2", "Everything else in a booking fits its schema",
		"What does not fit is not forwarded to the customer.", "Compare the answer with schemas/partner/confirm-answer.schema.json.")
)

func confirmField(name, clause, title, why, fix string) Rule {
	return Rule{
		ID: "confirm." + name, Level: Must, Endpoint: partnerapi.Confirm, Clause: clause,
		Title: title, Why: why, Fix: fix, Needs: []string{"confirm.json"},
	}
}

// POST /bookings/confirm: what it does.
var (
	ConfirmConfirmed = Rule{
		ID: "confirm.confirmed", Level: Should, Endpoint: partnerapi.Confirm, Clause: "CNF-3", Needs: []string{"confirm.status-field"},
		Title: "A booking's status is CONFIRMED",
		Why:   "The customer has paid and is told that the seat is theirs.",
		Fix:   "Answer CONFIRMED when the seat is certain.",
	}
	ConfirmEcho = Rule{
		ID: "confirm.echo", Level: Should, Endpoint: partnerapi.Confirm, Clause: "CNF-3", Needs: []string{"confirm.optional-fields"},
		Title: "Ids that a booking sends back are those of the hold",
		Why:   "Other ids say that another product, option or slot was booked.",
		Fix:   "Echo the ids of the reserve, or leave them out.",
	}
	ConfirmIDUnique = Rule{
		ID: "confirm.booking-id.unique", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-2", Needs: []string{"confirm.booking-id"},
		Title: "No two bookings share an external booking id",
		Why:   "Cancelling one customer's booking would cancel another's.",
		Fix:   "Use a random id or a sequence that is never reset, also for cancelled bookings.",
	}
	ConfirmMinimal = Rule{
		ID: "confirm.minimal-body", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-1", Needs: []string{"confirm.booking-id"},
		Title: "A booking can be confirmed with the code alone",
		Why:   "Contact and reference are optional: a paid booking would fail for want of a phone number.",
		Fix:   "Require reservationConfirmationCode, nothing else.",
	}
	ConfirmVacancies = Rule{
		ID: "confirm.vacancies", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-7", Needs: []string{"confirm.status", "reserve.vacancies.one"},
		Title: "A booking keeps the seats of its hold, and takes no more",
		Why:   "Seats given back are sold twice; seats taken twice are never sold.",
		Fix:   "Turn the hold into a booking in one transaction; count either, not both.",
	}
	ConfirmRepeatBooking = Rule{
		ID: "confirm.repeat.booking", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-4", Needs: []string{"confirm.booking-id"},
		Title: "A second confirm of a code makes no second booking",
		Why:   "When an answer is lost the marketplace asks again: the customer would hold, and the marketplace pay for, two bookings.",
		Fix:   "Store the booking under the reservation code, with a unique key; answer a repeat with the same booking.",
	}
	ConfirmRepeatVacancies = Rule{
		ID: "confirm.repeat.vacancies", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-4",
		Needs: []string{"confirm.vacancies", "confirm.repeat.booking"},
		Title: "A second confirm of a code takes no seats",
		Why:   "Seats taken for nobody are never sold.",
		Fix:   "Change the seats only in the transaction that turns the hold into a booking.",
	}
	ConfirmRepeatStatus = Rule{
		ID: "confirm.repeat.status", Level: Should, Endpoint: partnerapi.Confirm, Clause: "CNF-4", Needs: []string{"confirm.booking-id"},
		Title: "A second confirm of a code is answered with 200 or 4xx",
		Why:   "Any other answer looks like a failure, and is repeated.",
		Fix:   "Answer 200 with the stored booking.",
	}
	ConfirmRace = Rule{
		ID: "confirm.race", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-4",
		Needs: []string{"confirm.repeat.vacancies", "confirm.booking-id.unique"},
		Title: "Two confirms of a code at the same time make one booking",
		Why:   "A confirm whose answer is late is sent again while the first is under way: the customer would hold two bookings.",
		Fix:   "Put a unique key on the reservation code of a booking, and answer the confirm that comes second with the first one's booking.",
	}
	ConfirmUnknown = Rule{
		ID: "confirm.unknown", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5", Needs: []string{"confirm.json"},
		Title: "An unknown code is refused with 400",
		Why:   "Any other answer is taken for a failure, or for a booking that does not exist.",
		Fix:   "Look the code up first; answer 400 with a message.",
	}
	ConfirmReleased = Rule{
		ID: "confirm.released", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5", Needs: []string{"confirm.unknown", "release.success", "release.vacancies.one"},
		Title: "A released code is refused with 400",
		Why:   "The seats are on sale again: confirming them sells them twice.",
		Fix:   "Check that the hold is still live in the transaction that books it; answer 400 with a message.",
	}
	ConfirmReleasedNoEffect = Rule{
		ID: "confirm.released.no-effect", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5", Needs: []string{"confirm.released", "release.vacancies.many"},
		Title: "A refused confirm of a released code takes no seats",
		Why:   "Seats taken for nobody are never sold.",
		Fix:   "Roll back what was taken before the refusal.",
	}
	ConfirmCancelled = Rule{
		ID: "confirm.cancelled", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5",
		Needs: []string{"confirm.unknown", "confirm.repeat.booking", "cancel.success", "cancel.vacancies"},
		Title: "A cancelled booking's code is refused with 400",
		Why:   "The customer has been refunded: booking again gives the seat away.",
		Fix:   "Answer 400 with a message once the booking is cancelled.",
	}
	ConfirmCancelledNoEffect = Rule{
		ID: "confirm.cancelled.no-effect", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5", Needs: []string{"confirm.cancelled", "cancel.vacancies"},
		Title: "A refused confirm of a cancelled code takes no seats",
		Why:   "Seats taken for nobody are never sold.",
		Fix:   "Roll back what was taken before the refusal.",
	}
	ConfirmExpired = Rule{
		ID: "confirm.expired", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5", Needs: []string{"confirm.unknown", "confirm.status", "reserve.expires-later"},
		Title: "An expired code is refused with 400",
		Why:   "The seats are, or will be, on sale again: confirming them sells them twice.",
		Fix:   "Compare expiresAt with the clock in the transaction that books; answer 400 with a message.",
	}
	ConfirmExpiredNoEffect = Rule{
		ID: "confirm.expired.no-effect", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5", Needs: []string{"confirm.expired", "reserve.vacancies.one"},
		Title: "A refused confirm of an expired code takes no seats",
		Why:   "Seats taken for nobody are never sold.",
		Fix:   "Roll back what was taken before the refusal.",
	}
	ConfirmRefusalMessage = Rule{
		ID: "confirm.refusal.message", Level: Must, Endpoint: partnerapi.Confirm, Clause: "CNF-5", Needs: []string{"confirm.unknown"},
		Title: "A refused confirm carries a message",
		Why:   "An operator has to settle a paid booking, and needs the reason.",
		Fix:   "Answer 400 with {\"message\": \"...\"}, a sentence that is not empty.",
	}
	ConfirmContentType = contentType(partnerapi.Confirm, "confirm.json")
	ConfirmWrongKey    = wrongKey(partnerapi.Confirm, "confirm.json")
	ConfirmMissingKey  = missingKey(partnerapi.Confirm)
	ConfirmAuthEffect  = authNoEffect(partnerapi.Confirm, "A confirm answered with 401 books nothing",
		"Anybody could turn holds into bookings without paying.", "release.vacancies.one")
	ConfirmLimit = limit(partnerapi.Confirm)

	confirmRules = []Rule{
		ConfirmStatus, ConfirmJSON, ConfirmBookingID, ConfirmStatusField, ConfirmOptional,
		ConfirmTickets, TicketRedemption, TicketOptions, TicketFormat, TicketMethod, TicketValue, ConfirmFields,
		ConfirmConfirmed, ConfirmEcho, ConfirmIDUnique, ConfirmMinimal, ConfirmVacancies,
		ConfirmRepeatBooking, ConfirmRepeatVacancies, ConfirmRepeatStatus, ConfirmRace,
		ConfirmUnknown, ConfirmReleased, ConfirmReleasedNoEffect, ConfirmCancelled, ConfirmCancelledNoEffect,
		ConfirmExpired, ConfirmExpiredNoEffect, ConfirmRefusalMessage, ConfirmContentType,
		ConfirmWrongKey, ConfirmMissingKey, ConfirmAuthEffect, ConfirmLimit,
	}
)
