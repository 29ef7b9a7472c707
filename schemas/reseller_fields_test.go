package schemas_test

import (
	"slices"
	"strings"

	"partnerkit.dev/schemas"
)

const pricingUnitText = `{"type": "ADULT", "label": "", "min_age": null, "max_age": null, "price": 1.5}`

func resellerFields() fields {
	return slices.Concat(
		must("reseller/public-variation-pricing", "/discount_percentage").number(),
		shown("reseller/public-variation-pricing", "/group_price").number(),
		must("reseller/public-variation-pricing", "/units").lawful(`[]`, `[`+pricingUnitText+`]`).list(),

		must("reseller/pricing-unit", "/type", "/label").anyText(),
		shown("reseller/pricing-unit", "/min_age").integer().lawful(`0`),
		shown("reseller/pricing-unit", "/max_age").integer().lawful(`17`),
		must("reseller/pricing-unit", "/price").number(),

		must("reseller/pagination", "/pageSize").integer().lawful(`1`, `100`).not("minimum", `0`),
		must("reseller/pagination", "/page").integer().lawful(`1`).not("minimum", `0`),
		must("reseller/pagination", "/totalCount").integer().lawful(`0`).not("minimum", `-1`),

		must(schemas.ActivitiesAnswer, "/data").lawful(`[]`).list(),

		must(schemas.ActivityAnswer, "/data").lawful(activityText).object(),

		must("reseller/affiliate-activity", "/affiliate_url").anyText(),

		must("reseller/affiliate-activities-answer", "/data").lawful(`[]`).list(),

		must(schemas.CalendarAnswer, "/data").lawful(`[]`).list(),

		must("reseller/calendar-day", "/date").date(),
		must("reseller/calendar-day", "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT", "NONE").not("enum", `"CLOSED"`),
		shown("reseller/calendar-day", "/from_price").number(),
		must("reseller/calendar-day", "/currency").currency(),
		must("reseller/calendar-day", "/slots").integer().lawful(`0`).not("minimum", `-1`),
		shown("reseller/calendar-day", "/vacancies").integer().lawful(`0`).not("minimum", `-1`),

		must(schemas.SlotsAnswer, "/data").lawful(`[]`).list(),

		must("reseller/slot", "/availability_id").id(),
		must("reseller/slot", "/start", "/end").dateTime(),
		must("reseller/slot", "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT").not("enum", `"CLOSED"`),
		must("reseller/slot", "/bookable").flag(),
		shown("reseller/slot", "/vacancies", "/capacity").integer().lawful(`0`).not("minimum", `-1`),
		must("reseller/slot", "/currency").currency(),
		must("reseller/slot", "/pricing").lawful(`{"group_price": 180, "discount_percentage": 0, "units": []}`).object(),

		must(schemas.ResellerError, "/success").success(`0`, `1`),
		must(schemas.ResellerError, "/error").texts(),
		must(schemas.ResellerError, "/message").anyText(),
		must(schemas.ResellerError, "/code").lawful(`400`, `500`).not("type", `"400"`, `400.5`).not("minimum", `200`).not("maximum", `600`),
	)
}

func activityFields() fields {
	const schema = schemas.Activity
	return slices.Concat(
		activityBaseFields(schema),
		must(schema, "/activity_type/name", "/status", "/location/country/id", "/location/country/name", "/location/city", "/location/region",
			"/media/0/imageUrl", "/partner_details/name", "/partner_details/partner_category", "/partner_details/profileImage").anyText(),
		must(schema, "/location/country").lawful(`{"id": "", "name": ""}`).object(),
		must(schema, "/partner_details/companyDetails").lawful(`{}`, `{"vat": "PT1"}`).object(),
		must(schema, "/serviceFee").number(),
	)
}

// activityBaseFields are those that resellers and operators read alike.
func activityBaseFields(schema string) fields {
	return slices.Concat(
		must(schema, "/_id").id(),
		must(schema, "/activity_title", "/main_promo_title", "/short_description", "/description", "/address").anyText(),
		must(schema, "/activity_type").lawful(`{"name": ""}`).object(),
		must(schema, "/one_time_activity").flag(),
		shown(schema, "/admin_price_percentage", "/admin_discount_percentage").number(),
		must(schema, "/location").lawful(`{"country": {"id": "", "name": ""}, "city": "", "region": ""}`).object(),
		must(schema, "/categories", "/tags").texts(),
		must(schema, "/media").lawful(`[]`, `[{"imageUrl": ""}]`).list(),
		must(schema, "/partner_details").object().lawful(`{"name": "", "partner_category": "", "companyDetails": {}, "profileImage": ""}`),
		must(schema, "/translation").lawful(`{}`, `{"de": {}}`).object().notBelow("/de", "type", `{"de": "Spaziergang"}`),
		must(schema, "/currency").currency(),
		must(schema, "/variations").lawful(`[]`).list(),
	)
}

