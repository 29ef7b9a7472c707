package rule

import "partnerkit.dev/schemas/partnerapi"

// The preflight: what must hold before anything else can be judged. What
// fails here is the one finding of the run.
var (
	Reachable = Rule{
		ID: "products.reachable", Level: Must, Endpoint: partnerapi.Products, Clause: "AUTH-4",
		Title: "The base URL leads to a server",
		Why:   "Nothing can be pulled or booked from an address where nobody answers.",
		Fix:   "Check the base URL, name resolution, firewall and certificate from the machine that runs this suite.",
	}
	KeyAccepted = Rule{
		ID: "products.auth.accepted", Level: Must, Endpoint: partnerapi.Products, Clause: "AUTH-1", Needs: []string{"products.reachable"},
		Title: "The registered key is accepted",
		Why:   "With its key refused the marketplace can neither pull the catalog nor book.",
		Fix:   "Compare the key and the auth type: bearer sends \"Bearer <key>\", api_key sends the key alone.",
	}
	ProductsStatus = Rule{
		ID: "products.status", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-1", Needs: []string{"products.auth.accepted"},
		Title: "The catalog is answered with 200",
		Why:   "Any other status fails the sync and counts against the partner's health; redirects are not followed.",
		Fix:   "Serve GET {base_url}/products directly, with 200.",
	}
	ProductsJSON = Rule{
		ID: "products.json", Level: Must, Endpoint: partnerapi.Products, Clause: "GEN-1", Needs: []string{"products.status"},
		Title: "The catalog is one whole JSON document",
		Why:   "A catalog that cannot be read is not stored: the activities keep their old texts and prices.",
		Fix:   "Send one JSON text in UTF-8, whole, with nothing before or behind it.",
	}
	ProductsShape = Rule{
		ID: "products.shape", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-1", Needs: []string{"products.json"},
		Title: "The catalog is an array of products, or an object with products",
		Why:   "In any other shape the marketplace finds no product.",
		Fix:   "Answer with [ ... ] or with {\"products\": [ ... ]}.",
	}

	preflightRules = []Rule{Reachable, KeyAccepted, ProductsStatus, ProductsJSON, ProductsShape}
)

