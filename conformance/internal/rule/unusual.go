package rule

import "partnerkit.dev/schemas/partnerapi"

// Calls that are lawful, and not what a partner's programmer tries first.
var (
	ReserveAnyAlphabet = anyAlphabet(partnerapi.Reserve, "RSV-2", "reserve.code")
	ConfirmAnyAlphabet = anyAlphabet(partnerapi.Confirm, "CNF-2", "confirm.booking-id", "reserve.contact.any-alphabet")

	AvailabilityUnknownFields = unknownFields(partnerapi.Availability, "availability.shape")
	ReserveUnknownFields      = unknownFields(partnerapi.Reserve, "reserve.code")
	ConfirmUnknownFields      = unknownFields(partnerapi.Confirm, "confirm.booking-id")
	ReleaseUnknownFields      = unknownFields(partnerapi.Release, "release.success")
	CancelUnknownFields       = unknownFields(partnerapi.Cancel, "cancel.success")

	unusualRules = []Rule{
		ReserveAnyAlphabet, ConfirmAnyAlphabet,
		AvailabilityUnknownFields, ReserveUnknownFields, ConfirmUnknownFields, ReleaseUnknownFields, CancelUnknownFields,
	}
)

func anyAlphabet(e partnerapi.Endpoint, clause string, needs ...string) Rule {
	return must(string(e)+".contact.any-alphabet", clause, "A guest's name may be in any alphabet").needs(needs...).
		why("Customers come from everywhere: one whose name is refused cannot book, however often the sale is tried again.").
		fix("Keep names as UTF-8 of up to four bytes a character (utf8mb4 in MySQL), and look for no pattern in them.")
}

func unknownFields(e partnerapi.Endpoint, needs string) Rule {
	return should(string(e)+".unknown-fields", "GEN-9", "A field that the contract does not name is ignored").needs(needs).
		why("The day the contract has one field more, a partner that refuses what it does not know sells nothing any more.").
		fix("Read the fields that you know, and let all others pass; no additionalProperties: false.")
}
