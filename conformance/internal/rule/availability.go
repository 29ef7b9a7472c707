package rule

import "partnerkit.dev/schemas/partnerapi"

// POST /availability: the answer and its fields.

var AvailabilityStatus = availability.must("availability.status", "AVL-3", "Availability is answered with 200").needs("products.shape").
	why("Any other status leaves the option without fresh slots and counts against the partner's health.").
	fix("Answer 200 to every option of the catalog and every window within the next 60 days.")
var AvailabilityJSON = availability.must("availability.json", "GEN-1", "Availability is one complete JSON document").needs("availability.status").
	why("Slots that cannot be read are not stored; at checkout the customer is turned away.").
	fix("Send one complete JSON text in UTF-8, with nothing before or after it.")
var AvailabilityShape = availability.must("availability.shape", "AVL-3", "Availability is an array of slots").needs("availability.json").
	why("In any other shape the marketplace finds no slot.").
	fix("Answer with the array itself, without an object around it.")
var SlotID = availability.field("availability.slot.id", "AVL-4", "Every slot has an id",
	"Reserve names the slot by it.", "Send id as a string that is not empty.", "/id")
var SlotStart = availability.field("availability.slot.start", "AVL-4", "Every slot's start is a date-time with an offset",
	"Without the offset, a tour at nine could start at nine in any time zone.", "Send ISO 8601 with an offset, such as 2026-07-01T09:00:00+01:00.", "/localDateTimeStart")
var SlotEnd = availability.field("availability.slot.end", "AVL-4", "Every slot's end is a date-time with an offset",
	"Calendars show the duration.", "Send ISO 8601 with an offset, such as 2026-07-01T11:00:00+01:00.", "/localDateTimeEnd")
var SlotStatus = availability.field("availability.slot.status", "AVL-4", "Every slot's status is one of the five",
	"The status decides whether the slot is sold, shown or hidden.", "Send AVAILABLE, FREESALE, LIMITED, SOLD_OUT or CLOSED, in capitals.", "/status")
var SlotVacancies = availability.field("availability.slot.vacancies", "AVL-5", "A slot's vacancies are a count of seats",
	"Customers are offered this many seats.", "Send vacancies as an integer of 0 or more, or leave it out where seats are not counted.", "/vacancies")
var SlotCapacity = availability.field("availability.slot.capacity", "AVL-5", "A slot's capacity is a count of seats",
	"Resellers are shown it.", "Send capacity as an integer of 0 or more, or leave it out.", "/capacity")
var SlotUnitPricing = availability.field("availability.slot.unit-pricing", "AVL-6", "A slot's own prices are an array of objects",
	"They take precedence over the option's prices.", "Send unitPricing as an array, or leave it out.", "/unitPricing", "/unitPricing/*")
var SlotPriceUnitID = availability.field("availability.unit-pricing.unit-id", "AVL-6", "Every slot price names its unit",
	"A price without a unit is ignored.", "Send unitId as a string that is not empty.", "/unitPricing/*/unitId")
var SlotPriceUnitType = availability.field("availability.unit-pricing.unit-type", "AVL-6", "A slot price's unit type is one of the five",
	"If it is present, the marketplace reads it.", "Send ADULT, CHILD, INFANT, SENIOR or STUDENT in unitType (or type), or leave it out.", "/unitPricing/*/unitType", "/unitPricing/*/type")
var SlotPriceAmount = availability.field("availability.unit-pricing.amount", "AVL-6", "Every slot price is an integer of 0 or more in the smallest currency unit",
	"It is what the customer pays: 22.5 or \"2250\" would be a wrong price.", "Send original (or retail, or price) as an integer: 2250 for 22.50 euros.", "/unitPricing/*/original", "/unitPricing/*/retail", "/unitPricing/*/price")
var SlotPriceCurrency = availability.field("availability.unit-pricing.currency", "AVL-6", "Every slot price names its ISO 4217 currency",
	"A price without a currency cannot be converted.", "Send codes such as EUR, in capitals.", "/unitPricing/*/currency")
var SlotPricePrecision = availability.field("availability.unit-pricing.precision", "AVL-6", "A slot price's precision is a number of decimals",
	"The amount is divided by 10 to this power.", "Send currencyPrecision as an integer of 0 or more, or leave it out.", "/unitPricing/*/currencyPrecision")
var SlotFields = availability.field("availability.fields", "AVL-4", "Everything else in a slot fits its schema",
	"A slot that does not fit is not stored.", "Compare the slot with schemas/partner/slot.schema.json.", "/**")

