package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/{externalBookingId}/cancel.
var (
	CancelSupported = Rule{
		ID: "cancel.supported", Level: May, Endpoint: partnerapi.Cancel, Clause: "CAN-6", Needs: []string{"confirm.booking-id"},
		Title: "The partner takes cancellations",
		Why:   "Without cancel the marketplace refunds its customer, and the partner is not told.",
		Fix:   "Implement cancel when you want to hear of cancellations.",
	}
	CancelStatus = Rule{
		ID: "cancel.status", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-2", Needs: []string{"confirm.booking-id"},
		Title: "Cancelling a booking is answered with 200",
		Why:   "The marketplace repeats the cancellation until it is taken; meanwhile the seats are lost.",
		Fix:   "Answer 200 with a JSON body; 404, 405 or 501 say that cancel is not supported at all.",
	}
	CancelJSON = Rule{
		ID: "cancel.json", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-2", Needs: []string{"cancel.status"},
		Title: "A cancellation is answered with a JSON object",
		Why:   "Without success the marketplace does not know whether the booking is cancelled.",
		Fix:   "Send {\"success\": true}.",
	}
	CancelSuccess = Rule{
		ID: "cancel.success", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-2", Needs: []string{"cancel.json"},
		Title: "A cancelled booking is answered with success true",
		Why:   "Anything else says that the booking stands.",
		Fix:   "Send success as the boolean true; message, where sent, as a string.",
	}
	CancelVacancies = Rule{
		ID: "cancel.vacancies", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-3",
		Needs: []string{"cancel.success", "confirm.repeat.vacancies", "release.confirmed.keeps-booking"},
		Title: "Cancelling a booking gives its seats back",
		Why:   "Seats of cancelled bookings are never sold.",
		Fix:   "Give the seats back in the transaction that cancels the booking.",
	}
	CancelRepeatStatus = Rule{
		ID: "cancel.repeat.status", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-5", Needs: []string{"cancel.success", "cancel.unknown"},
		Title: "A second cancellation is answered with 200",
		Why:   "A cancellation whose answer was lost is repeated; an error looks like one that was not taken.",
		Fix:   "Answer 200 whether the booking is still there or not.",
	}
	CancelRepeatSuccess = Rule{
		ID: "cancel.repeat.success", Level: Should, Endpoint: partnerapi.Cancel, Clause: "CAN-5",
		Needs: []string{"cancel.repeat.status", "cancel.unknown.success"},
		Title: "A second cancellation is answered with success true",
		Why:   "The booking is cancelled, which is what was asked for.",
		Fix:   "Answer {\"success\": true} whether the booking is still there or not.",
	}
	CancelRepeatVacancies = Rule{
		ID: "cancel.repeat.vacancies", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-5", Needs: []string{"cancel.vacancies"},
		Title: "A second cancellation gives no seats back",
		Why:   "Seats given back twice are sold twice.",
		Fix:   "Give seats back only in the transaction that ends a live booking.",
	}
	CancelUnknown = Rule{
		ID: "cancel.unknown", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-4", Needs: []string{"cancel.json"},
		Title: "An unknown booking is answered with 200",
		Why:   "A 404 says that cancel is not supported at all: the marketplace stops sending cancellations.",
		Fix:   "Answer 200 with {\"success\": true} where there is no such booking.",
	}
	CancelUnknownSuccess = Rule{
		ID: "cancel.unknown.success", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-4", Needs: []string{"cancel.unknown", "cancel.success"},
		Title: "An unknown booking is answered with success true",
		Why:   "There is no booking, which is what was asked for; anything else reads as a failure.",
		Fix:   "Answer {\"success\": true} where there is no such booking.",
	}
	CancelRace = Rule{
		ID: "cancel.race", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-5",
		Needs: []string{"cancel.repeat.status", "cancel.repeat.vacancies", "confirm.race"},
		Title: "Two cancellations at the same time give the seats back once",
		Why:   "A cancellation whose answer is late is sent again while the first is under way: seats given back twice are sold twice.",
		Fix:   "End the booking with an update that asks in its condition whether it is live, and give seats back only where it changed a row.",
	}
	CancelWithoutBody = Rule{
		ID: "cancel.without-body", Level: Must, Endpoint: partnerapi.Cancel, Clause: "CAN-1", Needs: []string{"cancel.json"},
		Title: "A cancellation works without a body",
		Why:   "The reason is optional; most customers give none.",
		Fix:   "Take the booking id from the path; do not require a body or a content type.",
	}
	CancelContentType = contentType(partnerapi.Cancel, "cancel.json")
	CancelWrongKey    = wrongKey(partnerapi.Cancel, "cancel.json")
	CancelMissingKey  = missingKey(partnerapi.Cancel)
	CancelAuthEffect  = authNoEffect(partnerapi.Cancel, "A cancellation answered with 401 cancels nothing",
		"Anybody could cancel other people's bookings.", "confirm.repeat.vacancies")
	CancelLimit = limit(partnerapi.Cancel)

	cancelRules = []Rule{
		CancelSupported, CancelStatus, CancelJSON, CancelSuccess, CancelVacancies, CancelUnknown, CancelUnknownSuccess,
		CancelRepeatStatus, CancelRepeatSuccess, CancelRepeatVacancies, CancelRace, CancelWithoutBody, CancelContentType,
		CancelWrongKey, CancelMissingKey, CancelAuthEffect, CancelLimit,
	}
)
