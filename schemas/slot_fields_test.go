package schemas_test

import "partnerkit.dev/schemas"

const unitPricingText = `{"unitId": "unit-adult", "original": 100, "currency": "EUR"}`

func slotFields() []field {
	return []field{
		must(schemas.AvailabilityRequest, "/productId").id(),
		must(schemas.AvailabilityRequest, "/optionId").id(),
		must(schemas.AvailabilityRequest, "/localDateStart").date(),
		must(schemas.AvailabilityRequest, "/localDateEnd").date(),
		must(schemas.AvailabilityRequest, "/units").lawful(`[{"id": "unit-adult", "quantity": 1}]`).list(),

		must(schemas.UnitQuantity, "/id").id(),
		must(schemas.UnitQuantity, "/quantity").integer().lawful(`1`, `40`).not("minimum", `0`, `-1`).not("maximum", `9223372036854775808`),

		must(schemas.Slot, "/id").id(),
		must(schemas.Slot, "/localDateTimeStart").dateTime(),
		must(schemas.Slot, "/localDateTimeEnd").dateTime(),
		must(schemas.Slot, "/status").oneOf("AVAILABLE", "FREESALE", "LIMITED", "SOLD_OUT", "CLOSED"),
		may(schemas.Slot, "/vacancies").seats(),
		may(schemas.Slot, "/capacity").seats(),
		may(schemas.Slot, "/unitPricing").lawful(`[]`, `[`+unitPricingText+`]`).list(),

		must(schemas.UnitPricing, "/unitId").id(),
		may(schemas.UnitPricing, "/unitType").lawful(`"ADULT"`, `"STUDENT"`).not("enum", `""`, `"adult"`, `7`, `[]`),
		may(schemas.UnitPricing, "/type").lawful(`"INFANT"`, `"SENIOR"`).not("enum", `""`, `"adult"`, `7`, `[]`),
		must(schemas.UnitPricing, "/original").amount(),
		may(schemas.UnitPricing, "/retail").amount(),
		may(schemas.UnitPricing, "/price").amount(),
		must(schemas.UnitPricing, "/currency").currency(),
		may(schemas.UnitPricing, "/currencyPrecision").precision(),
	}
}
