package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /availability: the answer and its fields.
var (
	AvailabilityStatus = availability.must("availability.status", "AVL-3", "Availability answers 200").needs("products.shape").
				withReason("After any other status, the marketplace has no current slots for the option, and the failure counts against the partner's health.").
				fix("Answer 200, with the slots, for every option of the catalog and for every window within the next 60 days.")
	AvailabilityJSON = availability.must("availability.json", "GEN-1", "Availability answers with one complete JSON document").needs("availability.status").
				withReason("The marketplace cannot store slots that it cannot parse, so it turns customers away at checkout.").
				fix("Send one complete JSON text in UTF-8, with nothing before or after it.")
	AvailabilityShape = availability.must("availability.shape", "AVL-3", "Availability answers with an array of slots").needs("availability.json").
				withReason("The marketplace finds no slots in any other shape.").
				fix("Answer with the array itself. Do not wrap it in an object.")
	SlotID = availability.field("availability.slot.id", "AVL-4", "Every slot has an id",
		"The marketplace sends the slot's id when it reserves.", "Send id as a string that is not empty.", "/id")
	SlotStart = availability.field("availability.slot.start", "AVL-4", "Every slot's start is a date-time with a UTC offset",
		"Without an offset, the marketplace cannot tell in which time zone a tour starts at nine.", "Send ISO 8601 with an offset, such as 2026-07-01T09:00:00+01:00.", "/localDateTimeStart")
	SlotEnd = availability.field("availability.slot.end", "AVL-4", "Every slot's end is a date-time with a UTC offset",
		"Customers see a wrong duration in the calendar if the end has no offset.", "Send ISO 8601 with an offset, such as 2026-07-01T11:00:00+01:00.", "/localDateTimeEnd")
	SlotStatus = availability.field("availability.slot.status", "AVL-4", "Every slot's status is one of the five in the contract",
		"The marketplace decides by the status whether to sell, show or hide the slot.", "Send AVAILABLE, FREESALE, LIMITED, SOLD_OUT or CLOSED, in capitals.", "/status")
	SlotVacancies = availability.field("availability.slot.vacancies", "AVL-5", "A slot's vacancies are an integer of 0 or more",
		"The marketplace offers customers this number of seats.", "Send vacancies as an integer of 0 or more, or omit it if you do not count seats.", "/vacancies")
	SlotCapacity = availability.field("availability.slot.capacity", "AVL-5", "A slot's capacity is an integer of 0 or more",
		"The marketplace shows this number of seats to resellers.", "Send capacity as an integer of 0 or more, or omit it.", "/capacity")
	SlotUnitPricing = availability.field("availability.slot.unit-pricing", "AVL-6", "A slot's own prices are an array of objects",
		"The slot's own prices take precedence over the option's. If they cannot be read, the slot is not stored.", "Send unitPricing as an array of objects, or omit it.", "/unitPricing", "/unitPricing/*")
	SlotPriceUnitID = availability.field("availability.unit-pricing.unit-id", "AVL-6", "Every slot price names its unit",
		"The marketplace ignores a price that does not name a unit.", "Send unitId as a string that is not empty.", "/unitPricing/*/unitId")
	SlotPriceUnitType = availability.field("availability.unit-pricing.unit-type", "AVL-6", "A slot price's unit type is one of the five in the contract",
		"The marketplace reads the unit type whenever it is present.", "Send ADULT, CHILD, INFANT, SENIOR or STUDENT in unitType (or type), or omit the field.", "/unitPricing/*/unitType", "/unitPricing/*/type")
	SlotPriceAmount = availability.field("availability.unit-pricing.amount", "AVL-6", "Every slot price is an integer of 0 or more in the smallest currency unit",
		"The customer pays this amount. Values such as 22.5 or \"2250\" would lead to a wrong price.", "Send original (or retail, or price) as an integer: 2250 for 22.50 euros. Send 0 only for what is free of charge.", "/unitPricing/*/original", "/unitPricing/*/retail", "/unitPricing/*/price")
	SlotPriceCurrency = availability.field("availability.unit-pricing.currency", "AVL-6", "Every slot price names its ISO 4217 currency",
		"The marketplace cannot convert a price without a currency.", "Send the ISO 4217 code, in capitals, of the currency that the amount is in.", "/unitPricing/*/currency")
	SlotPricePrecision = availability.field("availability.unit-pricing.precision", "AVL-6", "A slot price's precision is an integer of 0 or more",
		"The marketplace divides the amount by 10 to the power of the precision, so a wrong precision leads to a wrong price.", "Send the number of the amount's decimals as an integer. Omit it only if the number is 2.", "/unitPricing/*/currencyPrecision")
	SlotFields = availability.field("availability.fields", "AVL-4", "Every other field of a slot matches the schema",
		"The marketplace does not store a slot that does not match the schema.", "Compare the slot with schemas/partner/slot.schema.json.", "/**")
)