// POST /availability: what slots, windows and calls show together.

var SlotKnownUnit = availability.must("availability.unit-pricing.known-unit", "AVL-7", "Every slot price is for a unit of the option").
	needs("availability.shape", "availability.unit-pricing.unit-id").
	why("A price for an unknown unit is never used: the option's price is charged instead.").
	fix("Use the unit ids of the catalog in unitPricing[].unitId.")
var SlotUnique = availability.must("availability.slot.unique", "AVL-8", "No two slots of an answer share an id").needs("availability.shape").
	why("One slot would overwrite the other, and reserve could take the wrong one.").
	fix("Make the id of option, date and time, or of a stored key.")
var SlotPermanent = availability.must("availability.slot.permanent", "AVL-8", "A slot keeps its id from one call to the next").
	needs("availability.shape", "availability.slot.unique").
	why("The marketplace reserves by the id that it stored; a changed one costs a second call, or the sale.").
	fix("Derive the id from stored data; never from a random number, a position or the time of the call.")
var SlotWindow = availability.must("availability.window", "AVL-10", "Every slot starts within the window that was asked for").needs("availability.shape").
	why("Slots of other days are sold under a wrong date, or twice.").
	fix("Compare the start, in the product's time zone, with both dates, inclusive.")
var SlotEndsLater = availability.must("availability.slot.ends-later", "AVL-11", "Every slot ends after it starts").needs("availability.shape").
	why("A negative duration is shown to customers.").
	fix("For a tour past midnight the end's date is the next day's.")
var OneDay = availability.must("availability.one-day", "AVL-12", "Windows of any length show the same slots for a day").
	needs("availability.shape", "availability.slot.permanent").
	why("Checkout asks for the one day: a slot that is missing there cannot be sold.").
	fix("Treat localDateEnd as inclusive: start and end may be the same date.")
var WindowEnd = availability.must("availability.window-end", "AVL-12", "The last day of a long window is part of it").needs("availability.one-day").
	why("Slots of the last day would never be seen by a sync.").
	fix("Treat localDateEnd as inclusive, to the end of that day in the product's time zone.")
var EmptyWindow = availability.must("availability.empty", "AVL-3", "A window without slots is answered with 200 and an empty array").needs("availability.shape").
	why("A 404 or an error counts as a failure of the partner, although there is only nothing to sell.").
	fix("Answer 200 with [] when nothing is found.")
var SlotWithinCapacity = availability.should("availability.slot.within-capacity", "AVL-13", "A slot has no more vacancies than capacity").
	needs("availability.shape", "availability.slot.vacancies", "availability.slot.capacity").
	why("One of the two numbers is wrong, and the seats may not exist.").
	fix("Compute vacancies as capacity less held and booked seats.")
var SlotSoldOutEmpty = availability.should("availability.slot.sold-out-empty", "AVL-13", "A sold-out slot has no vacancies").
	needs("availability.shape", "availability.slot.vacancies", "availability.slot.status").
	why("Seats are left, but no customer can buy them.").
	fix("Derive SOLD_OUT from the vacancies.")
var SlotOpenHasSeats = availability.should("availability.slot.open-has-seats", "AVL-13", "An AVAILABLE or LIMITED slot has vacancies").
	needs("availability.shape", "availability.slot.vacancies", "availability.slot.status").
	why("Customers start a checkout that can only be refused.").
	fix("Show SOLD_OUT when the last seat is taken.")
var SlotFreesaleUncounted = availability.should("availability.slot.freesale-uncounted", "AVL-13", "A FREESALE slot counts no vacancies").
	needs("availability.shape", "availability.slot.vacancies", "availability.slot.status").
	why("FREESALE says that there is no limit: the number is not read.").
	fix("Leave vacancies out, or null, or use AVAILABLE where seats are counted.")
var AvailabilityContentType = availability.contentType(partnerapi.Availability, "availability.json")
var AvailabilityWrongKey = availability.wrongKey(partnerapi.Availability, "availability.json")
var AvailabilityMissingKey = availability.missingKey(partnerapi.Availability)
var AvailabilityLimit = availability.limit(partnerapi.Availability)
var AvailabilityAim = availability.should("availability.aim", "LIM-2", "Availability is answered within 15 s").needs("availability.limit").
	why("The limit is 20 s. A partner that needs more than 15 s exceeds it on a busy day.").
	fix("Answer from stored data, and read the window with one query.")
