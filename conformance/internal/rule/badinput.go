package rule

import "partnerkit.dev/schemas/partnerapi"

// Calls that the marketplace never sends (GEN-8).
var (
	ProductsBadInput     = badInput(partnerapi.Products, "products.shape")
	AvailabilityBadInput = badInput(partnerapi.Availability, "availability.shape")
	ReserveBadInput      = badInput(partnerapi.Reserve, "reserve.code")
	ConfirmBadInput      = badInput(partnerapi.Confirm, "confirm.unknown")
	ReleaseBadInput      = badInput(partnerapi.Release, "release.unknown")
	CancelBadInput       = badInput(partnerapi.Cancel, "cancel.unknown")

	ReserveNobody = Rule{
		ID: "reserve.nobody", Level: Should, Endpoint: partnerapi.Reserve, Clause: "GEN-8", Needs: []string{"reserve.code"},
		Title: "No hold is made for nobody, or for guests that are not sold to",
		Why:   "A hold without guests, or for minus one, makes the count of seats wrong for everybody.",
		Fix:   "Refuse an empty party, quantities below 1 and unknown unit ids with 400.",
	}
	ReserveBadInputEffect = Rule{
		ID: "reserve.bad-input.no-effect", Level: Should, Endpoint: partnerapi.Reserve, Clause: "GEN-8",
		Needs: []string{"reserve.vacancies.one", "release.vacancies.one", "reserve.refusal.no-effect"},
		Title: "A reserve that makes no sense takes no seats",
		Why:   "Seats taken for nobody are never sold.",
		Fix:   "Check the whole body before any seat is counted, or roll back what was taken before the refusal.",
	}

	badInputRules = []Rule{
		ProductsBadInput, AvailabilityBadInput, ReserveBadInput, ReserveNobody, ReserveBadInputEffect,
		ConfirmBadInput, ReleaseBadInput, CancelBadInput,
	}
)

func badInput(endpoint partnerapi.Endpoint, needs string) Rule {
	return Rule{
		ID: string(endpoint) + ".bad-input", Level: Should, Endpoint: endpoint, Clause: "GEN-8", Needs: []string{needs},
		Title: "Input that makes no sense is refused or ignored",
		Why:   "A crash or a connection that drops takes other customers' calls with it, and shows that input is not checked.",
		Fix:   "Check the body before anything else, and answer 400 with a message.",
	}
}