func variationFields() fields {
	const schema = "reseller/activity-variation"
	const pickUp, dropOff = "/pickup/pick_up_address", "/pickup/drop_off_address"
	return slices.Concat(
		variationBaseFields(schema),
		must(schema, "/itinerary/0/title", "/itinerary/0/description", "/media/imageUrl", "/tourGuides/0/tour_guide_id", "/tourGuides/0/name",
			"/pickup/type", pickUp+"/address", dropOff+"/address").anyText(),
		must(schema, "/duration/hours", "/duration/days", pickUp+"/lat", pickUp+"/lng", dropOff+"/lat", dropOff+"/lng").number(),
		must(schema, "/includes/transportation_methods", "/includes/food", "/includes/drinks", "/includes/including", "/includes/excluding").texts(),
		must(schema, "/pricing").lawful(`{"group_price": 1, "discount_percentage": 0, "units": []}`).object(),
		must(schema, "/itinerary").lawful(`[]`, `[{"title": "", "description": ""}]`).list(),
		must(schema, "/instant_confirmation").flag(),
		must(schema, "/tourGuides").lawful(`[]`, `[{"tour_guide_id": "", "name": ""}]`).list(),
		must(schema, "/external_sync").lawful(`{"external_option_id": null}`).object(),
		shown(schema, "/external_sync/external_option_id").anyText(),
		must(schema, pickUp, dropOff).lawful(`{"address": "", "lat": 0, "lng": -9.14}`).object(),
	)
}

// variationBaseFields are those that resellers and operators read alike.
func variationBaseFields(schema string) fields {
	const place = `{"address": "", "lat": 0, "lng": -9.14}`
	return slices.Concat(
		must(schema, "/_id").id(),
		must(schema, "/title", "/description", "/cancellation_policy", "/cut_off_time", "/notes").anyText(),
		must(schema, "/sort", "/capacity", "/max_no_booking").number(),
		must(schema, "/language").texts(),
		must(schema, "/availability_type").oneOf("START_TIME", "OPENING_HOURS"),
		must(schema, "/duration").lawful(`{"hours": 0, "days": 2}`).object(),
		must(schema, "/includes").object().lawful(`{"transportation_methods": [], "food": [], "drinks": [], "including": [], "excluding": []}`),
		must(schema, "/media").lawful(`{"imageUrl": ""}`).object(),
		must(schema, "/pickup").lawful(`{"type": "", "pick_up_address": `+place+`, "drop_off_address": `+place+`}`).object(),
	)
}

const activityText = `{"_id": "a-1", "activity_type": {"name": "Tour"}, "activity_title": "Old town walk", "main_promo_title": "",
	"short_description": "Two hours and a half through the old town.", "description": "", "address": "", "status": "Active",
	"one_time_activity": false, "admin_price_percentage": null, "admin_discount_percentage": 5, "location": {"country": {"id": "PT", "name": "Portugal"}, "city": "Lisbon", "region": ""},
	"categories": ["Walking tours"], "tags": [], "media": [{"imageUrl": "https://images.example.com/a-1.jpg"}], "partner_details": {"name": "Old Town Walks", "partner_category": "", "companyDetails": {}, "profileImage": ""},
	"currency": "EUR", "serviceFee": 1.5, "translation": {"pt": {"activity_title": "Passeio pela cidade velha"}}, "variations": []}`

const bookingText = `{"_id": "b", "status": "HELD", "release_reason": null, "activity_id": "a", "variation_id": "v", "availability_id": "s", ` +
	`"start": "2026-07-10T09:30:00+01:00", "end": "2026-07-10T12:00:00+01:00", "units": [], "currency": "EUR", "total": 0, "contact": {}, "affiliate_code": null, ` +
	`"reseller_reference": "", "created_at": "2026-07-01T08:00:00Z", "expires_at": null, "external_booking_id": null, "tickets": [], "attention": null, ` +
	`"partner_release": null, "partner_cancellation": null, "history": []}`

