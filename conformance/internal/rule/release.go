package rule

import "partnerkit.dev/schemas/partnerapi"

// DELETE /bookings/{reservationCode}.

var ReleaseStatus = release.must("release.status", "REL-2", "Releasing a live hold is answered with 200").needs("reserve.code").
	why("The marketplace repeats the release until it is answered with 2xx; meanwhile the seats are lost.").
	fix("Answer 200 with a JSON body; a 204 has none.")
var ReleaseJSON = release.must("release.json", "REL-2", "A release is answered with a JSON object").needs("release.status").
	why("Without success the marketplace does not know whether the seats are back.").
	fix("Send {\"success\": true}.")
var ReleaseSuccess = release.must("release.success", "REL-2", "A released hold is answered with success true").needs("release.json").
	why("Anything else says that the hold is still there.").
	fix("Send success as the boolean true; message, where sent, as a string.")
var ReleaseVacanciesOne = release.must("release.vacancies.one", "REL-3", "Releasing a hold for one guest gives its seat back immediately").
	needs("release.success", "reserve.vacancies.one").
	why("Most checkouts are abandoned. Seats that do not come back are never sold.").
	fix("Remove the hold before you send the answer, without a queue or a cache in between.")
var ReleaseVacanciesMany = release.must("release.vacancies.many", "REL-3", "Releasing a hold for several guests gives all their seats back").
	needs("release.vacancies.one", "reserve.vacancies.many").
	why("A seat that does not come back is never sold.").
	fix("Give back the sum of the quantities, not one seat a hold.")
var ReleaseRebookable = release.must("release.rebookable", "REL-3", "The last seats can be reserved again once they are released").
	needs("release.vacancies.one", "reserve.sold-out", "reserve.refusal.no-effect").
	why("A slot that stays sold out after it was full for a moment sells nothing more that day.").
	fix("Derive the slot's status from its seats; do not store a sold-out flag that is never cleared.")
var ReleaseWithoutBody = release.must("release.without-body", "REL-1", "A release works without a body").needs("release.json").
	why("The contract requires only the code in the path. The body is optional.").
	fix("Take the code from the path; do not require a body or a content type.")
var ReleaseUnknown = release.must("release.unknown", "REL-4", "An unknown code is answered with 200").needs("release.json").
	why("The marketplace takes a 404 for a failure and repeats the release for a day.").
	fix("Answer 200 with {\"success\": true} where there is no such hold.")
var ReleaseUnknownSuccess = release.must("release.unknown.success", "REL-4", "An unknown code is answered with success true").needs("release.unknown", "release.success").
	why("There is no hold, which is the purpose of the call. Anything else looks like a failure.").
	fix("Answer {\"success\": true} where there is no such hold.")
var ReleaseRepeatStatus = release.must("release.repeat.status", "REL-5", "A second release is answered with 200").needs("release.success", "release.unknown").
	why("A release whose answer was lost is repeated; an error makes the marketplace repeat it for a day.").
	fix("Answer 200 whether the hold is there or not.")
var ReleaseRepeatSuccess = release.should("release.repeat.success", "REL-5", "A second release is answered with success true").
	needs("release.repeat.status", "release.success", "release.unknown.success").
	why("The hold is gone, which is the purpose of the call.").
	fix("Answer {\"success\": true} whether the hold is there or not.")
var ReleaseRepeatVacancies = release.must("release.repeat.vacancies", "REL-5", "A second release gives no seats back").needs("release.vacancies.many").
	why("Seats given back twice are sold twice.").
	fix("Give seats back only in the transaction that ends a live hold.")
var ReleaseRace = release.must("release.race", "REL-5", "Two releases at the same time give the seats back once, also while others reserve").
	needs("release.repeat.status", "release.repeat.vacancies", "release.rebookable", "reserve.race").
	why("A release whose answer is late is sent again while the first is under way: seats given back twice are sold twice.").
	fix("End the hold with an update whose condition is that it is live, and give seats back only if the update changed a row.")
var ReleaseConfirmed = release.must("release.confirmed", "REL-6", "Releasing a confirmed code is answered with 200").needs("confirm.booking-id", "release.success").
	why("A late release, sent while the payment arrived, would be repeated for a day.").
	fix("Answer 200, and do not change the booking.")
var ReleaseConfirmedKeeps = release.must("release.confirmed.keeps-booking", "REL-6", "Releasing a confirmed code leaves the booking's seats alone").
	needs("release.confirmed", "confirm.vacancies").
	why("The customer has paid: their seat would be sold again.").
	fix("Release live holds only; a confirmed one is no longer a hold.")
var ReleaseCancelled = release.must("release.cancelled", "REL-6", "Releasing a cancelled booking's code is answered with 200").
	needs("release.confirmed", "cancel.success").
	why("A release that comes late, after the booking was cancelled, would be repeated for a day.").
	fix("Answer 200 with {\"success\": true} whatever the state of the code.")
var ReleaseCancelledVacancies = release.must("release.cancelled.vacancies", "REL-6", "Releasing a cancelled booking's code gives no seats back").
	needs("release.cancelled", "cancel.vacancies", "confirm.cancelled.no-effect", "release.confirmed.keeps-booking").
	why("The cancellation has given them back: seats given back twice are sold twice.").
	fix("Release live holds only; a hold that became a booking never is one again.")
var ReleaseExpiredByItself = release.should("release.expired.by-itself", "REL-7", "An expired hold gives its seats back by itself").
	needs("reserve.vacancies.one", "reserve.expires-later").
	why("Until the marketplace's release arrives, no one can buy the seats.").
	fix("Leave expired holds out when vacancies are computed.")
var ReleaseExpired = release.must("release.expired", "REL-4", "An expired code is answered with 200 and success true").
	needs("release.unknown.success", "reserve.expires-later").
	why("The marketplace releases every hold that expired, and repeats it until it is answered with 2xx.").
	fix("Answer 200 with {\"success\": true} where the hold is gone.")
var ReleaseExpiredVacancies = release.must("release.expired.vacancies", "REL-7", "After an expired hold is released its seats are back").
	needs("release.expired", "release.vacancies.one", "confirm.expired.no-effect").
	why("Customers who never come back would empty every slot.").
	fix("Give the seats back at expiry, or at the release at the latest; once, not twice.")
var ReleaseContentType = release.contentType(partnerapi.Release, "release.json")
var ReleaseWrongKey = release.wrongKey(partnerapi.Release, "release.json")
var ReleaseMissingKey = release.missingKey(partnerapi.Release)
var ReleaseAuthEffect = release.authNoEffect(partnerapi.Release, "A release answered with 401 releases nothing",
	"Anyone could empty other people's checkouts.", "reserve.vacancies.one")
var ReleaseLimit = release.limit(partnerapi.Release)
