package rule

import "partnerkit.dev/schemas/partnerapi"

// Valid calls that a partner's engineer is unlikely to test.
var (
	ReserveAnyAlphabet = unusual.anyAlphabet(partnerapi.Reserve, "RSV-2", "reserve.code")
	ConfirmAnyAlphabet = unusual.anyAlphabet(partnerapi.Confirm, "CNF-2", "confirm.booking-id", "reserve.contact.any-alphabet")

	AvailabilityUnknownFields = unusual.unknownFields(partnerapi.Availability, "availability.shape")
	ReserveUnknownFields      = unusual.unknownFields(partnerapi.Reserve, "reserve.code")
	ConfirmUnknownFields      = unusual.unknownFields(partnerapi.Confirm, "confirm.booking-id")
	ReleaseUnknownFields      = unusual.unknownFields(partnerapi.Release, "release.success")
	CancelUnknownFields       = unusual.unknownFields(partnerapi.Cancel, "cancel.success")
)

func (c *chapter) anyAlphabet(e partnerapi.Endpoint, clause string, needs ...string) Rule {
	return c.must(string(e)+".contact.any-alphabet", clause, subject(e)+" accepts guest names in any alphabet").needs(needs...).
		withReason("A customer whose name is refused cannot book, however often the sale is retried.").
		fix("Store names in UTF-8 with up to four bytes per character (utf8mb4 in MySQL). Do not validate them with a pattern.")
}

func (c *chapter) unknownFields(e partnerapi.Endpoint, needs string) Rule {
	return c.should(string(e)+".unknown-fields", "GEN-9", subject(e)+" ignores fields that the contract does not name").needs(needs).
		withReason("If the contract gets a new field, a partner that refuses unknown fields stops selling.").
		fix("Read the fields that you know, and ignore all others. Do not use additionalProperties: false.")
}

// Calls that the marketplace never sends (GEN-8).
var (
	ProductsBadInput     = nonsense.badInput(partnerapi.Products, "products.shape")
	AvailabilityBadInput = nonsense.badInput(partnerapi.Availability, "availability.shape")
	ReserveBadInput      = nonsense.badInput(partnerapi.Reserve, "reserve.code")
	ReserveNobody        = nonsense.should("reserve.nobody", "GEN-8", "Reserve refuses parties without guests and unknown unit types").needs("reserve.code").
				withReason("A hold for zero or minus one guests makes the seat count wrong for every customer.").
				fix("Refuse an empty party, quantities below 1 and unknown unit ids with 400.")
	ReserveBadInputEffect = nonsense.should("reserve.bad-input.no-effect", "GEN-8", "An invalid reserve takes no seats").
				needs("reserve.vacancies.one", "release.vacancies.one", "reserve.refusal.no-effect").
				withReason("The seats are never sold, and no guest uses them.").
				fix("Validate the complete body before you take seats, or roll back when you refuse.")
	ConfirmBadInput = nonsense.badInput(partnerapi.Confirm, "confirm.unknown")
	ReleaseBadInput = nonsense.badInput(partnerapi.Release, "release.unknown")
	CancelBadInput  = nonsense.badInput(partnerapi.Cancel, "cancel.unknown")
)

func (c *chapter) badInput(endpoint partnerapi.Endpoint, needs string) Rule {
	return c.should(string(endpoint)+".bad-input", "GEN-8", subject(endpoint)+" refuses or ignores invalid input").needs(needs).
		withReason("A crash or a dropped connection also makes other customers' calls fail.").
		fix("Validate the input before anything else. If it is invalid, answer 400 with a message.")
}

// Random booking lifecycles.
var (
	AvailabilityLifecycle = lifecycles.must("availability.lifecycle", "AVL-5", "Answers and vacancies are correct after any sequence of reserves, confirms, releases and cancels").
		needs(
			"reserve.expires-at", "reserve.code.unique", "reserve.vacancies.mixed", "reserve.sold-out", "reserve.too-many",
			"reserve.refusal.message", "reserve.refusal.no-effect",
			"confirm.booking-id.unique", "confirm.vacancies", "confirm.repeat.booking", "confirm.repeat.vacancies", "confirm.unknown",
			"confirm.released.no-effect", "confirm.cancelled.no-effect", "confirm.expired.no-effect", "confirm.refusal.message",
			"release.vacancies.many", "release.rebookable", "release.unknown.success", "release.repeat.vacancies",
			"release.confirmed.keeps-booking", "release.cancelled.vacancies", "release.expired.vacancies",
			"cancel.vacancies", "cancel.repeat.status", "cancel.repeat.vacancies", "cancel.unknown.success",
		).
		withReason("Customers change their minds in every order. A seat that is lost or sold twice in an unusual sequence is noticed only at the entrance.").
		fix("Follow the steps of the failing lifecycle. The earlier steps create the state in which the last step fails.")
)
