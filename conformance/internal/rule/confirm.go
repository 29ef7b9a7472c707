package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/confirm: the booking and its fields.

var ConfirmStatus = confirm.must("confirm.status", "CNF-2", "Confirming a live hold is answered with 200").needs("reserve.code").
	why("The customer has paid: any other answer leaves a paid booking without a seat.").
	fix("Answer 200 once the booking is stored.")
var ConfirmJSON = confirm.must("confirm.json", "GEN-1", "A booking is answered with a JSON object").at("").needs("confirm.status").
	why("A booking whose answer cannot be read can be neither shown nor cancelled.").
	fix("Send one complete JSON object in UTF-8.")
var ConfirmBookingID = confirm.must("confirm.booking-id", "CNF-2", "A booking has an external booking id").at("/externalBookingId").needs("confirm.json").
	why("Without externalBookingId the booking can never be cancelled.").
	fix("Send externalBookingId as a string that is not empty.")
var ConfirmStatusField = confirm.confirmField("status-field", "CNF-2", "A booking has a status",
	"The marketplace reads it to tell a booking from a request.", "Send status as a string.", "/status")
var ConfirmOptional = confirm.confirmField("optional-fields", "CNF-2", "A booking's optional fields have their types",
	"A field of the wrong type is lost.", "Send uuid, productId, optionId and availabilityId as strings and contact as an object, or leave them out.", "/uuid", "/productId", "/optionId", "/availabilityId", "/contact/**")
var ConfirmTickets = confirm.confirmField("tickets", "CNF-6", "A partner that delivers its own tickets sends at least one",
	"The customer has paid and has nothing to show at the gate.", "Send tickets with the answer to confirm, or register without ticket delivery.", "/tickets", "/tickets/*")
var TicketRedemption = confirm.confirmField("ticket.redemption-method", "CNF-6", "Every ticket says how it is redeemed",
	"Customers are told whether to print it.", "Send redemptionMethod as a string, such as DIGITAL or PRINT.", "/tickets/*/redemptionMethod")
var TicketOptions = confirm.confirmField("ticket.delivery-options", "CNF-6", "Every ticket has its delivery options",
	"Without them there is nothing to forward to the customer.", "Send deliveryOptions as an array of objects.", "/tickets/*/deliveryOptions", "/tickets/*/deliveryOptions/*")
var TicketFormat = confirm.confirmField("ticket.delivery-format", "CNF-6", "Every delivery format is one of the five",
	"The format decides how the value is drawn: a wrong one gives a barcode that no scanner reads.", "Send QRCODE, CODE128, PDF_URL, AZTEC or EAN13, in capitals.", "/tickets/*/deliveryOptions/*/deliveryFormat")
var TicketMethod = confirm.confirmField("ticket.delivery-method", "CNF-6", "Every delivery method is one of the two",
	"It decides whether the customer is sent a ticket or a voucher.", "Send TICKET or VOUCHER, in capitals.", "/tickets/*/deliveryOptions/*/deliveryMethod")
var TicketValue = confirm.confirmField("ticket.delivery-value", "CNF-6", "Every delivery value is a text",
	"It is what the barcode holds, or where the PDF lies.", "Send deliveryValue as a string that is not empty; a number loses its leading zeros.", "/tickets/*/deliveryOptions/*/deliveryValue")
var TicketAddress = confirm.should("confirm.ticket.pdf-address", "CNF-6", "The value of a PDF_URL is an http or https address").
	needs("confirm.ticket.delivery-format", "confirm.ticket.delivery-value").
	why("The guest receives this address unchanged. A path, a file name or the PDF itself does not open.").
	fix("Send the complete address (https or http), not a path or a file name.")
var ConfirmFields = confirm.confirmField("fields", "CNF-2", "Everything else in a booking fits its schema",
	"What does not fit is not forwarded to the customer.", "Compare the answer with schemas/partner/confirm-answer.schema.json.", "/**")

func (c *chapter) confirmField(name, clause, title, why, fix string, places ...string) Rule {
	return c.must("confirm."+name, clause, title).at(places...).needs("confirm.json").
		why(why).
		fix(fix)
}

// POST /bookings/confirm: what it does.

var ConfirmConfirmed = confirm.should("confirm.confirmed", "CNF-3", "A booking's status is CONFIRMED").needs("confirm.status-field").
	why("The customer has paid and is told that the seat is theirs.").
	fix("Answer CONFIRMED when the seat is certain.")
var ConfirmEcho = confirm.should("confirm.echo", "CNF-3", "Ids that a booking sends back are those of the hold").needs("confirm.optional-fields").
	why("Other ids say that another product, option or slot was booked.").
	fix("Echo the ids of the reserve, or leave them out.")
var ConfirmIDUnique = confirm.must("confirm.booking-id.unique", "CNF-2", "No two bookings share an external booking id").needs("confirm.booking-id").
	why("Cancelling one customer's booking would cancel another's.").
	fix("Use a random id or a sequence that is never reset, also for cancelled bookings.")
