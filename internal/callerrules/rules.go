package callerrules

// Rule is one duty of the caller.
type Rule struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Clause string `json:"clause"` // of docs/contract.md
	Why    string `json:"why"`    // the consequence of a breach
}

// These are all rules, in the order of a booking.
var (
	Authorized = Rule{"call.authorized", "Every call presents the key in the registered form", "AUTH-1",
		"A partner answers any other request with 401, and the integration stops working."}
	KnownEndpoint = Rule{"call.known", "Calls go to the six endpoints, with their methods", "AUTH-4",
		"Other paths are not part of the contract: a partner may answer anything on them."}
	Escaped = Rule{"call.escaped", "Codes and booking ids are escaped as one path segment", "RSV-6",
		"Unescaped, a code with a slash, a plus or a percent sign names another hold, or no hold: seats stay held, bookings stay booked."}
	BodySchema = Rule{"call.schema", "Request bodies match their schemas", "AVL-1, RSV-1, CNF-1, REL-1, CAN-1",
		"A partner may refuse a body that does not match, or read it differently."}
	BodyType = Rule{"call.content-type", "A body is sent as JSON", "AVL-1, RSV-1, CNF-1, REL-1, CAN-1",
		"Many frameworks do not parse a body with another Content-Type, or without one: its fields are then missing."}
	ProductsForm = Rule{"products.form", "The catalog is requested completely, with updated_since, or with exactly ?limit=1 as the health probe", "PRD-13, PRD-14",
		"A partner recognizes a probe by limit=1. Any other query may return part of the catalog, as if the other products had been removed."}
	CatalogKnown = Rule{"catalog.known", "Calls name products and options of the catalog", "PRD-10, PRD-11",
		"Ids are permanent: an id that the partner does not know was invented or confused with another."}
	Window = Rule{"availability.window", "Windows are today and the 60 days after it, or a single one of those days", "AVL-2",
		"A partner may refuse any other window, and days that a sync leaves out are never sold."}
	Party = Rule{"availability.party", "Availability is requested for one adult, or for one guest of the option's first unit", "AVL-2, PRD-15",
		"A partner may show other slots to another party, or refuse it."}
	OncePerSync = Rule{"availability.once-per-sync", "A sync requests each option once", "AVL-2",
		"It is the largest response of the contract: requesting it twice doubles the partner's cost of every sync."}
	FreshSlot = Rule{"reserve.fresh", "A slot is reserved by an id from an earlier availability response", "AVL-8, RSV-1",
		"A guessed or old id may belong to another slot, or to no slot."}
	Units = Rule{"reserve.units", "Parties are units of the option, with quantities of at least 1", "PRD-12, RSV-1",
		"A partner refuses unknown units, or takes the booking without them."}
	ReserveOnce = Rule{"reserve.once", "Reserve is never sent again", "RSV-3",
		"Every reserve holds seats, even if its response was lost: a second one holds them twice."}
	Reserved = Rule{"confirm.reserved", "Only codes that reserve returned are confirmed", "CNF-1",
		"Another code may be another customer's hold, or unknown."}
	ConfirmOnce = Rule{"confirm.once", "Confirm is sent once, and again only if no complete response arrived", "CNF-4",
		"A response is final, even a refusal. A partner that does not recognize a repeated confirm makes a second booking."}
	NotReleased = Rule{"confirm.not-released", "A released hold is not confirmed", "CNF-5",
		"Another customer may have the seats by then: the customer has paid for nothing."}
	ReleaseOwed = Rule{"release.owed", "A hold that expired unconfirmed is released", "REL-7",
		"Some partners free the seats only on release: without it they cannot be sold."}
	ReleaseRepeated = Rule{"release.repeated", "A failed release is retried until it succeeds", "REL-5",
		"An unused hold blocks its seats for other customers."}
	ReleaseBody = Rule{"release.body", "A release names the same code in path and body", "REL-1",
		"Some partners read the path, others the body: two codes release two holds."}
	CancelRepeated = Rule{"cancel.repeated", "A failed cancellation is retried until it succeeds, or is not supported", "CAN-5, CAN-6",
		"The customer has a refund while the partner still expects the guests."}
	Patient = Rule{"call.patient", "The caller waits for responses until the contract's limit", "LIM-1",
		"The partner responds in time, but the marketplace does not learn of its holds and bookings."}
)

// All returns all rules, in the order of a booking.
func All() []Rule {
	return []Rule{
		Authorized, KnownEndpoint, Escaped, BodySchema, BodyType,
		ProductsForm, CatalogKnown, Window, Party, OncePerSync,
		FreshSlot, Units, ReserveOnce, Reserved, ConfirmOnce,
		NotReleased, ReleaseOwed, ReleaseRepeated, ReleaseBody, CancelRepeated,
		Patient,
	}
}
