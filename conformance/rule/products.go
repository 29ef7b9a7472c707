package rule

import "partnerkit.dev/schemas/partnerapi"

// The preflight: what must hold before anything else can be judged. A failure here is the only
// finding of the run.
var (
	Reachable = preflight.must("products.reachable", "AUTH-4", "The base URL leads to a server").
			withReason("The marketplace cannot pull the catalog or book if the address does not answer.").
			fix("From the machine that runs this suite, check the base URL, name resolution, firewall and certificate.")
	KeyAccepted = preflight.must("products.auth.accepted", "AUTH-1", "Products accepts the registered key").needs("products.reachable").
			withReason("If the partner refuses the marketplace's key, the marketplace can neither pull the catalog nor book.").
			fix("Compare the key and the auth type: bearer sends \"Bearer <key>\", api_key sends only the key.")
	ProductsStatus = preflight.must("products.status", "PRD-1", "Products answers 200").needs("products.auth.accepted").
			withReason("After any other status, the sync fails and the failure counts against the partner's health. The marketplace does not follow redirects.").
			fix("Answer GET {base_url}/products directly with 200.")
	ProductsJSON = preflight.must("products.json", "GEN-1", "Products answers with one complete JSON document").needs("products.status").
			withReason("The marketplace cannot store a catalog that it cannot parse, so its activities keep their old texts and prices.").
			fix("Send one complete JSON text in UTF-8, with nothing before or after it.")
	ProductsShape = preflight.must("products.shape", "PRD-1", "Products answers with an array of products, or an object with products").needs("products.json").
			withReason("The marketplace finds no products in any other shape.").
			fix("Answer with [ ... ] or with {\"products\": [ ... ]}.")
)

