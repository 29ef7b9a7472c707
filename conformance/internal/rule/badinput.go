package rule

import "partnerkit.dev/schemas/partnerapi"

// Calls that the marketplace never sends (GEN-8).

var ProductsBadInput = badInput(partnerapi.Products, "products.shape")
var AvailabilityBadInput = badInput(partnerapi.Availability, "availability.shape")
var ReserveBadInput = badInput(partnerapi.Reserve, "reserve.code")
var ConfirmBadInput = badInput(partnerapi.Confirm, "confirm.unknown")
var ReleaseBadInput = badInput(partnerapi.Release, "release.unknown")
var CancelBadInput = badInput(partnerapi.Cancel, "cancel.unknown")

var ReserveNobody = should("reserve.nobody", "GEN-8", "No hold is made for nobody, or for guests that are not sold to").needs("reserve.code").
	why("A hold without guests, or for minus one, makes the count of seats wrong for everybody.").
	fix("Refuse an empty party, quantities below 1 and unknown unit ids with 400.")
var ReserveBadInputEffect = should("reserve.bad-input.no-effect", "GEN-8", "A reserve that makes no sense takes no seats").
	needs("reserve.vacancies.one", "release.vacancies.one", "reserve.refusal.no-effect").
	why("Seats taken for nobody are never sold.").
	fix("Check the whole body before any seat is counted, or roll back what was taken before the refusal.")

var badInputRules = []Rule{
	ProductsBadInput, AvailabilityBadInput, ReserveBadInput, ReserveNobody, ReserveBadInputEffect,
	ConfirmBadInput, ReleaseBadInput, CancelBadInput,
}

func badInput(endpoint partnerapi.Endpoint, needs string) Rule {
	return should(string(endpoint)+".bad-input", "GEN-8", "Input that makes no sense is refused or ignored").needs(needs).
		why("A crash or a connection that drops takes other customers' calls with it, and shows that input is not checked.").
		fix("Check the body before anything else, and answer 400 with a message.")
}
