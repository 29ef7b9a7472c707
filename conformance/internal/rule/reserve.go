package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /bookings/reserve.
var (
	ReserveAccepts = Rule{
		ID: "reserve.accepts", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-2", Needs: []string{"reserve.status"},
		Title: "A slot that can be booked can be reserved",
		Why:   "Every sale begins with reserve; a slot shown as bookable and then refused is a lost customer.",
		Fix:   "Accept the ids and the unit exactly as the catalog and availability show them.",
	}
	ReserveStatus = Rule{
		ID: "reserve.status", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-2", Needs: []string{"availability.shape"},
		Title: "Reserve is answered with 200 or 201, or refused with 400",
		Why:   "Any other answer is taken for a failure: the customer is turned away, and a hold that was made is orphaned.",
		Fix:   "Answer 200 or 201 with the hold, 400 with a message when the slot cannot be had.",
	}
	ReserveJSON = Rule{
		ID: "reserve.json", Level: Must, Endpoint: partnerapi.Reserve, Clause: "GEN-1", Needs: []string{"reserve.accepts"},
		Title: "A hold is answered with a JSON object",
		Why:   "A hold whose answer cannot be read can be neither confirmed nor released.",
		Fix:   "Send one JSON object in UTF-8, whole.",
	}
	ReserveCode = Rule{
		ID: "reserve.code", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-2", Needs: []string{"reserve.json"},
		Title: "A hold has a reservation code",
		Why:   "Without reservationConfirmationCode the hold can be neither confirmed nor released.",
		Fix:   "Send reservationConfirmationCode as a string that is not empty.",
	}
	ReserveExpiresAt = Rule{
		ID: "reserve.expires-at", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-2", Needs: []string{"reserve.json"},
		Title: "A hold says when it expires",
		Why:   "The marketplace shows the customer a countdown and releases the hold when it ends.",
		Fix:   "Send expiresAt as an RFC 3339 date-time with offset.",
	}
	ReserveExpiresLater = Rule{
		ID: "reserve.expires-later", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-7", Needs: []string{"reserve.expires-at"},
		Title: "A hold expires in the future",
		Why:   "A hold that has already expired is released before the customer can pay.",
		Fix:   "Compute expiresAt from the current time; mind the zone: use UTC or send the right offset.",
	}
	ReserveExpiresWindow = Rule{
		ID: "reserve.expires-window", Level: Should, Endpoint: partnerapi.Reserve, Clause: "RSV-7", Needs: []string{"reserve.expires-later"},
		Title: "A hold lasts 15 to 30 minutes",
		Why:   "Less is too short to pay; more keeps seats from other customers.",
		Fix:   "Let holds expire between 15 and 30 minutes after reserve.",
	}
	ReserveCodeUnique = Rule{
		ID: "reserve.code.unique", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-4", Needs: []string{"reserve.code"},
		Title: "No two holds share a reservation code",
		Why:   "The code is the key for confirm and release: with a reused one the wrong customer's hold is released.",
		Fix:   "Use a random code of 128 bits or a sequence that is never reset.",
	}
	ReserveMinimal = Rule{
		ID: "reserve.minimal-body", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-1", Needs: []string{"reserve.code"},
		Title: "A hold can be made without contact and reference",
		Why:   "Both are optional; the marketplace leaves them out where it has none yet.",
		Fix:   "Require productId, optionId, availabilityId and units, nothing else.",
	}
	ReserveVacanciesOne = Rule{
		ID: "reserve.vacancies.one", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-3", Needs: []string{"reserve.code"},
		Title: "A hold for one guest takes one seat at once",
		Why:   "A seat that stays on sale during the payment is sold twice.",
		Fix:   "Count live holds when vacancies are computed, without a cache between.",
	}
	ReserveVacanciesMany = Rule{
		ID: "reserve.vacancies.many", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-3", Needs: []string{"reserve.vacancies.one"},
		Title: "A hold for several guests takes as many seats",
		Why:   "Every seat that is not taken is sold twice.",
		Fix:   "Take the sum of the quantities, not the number of holds.",
	}
	ReserveVacanciesMixed = Rule{
		ID: "reserve.vacancies.mixed", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-9", Needs: []string{"reserve.vacancies.many"},
		Title: "A hold for guests of two types takes the seats of both",
		Why:   "Families are the usual party: seats counted for adults only are sold twice.",
		Fix:   "Sum the quantities over all units of the request; only infants may take no seat.",
	}
	ReserveSoldOut = Rule{
		ID: "reserve.sold-out", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-5", Needs: []string{"reserve.json"},
		Title: "A slot that is sold out or closed is refused with 400",
		Why:   "The customer pays for a seat that does not exist.",
		Fix:   "Check the slot's status and seats in the same transaction that makes the hold; answer 400.",
	}
	ReserveTooMany = Rule{
		ID: "reserve.too-many", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-5", Needs: []string{"reserve.status", "reserve.vacancies.one"},
		Title: "More guests than seats are refused with 400",
		Why:   "Part of the party would pay for seats that do not exist.",
		Fix:   "Compare the sum of the quantities with the seats left, in the same transaction that makes the hold; answer 400.",
	}
	ReserveRefusalMessage = Rule{
		ID: "reserve.refusal.message", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-5", Needs: []string{"reserve.status"},
		Title: "A refusal carries a message for the customer",
		Why:   "The customer is shown it; without it they only learn that something went wrong.",
		Fix:   "Answer 400 with {\"message\": \"...\"}, a sentence that is not empty.",
	}
	ReserveRefusalNoEffect = Rule{
		ID: "reserve.refusal.no-effect", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-5", Needs: []string{"reserve.too-many", "reserve.vacancies.one"},
		Title: "A refused reserve takes no seats",
		Why:   "Seats held by nobody are lost until somebody notices.",
		Fix:   "Roll back what was taken before the refusal.",
	}
	ReserveRace = Rule{
		ID: "reserve.race", Level: Must, Endpoint: partnerapi.Reserve, Clause: "RSV-5",
		Needs: []string{
			"reserve.code.unique", "reserve.vacancies.many", "reserve.sold-out", "reserve.refusal.message", "reserve.refusal.no-effect",
			"release.vacancies.one",
		},
		Title: "The last seats are held once, however many reserve them at the same time",
		Why:   "On a busy day many customers want the last seats: whoever is sold one too many pays for a seat that does not exist.",
		Fix:   "Count the seats and take them in one step: a transaction that locks the slot's row, or an update that asks for enough seats in its condition.",
	}
	ReserveContentType = contentType(partnerapi.Reserve, "reserve.json")
	ReserveWrongKey    = wrongKey(partnerapi.Reserve, "reserve.json")
	ReserveMissingKey  = missingKey(partnerapi.Reserve)
	ReserveAuthEffect  = authNoEffect(partnerapi.Reserve, "A reserve answered with 401 takes no seats",
		"Anybody could empty a slot without a key.", "reserve.vacancies.one")
	ReserveLimit = limit(partnerapi.Reserve)

	reserveRules = []Rule{
		ReserveStatus, ReserveAccepts, ReserveJSON, ReserveCode, ReserveExpiresAt, ReserveExpiresLater, ReserveExpiresWindow,
		ReserveCodeUnique, ReserveMinimal, ReserveVacanciesOne, ReserveVacanciesMany, ReserveVacanciesMixed,
		ReserveSoldOut, ReserveTooMany, ReserveRefusalMessage, ReserveRefusalNoEffect, ReserveRace, ReserveContentType,
		ReserveWrongKey, ReserveMissingKey, ReserveAuthEffect, ReserveLimit,
	}
)
