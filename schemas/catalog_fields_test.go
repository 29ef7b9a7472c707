package schemas_test

import "partnerkit.dev/schemas"

// A whole option, unit and pricing entry, for the fields that hold arrays.
const (
	pricingText = `{"original": 100, "currency": "EUR"}`
	unitText    = `{"id": "unit-adult", "internalName": "", "type": "ADULT", "pricingFrom": [` + pricingText + `]}`
	optionText  = `{"id": "o", "internalName": "", "availabilityType": "START_TIME", "units": [` + unitText + `]}`
	productText = `{"id": "p", "internalName": "", "locale": "en", "timeZone": "UTC", "instantConfirmation": true, "options": [` + optionText + `]}`
)

func catalogFields() []field {
	return []field{
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
		{schema: schemas.Product, place: "/updatedAt", need: open, good: []string{`"2026-07-01T09:00:00Z"`, `1782896400`, `null`}},

		must(schemas.Option, "/id").id(),
		must(schemas.Option, "/internalName").anyText(),
		must(schemas.Option, "/availabilityType").oneOf("START_TIME", "OPENING_HOURS"),
		must(schemas.Option, "/units").lawful(`[]`, `[`+unitText+`]`).list(),
		may(schemas.Option, "/cancellationCutoff").anyText(),

		must(schemas.Unit, "/id").lawful(`"unit-senior"`).not("type", `7`, `[]`).not("minLength", `""`).not("const", `"unit-adult"`, `"u-1"`),
		must(schemas.Unit, "/internalName").anyText(),
		must(schemas.Unit, "/type").lawful(`"SENIOR"`).not("type", `1`, `["SENIOR"]`).not("enum", `""`, `"senior"`, `"PENSIONER"`),
		must(schemas.Unit, "/pricingFrom").lawful(`[`+pricingText+`]`).not("minItems", `[]`).list(),
		may(schemas.Unit, "/restrictions").lawful(`{}`, `{"minAge": 1}`).object(),

		may(schemas.Restrictions, "/minAge").integer().lawful(`0`, `65`),
		may(schemas.Restrictions, "/maxAge").integer().lawful(`0`, `17`).not("maximum", `9223372036854775808`),

		must(schemas.PricingEntry, "/original").amount(),
		must(schemas.PricingEntry, "/currency").currency(),
		may(schemas.PricingEntry, "/currencyPrecision").precision(),
		may(schemas.PricingEntry, "/retail").amount(),
		may(schemas.PricingEntry, "/net").amount(),
	}
}
