package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/reserve.
var (
	ReserveStatus = reserve.must("reserve.status", "RSV-2", "Reserve answers 200 or 201, or refuses with 400").needs("availability.shape").
			withReason("The marketplace treats any other answer as a failure. It turns the customer away, and a hold that was made stays orphaned.").
			fix("Answer 200 or 201 with the hold, or 400 with a message if the slot cannot be reserved.")
	ReserveAccepts = reserve.must("reserve.accepts", "RSV-2", "Reserve accepts a slot that availability shows as bookable").needs("reserve.status").
			withReason("Every sale begins with reserve. If a slot is shown as bookable and then refused, the sale is lost.").
			fix("Accept the slot and unit ids exactly as the catalog and availability return them. Show a slot as SOLD_OUT or CLOSED only if no customer can book it: if it is refused for another reason, that ends its sale.")
	ReserveJSON = reserve.must("reserve.json", "GEN-1", "Reserve answers with a JSON object").withPlaces("/**").needs("reserve.accepts").
			withReason("The marketplace can neither confirm nor release a hold whose answer it cannot parse.").
			fix("Send one complete JSON object in UTF-8.")
	ReserveCode = reserve.must("reserve.code", "RSV-2", "Every hold has a reservationConfirmationCode").withPlaces("/reservationConfirmationCode").needs("reserve.json").
			withReason("The marketplace can neither confirm nor release a hold without reservationConfirmationCode.").
			fix("Send reservationConfirmationCode as a string that is not empty, by which confirm and release find the hold.")
	ReserveExpiresAt = reserve.must("reserve.expires-at", "RSV-2", "Every hold has an expiresAt").withPlaces("/expiresAt").needs("reserve.json").
				withReason("The marketplace shows the customer a countdown, and releases the hold when it expires.").
				fix("Send the time at which the hold ends, as an ISO 8601 date-time with an offset.")
	ReserveExpiresLater = reserve.must("reserve.expires-later", "RSV-7", "Every hold expires in the future").needs("reserve.expires-at").
				withReason("The marketplace releases a hold that has already expired before the customer can pay.").
				fix("Compute expiresAt from the current time. Use UTC, or send the correct offset.")
	ReserveExpiresWindow = reserve.should("reserve.expires-window", "RSV-7", "A hold lasts 15 to 30 minutes").needs("reserve.expires-later").
				withReason("Customers cannot finish paying in less time. A longer hold blocks seats that other customers could buy.").
				fix("Keep holds between 15 and 30 minutes after reserve, and send the time at which they really end.")
	ReserveCodeUnique = reserve.must("reserve.code.unique", "RSV-4", "Every hold has a unique reservation code").needs("reserve.code").
				withReason("Confirm and release use the code as a key. If two holds share a code, the wrong customer's hold can be released.").
				fix("Use a random code of 128 bits, or a sequence that is never reset.")
	ReserveMinimal = reserve.must("reserve.minimal-body", "RSV-1", "Reserve accepts a request without contact and reference").needs("reserve.code").
			withReason("Both are optional. The marketplace omits them if it does not know them yet.").
			fix("Require only productId, optionId, availabilityId and units.")
	ReserveVacanciesOne = reserve.must("reserve.vacancies.one", "RSV-3", "A hold for one guest takes one seat immediately").needs("reserve.code").
				withReason("A seat that stays on sale during the payment is sold twice.").
				fix("Subtract live holds when you compute vacancies, without a cache in between.")
	ReserveKeptUntilExpiry = reserve.must("reserve.kept-until-expiry", "RSV-7", "A hold keeps its seats until it expires").
				needs("reserve.vacancies.one", "reserve.expires-later").
				withReason("The customer is still paying. Their seats are sold to somebody else, and the booking fails after the payment.").
				fix("Keep the seats until the expiresAt that you answered, to the second.")
	ReserveVacanciesMany = reserve.must("reserve.vacancies.many", "RSV-3", "A hold for several guests takes one seat for each").needs("reserve.vacancies.one").
				withReason("Every seat that the hold does not take is sold twice.").
				fix("Take the sum of the quantities, not the number of holds.")
	ReserveVacanciesMixed = reserve.must("reserve.vacancies.mixed", "RSV-9", "A hold for guests of two types takes the seats of both types").needs("reserve.vacancies.many").
				withReason("Most parties are families. If you count seats only for adults, the other seats are sold twice.").
				fix("Sum the quantities over all units of the request. Only infants may take no seat.")
	ReserveSoldOut = reserve.must("reserve.sold-out", "RSV-5", "Reserve refuses a sold-out or closed slot with 400").needs("reserve.code").
			withReason("The customer pays for a seat that does not exist.").
			fix("Check the slot's status and seats in the transaction that makes the hold. If it is sold out or closed, answer 400.")
	ReserveTooMany = reserve.must("reserve.too-many", "RSV-5", "Reserve refuses more guests than seats with 400").needs("reserve.status", "reserve.vacancies.one").
			withReason("Some guests of the party pay for seats that do not exist.").
			fix("Compare the sum of the quantities with the free seats in the transaction that makes the hold. If there are too few, answer 400.")
	ReserveRefusalMessage = reserve.must("reserve.refusal.message", "RSV-5", "A refused reserve has a message for the customer").needs("reserve.status").
				withReason("The marketplace shows the message to the customer. Without it, the customer does not learn why the booking failed.").
				fix("Answer 400 with {\"message\": \"...\"}, which says why, in words for the customer.")
	ReserveRefusalNoEffect = reserve.must("reserve.refusal.no-effect", "RSV-5", "A refused reserve takes no seats").needs("reserve.too-many", "reserve.vacancies.one").
				withReason("Seats without a hold or a booking stay unsold until an operator notices.").
				fix("Roll back every change that was made before the refusal.")
	ReservePartyOutside = reserve.should("reserve.party.outside", "EXT-3", "Reserve refuses parties outside the limits that the option declares").needs("reserve.status").
				withReason("Customers are refused a party that you would take: the marketplace does not send you parties outside the limits.").
				fix("Compare the number of guests with minUnits and maxUnits. If you take other parties too, declare these.")
	ReservePartyWithin = reserve.should("reserve.party.within", "EXT-4", "Reserve takes the smallest and the largest party that the option declares").needs("reserve.status").
				withReason("A customer chooses a party that the marketplace shows as possible, and cannot book it.").
				fix("Declare in restrictions.minUnits and maxUnits the limits by which you refuse parties.")
	ReserveRace = reserve.must("reserve.race", "RSV-5", "Concurrent reserves of the last seats hold them once").
			needs(
			"reserve.code.unique", "reserve.vacancies.mixed", "reserve.sold-out", "reserve.refusal.message", "reserve.refusal.no-effect",
			"release.vacancies.one",
		).
		withReason("On a busy day many customers want the last seats. If one seat is sold twice, a customer pays for a seat that does not exist.").
		fix("Count and take the seats in one step: a transaction that locks the slot's row, or an update that requires enough free seats.")
	ReserveContentType = reserve.contentType(partnerapi.Reserve, "reserve.json")
	ReserveWrongKey    = reserve.wrongKey(partnerapi.Reserve, "reserve.json")
	ReserveMissingKey  = reserve.missingKey(partnerapi.Reserve)
	ReserveAuthEffect  = reserve.authNoEffect(partnerapi.Reserve, "A reserve that is answered with 401 takes no seats",
		"Anyone could block all seats of a slot without a key.", "reserve.vacancies.one")
	ReserveLimit = reserve.limit(partnerapi.Reserve)
)
