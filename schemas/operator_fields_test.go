package schemas_test

import "partnerkit.dev/schemas"

const accountText = `{"_id": "a", "email": "ana@example.com", "name": "", "role": "partner", "created_at": "2026-07-01T09:00:00Z", "disabled": false}`

const accountDetailText = `{"_id": "a", "email": "ana@example.com", "name": "", "role": "partner", "created_at": "2026-07-01T09:00:00Z", "disabled": true, "api_tokens": []}`

// fee is a number, or a text of one, up to so much.
func (f field) fee(most, more string) field {
	return f.lawful(`0`, `1.5`, `"1.5"`, most).not("type", `true`, `[]`).not("minimum", `-1`).not("maximum", more)
}

const overviewText = `{"bookings_needing_attention": 0, "bookings_needing_attention_since": null, "integrations": 0, "integrations_needing_attention": []}`

func operatorFields() []field {
	return []field{
		must(schemas.OverviewAnswer, "/success").success(`1`, `0`),
		must(schemas.OverviewAnswer, "/data").lawful(overviewText).object(),
		must(schemas.OverviewAnswer, "/data/bookings_needing_attention").count(),
		shown(schemas.OverviewAnswer, "/data/bookings_needing_attention_since").dateTime(),
		must(schemas.OverviewAnswer, "/data/integrations").count(),
		must(schemas.OverviewAnswer, "/data/integrations_needing_attention").lawful(`[]`).list(),
		must(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/integration_id").id(),
		must(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/name").anyText(),
		must(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/health").oneOf("HEALTHY", "DEGRADED"),
		shown(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/health_since").dateTime(),
		shown(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/last_sync_at").dateTime(),
		must(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/awaits_approval").flag(),
		shown(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/slots_since").dateTime(),
		must(schemas.OverviewAnswer, "/data/integrations_needing_attention/0/slots_late").flag(),

		must(schemas.Account, "/_id").id(),
		must(schemas.Account, "/email").anyText(),
		must(schemas.Account, "/name").anyText(),
		must(schemas.Account, "/role").oneOf("reseller", "affiliate", "partner", "operator"),
		must(schemas.Account, "/created_at").dateTime(),
		must(schemas.Account, "/disabled").flag(),

		must(schemas.AccountsAnswer, "/success").success(`1`, `0`),
		must(schemas.AccountsAnswer, "/data").lawful(`[]`, `[`+accountText+`]`).list(),
		must(schemas.AccountsAnswer, "/pagination").lawful(paginationText).object(),
		must(schemas.AccountDetailAnswer, "/success").success(`1`, `0`),
		must(schemas.AccountDetailAnswer, "/data").lawful(accountDetailText).object(),
		must(schemas.AccountDetailAnswer, "/data/api_tokens").lawful(`[]`).list(),
		must(schemas.AccountDetailAnswer, "/data/api_tokens/0/token_id").id(),
		must(schemas.AccountDetailAnswer, "/data/api_tokens/0/name").anyText(),
		must(schemas.AccountDetailAnswer, "/data/api_tokens/0/created_at").dateTime(),
		shown(schemas.AccountDetailAnswer, "/data/api_tokens/0/revoked_at").dateTime(),
		may(schemas.AccountChangeRequest, "/name").anyText().upTo(200),
		may(schemas.AccountChangeRequest, "/password").lawful(`"ten letters"`).not("minLength", `""`, `"nine lett"`).upTo(1000),
		may(schemas.AccountChangeRequest, "/disabled").flag(),

		must(schemas.AccountRequest, "/email").lawful(`"ana@example.com"`).not("type", `7`, `[]`).not("format", `""`, `"ana"`),
		must(schemas.AccountRequest, "/password").lawful(`"ten letters"`).not("type", `7`).not("minLength", `""`, `"nine lett"`).upTo(1000),
		must(schemas.AccountRequest, "/role").oneOf("reseller", "affiliate", "partner", "operator"),
		may(schemas.AccountRequest, "/name").anyText().upTo(200),

		must(schemas.AccountAnswer, "/success").success(`1`, `0`),
		must(schemas.AccountAnswer, "/data").lawful(accountText).object(),

		must(schemas.APITokenRequest, "/name").id().upTo(200),
		must(schemas.APITokenAnswer, "/success").success(`1`, `0`),
		must(schemas.APITokenAnswer, "/data").lawful(`{"token_id": "t", "api_token": "s"}`).object(),
		must(schemas.APITokenAnswer, "/data/token_id").id(),
		must(schemas.APITokenAnswer, "/data/api_token").id(),

		must(schemas.RatesRequest, "/base").currency(),
		must(schemas.RatesRequest, "/rates").lawful(`{}`, `{"USD": "1.25", "JPY": null}`).object().
			notBelow("/USD", "type", `{"USD": 1.25}`).notBelow("/USD", "maxLength", `{"USD": "1.00000000000000000000000000001"}`),
		must(schemas.RatesAnswer, "/success").success(`1`, `0`),
		must(schemas.RatesAnswer, "/data").lawful(`{"base": "EUR", "as_of": null, "rates": {}}`).object(),
		must(schemas.RatesAnswer, "/data/base").currency(),
		shown(schemas.RatesAnswer, "/data/as_of").lawful(`"2026-06-30"`).not("type", `7`).not("format", `""`, `"2026-06-31"`),
		must(schemas.RatesAnswer, "/data/rates").lawful(`{}`, `{"USD": "1.25"}`).object().notBelow("/USD", "type", `{"USD": 1.25}`),

		may(schemas.PricingRequest, "/service_fee").fee(`1000000`, `1000000.01`),
		may(schemas.PricingRequest, "/service_fee_currency").currency(),
		may(schemas.PricingRequest, "/commission_percentage").fee(`1000`, `1001`),
		must(schemas.PricingAnswer, "/success").success(`1`, `0`),
		must(schemas.PricingAnswer, "/data").lawful(`{"service_fee": 0, "service_fee_currency": "EUR", "commission_percentage": 0}`).object(),
		must(schemas.PricingAnswer, "/data/service_fee").number(),
		must(schemas.PricingAnswer, "/data/service_fee_currency").currency(),
		must(schemas.PricingAnswer, "/data/commission_percentage").number(),

		may(schemas.SyncRequest, "/mode").lawful(`"full"`, `"incremental"`).not("enum", `""`, `"Full"`, `7`),
	}
}
