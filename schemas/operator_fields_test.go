package schemas_test

import "partnerkit.dev/schemas"

const accountText = `{"_id": "a", "email": "ana@example.com", "name": "", "role": "partner", "created_at": "2026-07-01T09:00:00Z"}`

func operatorFields() []field {
	return []field{
		must(schemas.Account, "/_id").id(),
		must(schemas.Account, "/email").anyText(),
		must(schemas.Account, "/name").anyText(),
		must(schemas.Account, "/role").oneOf("reseller", "affiliate", "partner", "operator"),
		must(schemas.Account, "/created_at").dateTime(),

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
	}
}
