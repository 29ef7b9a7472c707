package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/confirm: the booking and its fields.
var (
	ConfirmStatus = confirm.must("confirm.status", "CNF-2", "Confirm answers 200 for a live hold").needs("reserve.code").
			withReason("The customer has paid. Any other answer leaves a paid booking without a seat.").
			fix("Answer 200 after you have stored the booking.")
	ConfirmJSON = confirm.must("confirm.json", "GEN-1", "Confirm answers with a JSON object").withPlaces("").needs("confirm.status").
			withReason("The marketplace can neither show nor cancel a booking whose answer it cannot parse.").
			fix("Send one complete JSON object in UTF-8.")
	ConfirmBookingID = confirm.must("confirm.booking-id", "CNF-2", "Every booking has an externalBookingId").withPlaces("/externalBookingId").needs("confirm.json").
				withReason("The marketplace cannot cancel a booking without externalBookingId.").
				fix("Send externalBookingId as a string that is not empty, by which cancel finds the booking.")
	ConfirmStatusField = confirm.confirmField("status-field", "CNF-2", "Every booking has a status",
		"The marketplace reads the status to distinguish a confirmed booking from a pending request.", "Send status as a string: CONFIRMED when the seat is certain.", "/status")
	ConfirmOptional = confirm.confirmField("optional-fields", "CNF-2", "A booking's optional fields have the types in the contract",
		"The marketplace discards a field of the wrong type.", "Send uuid, productId, optionId and availabilityId as strings and contact as an object, or omit them.", "/uuid", "/productId", "/optionId", "/availabilityId", "/contact/**")
	ConfirmTickets = confirm.confirmField("tickets", "CNF-6", "A partner that delivers its own tickets sends at least one ticket",
		"The customer has paid but has no ticket to show at the entrance.", "Send tickets in the answer to confirm, or register without ticket delivery if your staff accept the marketplace's own tickets.", "/tickets", "/tickets/*")
	TicketRedemption = confirm.confirmField("ticket.redemption-method", "CNF-6", "Every ticket has a redemption method",
		"The marketplace uses the method to tell customers whether to print the ticket.", "Send redemptionMethod as a string, such as DIGITAL or PRINT.", "/tickets/*/redemptionMethod")
	TicketOptions = confirm.confirmField("ticket.delivery-options", "CNF-6", "Every ticket has an array of delivery options",
		"Without delivery options, the marketplace has no ticket to forward to the customer.", "Send deliveryOptions as an array of objects.", "/tickets/*/deliveryOptions", "/tickets/*/deliveryOptions/*")
	TicketFormat = confirm.confirmField("ticket.delivery-format", "CNF-6", "Every delivery format is one of the five in the contract",
		"The marketplace renders the value in this format. A wrong format produces a barcode that no scanner can read.", "Send QRCODE, CODE128, PDF_URL, AZTEC or EAN13, in capitals.", "/tickets/*/deliveryOptions/*/deliveryFormat")
	TicketMethod = confirm.confirmField("ticket.delivery-method", "CNF-6", "Every delivery method is TICKET or VOUCHER",
		"The marketplace sends the customer a ticket or a voucher depending on this field.", "Send TICKET or VOUCHER, in capitals.", "/tickets/*/deliveryOptions/*/deliveryMethod")
	TicketValue = confirm.confirmField("ticket.delivery-value", "CNF-6", "Every delivery value is a string that is not empty",
		"The value is the content of the barcode or the address of the PDF. Without it, the customer cannot use the ticket.", "Send what your staff scan or read as a string. A number would lose its leading zeros.", "/tickets/*/deliveryOptions/*/deliveryValue")
	TicketAddress = confirm.should("confirm.ticket.pdf-address", "CNF-6", "The value of a PDF_URL is an http or https address").
			withReason("The marketplace forwards only web addresses, because the customer cannot open a path, a file name or the PDF data itself.").
			fix("Send the complete address (https or http), not a path or a file name.")
	ConfirmFields = confirm.confirmField("fields", "CNF-2", "Every other field of a booking matches the schema",
		"The marketplace does not forward fields that do not match the schema to the customer.", "Compare the answer with schemas/partner/confirm-answer.schema.json.", "/**")
)

func (c *chapter) confirmField(name, clause, title, why, fix string, places ...string) Rule {
	return c.must("confirm."+name, clause, title).withPlaces(places...).needs("confirm.json").
		withReason(why).
		fix(fix)
}

