package schemas_test

import (
	"slices"

	"partnerkit.dev/schemas"
)

// A whole option, unit and pricing entry, for the fields that hold arrays.
const (
	pricingText = `{"original": 100, "currency": "EUR"}`
	unitText    = `{"id": "unit-adult", "internalName": "", "type": "ADULT", "pricingFrom": [` + pricingText + `]}`
	optionText  = `{"id": "o", "internalName": "", "availabilityType": "START_TIME", "units": [` + unitText + `]}`
	productText = `{"id": "p", "internalName": "", "locale": "en", "timeZone": "UTC", "instantConfirmation": true, "options": [` + optionText + `]}`
)

func catalogFields() fields {
	return slices.Concat(
		must(schemas.ProductsAnswer, "/products").lawful(`[]`, `[`+productText+`]`).list(),

		must(schemas.Product, "/id").id(),
		must(schemas.Product, "/internalName").anyText(),
		must(schemas.Product, "/locale").lawful(`"en"`, `"pt-BR"`, `"zh-Hant-TW"`).not("type", `1`, `["en"]`).
			not("format", `""`, `"en_US"`, `"english language"`, `"e"`, `"x"`),
		must(schemas.Product, "/timeZone").lawful(`"Europe/Lisbon"`, `"UTC"`, `"America/Argentina/Buenos_Aires"`).not("type", `2`, `{}`).
			not("format", `""`, `"Local"`, `"Europe/Atlantis"`, `"+02:00"`, `"../../etc/passwd"`, `"/etc/localtime"`),
		must(schemas.Product, "/instantConfirmation").flag(),
		may(schemas.Product, "/allowFreesale").flag(),
		must(schemas.Product, "/options").lawful(`[`+optionText+`]`).not("minItems", `[]`).list(),
		may(schemas.Product, "/reference").anyText(),
		anything(schemas.Product, "/updatedAt").lawful(`"2026-07-01T09:00:00Z"`, `1782896400`, `null`),

		must("partner/option", "/id").id(),
		must("partner/option", "/internalName").anyText(),
		must("partner/option", "/availabilityType").oneOf("START_TIME", "OPENING_HOURS"),
		must("partner/option", "/units").lawful(`[]`, `[`+unitText+`]`).list(),
		may("partner/option", "/cancellationCutoff").anyText(),

		must("partner/unit", "/id").lawful(`"unit-senior"`).not("type", `7`, `[]`).not("minLength", `""`).not("const", `"unit-adult"`, `"u-1"`),
		must("partner/unit", "/internalName").anyText(),
		must("partner/unit", "/type").lawful(`"SENIOR"`).not("type", `1`, `["SENIOR"]`).not("enum", `""`, `"senior"`, `"PENSIONER"`),
		must("partner/unit", "/pricingFrom").lawful(`[`+pricingText+`]`).not("minItems", `[]`).list(),
		may("partner/unit", "/restrictions").lawful(`{}`, `{"minAge": 1}`).object(),

		may("partner/restrictions", "/minAge").integer().lawful(`0`, `65`),
		may("partner/restrictions", "/maxAge").integer().lawful(`0`, `17`).not("maximum", `9223372036854775808`),

		must("partner/pricing-entry", "/original").amount(),
		must("partner/pricing-entry", "/currency").currency(),
		may("partner/pricing-entry", "/currencyPrecision").precision(),
		may("partner/pricing-entry", "/retail", "/net").amount(),
	)
}

const unitPricingText = `{"unitId": "unit-adult", "original": 100, "currency": "EUR"}`

func slotFields() fields {
	return slices.Concat(
		must(schemas.AvailabilityRequest, "/productId", "/optionId").id(),
		must(schemas.AvailabilityRequest, "/localDateStart", "/localDateEnd").date(),
		must(schemas.AvailabilityRequest, "/units").lawful(`[{"id": "unit-adult", "quantity": 1}]`).list(),

		must("partner/unit-quantity", "/id").id(),
		must("partner/unit-quantity", "/quantity").integer().lawful(`1`, `40`).not("minimum", `0`, `-1`).not("maximum", `9223372036854775808`),

		must(schemas.Slot, "/id").id(),
		must(schemas.Slot, "/localDateTimeStart", "/localDateTimeEnd").dateTime(),
		must(schemas.Slot, "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT", "CLOSED"),
		may(schemas.Slot, "/vacancies", "/capacity").seats(),
		may(schemas.Slot, "/unitPricing").lawful(`[]`, `[`+unitPricingText+`]`).list(),

		must("partner/unit-pricing", "/unitId").id(),
		may("partner/unit-pricing", "/unitType").lawful(`"ADULT"`, `"STUDENT"`).not("enum", `""`, `"adult"`).not("type", `7`, `[]`),
		may("partner/unit-pricing", "/type").lawful(`"INFANT"`, `"SENIOR"`).not("enum", `""`, `"adult"`).not("type", `7`, `[]`),
		must("partner/unit-pricing", "/original").amount(),
		may("partner/unit-pricing", "/retail", "/price").amount(),
		must("partner/unit-pricing", "/currency").currency(),
		may("partner/unit-pricing", "/currencyPrecision").precision(),
	)
}