// reservationFields are those of what resellers book.
func reservationFields() fields {
	const schema = "booking/booking"
	return slices.Concat(
		must(schema, "/_id", "/activity_id", "/variation_id").id(),
		may(schema, "/reseller_id", "/integration_id").id(),
		must(schema, "/status").oneOf("HELD", "PAID", "CONFIRMED", "RELEASED", "CANCELLED", "RESERVING", "REFUSED", "LOST"),
		shown(schema, "/release_reason").oneOf("abandoned", "payment_failed", "expired", "unwanted", "withdrawn"),
		must(schema, "/availability_id", "/reseller_reference", "/attention/message").anyText(),
		must(schema, "/start", "/end", "/created_at", "/attention/since", "/history/0/at").dateTime(),
		must(schema, "/units").lawful(`[]`, `[{"type": "ADULT", "quantity": 2, "price": null}]`).list(),
		must(schema, "/units/0/type").oneOf("ADULT", "CHILD", "INFANT", "SENIOR", "STUDENT"),
		must(schema, "/units/0/quantity").integer(),
		shown(schema, "/units/0/price").number(),
		must(schema, "/currency").currency(),
		must(schema, "/total").number(),
		must(schema, "/contact").lawful(`{}`, `{"fullName": "Ana"}`).object(),
		shown(schema, "/affiliate_code").id(),
		shown(schema, "/expires_at").dateTime(),
		shown(schema, "/external_booking_id").anyText(),
		must(schema, "/tickets", "/history").lawful(`[]`).list(),
		shown(schema, "/attention").lawful(`{"reason": "late_payment", "since": "2026-07-01T08:05:00Z", "message": "", "actions": []}`).object(),
		must(schema, "/attention/reason").oneOf("confirm_refused", "confirm_unknown", "late_payment", "duplicate_payment", "reserve_unknown", "release_failed", "cancel_failed"),
		must(schema, "/attention/actions").lawful(`[]`, `["confirm", "cancel", "deliver", "resolve"]`).not("type", `{}`, `"x"`).notBelow("/0", "enum", `["sing"]`),
		shown(schema, "/partner_release", "/partner_cancellation").oneOf("pending", "done", "not_supported", "failed"),
		must(schema, "/history/0/kind").oneOf("move", "call"),
		may(schema, "/history/0/from", "/history/0/to", "/history/0/why", "/history/0/endpoint", "/history/0/error").anyText(),
		may(schema, "/history/0/status", "/history/0/duration_ms").integer(),

		must("booking/booking-answer", "/data").lawful(bookingText).object(),

		must("booking/bookings-answer", "/data").lawful(`[]`, `[`+bookingText+`]`).list(),

		must("booking/booking-request", "/activity_id", "/variation_id").id(),
		must("booking/booking-request", "/availability_id").id().upTo(1000),
		must("booking/booking-request", "/units").lawful(`[{"type": "CHILD", "quantity": 1}]`).list().not("minItems", `[]`).
			not("maxItems", `[`+strings.Repeat(`{"type": "ADULT", "quantity": 1},`, 10)+`{"type": "ADULT", "quantity": 1}]`),
		must("booking/booking-request", "/units/0/type").oneOf("ADULT", "CHILD", "INFANT", "SENIOR", "STUDENT"),
		must("booking/booking-request", "/units/0/quantity").integer().lawful(`1`, `1000`).not("minimum", `0`).not("maximum", `1001`),
		must("booking/booking-request", "/contact").lawful(`{"fullName": "Ana", "emailAddress": "ana@example.com", "phoneNumber": null}`).object(),
		must("booking/booking-request", "/contact/fullName").id().upTo(200),
		must("booking/booking-request", "/contact/emailAddress").id().upTo(254),
		may("booking/booking-request", "/contact/phoneNumber").anyText().upTo(50),
		may("booking/booking-request", "/currency").currency(),
		may("booking/booking-request", "/affiliate_code").id(),
		may("booking/booking-request", "/reseller_reference").anyText().upTo(200),

		must("booking/payment-request", "/outcome").oneOf("succeeded", "failed"),
		must("booking/payment-request", "/reference").id().upTo(200),

		may("booking/cancel-request", "/reason").anyText().upTo(500),

		must("booking/commissions-answer", "/data").lawful(`[]`).list(),
		must("booking/commissions-answer", "/data/0/booking_id").id(),
		must("booking/commissions-answer", "/data/0/status").oneOf("accrued", "reversed"),
		must("booking/commissions-answer", "/data/0/currency").currency(),
		must("booking/commissions-answer", "/data/0/amount").number(),
		must("booking/commissions-answer", "/data/0/accrued_at").dateTime(),
		shown("booking/commissions-answer", "/data/0/reversed_at").dateTime(),
	)
}
