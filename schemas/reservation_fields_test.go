package schemas_test

import (
	"strings"

	"partnerkit.dev/schemas"
)

const bookingText = `{"_id": "b", "status": "HELD", "release_reason": null, "activity_id": "a", "variation_id": "v", "availability_id": "s", ` +
	`"start": "2026-07-10T09:30:00+01:00", "end": "2026-07-10T12:00:00+01:00", "units": [], "currency": "EUR", "total": 0, "contact": {}, "affiliate_code": null, ` +
	`"reseller_reference": "", "created_at": "2026-07-01T08:00:00Z", "expires_at": null, "external_booking_id": null, "tickets": [], "attention": null, ` +
	`"partner_release": null, "partner_cancellation": null, "history": []}`

// reservationFields are those of what resellers book.
func reservationFields() []field {
	const schema = schemas.Booking
	return []field{
		must(schema, "/_id").id(),
		may(schema, "/reseller_id").id(),
		may(schema, "/integration_id").id(),
		must(schema, "/status").oneOf("HELD", "PAID", "CONFIRMED", "RELEASED", "CANCELLED", "RESERVING", "REFUSED", "LOST"),
		shown(schema, "/release_reason").oneOf("abandoned", "payment_failed", "expired", "unwanted", "withdrawn"),
		must(schema, "/activity_id").id(),
		must(schema, "/variation_id").id(),
		must(schema, "/availability_id").anyText(),
		must(schema, "/start").dateTime(),
		must(schema, "/end").dateTime(),
		must(schema, "/units").lawful(`[]`, `[{"type": "ADULT", "quantity": 2, "price": null}]`).list(),
		must(schema, "/units/0/type").oneOf("ADULT", "CHILD", "INFANT", "SENIOR", "STUDENT"),
		must(schema, "/units/0/quantity").integer(),
		shown(schema, "/units/0/price").number(),
		must(schema, "/currency").currency(),
		must(schema, "/total").number(),
		must(schema, "/contact").lawful(`{}`, `{"fullName": "Ana"}`).object(),
		shown(schema, "/affiliate_code").id(),
		must(schema, "/reseller_reference").anyText(),
		must(schema, "/created_at").dateTime(),
		shown(schema, "/expires_at").dateTime(),
		shown(schema, "/external_booking_id").anyText(),
		must(schema, "/tickets").lawful(`[]`).list(),
		shown(schema, "/attention").lawful(`{"reason": "late_payment", "since": "2026-07-01T08:05:00Z", "message": "", "actions": []}`).object(),
		must(schema, "/attention/reason").oneOf("confirm_refused", "confirm_unknown", "late_payment", "duplicate_payment", "reserve_unknown", "release_failed", "cancel_failed"),
		must(schema, "/attention/since").dateTime(),
		must(schema, "/attention/message").anyText(),
		must(schema, "/attention/actions").lawful(`[]`, `["confirm", "cancel", "deliver", "resolve"]`).not("type", `{}`, `"x"`).notBelow("/0", "enum", `["sing"]`),
		shown(schema, "/partner_release").oneOf("pending", "done", "not_supported", "failed"),
		shown(schema, "/partner_cancellation").oneOf("pending", "done", "not_supported", "failed"),
		must(schema, "/history").lawful(`[]`).list(),
		must(schema, "/history/0/at").dateTime(),
		must(schema, "/history/0/kind").oneOf("move", "call"),
		may(schema, "/history/0/from").anyText(),
		may(schema, "/history/0/to").anyText(),
		may(schema, "/history/0/why").anyText(),
		may(schema, "/history/0/endpoint").anyText(),
		may(schema, "/history/0/status").integer(),
		may(schema, "/history/0/duration_ms").integer(),
		may(schema, "/history/0/error").anyText(),

		must(schemas.BookingAnswer, "/success").success(`1`, `0`),
		must(schemas.BookingAnswer, "/data").lawful(bookingText).object(),
		must(schemas.BookingsAnswer, "/success").success(`1`, `0`),
		must(schemas.BookingsAnswer, "/data").lawful(`[]`, `[`+bookingText+`]`).list(),
		must(schemas.BookingsAnswer, "/pagination").lawful(paginationText).object(),

		must(schemas.BookingRequest, "/activity_id").id(),
		must(schemas.BookingRequest, "/variation_id").id(),
		must(schemas.BookingRequest, "/availability_id").id().upTo(1000),
		must(schemas.BookingRequest, "/units").lawful(`[{"type": "CHILD", "quantity": 1}]`).list().not("minItems", `[]`).
			not("maxItems", `[`+strings.Repeat(`{"type": "ADULT", "quantity": 1},`, 10)+`{"type": "ADULT", "quantity": 1}]`),
		must(schemas.BookingRequest, "/units/0/type").oneOf("ADULT", "CHILD", "INFANT", "SENIOR", "STUDENT"),
		must(schemas.BookingRequest, "/units/0/quantity").integer().lawful(`1`, `1000`).not("minimum", `0`).not("maximum", `1001`),
		must(schemas.BookingRequest, "/contact").lawful(`{"fullName": "Ana", "emailAddress": "ana@example.com", "phoneNumber": null}`).object(),
		must(schemas.BookingRequest, "/contact/fullName").id().upTo(200),
		must(schemas.BookingRequest, "/contact/emailAddress").id().upTo(254),
		may(schemas.BookingRequest, "/contact/phoneNumber").anyText().upTo(50),
		may(schemas.BookingRequest, "/currency").currency(),
		may(schemas.BookingRequest, "/affiliate_code").id(),
		may(schemas.BookingRequest, "/reseller_reference").anyText().upTo(200),

		must(schemas.PaymentRequest, "/outcome").oneOf("succeeded", "failed"),
		must(schemas.PaymentRequest, "/reference").id().upTo(200),
		may(schemas.CancelBooking, "/reason").anyText().upTo(500),

		must(schemas.CommissionsAnswer, "/success").success(`1`, `0`),
		must(schemas.CommissionsAnswer, "/data").lawful(`[]`).list(),
		must(schemas.CommissionsAnswer, "/data/0/booking_id").id(),
		must(schemas.CommissionsAnswer, "/data/0/status").oneOf("accrued", "reversed"),
		must(schemas.CommissionsAnswer, "/data/0/currency").currency(),
		must(schemas.CommissionsAnswer, "/data/0/amount").number(),
		must(schemas.CommissionsAnswer, "/data/0/accrued_at").dateTime(),
		shown(schemas.CommissionsAnswer, "/data/0/reversed_at").dateTime(),
		must(schemas.CommissionsAnswer, "/pagination").lawful(paginationText).object(),
	}
}
