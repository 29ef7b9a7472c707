package rule

import "partnerkit.dev/schemas/partnerapi"

// DELETE /bookings/{reservationCode}.
var (
	ReleaseStatus = Rule{
		ID: "release.status", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-2", Needs: []string{"reserve.code"},
		Title: "Releasing a live hold is answered with 200",
		Why:   "The marketplace repeats the release until it is answered with 2xx; meanwhile the seats are lost.",
		Fix:   "Answer 200 with a JSON body; a 204 has none.",
	}
	ReleaseJSON = Rule{
		ID: "release.json", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-2", Needs: []string{"release.status"},
		Title: "A release is answered with a JSON object",
		Why:   "Without success the marketplace does not know whether the seats are back.",
		Fix:   "Send {\"success\": true}.",
	}
	ReleaseSuccess = Rule{
		ID: "release.success", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-2", Needs: []string{"release.json"},
		Title: "A released hold is answered with success true",
		Why:   "Anything else says that the hold is still there.",
		Fix:   "Send success as the boolean true; message, where sent, as a string.",
	}
	ReleaseVacanciesOne = Rule{
		ID: "release.vacancies.one", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-3", Needs: []string{"release.success", "reserve.vacancies.one"},
		Title: "Releasing a hold for one guest gives its seat back at once",
		Why:   "Abandoned checkouts are the rule: seats that stay away are never sold.",
		Fix:   "Drop the hold before the answer is sent, without a queue or a cache between.",
	}
	ReleaseVacanciesMany = Rule{
		ID: "release.vacancies.many", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-3",
		Needs: []string{"release.vacancies.one", "reserve.vacancies.many"},
		Title: "Releasing a hold for several guests gives all their seats back",
		Why:   "Every seat that stays away is never sold.",
		Fix:   "Give back the sum of the quantities, not one seat a hold.",
	}
	ReleaseRebookable = Rule{
		ID: "release.rebookable", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-3", Needs: []string{"release.vacancies.one", "reserve.sold-out"},
		Title: "The last seats can be reserved again once they are released",
		Why:   "A slot that stays shut after it was full for a moment is lost for the day.",
		Fix:   "Derive the slot's status from its seats; store no sold-out mark that nobody clears.",
	}
	ReleaseWithoutBody = Rule{
		ID: "release.without-body", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-1", Needs: []string{"release.json"},
		Title: "A release works without a body",
		Why:   "The code in the path is all that the contract asks for; the body is a courtesy.",
		Fix:   "Take the code from the path; do not require a body or a content type.",
	}
	ReleaseRepeatStatus = Rule{
		ID: "release.repeat.status", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-5", Needs: []string{"release.success", "release.unknown"},
		Title: "A second release is answered with 200",
		Why:   "A release whose answer was lost is repeated; an error makes the marketplace repeat it for a day.",
		Fix:   "Answer 200 whether the hold is there or not.",
	}
	ReleaseRepeatSuccess = Rule{
		ID: "release.repeat.success", Level: Should, Endpoint: partnerapi.Release, Clause: "REL-5",
		Needs: []string{"release.repeat.status", "release.success", "release.unknown.success"},
		Title: "A second release is answered with success true",
		Why:   "The hold is gone, which is what was asked for.",
		Fix:   "Answer {\"success\": true} whether the hold is there or not.",
	}
	ReleaseRepeatVacancies = Rule{
		ID: "release.repeat.vacancies", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-5", Needs: []string{"release.vacancies.many"},
		Title: "A second release gives no seats back",
		Why:   "Seats given back twice are sold twice.",
		Fix:   "Give seats back only in the transaction that ends a live hold.",
	}
	ReleaseRace = Rule{
		ID: "release.race", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-5",
		Needs: []string{"release.repeat.status", "release.repeat.vacancies", "release.rebookable", "reserve.race"},
		Title: "Two releases at the same time give the seats back once, also while others reserve",
		Why:   "A release whose answer is late is sent again while the first is under way: seats given back twice are sold twice.",
		Fix:   "End the hold with an update that asks in its condition whether it is live, and give seats back only where it changed a row.",
	}
	ReleaseUnknown = Rule{
		ID: "release.unknown", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-4", Needs: []string{"release.json"},
		Title: "An unknown code is answered with 200",
		Why:   "The marketplace takes a 404 for a failure and repeats the release for a day.",
		Fix:   "Answer 200 with {\"success\": true} where there is no such hold.",
	}
	ReleaseUnknownSuccess = Rule{
		ID: "release.unknown.success", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-4", Needs: []string{"release.unknown", "release.success"},
		Title: "An unknown code is answered with success true",
		Why:   "There is no hold, which is what was asked for; anything else reads as a failure.",
		Fix:   "Answer {\"success\": true} where there is no such hold.",
	}
	ReleaseConfirmed = Rule{
		ID: "release.confirmed", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-6", Needs: []string{"confirm.booking-id", "release.success"},
		Title: "Releasing a confirmed code is answered with 200",
		Why:   "A late release, sent while the payment arrived, would be repeated for a day.",
		Fix:   "Answer 200, and leave the booking as it is.",
	}
	ReleaseConfirmedKeeps = Rule{
		ID: "release.confirmed.keeps-booking", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-6",
		Needs: []string{"release.confirmed", "confirm.vacancies"},
		Title: "Releasing a confirmed code leaves the booking's seats alone",
		Why:   "The customer has paid: their seat would be sold again.",
		Fix:   "Release live holds only; a confirmed one is no longer a hold.",
	}
	ReleaseCancelled = Rule{
		ID: "release.cancelled", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-6", Needs: []string{"release.confirmed", "cancel.success"},
		Title: "Releasing a cancelled booking's code is answered with 200",
		Why:   "A release that comes late, after the booking was cancelled, would be repeated for a day.",
		Fix:   "Answer 200 with {\"success\": true} whatever became of the code.",
	}
	ReleaseCancelledVacancies = Rule{
		ID: "release.cancelled.vacancies", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-6",
		Needs: []string{"release.cancelled", "cancel.vacancies", "confirm.cancelled.no-effect", "release.confirmed.keeps-booking"},
		Title: "Releasing a cancelled booking's code gives no seats back",
		Why:   "The cancellation has given them back: seats given back twice are sold twice.",
		Fix:   "Release live holds only; a hold that became a booking never is one again.",
	}
	ReleaseExpired = Rule{
		ID: "release.expired", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-4", Needs: []string{"release.unknown.success", "reserve.expires-later"},
		Title: "An expired code is answered with 200 and success true",
		Why:   "The marketplace releases every hold that expired, and repeats it until it is answered with 2xx.",
		Fix:   "Answer 200 with {\"success\": true} where the hold is gone.",
	}
	ReleaseExpiredVacancies = Rule{
		ID: "release.expired.vacancies", Level: Must, Endpoint: partnerapi.Release, Clause: "REL-7", Needs: []string{"release.expired", "release.vacancies.one", "confirm.expired.no-effect"},
		Title: "After an expired hold is released its seats are back",
		Why:   "Customers who never come back would empty every slot.",
		Fix:   "Give the seats back at expiry, or at the release at the latest; once, not twice.",
	}
	ReleaseExpiredByItself = Rule{
		ID: "release.expired.by-itself", Level: Should, Endpoint: partnerapi.Release, Clause: "REL-7", Needs: []string{"reserve.vacancies.one", "reserve.expires-later"},
		Title: "An expired hold gives its seats back by itself",
		Why:   "Until the marketplace's release arrives the seats are on nobody's shelf.",
		Fix:   "Leave expired holds out when vacancies are computed.",
	}
	ReleaseContentType = contentType(partnerapi.Release, "release.json")
	ReleaseWrongKey    = wrongKey(partnerapi.Release, "release.json")
	ReleaseMissingKey  = missingKey(partnerapi.Release)
	ReleaseAuthEffect  = authNoEffect(partnerapi.Release, "A release answered with 401 releases nothing",
		"Anybody could empty other people's checkouts.", "reserve.vacancies.one")
	ReleaseLimit = limit(partnerapi.Release)

	releaseRules = []Rule{
		ReleaseStatus, ReleaseJSON, ReleaseSuccess, ReleaseVacanciesOne, ReleaseVacanciesMany, ReleaseRebookable, ReleaseWithoutBody,
		ReleaseUnknown, ReleaseUnknownSuccess, ReleaseRepeatStatus, ReleaseRepeatSuccess, ReleaseRepeatVacancies, ReleaseRace,
		ReleaseConfirmed, ReleaseConfirmedKeeps, ReleaseCancelled, ReleaseCancelledVacancies,
		ReleaseExpiredByItself, ReleaseExpired, ReleaseExpiredVacancies, ReleaseContentType,
		ReleaseWrongKey, ReleaseMissingKey, ReleaseAuthEffect, ReleaseLimit,
	}
)
