package rule

import "partnerkit.dev/schemas/partnerapi"

// The preflight: what must hold before anything else can be judged. A failure here is the only
// finding of the run.

var Reachable = preflight.must("products.reachable", "AUTH-4", "The base URL leads to a server").
	why("The marketplace cannot pull or book anything from an address that does not answer.").
	fix("Check the base URL, name resolution, firewall and certificate from the machine that runs this suite.")
var KeyAccepted = preflight.must("products.auth.accepted", "AUTH-1", "The registered key is accepted").needs("products.reachable").
	why("If the marketplace's key is refused, it can neither pull the catalog nor book.").
	fix("Compare the key and the auth type: bearer sends \"Bearer <key>\", api_key sends the key alone.")
var ProductsStatus = preflight.must("products.status", "PRD-1", "The catalog is answered with 200").needs("products.auth.accepted").
	why("Any other status fails the sync and counts against the partner's health; redirects are not followed.").
	fix("Serve GET {base_url}/products directly, with 200.")
var ProductsJSON = preflight.must("products.json", "GEN-1", "The catalog is one complete JSON document").needs("products.status").
	why("A catalog that cannot be read is not stored: the activities keep their old texts and prices.").
	fix("Send one complete JSON text in UTF-8, with nothing before or after it.")
var ProductsShape = preflight.must("products.shape", "PRD-1", "The catalog is an array of products, or an object with products").needs("products.json").
	why("In any other shape the marketplace finds no product.").
	fix("Answer with [ ... ] or with {\"products\": [ ... ]}.")

// GET /products: the fields.
var (
	ProductID = products.field("products.product.id", "PRD-2", "Every product has an id",
		"The id is what ties a product to its activity from one sync to the next.", "Send id as a string that is not empty.", "/id")
	ProductName = products.field("products.product.internal-name", "PRD-2", "Every product has an internal name",
		"It becomes the activity's title.", "Send internalName as a string.", "/internalName")
	ProductLocale = products.field("products.product.locale", "PRD-2", "Every product's locale is a BCP 47 tag",
		"The marketplace files the texts under this language.", "Send tags such as en, pt-BR or zh-Hant; no underscores.", "/locale")
	ProductTimeZone = products.field("products.product.time-zone", "PRD-2", "Every product's time zone is an IANA zone",
		"The marketplace computes today and every calendar day in this zone.", "Send names such as Europe/Lisbon; no offsets and no abbreviations.", "/timeZone")
	ProductInstant = products.field("products.product.instant-confirmation", "PRD-2", "Every product says whether it confirms instantly",
		"Resellers are shown it before they buy.", "Send instantConfirmation as true or false.", "/instantConfirmation")
	ProductOptions = products.field("products.product.options", "PRD-2", "Every product has at least one option",
		"An activity without a variation cannot be sold.", "Send options as an array with at least one element, or leave the product out.", "/options")
	ProductOptional = products.field("products.product.optional-fields", "PRD-3", "A product's optional fields have their types",
		"A product with a field of the wrong type is set aside.", "Send allowFreesale as a boolean, reference as a string, or leave them out.", "/allowFreesale", "/reference")

	OptionID = products.field("products.option.id", "PRD-4", "Every option has an id",
		"Availability and reserve name the option by it.", "Send id as a string that is not empty.", "/options/*/id")
	OptionName = products.field("products.option.internal-name", "PRD-4", "Every option has an internal name",
		"It becomes the variation's title.", "Send internalName as a string.", "/options/*/internalName")
	OptionAvailabilityType = products.field("products.option.availability-type", "PRD-4", "Every option's availability type is one of the two",
		"It decides whether slots are shown as start times or as opening hours.", "Send START_TIME or OPENING_HOURS, in capitals.", "/options/*/availabilityType")
	OptionUnits = products.field("products.option.units", "PRD-4", "Every option has an array of units",
		"Without units there are no guest types and no prices.", "Send units as an array.", "/options/*/units")
	OptionCutoff = products.field("products.option.cancellation-cutoff", "PRD-5", "An option's cancellation policy is text",
		"It is shown to customers unchanged.", "Send cancellationCutoff as a string, or leave it out.", "/options/*/cancellationCutoff")

	UnitID = products.field("products.unit.id", "PRD-6", "Every unit has an id",
		"Reserve names the guests by it.", "Send id as a string that is not empty.", "/options/*/units/*/id")
	UnitName = products.field("products.unit.internal-name", "PRD-6", "Every unit has an internal name",
		"It is the label that customers see.", "Send internalName as a string.", "/options/*/units/*/internalName")
	UnitType = products.field("products.unit.type", "PRD-6", "Every unit's type is one of the five",
		"Customers choose guests by type.", "Send ADULT, CHILD, INFANT, SENIOR or STUDENT, in capitals.", "/options/*/units/*/type")
	UnitPricing = products.field("products.unit.pricing-from", "PRD-6", "Every unit has at least one price",
		"A guest type without a price cannot be sold.", "Send pricingFrom as an array with at least one entry.", "/options/*/units/*/pricingFrom")
	UnitRestrictions = products.field("products.unit.restrictions", "PRD-7", "A unit's age limits are whole years",
		"They are checked when a customer chooses guests.", "Send restrictions.minAge and maxAge as integers, or leave them out.", "/options/*/units/*/restrictions/**")
	UnitFixedID = products.field("products.unit.fixed-id", "PRD-12", "Adults, children, infants and seniors bear the fixed unit ids",
		"The marketplace sends exactly these ids when it reserves; any other is never asked for.", "Use unit-adult, unit-child, unit-infant and unit-senior, each for its own type only.")

	PricingOriginal = products.field("products.pricing.original", "PRD-8", "Every price is an integer of 0 or more in the smallest currency unit",
		"22.5 or \"2250\" cannot be told from 22.50 or 2,250.00: the customer would be charged a wrong price.", "Send original as an integer: 2250 for 22.50 euros.", "/options/*/units/*/pricingFrom/*/original")
	PricingCurrency = products.field("products.pricing.currency", "PRD-8", "Every price names its ISO 4217 currency",
		"A price without a currency cannot be converted.", "Send codes such as EUR, in capitals.", "/options/*/units/*/pricingFrom/*/currency")
	PricingPrecision = products.field("products.pricing.precision", "PRD-9", "A price's precision is a number of decimals",
		"The amount is divided by 10 to this power.", "Send currencyPrecision as an integer of 0 or more, or leave it out.", "/options/*/units/*/pricingFrom/*/currencyPrecision")
	PricingRetailNet = products.field("products.pricing.retail-net", "PRD-9", "Retail and net prices are integers of 0 or more in the smallest currency unit",
		"They are stored for the operators' accounts.", "Send retail and net as integers, or leave them out.", "/options/*/units/*/pricingFrom/*/retail", "/options/*/units/*/pricingFrom/*/net")
	ProductsFields = products.field("products.fields", "PRD-2", "Everything else in the catalog fits its schema",
		"A product that does not fit is set aside, and is not sold.", "Compare the product with schemas/partner/product.schema.json.", "/**")
)

