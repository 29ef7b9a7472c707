package schemas_test

import "slices"

const accountText = `{"_id": "a", "email": "ana@example.com", "name": "", "role": "partner", "created_at": "2026-07-01T09:00:00Z", "disabled": false}`

const accountDetailText = `{"_id": "a", "email": "ana@example.com", "name": "", "role": "partner", "created_at": "2026-07-01T09:00:00Z", "disabled": true, "api_tokens": []}`

// fee is a number, or a text of one, up to so much.
func (f fields) fee(most, more string) fields {
	return f.lawful(`0`, `1.5`, `"1.5"`, most).not("type", `true`, `[]`).not("minimum", `-1`).not("maximum", more)
}

const overviewText = `{"bookings_needing_attention": 0, "bookings_needing_attention_since": null, "integrations": 0, "integrations_needing_attention": []}`

func operatorFields() fields {
	return slices.Concat(
		must("operator/overview-answer", "/data").lawful(overviewText).object(),
		must("operator/overview-answer", "/data/bookings_needing_attention", "/data/integrations").count(),
		shown("operator/overview-answer", "/data/bookings_needing_attention_since", "/data/integrations_needing_attention/0/health_since",
			"/data/integrations_needing_attention/0/last_sync_at", "/data/integrations_needing_attention/0/slots_since").dateTime(),
		must("operator/overview-answer", "/data/integrations_needing_attention").lawful(`[]`).list(),
		must("operator/overview-answer", "/data/integrations_needing_attention/0/integration_id").id(),
		must("operator/overview-answer", "/data/integrations_needing_attention/0/name").anyText(),
		must("operator/overview-answer", "/data/integrations_needing_attention/0/health").oneOf("HEALTHY", "DEGRADED"),
		must("operator/overview-answer", "/data/integrations_needing_attention/0/awaits_approval", "/data/integrations_needing_attention/0/slots_late").flag(),

		must("operator/account", "/_id").id(),
		must("operator/account", "/email", "/name").anyText(),
		must("operator/account", "/role").oneOf("reseller", "affiliate", "partner", "operator"),
		must("operator/account", "/created_at").dateTime(),
		must("operator/account", "/disabled").flag(),

		must("operator/accounts-answer", "/data").lawful(`[]`, `[`+accountText+`]`).list(),

		must("operator/account-detail-answer", "/data").lawful(accountDetailText).object(),
		must("operator/account-detail-answer", "/data/api_tokens").lawful(`[]`).list(),
		must("operator/account-detail-answer", "/data/api_tokens/0/token_id").id(),
		must("operator/account-detail-answer", "/data/api_tokens/0/name").anyText(),
		must("operator/account-detail-answer", "/data/api_tokens/0/created_at").dateTime(),
		shown("operator/account-detail-answer", "/data/api_tokens/0/revoked_at").dateTime(),

		may("operator/account-change-request", "/name").anyText().upTo(200),
		may("operator/account-change-request", "/password").lawful(`"ten letters"`).not("minLength", `""`, `"nine lett"`).upTo(1000),
		may("operator/account-change-request", "/disabled").flag(),

		must("operator/account-request", "/email").lawful(`"ana@example.com"`).not("type", `7`, `[]`).not("format", `""`, `"ana"`),
		must("operator/account-request", "/password").lawful(`"ten letters"`).not("type", `7`).not("minLength", `""`, `"nine lett"`).upTo(1000),
		must("operator/account-request", "/role").oneOf("reseller", "affiliate", "partner", "operator"),
		may("operator/account-request", "/name").anyText().upTo(200),

		must("operator/account-answer", "/data").lawful(accountText).object(),

		must("operator/api-token-request", "/name").id().upTo(200),

		must("operator/api-token-answer", "/data").lawful(`{"token_id": "t", "api_token": "s"}`).object(),
		must("operator/api-token-answer", "/data/token_id", "/data/api_token").id(),

		must("operator/rates-request", "/base").currency(),
		must("operator/rates-request", "/rates").lawful(`{}`, `{"USD": "1.25", "JPY": null}`).object().
			notBelow("/USD", "type", `{"USD": 1.25}`).notBelow("/USD", "maxLength", `{"USD": "1.00000000000000000000000000001"}`),

		must("operator/rates-answer", "/data").lawful(`{"base": "EUR", "as_of": null, "rates": {}}`).object(),
		must("operator/rates-answer", "/data/base").currency(),
		shown("operator/rates-answer", "/data/as_of").lawful(`"2026-06-30"`).not("type", `7`).not("format", `""`, `"2026-06-31"`),
		must("operator/rates-answer", "/data/rates").lawful(`{}`, `{"USD": "1.25"}`).object().notBelow("/USD", "type", `{"USD": 1.25}`),

		may("operator/pricing-request", "/service_fee").fee(`1000000`, `1000000.01`),
		may("operator/pricing-request", "/service_fee_currency").currency(),
		may("operator/pricing-request", "/commission_percentage").fee(`1000`, `1001`),

		must("operator/pricing-answer", "/data").lawful(`{"service_fee": 0, "service_fee_currency": "EUR", "commission_percentage": 0}`).object(),
		must("operator/pricing-answer", "/data/service_fee", "/data/commission_percentage").number(),
		must("operator/pricing-answer", "/data/service_fee_currency").currency(),

		may("operator/sync-request", "/mode").lawful(`"full"`, `"incremental"`).not("enum", `""`, `"Full"`, `7`),
	)
}
