package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/reserve.

var ReserveStatus = reserve.must("reserve.status", "RSV-2", "Reserve is answered with 200 or 201, or refused with 400").needs("availability.shape").
	why("Any other answer is taken for a failure: the customer is turned away, and a hold that was made is orphaned.").
	fix("Answer 200 or 201 with the hold, or 400 with a message when the slot cannot be reserved.")
var ReserveAccepts = reserve.must("reserve.accepts", "RSV-2", "A slot that can be booked can be reserved").needs("reserve.status").
	why("Every sale begins with reserve; a slot shown as bookable and then refused is a lost customer.").
	fix("Accept the ids and the unit exactly as the catalog and availability show them.")
var ReserveJSON = reserve.must("reserve.json", "GEN-1", "A hold is answered with a JSON object").at("/**").needs("reserve.accepts").
	why("A hold whose answer cannot be read can be neither confirmed nor released.").
	fix("Send one complete JSON object in UTF-8.")
var ReserveCode = reserve.must("reserve.code", "RSV-2", "A hold has a reservation code").at("/reservationConfirmationCode").needs("reserve.json").
	why("Without reservationConfirmationCode the hold can be neither confirmed nor released.").
	fix("Send reservationConfirmationCode as a string that is not empty.")
var ReserveExpiresAt = reserve.must("reserve.expires-at", "RSV-2", "A hold says when it expires").at("/expiresAt").needs("reserve.json").
	why("The marketplace shows the customer a countdown and releases the hold when it ends.").
	fix("Send expiresAt as an ISO 8601 date-time with offset.")
var ReserveExpiresLater = reserve.must("reserve.expires-later", "RSV-7", "A hold expires in the future").needs("reserve.expires-at").
	why("A hold that has already expired is released before the customer can pay.").
	fix("Compute expiresAt from the current time; mind the zone: use UTC or send the right offset.")
var ReserveExpiresWindow = reserve.should("reserve.expires-window", "RSV-7", "A hold lasts 15 to 30 minutes").needs("reserve.expires-later").
	why("Less is too short to pay; more keeps seats from other customers.").
	fix("Let holds expire between 15 and 30 minutes after reserve.")
var ReserveCodeUnique = reserve.must("reserve.code.unique", "RSV-4", "No two holds share a reservation code").needs("reserve.code").
	why("The code is the key for confirm and release: with a reused one the wrong customer's hold is released.").
	fix("Use a random code of 128 bits or a sequence that is never reset.")
var ReserveMinimal = reserve.must("reserve.minimal-body", "RSV-1", "A hold can be made without contact and reference").needs("reserve.code").
	why("Both are optional; the marketplace leaves them out where it has none yet.").
	fix("Require productId, optionId, availabilityId and units, nothing else.")
var ReserveVacanciesOne = reserve.must("reserve.vacancies.one", "RSV-3", "A hold for one guest takes one seat immediately").needs("reserve.code").
	why("A seat that stays on sale during the payment is sold twice.").
	fix("Count live holds when vacancies are computed, without a cache between.")
var ReserveVacanciesMany = reserve.must("reserve.vacancies.many", "RSV-3", "A hold for several guests takes as many seats").needs("reserve.vacancies.one").
	why("Every seat that is not taken is sold twice.").
	fix("Take the sum of the quantities, not the number of holds.")
var ReserveVacanciesMixed = reserve.must("reserve.vacancies.mixed", "RSV-9", "A hold for guests of two types takes the seats of both").needs("reserve.vacancies.many").
	why("Families are the usual party: seats counted for adults only are sold twice.").
	fix("Sum the quantities over all units of the request; only infants may take no seat.")
var ReserveSoldOut = reserve.must("reserve.sold-out", "RSV-5", "A slot that is sold out or closed is refused with 400").needs("reserve.code").
	why("The customer pays for a seat that does not exist.").
	fix("Check the slot's status and seats in the same transaction that makes the hold; answer 400.")
var ReserveTooMany = reserve.must("reserve.too-many", "RSV-5", "More guests than seats are refused with 400").needs("reserve.status", "reserve.vacancies.one").
	why("Part of the party would pay for seats that do not exist.").
	fix("Compare the sum of the quantities with the seats left, in the same transaction that makes the hold; answer 400.")
var ReserveRefusalMessage = reserve.must("reserve.refusal.message", "RSV-5", "A refusal carries a message for the customer").needs("reserve.status").
	why("The customer is shown it; without it they only learn that something went wrong.").
	fix("Answer 400 with {\"message\": \"...\"}, a sentence that is not empty.")
var ReserveRefusalNoEffect = reserve.must("reserve.refusal.no-effect", "RSV-5", "A refused reserve takes no seats").needs("reserve.too-many", "reserve.vacancies.one").
	why("Seats without a hold or booking are lost until an operator notices.").
	fix("Roll back what was taken before the refusal.")
var ReserveRace = reserve.must("reserve.race", "RSV-5", "The last seats are held once, however many reserve them at the same time").
	needs(
		"reserve.code.unique", "reserve.vacancies.many", "reserve.sold-out", "reserve.refusal.message", "reserve.refusal.no-effect",
		"release.vacancies.one",
	).
	why("On a busy day many customers want the last seats. One sale too many means that a customer pays for a seat that does not exist.").
	fix("Count the seats and take them in one step: a transaction that locks the slot's row, or an update whose condition is that enough seats are left.")
var ReserveContentType = reserve.contentType(partnerapi.Reserve, "reserve.json")
var ReserveWrongKey = reserve.wrongKey(partnerapi.Reserve, "reserve.json")
var ReserveMissingKey = reserve.missingKey(partnerapi.Reserve)
var ReserveAuthEffect = reserve.authNoEffect(partnerapi.Reserve, "A reserve answered with 401 takes no seats",
	"Anyone could empty a slot without a key.", "reserve.vacancies.one")
var ReserveLimit = reserve.limit(partnerapi.Reserve)
