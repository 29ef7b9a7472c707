package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /availability: the answer and its fields.
var (
	AvailabilityStatus = Rule{
		ID: "availability.status", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-3", Needs: []string{"products.shape"},
		Title: "Availability is answered with 200",
		Why:   "Any other status leaves the option without fresh slots and counts against the partner's health.",
		Fix:   "Answer 200 to every option of the catalog and every window within the next 60 days.",
	}
	AvailabilityJSON = Rule{
		ID: "availability.json", Level: Must, Endpoint: partnerapi.Availability, Clause: "GEN-1", Needs: []string{"availability.status"},
		Title: "Availability is one whole JSON document",
		Why:   "Slots that cannot be read are not stored; at checkout the customer is turned away.",
		Fix:   "Send one JSON text in UTF-8, whole, with nothing before or behind it.",
	}
	AvailabilityShape = Rule{
		ID: "availability.shape", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-3", Needs: []string{"availability.json"},
		Title: "Availability is an array of slots",
		Why:   "In any other shape the marketplace finds no slot.",
		Fix:   "Answer with the array itself, without an object round it.",
	}
	SlotID = slotField("slot.id", "AVL-4", "Every slot has an id",
		"Reserve names the slot by it.", "Send id as a string that is not empty.")
	SlotStart = slotField("slot.start", "AVL-4", "Every slot's start is a date-time with an offset",
		"Without the offset a tour at nine could be at any nine of the world.", "Send RFC 3339, such as 2026-07-01T09:00:00+01:00.")
	SlotEnd = slotField("slot.end", "AVL-4", "Every slot's end is a date-time with an offset",
		"Calendars show the duration.", "Send RFC 3339, such as 2026-07-01T11:00:00+01:00.")
	SlotStatus = slotField("slot.status", "AVL-4", "Every slot's status is one of the five",
		"The status decides whether the slot is sold, shown or hidden.", "Send AVAILABLE, FREESALE, LIMITED, SOLD_OUT or CLOSED, in capitals.")
	SlotVacancies = slotField("slot.vacancies", "AVL-5", "A slot's vacancies are a count of seats",
		"Customers are offered as many seats.", "Send vacancies as an integer of 0 or more, or leave it out where seats are not counted.")
	SlotCapacity = slotField("slot.capacity", "AVL-5", "A slot's capacity is a count of seats",
		"Resellers are shown it.", "Send capacity as an integer of 0 or more, or leave it out.")
	SlotUnitPricing = slotField("slot.unit-pricing", "AVL-6", "A slot's own prices are an array of objects",
		"They stand before the option's prices.", "Send unitPricing as an array, or leave it out.")
	SlotPriceUnitID = slotField("unit-pricing.unit-id", "AVL-6", "Every slot price names its unit",
		"A price of nobody is charged to nobody.", "Send unitId as a string that is not empty.")
	SlotPriceUnitType = slotField("unit-pricing.unit-type", "AVL-6", "A slot price's unit type is one of the five",
		"Where it is present it is read.", "Send ADULT, CHILD, INFANT, SENIOR or STUDENT in unitType (or type), or leave it out.")
	SlotPriceAmount = slotField("unit-pricing.amount", "AVL-6", "Every slot price is an integer in the smallest currency unit",
		"It is what the customer pays: 22.5 or \"2250\" would be a wrong price.", "Send original (or retail, or price) as an integer: 2250 for 22.50 euros.")
	SlotPriceCurrency = slotField("unit-pricing.currency", "AVL-6", "Every slot price names its ISO 4217 currency",
		"A price without a currency cannot be converted.", "Send codes such as EUR, in capitals.")
	SlotPricePrecision = slotField("unit-pricing.precision", "AVL-6", "A slot price's precision is a number of decimals",
		"The amount is divided by 10 to this power.", "Send currencyPrecision as an integer of 0 or more, or leave it out.")
	SlotFields = slotField("fields", "AVL-4", "Everything else in a slot fits its schema",
		"A slot that does not fit is not stored.", "Compare the slot with schemas/partner/slot.schema.json.")
)

func slotField(name, clause, title, why, fix string) Rule {
	return Rule{
		ID: "availability." + name, Level: Must, Endpoint: partnerapi.Availability, Clause: clause,
		Title: title, Why: why, Fix: fix, Needs: []string{"availability.shape"},
	}
}

