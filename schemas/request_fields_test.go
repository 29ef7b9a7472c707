package schemas_test

import (
	"slices"
	"strconv"
	"strings"
)

func (f fields) baseURL() fields {
	return f.lawful(`"https://h"`, `"http://127.0.0.1:8081/s/one/"`, `"HTTPS://api.example.com/partner"`, `"https://[::1]:8443/x"`).
		not("type", `7`, `[]`).
		not("pattern", `"ftp://h"`, `"https://user:pass@h"`, `"https://h?x=1"`, `"https://h/#top"`).
		not("format", `""`, `"api.example.com"`, `"/partner"`, `"https://h/%zz"`, `"https://h/\u0000"`)
}

// fee is a number, or a text of one, up to so much.
func (f fields) fee(most, more string) fields {
	return f.lawful(`0`, `1.5`, `"1.5"`, most).not("type", `true`, `[]`).not("minimum", `-1`).not("maximum", more)
}

// requestFields are the fields of requests to the marketplace, except changes of activities.
func requestFields() fields {
	return slices.Concat(
		must("integration/registration-request", "/name").id().upTo(200),
		must("integration/registration-request", "/base_url").baseURL().not("maxLength", strconv.Quote("https://h/"+strings.Repeat("x", 2000))),
		may("integration/registration-request", "/mode").lawful(`"live"`, `"test"`).not("enum", `""`, `"Test"`).not("type", `7`),
		may("integration/registration-request", "/auth_type").lawful(`"bearer"`, `"api_key"`).not("enum", `""`, `"Bearer"`, `"basic"`).not("type", `7`),
		must("integration/registration-request", "/auth_key").upTo(4000).lawful(`"k"`, `"a key, with: spaces"`).not("type", `7`, `[]`).
			not("pattern", `""`, `" k"`, `"k "`, `"k\n"`, `"k\r\nX: y"`, `"clé"`),
		may("integration/registration-request", "/handles_ticket_delivery").flag(),

		may("integration/change-request", "/name").lawful(`"Old Town Walks"`).not("type", `7`, `[]`).not("minLength", `""`).upTo(200),
		may("integration/change-request", "/base_url").baseURL().not("maxLength", strconv.Quote("https://h/"+strings.Repeat("x", 2000))),
		may("integration/change-request", "/auth_type").lawful(`"bearer"`, `"api_key"`).not("enum", `""`, `"Bearer"`, `"basic"`).not("type", `7`),
		may("integration/change-request", "/auth_key").upTo(4000).lawful(`"k"`, `"a key, with: spaces"`).not("type", `7`, `[]`).
			not("pattern", `""`, `" k"`, `"k "`, `"clé"`),
		may("integration/change-request", "/handles_ticket_delivery").flag(),
		may("integration/change-request", "/force").flag(),

		may("integration/test-request", "/base_url").baseURL().not("maxLength", strconv.Quote("https://h/"+strings.Repeat("x", 2000))),
		may("integration/test-request", "/auth_type").lawful(`"bearer"`, `"api_key"`).not("enum", `""`, `"Bearer"`, `"basic"`).not("type", `7`),
		may("integration/test-request", "/auth_key").upTo(4000).lawful(`"k"`).not("type", `7`, `[]`).not("pattern", `""`, `" k"`),

		may("integration/conformance-run-request", "/scope").lawful(`"full"`, `"read_only"`).not("enum", `""`, `"Full"`).not("type", `7`),
		may("integration/conformance-run-request", "/rules").lawful(`[]`, `["reserve.vacancies.one"]`).not("type", `7`).not("maxItems", "["+strings.Repeat(`"a.b",`, 300)+`"a.b"]`),

		may("integration/conformance-share-request", "/expires_in_days").lawful(`1`, `30`).not("type", `"7"`, `1.5`, `[]`).not("minimum", `0`, `-1`).not("maximum", `31`),

		must("auth/login-request", "/email").text().upTo(254).not("minLength", `""`),
		must("auth/login-request", "/password").text().upTo(1000).not("minLength", `""`),

		must("auth/refresh-request", "/refresh_token").text().upTo(200).not("minLength", `""`),

		may("operator/account-change-request", "/name").anyText().upTo(200),
		may("operator/account-change-request", "/password").lawful(`"ten letters"`).not("minLength", `""`, `"nine lett"`).upTo(1000),
		may("operator/account-change-request", "/disabled").flag(),

		must("operator/account-request", "/email").lawful(`"ana@example.com"`).not("type", `7`, `[]`).not("format", `""`, `"ana"`),
		must("operator/account-request", "/password").lawful(`"ten letters"`).not("type", `7`).not("minLength", `""`, `"nine lett"`).upTo(1000),
		must("operator/account-request", "/role").oneOf("reseller", "affiliate", "partner", "operator"),
		may("operator/account-request", "/name").anyText().upTo(200),

		must("operator/invitation-request", "/email").lawful(`"ana@example.com"`).not("type", `7`, `[]`).not("format", `""`, `"ana"`),
		may("operator/invitation-request", "/name").anyText().upTo(200),

		must("operator/api-token-request", "/name").id().upTo(200),
		may("operator/api-token-request", "/mode").lawful(`"live"`, `"test"`).not("enum", `""`, `"Test"`).not("type", `7`),

		must("operator/rates-request", "/base").currency(),
		must("operator/rates-request", "/rates").lawful(`{}`, `{"USD": "1.25", "JPY": null}`).object().
			notBelow("/USD", "type", `{"USD": 1.25}`).notBelow("/USD", "maxLength", `{"USD": "1.00000000000000000000000000001"}`),

		may("operator/pricing-request", "/service_fee").fee(`1000000`, `1000000.01`),
		may("operator/pricing-request", "/service_fee_currency").currency(),
		may("operator/pricing-request", "/commission_percentage").fee(`1000`, `1001`),

		may("operator/certification-request", "/certification").lawful(`"off"`, `"advise"`, `"require"`).not("enum", `""`, `"on"`).not("type", `7`),
		must("operator/go-live-request", "/approve").flag(),
		may("operator/go-live-request", "/reason").anyText().upTo(500),

		may("operator/sync-request", "/mode").lawful(`"full"`, `"incremental"`).not("enum", `""`, `"Full"`).not("type", `7`),

		may("reseller/event-webhook-request", "/url").lawful(`"https://h/x?y=1"`).not("type", `7`, `[]`).not("maxLength", strconv.Quote("https://h/"+strings.Repeat("x", 2000))),
		must("reseller/event-webhook-request", "/events").lawful(`["slot.changed"]`).list().not("minItems", `[]`).
			not("maxItems", `["slot.changed","slot.changed","slot.changed","slot.changed","slot.changed","slot.changed","slot.changed","slot.changed"]`).
			notBelow("/0", "enum", `["booking.held"]`),

		must("booking/booking-request", "/activity_id", "/variation_id").uuid(),
		must("booking/booking-request", "/availability_id").id().upTo(1000),
		must("booking/booking-request", "/units").lawful(`[{"type": "CHILD", "quantity": 1}]`).list().not("minItems", `[]`).
			not("maxItems", `[`+strings.Repeat(`{"type": "ADULT", "quantity": 1},`, 10)+`{"type": "ADULT", "quantity": 1}]`),
		may("booking/booking-request", "/units/0/type").lawful(`"ADULT"`, `"STUDENT"`).not("enum", `""`, `"adult"`).not("type", `1`),
		may("booking/booking-request", "/units/0/unit_id").anyText().upTo(1000),
		must("booking/booking-request", "/units/0/quantity").integer().lawful(`1`, `1000`).not("minimum", `0`).not("maximum", `1001`),
		must("booking/booking-request", "/contact").lawful(`{"fullName": "Ana", "emailAddress": "ana@example.com", "phoneNumber": null}`).object(),
		must("booking/booking-request", "/contact/fullName").id().upTo(200),
		must("booking/booking-request", "/contact/emailAddress").id().upTo(254),
		may("booking/booking-request", "/contact/phoneNumber").anyText().upTo(50),
		may("booking/booking-request", "/currency").currency(),
		may("booking/booking-request", "/affiliate_code").uuid(),
		may("booking/booking-request", "/reseller_reference").anyText().upTo(200),

		must("booking/payment-request", "/outcome").oneOf("succeeded", "failed"),
		must("booking/payment-request", "/reference").id().upTo(200),

		may("booking/cancel-request", "/reason").anyText().upTo(500),
	)
}