var ConfirmMinimal = confirm.must("confirm.minimal-body", "CNF-1", "A booking can be confirmed with the code alone").needs("confirm.booking-id").
	why("Contact and reference are optional: a paid booking would fail because it has no phone number.").
	fix("Require reservationConfirmationCode, nothing else.")
var ConfirmVacancies = confirm.must("confirm.vacancies", "CNF-7", "A booking keeps the seats of its hold, and takes no more").
	needs("confirm.status", "reserve.vacancies.one").
	why("Seats given back are sold twice; seats taken twice are never sold.").
	fix("Turn the hold into a booking in one transaction; count either, not both.")
var ConfirmRepeatBooking = confirm.must("confirm.repeat.booking", "CNF-4", "A second confirm of a code makes no second booking").needs("confirm.booking-id").
	why("When an answer is lost the marketplace asks again: the customer would hold, and the marketplace pay for, two bookings.").
	fix("Store the booking under the reservation code, with a unique key; answer a repeat with the same booking.")
var ConfirmRepeatVacancies = confirm.must("confirm.repeat.vacancies", "CNF-4", "A second confirm of a code takes no seats").
	needs("confirm.vacancies", "confirm.repeat.booking").
	why("Seats that no guest uses are never sold.").
	fix("Change the seats only in the transaction that turns the hold into a booking.")
var ConfirmRepeatStatus = confirm.should("confirm.repeat.status", "CNF-4", "A second confirm of a code is answered with 200 or 4xx").needs("confirm.booking-id").
	why("Any other answer looks like a failure, and is repeated.").
	fix("Answer 200 with the stored booking.")
var ConfirmRace = confirm.must("confirm.race", "CNF-4", "Two confirms of a code at the same time make one booking").
	needs("confirm.repeat.vacancies", "confirm.booking-id.unique").
	why("A confirm whose answer is late is sent again while the first is under way: the customer would hold two bookings.").
	fix("Put a unique key on the reservation code of a booking, and answer the confirm that comes second with the first one's booking.")
var ConfirmUnknown = confirm.must("confirm.unknown", "CNF-5", "An unknown code is refused with 400").needs("confirm.json").
	why("Any other answer is taken for a failure, or for a booking that does not exist.").
	fix("Look the code up first; answer 400 with a message.")
var ConfirmReleased = confirm.must("confirm.released", "CNF-5", "A released code is refused with 400").
	needs("confirm.unknown", "release.success", "release.vacancies.one").
	why("The seats are on sale again: confirming them sells them twice.").
	fix("Check that the hold is still live in the transaction that books it; answer 400 with a message.")
var ConfirmReleasedNoEffect = confirm.must("confirm.released.no-effect", "CNF-5", "A refused confirm of a released code takes no seats").
	needs("confirm.released", "release.vacancies.many").
	why("Seats that no guest uses are never sold.").
	fix("Roll back what was taken before the refusal.")
var ConfirmCancelled = confirm.must("confirm.cancelled", "CNF-5", "A cancelled booking's code is refused with 400").
	needs("confirm.unknown", "confirm.repeat.booking", "cancel.success", "cancel.vacancies").
	why("The customer has been refunded: booking again gives the seat away.").
	fix("Answer 400 with a message once the booking is cancelled.")
var ConfirmCancelledNoEffect = confirm.must("confirm.cancelled.no-effect", "CNF-5", "A refused confirm of a cancelled code takes no seats").
	needs("confirm.cancelled", "cancel.vacancies").
	why("Seats that no guest uses are never sold.").
	fix("Roll back what was taken before the refusal.")
var ConfirmExpired = confirm.must("confirm.expired", "CNF-5", "An expired code is refused with 400").
	needs("confirm.unknown", "confirm.status", "reserve.expires-later").
	why("The seats are, or will be, on sale again: confirming them sells them twice.").
	fix("Compare expiresAt with the clock in the transaction that books; answer 400 with a message.")
var ConfirmExpiredNoEffect = confirm.must("confirm.expired.no-effect", "CNF-5", "A refused confirm of an expired code takes no seats").
	needs("confirm.expired", "reserve.vacancies.one").
	why("Seats that no guest uses are never sold.").
	fix("Roll back what was taken before the refusal.")
var ConfirmRefusalMessage = confirm.must("confirm.refusal.message", "CNF-5", "A refused confirm carries a message").needs("confirm.unknown").
	why("An operator has to settle a paid booking, and needs the reason.").
	fix("Answer 400 with {\"message\": \"...\"}, a sentence that is not empty.")
var ConfirmContentType = confirm.contentType(partnerapi.Confirm, "confirm.json")
var ConfirmWrongKey = confirm.wrongKey(partnerapi.Confirm, "confirm.json")
var ConfirmMissingKey = confirm.missingKey(partnerapi.Confirm)
var ConfirmAuthEffect = confirm.authNoEffect(partnerapi.Confirm, "A confirm answered with 401 books nothing",
	"Anyone could turn holds into bookings without paying.", "release.vacancies.one")
var ConfirmLimit = confirm.limit(partnerapi.Confirm)
