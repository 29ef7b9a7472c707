package judge

// Rule is one duty of the caller.
type Rule struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Clause string `json:"clause"` // of docs/contract.md
	Why    string `json:"why"`    // what goes wrong where it is broken
}

type check struct {
	Rule
	without string // why it is not judged where the record has nothing of the kind
	run     func(*story, *bench)
}

// Why a rule is not judged where the record has nothing of the kind.
const (
	noExchange     = "there is no exchange"
	noAvailability = "availability was not asked for"
	noReserve      = "reserve was not called"
	noConfirm      = "confirm was not called"
)

// rules are all of them, in the order of a booking.
var rules = []check{
	{Rule{"call.authorized", "Every call presents the key in the registered form", "AUTH-1",
		"A partner answers anything else with 401, and the integration stands still."}, noExchange, authorized},
	{Rule{"call.known", "Calls go to the six endpoints, with their methods", "AUTH-4",
		"Nothing else is part of the contract: on another path a partner answers what it likes."}, noExchange, known},
	{Rule{"call.escaped", "Codes and booking ids are escaped as one path segment", "RSV-6",
		"A code with a slash, a plus or a percent sign then names another hold, or none: seats stay held, bookings stay booked."},
		"no release and no cancel was sent", escaped},
	{Rule{"call.schema", "Bodies keep their schemas", "AVL-1, RSV-1, CNF-1, REL-1, CAN-1",
		"A partner may refuse a body of another shape, or read it in its own way."}, "no call has a body, or must have one", schema},
	{Rule{"call.content-type", "A body is sent as JSON", "AVL-1, RSV-1, CNF-1, REL-1, CAN-1",
		"Many frameworks do not read a body of another Content-Type, or of none: the fields then are missing."},
		"no call has a body", contentType},
	{Rule{"products.form", "The catalog is asked for whole, by updated_since, or with exactly ?limit=1 as the health probe", "PRD-13, PRD-14",
		"A partner tells a probe by limit=1; any other query may get a part of the catalog, which looks as if the rest were gone."},
		"GET /products was not called", productsForm},
	{Rule{"catalog.known", "Calls name products and options of the catalog", "PRD-10, PRD-11",
		"Ids are permanent: one that the partner does not know has been made up or mixed up."},
		"no call names a product", catalogKnown},
	{Rule{"availability.window", "Windows are today and the 60 days after it, or a single one of those days", "AVL-2",
		"A partner may refuse every other window; days that a sync leaves out are never sold."}, noAvailability, window},
	{Rule{"availability.party", "Availability is asked for one adult, or for one guest of the option's first unit", "AVL-2, PRD-15",
		"Another party is told of other slots, and a partner may refuse it."}, noAvailability, party},
	{Rule{"availability.once-per-sync", "A sync asks for each option once", "AVL-2",
		"It is the largest answer of the contract: asked twice, every sync costs the partner double."},
		"no 60-day window was asked for", oncePerSync},
	{Rule{"reserve.fresh", "A slot is reserved by an id that an availability answer showed before", "AVL-8, RSV-1",
		"An id that was guessed or kept from elsewhere may be another slot's, or nobody's."}, noReserve, fresh},
	{Rule{"reserve.units", "Parties are units of the option, with quantities of at least 1", "PRD-12, RSV-1",
		"A partner refuses unknown guests, or takes the booking without them."}, noReserve, units},
	{Rule{"reserve.once", "Reserve is never sent again", "RSV-3",
		"Every reserve holds seats: one that was only unanswered has held them, and a second one holds them twice."},
		"no reserve has a resellerReference", reserveOnce},
	{Rule{"confirm.reserved", "Only codes that reserve answered are confirmed", "CNF-1",
		"Another code is another customer's hold, or nobody's."}, noConfirm, reservedFirst},
	{Rule{"confirm.once", "Confirm is sent once, and again only where no whole answer came", "CNF-4",
		"An answer is final, a refusal too. A partner that fails to tell a repetition makes a second booking."}, noConfirm, confirmOnce},
	{Rule{"confirm.not-released", "What was released is not confirmed", "CNF-5",
		"The seats may be somebody else's by then: the customer has paid for nothing."}, noConfirm, notReleased},
	{Rule{"release.owed", "A hold that expired unconfirmed is released", "REL-7",
		"Some partners give the seats back with the release only: without it they are lost to everybody."},
		"no hold was released, and none expired unconfirmed", owed},
	{Rule{"release.repeated", "A release that failed is sent again until it succeeds", "REL-5",
		"A hold that nobody wants keeps its seats from everybody else."}, "no release was sent", releaseRepeated},
	{Rule{"release.body", "A release names the same code in path and body", "REL-1",
		"Partners read the one or the other: two codes release two holds."}, "no release has a body", releaseBody},
	{Rule{"cancel.repeated", "A cancellation that failed is sent again until it succeeds, or is not supported", "CAN-5, CAN-6",
		"The customer has the money back while the partner still expects the guests."}, "no cancellation was sent", cancelRepeated},
	{Rule{"call.patient", "Answers are waited for until the contract's limit", "LIM-1",
		"A partner that answers in time is left with holds and bookings that nobody knows of."},
		"no caller was kept waiting until a limit", patient},
}