// GET /products: the fields.
var (
	ProductID = productField("product.id", "PRD-2", "Every product has an id",
		"The id is what ties a product to its activity from one sync to the next.", "Send id as a string that is not empty.")
	ProductName = productField("product.internal-name", "PRD-2", "Every product has an internal name",
		"It becomes the activity's title.", "Send internalName as a string.")
	ProductLocale = productField("product.locale", "PRD-2", "Every product's locale is a BCP 47 tag",
		"The marketplace files the texts under this language.", "Send tags such as en, pt-BR or zh-Hant; no underscores.")
	ProductTimeZone = productField("product.time-zone", "PRD-2", "Every product's time zone is an IANA zone",
		"The marketplace computes today and every calendar day in this zone.", "Send names such as Europe/Lisbon; no offsets and no abbreviations.")
	ProductInstant = productField("product.instant-confirmation", "PRD-2", "Every product says whether it confirms instantly",
		"Resellers are shown it before they buy.", "Send instantConfirmation as true or false.")
	ProductOptions = productField("product.options", "PRD-2", "Every product has at least one option",
		"An activity without a variation cannot be sold.", "Send options as an array with at least one element, or leave the product out.")
	ProductOptional = productField("product.optional-fields", "PRD-3", "A product's optional fields have their types",
		"A product with a field of the wrong type is set aside.", "Send allowFreesale as a boolean, reference as a string, or leave them out.")

	OptionID = productField("option.id", "PRD-4", "Every option has an id",
		"Availability and reserve name the option by it.", "Send id as a string that is not empty.")
	OptionName = productField("option.internal-name", "PRD-4", "Every option has an internal name",
		"It becomes the variation's title.", "Send internalName as a string.")
	OptionAvailabilityType = productField("option.availability-type", "PRD-4", "Every option's availability type is one of the two",
		"It decides whether slots are shown as start times or as opening hours.", "Send START_TIME or OPENING_HOURS, in capitals.")
	OptionUnits = productField("option.units", "PRD-4", "Every option has an array of units",
		"Without units there are no guest types and no prices.", "Send units as an array.")
	OptionCutoff = productField("option.cancellation-cutoff", "PRD-5", "An option's cancellation policy is text",
		"It is shown to customers as it stands.", "Send cancellationCutoff as a string, or leave it out.")

	UnitID = productField("unit.id", "PRD-6", "Every unit has an id",
		"Reserve names the guests by it.", "Send id as a string that is not empty.")
	UnitName = productField("unit.internal-name", "PRD-6", "Every unit has an internal name",
		"It is the label that customers see.", "Send internalName as a string.")
	UnitType = productField("unit.type", "PRD-6", "Every unit's type is one of the five",
		"Customers choose guests by type.", "Send ADULT, CHILD, INFANT, SENIOR or STUDENT, in capitals.")
	UnitPricing = productField("unit.pricing-from", "PRD-6", "Every unit has at least one price",
		"A guest type without a price cannot be sold.", "Send pricingFrom as an array with at least one entry.")
	UnitRestrictions = productField("unit.restrictions", "PRD-7", "A unit's age limits are whole years",
		"They are checked when a customer chooses guests.", "Send restrictions.minAge and maxAge as integers, or leave them out.")
	UnitFixedID = productField("unit.fixed-id", "PRD-12", "Adults, children, infants and seniors bear the fixed unit ids",
		"The marketplace sends exactly these ids when it reserves; any other is never asked for.", "Use unit-adult, unit-child, unit-infant and unit-senior, each for its own type only.")

	PricingOriginal = productField("pricing.original", "PRD-8", "Every price is an integer in the smallest currency unit",
		"22.5 or \"2250\" cannot be told from 22.50 or 2,250.00: the customer would be charged a wrong price.", "Send original as an integer: 2250 for 22.50 euros.")
	PricingCurrency = productField("pricing.currency", "PRD-8", "Every price names its ISO 4217 currency",
		"A price without a currency cannot be converted.", "Send codes such as EUR, in capitals.")
	PricingPrecision = productField("pricing.precision", "PRD-9", "A price's precision is a number of decimals",
		"The amount is divided by 10 to this power.", "Send currencyPrecision as an integer of 0 or more, or leave it out.")
	PricingRetailNet = productField("pricing.retail-net", "PRD-9", "Retail and net prices are integers in the smallest currency unit",
		"They are stored for the operators' accounts.", "Send retail and net as integers, or leave them out.")
	ProductsFields = productField("fields", "PRD-2", "Everything else in the catalog fits its schema",
		"A product that does not fit is set aside, and is not sold.", "Compare the product with schemas/partner/product.schema.json.")
)

func productField(name, clause, title, why, fix string) Rule {
	return Rule{
		ID: "products." + name, Level: Must, Endpoint: partnerapi.Products, Clause: clause,
		Title: title, Why: why, Fix: fix, Needs: []string{"products.shape"},
	}
}