// POST /availability: what slots, windows and calls show together.
var (
	SlotKnownUnit = Rule{
		ID: "availability.unit-pricing.known-unit", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-7",
		Needs: []string{"availability.shape", "availability.unit-pricing.unit-id"},
		Title: "Every slot price is for a unit of the option",
		Why:   "A price for an unknown unit is never used: the option's price is charged instead.",
		Fix:   "Use the unit ids of the catalog in unitPricing[].unitId.",
	}
	SlotUnique = Rule{
		ID: "availability.slot.unique", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-8", Needs: []string{"availability.shape"},
		Title: "No two slots of an answer share an id",
		Why:   "One slot would overwrite the other, and reserve could take the wrong one.",
		Fix:   "Make the id of option, date and time, or of a stored key.",
	}
	SlotPermanent = Rule{
		ID: "availability.slot.permanent", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-8",
		Needs: []string{"availability.shape", "availability.slot.unique"},
		Title: "A slot keeps its id from one call to the next",
		Why:   "The marketplace reserves by the id that it stored; a changed one costs a second call, or the sale.",
		Fix:   "Derive the id from stored data; never from a random number, a position or the time of the call.",
	}
	SlotWindow = Rule{
		ID: "availability.window", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-10",
		Needs: []string{"availability.shape"},
		Title: "Every slot starts within the window that was asked for",
		Why:   "Slots of other days are sold under a wrong date, or twice.",
		Fix:   "Compare the start, in the product's time zone, with both dates, inclusive.",
	}
	SlotEndsLater = Rule{
		ID: "availability.slot.ends-later", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-11", Needs: []string{"availability.shape"},
		Title: "Every slot ends after it starts",
		Why:   "A negative duration is shown to customers.",
		Fix:   "For a tour past midnight the end's date is the next day's.",
	}
	OneDay = Rule{
		ID: "availability.one-day", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-12",
		Needs: []string{"availability.shape", "availability.slot.permanent"},
		Title: "A one-day window shows that day's slots",
		Why:   "Checkout asks for the one day: a slot that is missing there cannot be sold.",
		Fix:   "Treat localDateEnd as inclusive: start and end may be the same date.",
	}
	WindowEnd = Rule{
		ID: "availability.window-end", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-12",
		Needs: []string{"availability.one-day"},
		Title: "The last day of a long window is part of it",
		Why:   "Slots of the last day would never be seen by a sync.",
		Fix:   "Treat localDateEnd as inclusive, to the end of that day in the product's time zone.",
	}
	EmptyWindow = Rule{
		ID: "availability.empty", Level: Must, Endpoint: partnerapi.Availability, Clause: "AVL-3", Needs: []string{"availability.shape"},
		Title: "A window without slots is answered with 200 and an empty array",
		Why:   "A 404 or an error is a failure of the partner, where there is only nothing to sell.",
		Fix:   "Answer 200 with [] when nothing is found.",
	}
	SlotWithinCapacity = Rule{
		ID: "availability.slot.within-capacity", Level: Should, Endpoint: partnerapi.Availability, Clause: "AVL-13",
		Needs: []string{"availability.shape", "availability.slot.vacancies", "availability.slot.capacity"},
		Title: "A slot has no more vacancies than capacity",
		Why:   "One of the two numbers is wrong, and the seats may not exist.",
		Fix:   "Compute vacancies as capacity less held and booked seats.",
	}
	SlotSoldOutEmpty = Rule{
		ID: "availability.slot.sold-out-empty", Level: Should, Endpoint: partnerapi.Availability, Clause: "AVL-13",
		Needs: []string{"availability.shape", "availability.slot.vacancies", "availability.slot.status"},
		Title: "A sold-out slot has no vacancies",
		Why:   "Seats are left, but nobody can buy them.",
		Fix:   "Derive SOLD_OUT from the vacancies.",
	}
	SlotOpenHasSeats = Rule{
		ID: "availability.slot.open-has-seats", Level: Should, Endpoint: partnerapi.Availability, Clause: "AVL-13",
		Needs: []string{"availability.shape", "availability.slot.vacancies", "availability.slot.status"},
		Title: "An AVAILABLE or LIMITED slot has vacancies",
		Why:   "Customers start a checkout that can only be refused.",
		Fix:   "Show SOLD_OUT when the last seat is taken.",
	}
	SlotFreesaleUncounted = Rule{
		ID: "availability.slot.freesale-uncounted", Level: Should, Endpoint: partnerapi.Availability, Clause: "AVL-13",
		Needs: []string{"availability.shape", "availability.slot.vacancies", "availability.slot.status"},
		Title: "A FREESALE slot counts no vacancies",
		Why:   "FREESALE says that there is no limit: the number is not read.",
		Fix:   "Leave vacancies out, or null, or use AVAILABLE where seats are counted.",
	}
	AvailabilityContentType = contentType(partnerapi.Availability, "availability.json")
	AvailabilityWrongKey    = wrongKey(partnerapi.Availability, "availability.json")
	AvailabilityMissingKey  = missingKey(partnerapi.Availability)
	AvailabilityLimit       = limit(partnerapi.Availability)
	AvailabilityAim         = Rule{
		ID: "availability.aim", Level: Should, Endpoint: partnerapi.Availability, Clause: "LIM-2", Needs: []string{"availability.limit"},
		Title: "Availability is answered within 15 s",
		Why:   "The limit is 20 s; whoever needs more than 15 crosses it on a busy day.",
		Fix:   "Answer from data at hand, and read the window with one query.",
	}

	availabilityRules = []Rule{
		AvailabilityStatus, AvailabilityJSON, AvailabilityShape,
		SlotID, SlotStart, SlotEnd, SlotStatus, SlotVacancies, SlotCapacity, SlotUnitPricing,
		SlotPriceUnitID, SlotPriceUnitType, SlotPriceAmount, SlotPriceCurrency, SlotPricePrecision, SlotFields,
		SlotKnownUnit, SlotUnique, SlotPermanent, SlotWindow, SlotEndsLater, OneDay, WindowEnd, EmptyWindow,
		SlotWithinCapacity, SlotSoldOutEmpty, SlotOpenHasSeats, SlotFreesaleUncounted, AvailabilityContentType,
		AvailabilityWrongKey, AvailabilityMissingKey, AvailabilityLimit, AvailabilityAim,
	}
)