// GET /products: the fields.
var (
	ProductID = products.field("products.product.id", "PRD-2", "Every product has an id",
		"The marketplace uses the id to match a product to its activity in every sync.", "Send id as a string that is not empty.", "/id")
	ProductName = products.field("products.product.internal-name", "PRD-2", "Every product has an internal name",
		"The marketplace uses the name as the activity's first title.", "Send internalName as a string.", "/internalName")
	ProductLocale = products.field("products.product.locale", "PRD-2", "Every product's locale is a BCP 47 tag",
		"The marketplace stores the product's texts under this language.", "Send a tag such as en, pt-BR or zh-Hant. Do not use underscores.", "/locale")
	ProductTimeZone = products.field("products.product.time-zone", "PRD-2", "Every product's time zone is an IANA zone",
		"The marketplace computes today's date and every calendar day in this zone.", "Send a name such as Europe/Lisbon. Do not send an offset or an abbreviation.", "/timeZone")
	ProductInstant = products.field("products.product.instant-confirmation", "PRD-2", "Every product states whether it confirms instantly",
		"Resellers see this information before they buy.", "Send instantConfirmation as true if a booking is certain when confirm answers, or else as false.", "/instantConfirmation")
	ProductOptions = products.field("products.product.options", "PRD-2", "Every product has at least one option",
		"The marketplace cannot sell an activity without a variation.", "Send options as an array with at least one element. Omit the product only if it is not sold.", "/options")
	ProductOptional = products.field("products.product.optional-fields", "PRD-3", "A product's optional fields have the types in the contract",
		"The marketplace does not sell a product with a field of the wrong type.", "Send allowFreesale as a boolean and reference as a string, or omit them.", "/allowFreesale", "/reference")

	OptionID = products.field("products.option.id", "PRD-4", "Every option has an id",
		"The marketplace sends the option's id with availability and reserve.", "Send id as a string that is not empty.", "/options/*/id")
	OptionName = products.field("products.option.internal-name", "PRD-4", "Every option has an internal name",
		"The marketplace uses the name as the variation's first title.", "Send internalName as a string.", "/options/*/internalName")
	OptionAvailabilityType = products.field("products.option.availability-type", "PRD-4", "Every option's availability type is START_TIME or OPENING_HOURS",
		"The marketplace shows slots as start times or as opening hours depending on this field.", "Send START_TIME where customers choose a time and OPENING_HOURS where they may come at any time, in capitals.", "/options/*/availabilityType")
	OptionUnits = products.field("products.option.units", "PRD-4", "Every option has an array of units",
		"Without units, the option has no guest types and no prices.", "Send units as an array.", "/options/*/units")
	OptionCutoff = products.field("products.option.cancellation-cutoff", "PRD-5", "An option's cancellation policy is a string",
		"The marketplace shows the policy to customers unchanged.", "Send cancellationCutoff as a string, or omit it.", "/options/*/cancellationCutoff")

	UnitID = products.field("products.unit.id", "PRD-6", "Every unit has an id",
		"The marketplace sends the unit's id for each guest type that it reserves.", "Send id as a string that is not empty.", "/options/*/units/*/id")
	UnitName = products.field("products.unit.internal-name", "PRD-6", "Every unit has an internal name",
		"The marketplace shows the name to customers as the label of the guest type.", "Send internalName as a string.", "/options/*/units/*/internalName")
	UnitType = products.field("products.unit.type", "PRD-6", "Every unit's type is one of the five in the contract",
		"Customers choose guests by type.", "Send ADULT, CHILD, INFANT, SENIOR or STUDENT, in capitals.", "/options/*/units/*/type")
	UnitPricing = products.field("products.unit.pricing-from", "PRD-6", "Every unit has at least one price",
		"The marketplace cannot sell a guest type without a price.", "Send pricingFrom with the price that a guest pays. Send 0 only for what is free of charge.", "/options/*/units/*/pricingFrom")
	UnitRestrictions = products.field("products.unit.restrictions", "PRD-7", "A unit's age limits are integers",
		"The marketplace checks the age limits when a customer chooses guests.", "Send restrictions.minAge and maxAge as integers, in years, or omit them.", "/options/*/units/*/restrictions/**")
	UnitFixedID = products.field("products.unit.fixed-id", "PRD-12", "Adult, child, infant and senior units have the fixed unit ids",
		"The marketplace reserves with exactly these ids, so it never sells a unit with a different id.", "Use unit-adult, unit-child, unit-infant and unit-senior, each only for its own type.")

	PricingOriginal = products.field("products.pricing.original", "PRD-8", "Every price is an integer of 0 or more in the smallest currency unit",
		"The marketplace cannot tell whether 22.5 or \"2250\" means 22.50 or 2,250.00, so it could charge a wrong price.", "Send original as an integer: 2250 for 22.50 euros. Send 0 only for what is free of charge.", "/options/*/units/*/pricingFrom/*/original")
	PricingCurrency = products.field("products.pricing.currency", "PRD-8", "Every price names its ISO 4217 currency",
		"The marketplace cannot convert a price without a currency.", "Send the ISO 4217 code, in capitals, of the currency that the amount is in.", "/options/*/units/*/pricingFrom/*/currency")
	PricingPrecision = products.field("products.pricing.precision", "PRD-9", "A price's precision is an integer of 0 or more",
		"The marketplace divides the amount by 10 to the power of the precision, so a wrong precision leads to a wrong price.", "Send the number of the amount's decimals as an integer. Omit it only if the number is 2.", "/options/*/units/*/pricingFrom/*/currencyPrecision")
	PricingRetailNet = products.field("products.pricing.retail-net", "PRD-9", "Retail and net prices are integers of 0 or more in the smallest currency unit",
		"The marketplace stores these prices for the operators' accounts.", "Send retail and net as integers, or omit them.", "/options/*/units/*/pricingFrom/*/retail", "/options/*/units/*/pricingFrom/*/net")
	ProductsFields = products.field("products.fields", "PRD-2", "Every other field of the catalog matches the schema",
		"The marketplace does not sell a product that does not match the schema.", "Compare the product with schemas/partner/product.schema.json.", "/**")
)