// POST /availability: what slots, windows and calls show together.
var (
	SlotKnownUnit = availability.must("availability.unit-pricing.known-unit", "AVL-7", "Every slot price is for a unit of the option, and a type that it names is that unit's").
			needs("availability.shape", "availability.unit-pricing.unit-id").
			withReason("The marketplace never uses a price for an unknown unit. It charges the option's price instead. If id and type differ, it cannot be said whose price it is.").
			fix("Use the unit ids and types of the catalog in unitPricing.")
	SlotUnique = availability.must("availability.slot.unique", "AVL-8", "Slot ids are unique within an answer").needs("availability.shape").
			withReason("If two slots share an id, one overwrites the other, and reserve can take the wrong one.").
			fix("List every slot once, with a stored key as its id, or one of the option, the date, the time and what sets slots of one time apart.")
	SlotPermanent = availability.must("availability.slot.permanent", "AVL-8", "A slot keeps its id from one call to the next").
			needs("availability.shape", "availability.slot.unique").
			withReason("The marketplace reserves with the id that it stored. A changed id costs a second call, or the sale.").
			fix("Derive the id from stored data, never from a random number, a position or the time of the call.")
	SlotWindow = availability.must("availability.window", "AVL-10", "Every slot starts within the requested window").needs("availability.shape").
			withReason("The marketplace sells a slot of another day under a wrong date, or twice.").
			fix("Compare the start, in the product's time zone, with both dates of the window. Both dates are inclusive.")
	SlotEndsLater = availability.must("availability.slot.ends-later", "AVL-11", "Every slot ends after it starts").needs("availability.shape").
			withReason("Customers see a negative duration.").
			fix("Check the dates of tours that pass midnight: the end is on the next day.")
	OneDay = availability.must("availability.one-day", "AVL-12", "A one-day window returns the same slots for that day as a longer window").
		needs("availability.shape", "availability.slot.permanent").
		withReason("Checkout requests a single day. The marketplace cannot sell a slot that is missing from that answer, and charges the price in it.").
		fix("Treat localDateEnd as inclusive: start and end may be the same date. Show a slot with the same end and prices in every window.")
	WindowEnd = availability.must("availability.window-end", "AVL-12", "A long window includes its last day").needs("availability.one-day").
			withReason("A sync never sees the slots of an omitted last day, so they are not sold.").
			fix("Treat localDateEnd as inclusive, to the end of that day in the product's time zone.")
	EmptyWindow = availability.must("availability.empty", "AVL-3", "Availability answers 200 with an empty array for a window without slots").needs("availability.shape").
			withReason("A 404 or an error counts as a failure of the partner, although the window is only empty.").
			fix("Look up the product and the option by their ids exactly as the catalog sends them. If the window then has no slots, answer 200 with [].")
	SlotWithinCapacity = availability.should("availability.slot.within-capacity", "AVL-13", "A slot's vacancies do not exceed its capacity").
				needs("availability.shape", "availability.slot.vacancies", "availability.slot.capacity").
				withReason("One of the two numbers is wrong, so customers can be offered seats that do not exist.").
				fix("Compute vacancies as capacity minus held and booked seats. Do not raise the capacity to fit the vacancies.")
	SlotSoldOutEmpty = availability.should("availability.slot.sold-out-empty", "AVL-13", "A SOLD_OUT slot has no vacancies").
				needs("availability.shape", "availability.slot.vacancies", "availability.slot.status").
				withReason("The slot has free seats, but no customer can buy them.").
				fix("Derive SOLD_OUT from the vacancies. If the slot may not be sold for another reason, send CLOSED. Do not send 0 for seats that are free.")
	SlotOpenHasSeats = availability.should("availability.slot.open-has-seats", "AVL-13", "An AVAILABLE or LIMITED slot has vacancies").
				needs("availability.shape", "availability.slot.vacancies", "availability.slot.status").
				withReason("Customers start a checkout that the partner must refuse.").
				fix("Send the seats that are free. Set the status to SOLD_OUT only when the last of them is taken.")
	SlotFreesaleUncounted = availability.should("availability.slot.freesale-uncounted", "AVL-13", "A FREESALE slot states no vacancies").
				needs("availability.shape", "availability.slot.vacancies", "availability.slot.status").
				withReason("FREESALE means that seats are unlimited, so the marketplace ignores the number.").
				fix("Omit vacancies or send null. If you count seats, use AVAILABLE instead.")
	SlotOffset = availability.should("availability.slot.offset", "AVL-15", "A slot's UTC offset is that of the product's time zone at that time").
			needs("availability.shape", "availability.slot.start", "availability.slot.end").
			withReason("A summer offset that is sent in winter, or the reverse, makes every guest an hour early or late.").
			fix("Compute the offset from the time zone database for the slot's own date, never from today's date or a constant. Times in UTC may end in Z.")
	AvailabilityContentType = availability.contentType(partnerapi.Availability, "availability.json")
	AvailabilityWrongKey    = availability.wrongKey(partnerapi.Availability, "availability.json")
	AvailabilityMissingKey  = availability.missingKey(partnerapi.Availability)
	AvailabilityLimit       = availability.limit(partnerapi.Availability)
	AvailabilityAim         = availability.should("availability.aim", "LIM-2", "Availability answers within 15 s").needs("availability.limit").
				withReason("The limit is 20 s. A partner that needs more than 15 s exceeds the limit on a busy day.").
				fix("Read the window from stored data with one query. Do not keep vacancies in a cache: a stale number sells a seat twice.")
)
