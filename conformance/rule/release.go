package rule

import "partnerkit.dev/schemas/partnerapi"

// DELETE /bookings/{reservationCode}.
var (
	ReleaseStatus = release.must("release.status", "REL-2", "Release answers 200 for a live hold").needs("reserve.code").
			withReason("The marketplace retries the release until the answer is 2xx. Until then, other customers cannot buy the seats.").
			fix("Answer 200 with a JSON body. Do not answer 204, because it has no body.")
	ReleaseJSON = release.must("release.json", "REL-2", "Release answers with a JSON object").needs("release.status").
			withReason("Without a success field, the marketplace cannot tell whether the seats are free again.").
			fix("Send {\"success\": true}.")
	ReleaseSuccess = release.must("release.success", "REL-2", "Release answers success true for a live hold").needs("release.json").
			withReason("Any other value means that the hold still exists.").
			fix("Send success as the boolean true after the change is stored. If you send message, make it a string.")
	ReleaseVacanciesOne = release.must("release.vacancies.one", "REL-3", "Releasing a hold for one guest returns its seat immediately").
				needs("release.success", "reserve.vacancies.one").
				withReason("Most checkouts are abandoned. Seats that are not returned are never sold.").
				fix("Remove the hold before you answer, without a queue or a cache in between.")
	ReleaseVacanciesMany = release.must("release.vacancies.many", "REL-3", "Releasing a hold for several guests returns all of their seats").
				needs("release.vacancies.one", "reserve.vacancies.many").
				withReason("A seat that is not returned is never sold.").
				fix("Return the sum of the quantities, not one seat for each hold.")
	ReleaseRebookable = release.must("release.rebookable", "REL-3", "The last seats of a slot can be reserved again after they are released").
				needs("release.vacancies.one", "reserve.sold-out", "reserve.refusal.no-effect").
				withReason("If a slot stays sold out after it was briefly full, it sells no more seats that day.").
				fix("Derive the slot's status from its seats. Do not store a sold-out flag that is never cleared.")
	ReleaseWithoutBody = release.must("release.without-body", "REL-1", "Release accepts a request without a body").needs("release.json").
				withReason("The marketplace may send a release with only the code in the path. If you require a body, the seats stay blocked.").
				fix("Read the code from the path. Do not require a body or a content type.")
	ReleaseUnknown = release.must("release.unknown", "REL-4", "Release answers 200 for an unknown code").needs("release.json").
			withReason("The marketplace treats a 404 as a failure and retries the release for a day.").
			fix("Answer 200 with {\"success\": true} when the hold does not exist.")
	ReleaseUnknownSuccess = release.must("release.unknown.success", "REL-4", "Release answers success true for an unknown code").needs("release.unknown", "release.success").
				withReason("Any other answer looks like a failure, although there is no hold to release.").
				fix("Answer {\"success\": true} when the hold does not exist.")
	ReleaseRepeatStatus = release.must("release.repeat.status", "REL-5", "A second release answers 200").needs("release.success", "release.unknown").
				withReason("The marketplace retries a release whose answer was lost. After an error, it retries for a day.").
				fix("Answer 200 whether or not the hold still exists.")
	ReleaseRepeatSuccess = release.should("release.repeat.success", "REL-5", "A second release answers success true").
				needs("release.repeat.status", "release.success", "release.unknown.success").
				withReason("Any other answer looks like a failure, although the hold is already released.").
				fix("Answer {\"success\": true} whether or not the hold still exists.")
	ReleaseRepeatVacancies = release.must("release.repeat.vacancies", "REL-5", "A second release returns no seats").needs("release.vacancies.many").
				withReason("Seats that are returned twice are sold twice.").
				fix("Return seats only in the transaction that ends a live hold.")
	ReleaseRace = release.must("release.race", "REL-5", "Two concurrent releases return the seats once, even while other customers reserve").
			needs("release.repeat.status", "release.repeat.vacancies", "release.rebookable", "reserve.race").
			withReason("The marketplace retries a release whose answer is late, while the first is still running. Seats that are returned twice are sold twice.").
			fix("End the hold with a conditional update that matches only live holds. Return the seats only if the update changed a row.")
	ReleaseConfirmed = release.must("release.confirmed", "REL-6", "Release answers 200 for a confirmed code").needs("confirm.booking-id", "release.success").
				withReason("A release can arrive late, after the payment. After any other answer, the marketplace retries it for a day.").
				fix("Answer 200, and do not change the booking.")
	ReleaseConfirmedKeeps = release.must("release.confirmed.keeps-booking", "REL-6", "Releasing a confirmed code does not return the booking's seats").
				needs("release.confirmed", "confirm.vacancies").
				withReason("The customer has paid, and their seat would be sold again.").
				fix("Release only live holds. A confirmed hold is a booking.")
	ReleaseCancelled = release.must("release.cancelled", "REL-6", "Release answers 200 for the code of a cancelled booking").
				needs("release.confirmed", "cancel.success").
				withReason("A release can arrive late, after the cancellation. After any other answer, the marketplace retries it for a day.").
				fix("Answer 200 with {\"success\": true}, whatever the state of the code.")
	ReleaseCancelledVacancies = release.must("release.cancelled.vacancies", "REL-6", "Releasing the code of a cancelled booking returns no seats").
					needs("release.cancelled", "cancel.vacancies", "confirm.cancelled.no-effect", "release.confirmed.keeps-booking").
					withReason("The cancellation has already returned the seats. Seats that are returned twice are sold twice.").
					fix("Release only live holds. A hold that became a booking never becomes a hold again.")
	ReleaseExpiredByItself = release.should("release.expired.by-itself", "REL-7", "An expired hold returns its seats without a release").
				needs("reserve.kept-until-expiry", "confirm.expired").
				withReason("Until the marketplace's release arrives, no customer can buy the seats.").
				fix("Exclude expired holds when you compute vacancies.")
	ReleaseExpired = release.must("release.expired", "REL-4", "Release answers 200 and success true for an expired code").
			needs("release.unknown.success", "reserve.expires-later").
			withReason("The marketplace releases every expired hold, and retries until the answer is 2xx.").
			fix("Answer 200 with {\"success\": true} when the hold has expired.")
	ReleaseExpiredVacancies = release.must("release.expired.vacancies", "REL-7", "The seats of an expired hold are free after its release").
				needs("release.expired", "release.vacancies.one", "confirm.expired.no-effect", "reserve.kept-until-expiry").
				withReason("If expired holds keep their seats, abandoned checkouts block every slot.").
				fix("Return the seats at expiry, or at the release at the latest. Return them once, not twice.")
	ReleaseContentType = release.contentType(partnerapi.Release, "release.json")
	ReleaseWrongKey    = release.wrongKey(partnerapi.Release, "release.json")
	ReleaseMissingKey  = release.missingKey(partnerapi.Release)
	ReleaseAuthEffect  = release.authNoEffect(partnerapi.Release, "A release that is answered with 401 releases nothing",
		"Anyone could release other customers' holds.", "reserve.vacancies.one")
	ReleaseLimit = release.limit(partnerapi.Release)
)
