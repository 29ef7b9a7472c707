package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/{externalBookingId}/cancel.

var CancelSupported = cancel.may("cancel.supported", "CAN-6", "The partner takes cancellations").needs("confirm.booking-id").
	why("Without cancel the marketplace refunds its customer, and does not tell the partner.").
	fix("Implement cancel to be told of cancellations.")
var CancelStatus = cancel.must("cancel.status", "CAN-2", "Cancelling a booking is answered with 200").needs("confirm.booking-id").
	why("The marketplace repeats the cancellation until it is taken; meanwhile the seats are lost.").
	fix("Answer 200 with a JSON body; 404, 405 or 501 say that cancel is not supported at all.")
var CancelJSON = cancel.must("cancel.json", "CAN-2", "A cancellation is answered with a JSON object").needs("cancel.status").
	why("Without success the marketplace does not know whether the booking is cancelled.").
	fix("Send {\"success\": true}.")
var CancelSuccess = cancel.must("cancel.success", "CAN-2", "A cancelled booking is answered with success true").needs("cancel.json").
	why("Anything else says that the booking stands.").
	fix("Send success as the boolean true; message, where sent, as a string.")
var CancelVacancies = cancel.must("cancel.vacancies", "CAN-3", "Cancelling a booking gives its seats back").
	needs("cancel.success", "confirm.repeat.vacancies", "release.confirmed.keeps-booking").
	why("Seats of cancelled bookings are never sold.").
	fix("Give the seats back in the transaction that cancels the booking.")
var CancelUnknown = cancel.must("cancel.unknown", "CAN-4", "An unknown booking is answered with 200").needs("cancel.json").
	why("A 404 says that cancel is not supported at all: the marketplace stops sending cancellations.").
	fix("Answer 200 with {\"success\": true} where there is no such booking.")
var CancelUnknownSuccess = cancel.must("cancel.unknown.success", "CAN-4", "An unknown booking is answered with success true").needs("cancel.unknown", "cancel.success").
	why("There is no booking, which is the purpose of the call. Anything else looks like a failure.").
	fix("Answer {\"success\": true} where there is no such booking.")
var CancelRepeatStatus = cancel.must("cancel.repeat.status", "CAN-5", "A second cancellation is answered with 200").needs("cancel.success", "cancel.unknown").
	why("A cancellation whose answer was lost is repeated; an error looks like one that was not taken.").
	fix("Answer 200 whether the booking is still there or not.")
var CancelRepeatSuccess = cancel.should("cancel.repeat.success", "CAN-5", "A second cancellation is answered with success true").
	needs("cancel.repeat.status", "cancel.unknown.success").
	why("The booking is cancelled, which is the purpose of the call.").
	fix("Answer {\"success\": true} whether the booking is still there or not.")
var CancelRepeatVacancies = cancel.must("cancel.repeat.vacancies", "CAN-5", "A second cancellation gives no seats back").needs("cancel.vacancies").
	why("Seats given back twice are sold twice.").
	fix("Give seats back only in the transaction that ends a live booking.")
var CancelRace = cancel.must("cancel.race", "CAN-5", "Two cancellations at the same time give the seats back once").
	needs("cancel.repeat.status", "cancel.repeat.vacancies", "confirm.race").
	why("A cancellation whose answer is late is sent again while the first is under way: seats given back twice are sold twice.").
	fix("End the booking with an update whose condition is that it is live, and give seats back only if the update changed a row.")
var CancelWithoutBody = cancel.must("cancel.without-body", "CAN-1", "A cancellation works without a body").needs("cancel.vacancies").
	why("The reason is optional; most customers give none.").
	fix("Take the booking id from the path; do not require a body or a content type.")
var CancelContentType = cancel.contentType(partnerapi.Cancel, "cancel.json")
var CancelWrongKey = cancel.wrongKey(partnerapi.Cancel, "cancel.json")
var CancelMissingKey = cancel.missingKey(partnerapi.Cancel)
var CancelAuthEffect = cancel.authNoEffect(partnerapi.Cancel, "A cancellation answered with 401 cancels nothing",
	"Anyone could cancel other people's bookings.", "confirm.repeat.vacancies")
var CancelLimit = cancel.limit(partnerapi.Cancel)