// GET /products: what several products, or several calls, show together.

var ProductUnique = products.must("products.product.unique", "PRD-11", "No two products share an id").needs("products.shape").
	why("The second would overwrite the first: one activity is lost.").
	fix("Give every product an id of its own.")
var OptionUnique = products.must("products.option.unique", "PRD-11", "No two options of a product share an id").needs("products.shape").
	why("Slots and bookings of one would land on the other.").
	fix("Give every option of a product an id of its own.")
var UnitUnique = products.must("products.unit.unique", "PRD-11", "No two units of an option share an id").needs("products.shape").
	why("The price of one would be charged for the other.").
	fix("Give every unit of an option an id of its own; one unit for each guest type.")
var ProductPermanent = products.must("products.product.permanent", "PRD-10", "Two pulls show the same product ids").needs("products.shape", "products.product.unique").
	why("A changed id makes a second activity, and the first, with its texts and bookings, goes inactive.").
	fix("Take the id from stored data; never from a counter, a position or the time.")
var OptionPermanent = products.must("products.option.permanent", "PRD-10", "Two pulls show the same option ids").
	needs("products.product.permanent", "products.option.unique").
	why("A changed id makes a second variation, and bookings of the first can no longer be matched.").
	fix("Take the id from stored data; never from a counter, a position or the time.")
var UnitPermanent = products.must("products.unit.permanent", "PRD-10", "Two pulls show the same unit ids").
	needs("products.option.permanent", "products.unit.unique").
	why("Reserve names guests by the id of the last pull.").
	fix("Take the id from stored data; for all types but STUDENT it is fixed.")
var ProbeStatus = products.must("products.probe.status", "PRD-13", "The health probe is answered with 200").needs("products.shape").
	why("Three failed probes in a row make the partner DEGRADED.").
	fix("Answer GET /products?limit=1 with 200; the limit may be ignored.")
var UpdatedSince = products.must("products.updated-since", "PRD-14", "A pull of changes is answered with 200 and a catalog").needs("products.shape").
	why("Incremental syncs send updated_since; a partner may ignore it, but not refuse it.").
	fix("Accept updated_since as an RFC 3339 date-time, or ignore it; answer in the shape of a full pull.")
var AdultUnit = products.should("products.option.adult-unit", "PRD-15", "Every option has an adult unit").needs("products.shape", "products.unit.fixed-id").
	why("The marketplace asks availability for one adult; other units are only a fallback.").
	fix("Add a unit of type ADULT with the id unit-adult.")
var CurrencyDecimals = products.should("products.pricing.currency-decimals", "PRD-9", "A price's precision is that of its currency").
	needs("products.shape", "products.pricing.currency", "products.pricing.precision").
	why("JPY with two decimals is most often a price a hundred times too low.").
	fix("Send the currency's own decimals: 0 for JPY, 3 for KWD; leave the field out only for 2.")
var AgeRange = products.should("products.unit.age-range", "PRD-16", "A unit's lowest age is not above its highest").
	needs("products.shape", "products.unit.restrictions").
	why("No guest could be chosen.").
	fix("Swap or correct minAge and maxAge.")
var ProductsContentType = products.contentType(partnerapi.Products, "products.json")
var ProductsWrongKey = products.wrongKey(partnerapi.Products, "products.auth.accepted")
var ProductsMissingKey = products.missingKey(partnerapi.Products)
var ProbeWrongKey = products.must("products.probe.auth.wrong-key", "AUTH-2", "The health probe answers a wrong key with 401").needs("products.auth.wrong-key").
	why("The probe tells the marketplace that its key was revoked before a customer notices.").
	fix("Check credentials before query parameters.")
var ProbeMissingKey = products.must("products.probe.auth.missing-key", "AUTH-3", "The health probe answers a missing key with 401").
	needs("products.auth.missing-key", "products.probe.auth.wrong-key").
	why("A probe that works without a key cannot detect a revoked key.").
	fix("Check credentials before query parameters.")
var ProductsLimit = products.limit(partnerapi.Products)
var ProbeLimit = products.must("products.probe.limit", "LIM-1", "The health probe is answered within 5 s").
	why("A slower probe counts as failed. Three in a row make the partner DEGRADED.").
	fix("Apply limit=1, or serve the catalog from a cache.")