const (
	deliveryText = `{"deliveryFormat": "QRCODE", "deliveryMethod": "TICKET", "deliveryValue": "x"}`
	ticketText   = `{"redemptionMethod": "DIGITAL", "deliveryOptions": [` + deliveryText + `]}`
)

func bookingFields() fields {
	return slices.Concat(
		must(schemas.ReserveRequest, "/productId", "/optionId", "/availabilityId").id(),
		must(schemas.ReserveRequest, "/units").lawful(`[{"id": "unit-adult", "quantity": 2}]`).not("minItems", `[]`).list().
			notBelow("/0/quantity", "minimum", `[{"id": "unit-adult", "quantity": 0}]`),
		may(schemas.ReserveRequest, "/contact").lawful(`{}`, `{"fullName": null}`).object(),
		may(schemas.ReserveRequest, "/resellerReference").anyText(),

		may("partner/contact", "/fullName", "/emailAddress", "/phoneNumber").anyText(),

		must(schemas.ReserveAnswer, "/reservationConfirmationCode").id(),
		must(schemas.ReserveAnswer, "/expiresAt").dateTime(),

		must(schemas.ConfirmRequest, "/reservationConfirmationCode").id(),
		may(schemas.ConfirmRequest, "/contact").lawful(`{}`, `{"emailAddress": "a@example.com"}`).object(),
		may(schemas.ConfirmRequest, "/resellerReference").anyText(),

		must(schemas.ConfirmAnswer, "/externalBookingId").id(),
		must(schemas.ConfirmAnswer, "/status").anyText(),
		may(schemas.ConfirmAnswer, "/uuid", "/productId", "/optionId", "/availabilityId").anyText(),
		may(schemas.ConfirmAnswer, "/contact").lawful(`{}`, `{"unknown": 1}`).object(),
		may(schemas.ConfirmAnswer, "/tickets").lawful(`[]`, `[`+ticketText+`]`).list(),

		must(schemas.ConfirmAnswerWithTickets, "/tickets").lawful(`[`+ticketText+`]`).not("minItems", `[]`).list(),

		must(schemas.Ticket, "/redemptionMethod").anyText(),
		must(schemas.Ticket, "/deliveryOptions").lawful(`[]`, `[`+deliveryText+`]`).list(),

		must("partner/delivery-option", "/deliveryFormat").oneOf("QRCODE", "CODE128", "PDF_URL", "AZTEC", "EAN13"),
		must("partner/delivery-option", "/deliveryMethod").oneOf("TICKET", "VOUCHER"),
		must("partner/delivery-option", "/deliveryValue").id(),

		must(schemas.ReleaseRequest, "/reservationConfirmationCode").id(),

		must(schemas.ReleaseAnswer, "/success").flag(),
		may(schemas.ReleaseAnswer, "/message").anyText(),

		may(schemas.CancelRequest, "/reason").anyText(),

		must(schemas.CancelAnswer, "/success").flag(),
		may(schemas.CancelAnswer, "/message").anyText(),

		must(schemas.Refusal, "/message").id(),
	)
}

func webhookFields() fields {
	return slices.Concat(
		must(schemas.SyncTriggerAnswer, "/success").success(),
		must(schemas.AvailabilityNotifyAnswer, "/success").success(),
		must(schemas.SyncTriggerAnswer, "/data").lawful(`{"synced": 0, "skipped": true}`).object(),
		must(schemas.SyncTriggerAnswer, "/data/synced").integer().lawful(`0`).not("minimum", `-1`),
		must(schemas.SyncTriggerAnswer, "/data/skipped").flag(),

		must(schemas.AvailabilityNotifyRequest, "/productId", "/optionId", "/availabilityId").id(),
		must(schemas.AvailabilityNotifyRequest, "/localDateTimeStart").dateTime(),
		may(schemas.AvailabilityNotifyRequest, "/localDateTimeEnd").dateTime(),
		must(schemas.AvailabilityNotifyRequest, "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT", "CLOSED"),
		may(schemas.AvailabilityNotifyRequest, "/vacancies", "/capacity").seats(),
		may(schemas.AvailabilityNotifyRequest, "/unitPricing").lawful(`[]`, `[`+unitPricingText+`]`).list(),

		must(schemas.AvailabilityNotifyAnswer, "/data").lawful(`{"updated": true}`).object(),
		must(schemas.AvailabilityNotifyAnswer, "/data/updated").flag(),
	)
}