// POST /bookings/confirm: what it does.
var (
	ConfirmConfirmed = confirm.should("confirm.confirmed", "CNF-3", "A confirmed booking has the status CONFIRMED").needs("confirm.status-field").
				withReason("The marketplace has taken the payment and promises the customer a seat.").
				fix("Answer CONFIRMED when the seat is certain.")
	ConfirmEcho = confirm.should("confirm.echo", "CNF-3", "The ids and the contact in a booking are those of its hold").needs("confirm.optional-fields").
			withReason("If the ids differ, the booking appears to be for another product, option or slot. Another contact shows one customer's data to another.").
			fix("Book the slot of the hold, for the contact that was sent, and return these. Fields that are left out break no rule, but a wrong booking stays wrong.")
	ConfirmIDUnique = confirm.must("confirm.booking-id.unique", "CNF-2", "Every booking has a unique externalBookingId").needs("confirm.booking-id").
			withReason("If two bookings share an id, cancelling one customer's booking also cancels the other's.").
			fix("Use a random id, or a sequence that is never reset. Do not reuse the ids of cancelled bookings.")
	ConfirmMinimal = confirm.must("confirm.minimal-body", "CNF-1", "Confirm accepts a request with only the reservation code").needs("confirm.booking-id").
			withReason("Contact and reference are optional. If you require them, a paid booking fails because it has no phone number.").
			fix("Require only reservationConfirmationCode.")
	ConfirmVacancies = confirm.must("confirm.vacancies", "CNF-7", "Confirm keeps the seats of the hold and takes no more").
				needs("confirm.status", "reserve.vacancies.one").
				withReason("If confirm returns seats, they are sold twice. If it takes them again, they are never sold.").
				fix("Turn the hold into a booking in one transaction. Count the hold or the booking, never both.")
	ConfirmRepeatBooking = confirm.must("confirm.repeat.booking", "CNF-4", "A second confirm of a code makes no second booking").needs("confirm.booking-id").
				withReason("The marketplace retries when an answer is lost. Two bookings would be made and paid for, but the customer needs only one.").
				fix("Store the booking under the reservation code with a unique key. Answer a retry with the same booking.")
	ConfirmRepeatVacancies = confirm.must("confirm.repeat.vacancies", "CNF-4", "A second confirm of a code takes no seats").
				needs("confirm.vacancies", "confirm.repeat.booking").
				withReason("The extra seats are never sold, and no guest uses them.").
				fix("Change the seats only in the transaction that turns the hold into a booking.")
	ConfirmRepeatStatus = confirm.should("confirm.repeat.status", "CNF-4", "A second confirm of a code answers 200 or 4xx").needs("confirm.booking-id").
				withReason("The marketplace treats any other answer as a failure and retries.").
				fix("Answer 200 with the stored booking.")
	ConfirmRace = confirm.must("confirm.race", "CNF-4", "Two concurrent confirms of a code make one booking").
			needs("confirm.repeat.vacancies", "confirm.released.no-effect", "confirm.booking-id.unique", "reserve.vacancies.mixed", "release.vacancies.many").
			withReason("The marketplace retries a confirm whose answer is late, while the first is still running. The customer would have two bookings.").
			fix("Put a unique key on the reservation code of a booking. Answer the second confirm with the booking of the first.")
	ConfirmUnknown = confirm.must("confirm.unknown", "CNF-5", "Confirm refuses an unknown code with 400").needs("confirm.json").
			withReason("The marketplace treats any other answer as a failure, or as a booking that does not exist.").
			fix("Look up the code first. If it is unknown, answer 400 with a message.")
	ConfirmReleased = confirm.must("confirm.released", "CNF-5", "Confirm refuses a released code with 400").
			needs("confirm.unknown", "release.success", "release.vacancies.one").
			withReason("The seats are on sale again. Confirming the code sells them twice.").
			fix("Check that the hold is still live in the transaction that books it. If it is not, answer 400 with a message.")
	ConfirmReleasedNoEffect = confirm.must("confirm.released.no-effect", "CNF-5", "A refused confirm of a released code takes no seats").
				needs("confirm.released", "release.vacancies.many").
				withReason("The seats are never sold, and no guest uses them.").
				fix("Roll back every change that was made before the refusal.")
	ConfirmCancelled = confirm.must("confirm.cancelled", "CNF-5", "Confirm refuses the code of a cancelled booking with 400").
				needs("confirm.unknown", "confirm.repeat.booking", "cancel.success", "cancel.vacancies").
				withReason("The customer has been refunded. Confirming again gives the seat away for free.").
				fix("Answer 400 with a message if the booking is cancelled.")
	ConfirmCancelledNoEffect = confirm.must("confirm.cancelled.no-effect", "CNF-5", "A refused confirm of a cancelled booking's code takes no seats").
					needs("confirm.cancelled", "cancel.vacancies").
					withReason("The seats are never sold, and no guest uses them.").
					fix("Roll back every change that was made before the refusal.")
	ConfirmExpired = confirm.must("confirm.expired", "CNF-5", "Confirm refuses an expired code with 400").
			needs("confirm.unknown", "confirm.status", "reserve.expires-later").
			withReason("The seats are on sale again, or will be soon. Confirming the code sells them twice.").
			fix("Compare expiresAt with the clock in the transaction that books. If the hold has expired, answer 400 with a message.")
	ConfirmExpiredNoEffect = confirm.must("confirm.expired.no-effect", "CNF-5", "A refused confirm of an expired code takes no seats").
				needs("confirm.expired", "reserve.vacancies.one").
				withReason("The seats are never sold, and no guest uses them.").
				fix("Roll back every change that was made before the refusal.")
	ConfirmRefusalMessage = confirm.must("confirm.refusal.message", "CNF-5", "A refused confirm has a message").needs("confirm.unknown").
				withReason("An operator must settle the paid booking and needs to know why it was refused.").
				fix("Answer 400 with {\"message\": \"...\"}, which says why, in words for the customer.")
	ConfirmContentType = confirm.contentType(partnerapi.Confirm, "confirm.json")
	ConfirmWrongKey    = confirm.wrongKey(partnerapi.Confirm, "confirm.json")
	ConfirmMissingKey  = confirm.missingKey(partnerapi.Confirm)
	ConfirmAuthEffect  = confirm.authNoEffect(partnerapi.Confirm, "A confirm that is answered with 401 books nothing",
		"Anyone could turn holds into bookings without paying.", "release.vacancies.one")
	ConfirmLimit = confirm.limit(partnerapi.Confirm)
)
