package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/{externalBookingId}/cancel.
var (
	CancelSupported = cancel.may("cancel.supported", "CAN-6", "The partner supports cancel").needs("confirm.booking-id").
			withReason("Without cancel, the marketplace refunds the customer but cannot notify the partner.").
			fix("Implement cancel to be notified of cancellations.")
	CancelStatus = cancel.must("cancel.status", "CAN-2", "Cancel answers 200 for a confirmed booking").needs("confirm.booking-id").
			withReason("After any other status, the marketplace retries the cancellation, and the seats stay blocked until it succeeds.").
			fix("Answer 200 with a JSON body. Send 404, 405 or 501 only if you do not support cancel at all.")
	CancelJSON = cancel.must("cancel.json", "CAN-2", "Cancel answers with a JSON object").needs("cancel.status").
			withReason("Without a success field, the marketplace cannot tell whether the booking is cancelled.").
			fix("Send {\"success\": true}.")
	CancelSuccess = cancel.must("cancel.success", "CAN-2", "Cancel answers success true for a confirmed booking").needs("cancel.json").
			withReason("Any other value means that the booking was not cancelled.").
			fix("Send success as the boolean true after the change is stored. If you send message, make it a string.")
	CancelVacancies = cancel.must("cancel.vacancies", "CAN-3", "Cancel returns the booking's seats").
			needs("cancel.success", "confirm.repeat.vacancies", "release.confirmed.keeps-booking").
			withReason("Seats that a cancellation does not return are never sold.").
			fix("Return the seats in the transaction that cancels the booking.")
	CancelUnknown = cancel.must("cancel.unknown", "CAN-4", "Cancel answers 200 for an unknown booking id").needs("cancel.json").
			withReason("A 404 means that the partner does not support cancel, so the marketplace stops sending cancellations.").
			fix("Answer 200 with {\"success\": true} when the booking does not exist.")
	CancelUnknownSuccess = cancel.must("cancel.unknown.success", "CAN-4", "Cancel answers success true for an unknown booking id").needs("cancel.unknown", "cancel.success").
				withReason("Any other answer looks like a failure, although there is no booking to cancel.").
				fix("Answer {\"success\": true} when the booking does not exist.")
	CancelRepeatStatus = cancel.must("cancel.repeat.status", "CAN-5", "A second cancel answers 200").needs("cancel.success", "cancel.unknown").
				withReason("The marketplace retries a cancellation whose answer was lost. An error looks as if the booking still exists.").
				fix("Answer 200 whether or not the booking still exists.")
	CancelRepeatSuccess = cancel.should("cancel.repeat.success", "CAN-5", "A second cancel answers success true").
				needs("cancel.repeat.status", "cancel.unknown.success").
				withReason("Any other answer looks like a failure, although the booking is already cancelled.").
				fix("Answer {\"success\": true} whether or not the booking still exists.")
	CancelRepeatVacancies = cancel.must("cancel.repeat.vacancies", "CAN-5", "A second cancel returns no seats").needs("cancel.vacancies").
				withReason("Seats that are returned twice are sold twice.").
				fix("Return seats only in the transaction that cancels a live booking.")
	CancelRace = cancel.must("cancel.race", "CAN-5", "Two concurrent cancels return the seats once").
			needs("cancel.repeat.status", "cancel.repeat.vacancies", "confirm.cancelled", "confirm.cancelled.no-effect", "reserve.vacancies.mixed", "confirm.race").
			withReason("The marketplace retries a cancellation whose answer is late, while the first is still running. Seats that are returned twice are sold twice.").
			fix("Cancel the booking with a conditional update that matches only live bookings. Return the seats only if the update changed a row.")
	CancelWithoutBody = cancel.must("cancel.without-body", "CAN-1", "Cancel accepts a request without a body").needs("cancel.vacancies").
				withReason("The reason is optional, and most customers give no reason.").
				fix("Read the booking id from the path. Do not require a body or a content type.")
	CancelContentType = cancel.contentType(partnerapi.Cancel, "cancel.json")
	CancelWrongKey    = cancel.wrongKey(partnerapi.Cancel, "cancel.json")
	CancelMissingKey  = cancel.missingKey(partnerapi.Cancel)
	CancelAuthEffect  = cancel.authNoEffect(partnerapi.Cancel, "A cancel that is answered with 401 cancels nothing",
		"Anyone could cancel other people's bookings.", "confirm.repeat.vacancies")
	CancelLimit = cancel.limit(partnerapi.Cancel)
)