// GET /products: what several products, or several calls, show together.
var (
	ProductUnique = Rule{
		ID: "products.product.unique", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-11", Needs: []string{"products.shape"},
		Title: "No two products share an id",
		Why:   "The second would overwrite the first: one activity is lost.",
		Fix:   "Give every product an id of its own.",
	}
	OptionUnique = Rule{
		ID: "products.option.unique", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-11", Needs: []string{"products.shape"},
		Title: "No two options of a product share an id",
		Why:   "Slots and bookings of one would land on the other.",
		Fix:   "Give every option of a product an id of its own.",
	}
	UnitUnique = Rule{
		ID: "products.unit.unique", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-11", Needs: []string{"products.shape"},
		Title: "No two units of an option share an id",
		Why:   "The price of one would be charged for the other.",
		Fix:   "Give every unit of an option an id of its own; one unit for each guest type.",
	}
	ProductPermanent = Rule{
		ID: "products.product.permanent", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-10", Needs: []string{"products.shape", "products.product.unique"},
		Title: "Two pulls show the same product ids",
		Why:   "A changed id makes a second activity, and the first, with its texts and bookings, goes inactive.",
		Fix:   "Take the id from stored data; never from a counter, a position or the time.",
	}
	OptionPermanent = Rule{
		ID: "products.option.permanent", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-10", Needs: []string{"products.product.permanent", "products.option.unique"},
		Title: "Two pulls show the same option ids",
		Why:   "A changed id makes a second variation, and bookings of the first can no longer be matched.",
		Fix:   "Take the id from stored data; never from a counter, a position or the time.",
	}
	UnitPermanent = Rule{
		ID: "products.unit.permanent", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-10", Needs: []string{"products.option.permanent", "products.unit.unique"},
		Title: "Two pulls show the same unit ids",
		Why:   "Reserve names guests by the id of the last pull.",
		Fix:   "Take the id from stored data; for all types but STUDENT it is fixed.",
	}
	ProbeStatus = Rule{
		ID: "products.probe.status", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-13", Needs: []string{"products.shape"},
		Title: "The health probe is answered with 200",
		Why:   "Three failed probes in a row make the partner DEGRADED.",
		Fix:   "Answer GET /products?limit=1 with 200; the limit may be ignored.",
	}
	UpdatedSince = Rule{
		ID: "products.updated-since", Level: Must, Endpoint: partnerapi.Products, Clause: "PRD-14", Needs: []string{"products.shape"},
		Title: "A pull of changes is answered with 200 and a catalog",
		Why:   "Incremental syncs send updated_since; a partner may ignore it, but not refuse it.",
		Fix:   "Accept updated_since as an RFC 3339 date-time, or ignore it; answer in the shape of a full pull.",
	}
	AdultUnit = Rule{
		ID: "products.option.adult-unit", Level: Should, Endpoint: partnerapi.Products, Clause: "PRD-15", Needs: []string{"products.shape", "products.unit.fixed-id"},
		Title: "Every option has an adult unit",
		Why:   "The marketplace asks availability for one adult; other units are a makeshift.",
		Fix:   "Add a unit of type ADULT with the id unit-adult.",
	}
	CurrencyDecimals = Rule{
		ID: "products.pricing.currency-decimals", Level: Should, Endpoint: partnerapi.Products, Clause: "PRD-9",
		Needs: []string{"products.shape", "products.pricing.currency", "products.pricing.precision"},
		Title: "A price's precision is that of its currency",
		Why:   "JPY with two decimals is most often a price a hundred times too low.",
		Fix:   "Send the currency's own decimals: 0 for JPY, 3 for KWD; leave the field out only for 2.",
	}
	AgeRange = Rule{
		ID: "products.unit.age-range", Level: Should, Endpoint: partnerapi.Products, Clause: "PRD-16", Needs: []string{"products.shape", "products.unit.restrictions"},
		Title: "A unit's lowest age is not above its highest",
		Why:   "No guest could be chosen.",
		Fix:   "Swap or correct minAge and maxAge.",
	}
	ProductsContentType = contentType(partnerapi.Products, "products.json")
	ProductsWrongKey    = wrongKey(partnerapi.Products, "products.auth.accepted")
	ProductsMissingKey  = missingKey(partnerapi.Products)
	ProbeWrongKey       = Rule{
		ID: "products.probe.auth.wrong-key", Level: Must, Endpoint: partnerapi.Products, Clause: "AUTH-2", Needs: []string{"products.auth.wrong-key"},
		Title: "The health probe answers a wrong key with 401",
		Why:   "The probe is how the marketplace learns, before a customer does, that its key is no longer good.",
		Fix:   "Check credentials before query parameters.",
	}
	ProbeMissingKey = Rule{
		ID: "products.probe.auth.missing-key", Level: Must, Endpoint: partnerapi.Products, Clause: "AUTH-3",
		Needs: []string{"products.auth.missing-key", "products.probe.auth.wrong-key"},
		Title: "The health probe answers a missing key with 401",
		Why:   "A probe that needs no key tells nothing about the key.",
		Fix:   "Check credentials before query parameters.",
	}
	ProductsLimit = limit(partnerapi.Products)
	ProbeLimit    = Rule{
		ID: "products.probe.limit", Level: Must, Endpoint: partnerapi.Products, Clause: "LIM-1",
		Title: "The health probe is answered within 5 s",
		Why:   "A slower probe is a failed one; three in a row make the partner DEGRADED.",
		Fix:   "Honour limit=1, or serve the catalog from a cache.",
	}

	productsRules = []Rule{
		ProductID, ProductName, ProductLocale, ProductTimeZone, ProductInstant, ProductOptions, ProductOptional,
		OptionID, OptionName, OptionAvailabilityType, OptionUnits, OptionCutoff,
		UnitID, UnitName, UnitType, UnitPricing, UnitRestrictions, UnitFixedID,
		PricingOriginal, PricingCurrency, PricingPrecision, PricingRetailNet, ProductsFields,
		ProductUnique, OptionUnique, UnitUnique, ProductPermanent, OptionPermanent, UnitPermanent,
		ProbeStatus, UpdatedSince, AdultUnit, CurrencyDecimals, AgeRange, ProductsContentType,
		ProductsWrongKey, ProductsMissingKey, ProbeWrongKey, ProbeMissingKey, ProductsLimit, ProbeLimit,
	}
)