// GET /products: what several products, or several calls, show together.
var (
	ProductUnique = products.must("products.product.unique", "PRD-11", "Product ids are unique in the catalog").needs("products.shape").
			withReason("If two products share an id, the second overwrites the first, and one activity is lost.").
			fix("List every product once. Give different products ids of their own.")
	OptionUnique = products.must("products.option.unique", "PRD-11", "Option ids are unique within a product").needs("products.shape").
			withReason("If two options share an id, slots and bookings of one are assigned to the other.").
			fix("List every option once. Give different options of a product ids of their own.")
	UnitUnique = products.must("products.unit.unique", "PRD-11", "Unit ids are unique within an option").needs("products.shape").
			withReason("If two units share an id, customers can be charged the price of the wrong guest type.").
			fix("Give every unit of an option its own id. Send one unit for each guest type.")
	ProductPermanent = products.must("products.product.permanent", "PRD-10", "Product ids are the same in every pull").needs("products.shape", "products.product.unique").
				withReason("A changed id makes a second activity. The first, with its texts and bookings, becomes inactive.").
				fix("Take the id from stored data, never from a counter, a position or the time.")
	OptionPermanent = products.must("products.option.permanent", "PRD-10", "Option ids are the same in every pull").
			needs("products.product.permanent", "products.option.unique").
			withReason("A changed id makes a second variation, and bookings of the first can no longer be matched.").
			fix("Take the id from stored data, never from a counter, a position or the time.")
	UnitPermanent = products.must("products.unit.permanent", "PRD-10", "Unit ids are the same in every pull").
			needs("products.option.permanent", "products.unit.unique").
			withReason("The marketplace reserves with the unit ids of the last pull. A changed id makes the reservation fail.").
			fix("Take the id from stored data. For all types except STUDENT, the id is fixed.")
	ProbeStatus = products.must("products.probe.status", "PRD-13", "The health probe answers 200").needs("products.shape").
			withReason("After three failed probes in a row, the marketplace marks the partner as DEGRADED.").
			fix("Answer GET /products?limit=1 with 200. You may ignore the limit.")
	UpdatedSince = products.must("products.updated-since", "PRD-14", "Products answers a request with updated_since with 200 and a catalog").needs("products.shape").
			withReason("Incremental syncs send updated_since. They fail if the partner refuses the parameter.").
			fix("Accept updated_since as an RFC 3339 date-time, or ignore it. Use the same shape as for a full pull.")
	AdultUnit = products.should("products.option.adult-unit", "PRD-15", "Every option has an adult unit").needs("products.shape", "products.unit.fixed-id").
			withReason("The marketplace requests availability for one adult, and uses another unit only if there is no adult unit.").
			fix("Add a unit of type ADULT with the id unit-adult, at the price that adults pay. If adults cannot take part, do not change the option.")
	CurrencyDecimals = products.should("products.pricing.currency-decimals", "PRD-9", "A price's precision matches its currency").
				needs("products.shape", "products.pricing.currency", "products.pricing.precision").
				withReason("A price in JPY with two decimals is usually a hundred times too low.").
				fix("Send amounts in the smallest unit of the currency, and its number of decimals: 0 for JPY, 3 for KWD. If you change the one, check the other: a price may be wrong by a factor of 100. Omit the field only if the number is 2.")
	AgeRange = products.should("products.unit.age-range", "PRD-16", "A unit's minimum age is not above its maximum age").
			needs("products.shape", "products.unit.restrictions").
			withReason("Customers cannot choose any guest of this type.").
			fix("Correct the ages in the source of the catalog. Swap them only if they were entered in the wrong order.")
	OptionPartyLimits = products.should("products.option.party-limits", "EXT-2", "An option's limits of a party are numbers of guests that a party can keep").needs("products.shape").
				withReason("The marketplace ignores limits that it cannot read. Customers then learn of them only when you refuse their booking.").
				fix("Send restrictions.minUnits and maxUnits as integers from 0, the first not above the second, or omit them.")
	ProductsContentType = products.contentType(partnerapi.Products, "products.json")
	ProductsWrongKey    = products.wrongKey(partnerapi.Products, "products.auth.accepted")
	ProductsMissingKey  = products.missingKey(partnerapi.Products)
	ProbeWrongKey       = products.must("products.probe.auth.wrong-key", "AUTH-2", "The health probe answers a wrong key with 401").needs("products.auth.wrong-key").
				withReason("The marketplace uses the probe to notice that its key was revoked before a customer does.").
				fix("Check the credentials before the query parameters.")
	ProbeMissingKey = products.must("products.probe.auth.missing-key", "AUTH-3", "The health probe answers a missing key with 401").
			needs("products.auth.missing-key", "products.probe.auth.wrong-key").
			withReason("If the probe works without a key, the marketplace cannot notice that its key was revoked.").
			fix("Check the credentials before the query parameters.")
	ProductsLimit = products.limit(partnerapi.Products)
	ProbeLimit    = products.must("products.probe.limit", "LIM-1", "The health probe answers within 5 s").
			withReason("A slower probe counts as failed. After three in a row, the marketplace marks the partner as DEGRADED.").
			fix("Apply limit=1, or serve the catalog from a cache.")
)
