package schemas_test

import "partnerkit.dev/schemas"

const (
	deliveryText = `{"deliveryFormat": "QRCODE", "deliveryMethod": "TICKET", "deliveryValue": "x"}`
	ticketText   = `{"redemptionMethod": "DIGITAL", "deliveryOptions": [` + deliveryText + `]}`
)

func bookingFields() []field {
	return []field{
		must(schemas.ReserveRequest, "/productId").id(),
		must(schemas.ReserveRequest, "/optionId").id(),
		must(schemas.ReserveRequest, "/availabilityId").id(),
		must(schemas.ReserveRequest, "/units").lawful(`[{"id": "unit-adult", "quantity": 2}]`).not("minItems", `[]`).list().
			notBelow("/0/quantity", "minimum", `[{"id": "unit-adult", "quantity": 0}]`),
		may(schemas.ReserveRequest, "/contact").lawful(`{}`, `{"fullName": null}`).object(),
		may(schemas.ReserveRequest, "/resellerReference").anyText(),

		may(schemas.Contact, "/fullName").anyText(),
		may(schemas.Contact, "/emailAddress").anyText(),
		may(schemas.Contact, "/phoneNumber").anyText(),

		must(schemas.ReserveAnswer, "/reservationConfirmationCode").id(),
		must(schemas.ReserveAnswer, "/expiresAt").dateTime(),

		must(schemas.ConfirmRequest, "/reservationConfirmationCode").id(),
		may(schemas.ConfirmRequest, "/contact").lawful(`{}`, `{"emailAddress": "a@example.com"}`).object(),
		may(schemas.ConfirmRequest, "/resellerReference").anyText(),

		must(schemas.ConfirmAnswer, "/externalBookingId").id(),
		must(schemas.ConfirmAnswer, "/status").anyText(),
		may(schemas.ConfirmAnswer, "/uuid").anyText(),
		may(schemas.ConfirmAnswer, "/productId").anyText(),
		may(schemas.ConfirmAnswer, "/optionId").anyText(),
		may(schemas.ConfirmAnswer, "/availabilityId").anyText(),
		may(schemas.ConfirmAnswer, "/contact").lawful(`{}`, `{"unknown": 1}`).object(),
		may(schemas.ConfirmAnswer, "/tickets").lawful(`[]`, `[`+ticketText+`]`).list(),

		must(schemas.ConfirmAnswerWithTickets, "/tickets").lawful(`[`+ticketText+`]`).not("minItems", `[]`).list(),

		must(schemas.Ticket, "/redemptionMethod").anyText(),
		must(schemas.Ticket, "/deliveryOptions").lawful(`[]`, `[`+deliveryText+`]`).list(),

		must(schemas.DeliveryOption, "/deliveryFormat").oneOf("QRCODE", "CODE128", "PDF_URL", "AZTEC", "EAN13"),
		must(schemas.DeliveryOption, "/deliveryMethod").oneOf("TICKET", "VOUCHER"),
		must(schemas.DeliveryOption, "/deliveryValue").id(),

		must(schemas.ReleaseRequest, "/reservationConfirmationCode").id(),
		must(schemas.ReleaseAnswer, "/success").flag(),
		may(schemas.ReleaseAnswer, "/message").anyText(),

		may(schemas.CancelRequest, "/reason").anyText(),
		must(schemas.CancelAnswer, "/success").flag(),
		may(schemas.CancelAnswer, "/message").anyText(),

		must(schemas.Refusal, "/message").id(),
	}
}
