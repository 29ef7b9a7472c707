package schemas_test

import "partnerkit.dev/schemas"

func authFields() []field {
	return []field{
		must(schemas.LoginRequest, "/email").text().upTo(254).not("minLength", `""`),
		must(schemas.LoginRequest, "/password").text().upTo(1000).not("minLength", `""`),
		must(schemas.RefreshRequest, "/refresh_token").text().upTo(200).not("minLength", `""`),

		must(schemas.TokensAnswer, "/success").success(`1`, `0`),
		must(schemas.TokensAnswer, "/data").object().
			lawful(`{"access_token": "a", "token_type": "Bearer", "expires_in": 900, "refresh_token": "r"}`),
		must(schemas.TokensAnswer, "/data/access_token").id(),
		must(schemas.TokensAnswer, "/data/token_type").lawful(`"Bearer"`).not("const", `"bearer"`, `""`),
		must(schemas.TokensAnswer, "/data/expires_in").integer().not("minimum", `0`),
		must(schemas.TokensAnswer, "/data/refresh_token").id(),
	}
}
