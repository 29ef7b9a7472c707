package schemas_test

import "partnerkit.dev/schemas"

func (f field) baseURL() field {
	return f.lawful(`"https://h"`, `"http://127.0.0.1:8081/s/one/"`, `"HTTPS://api.example.com/partner"`, `"https://[::1]:8443/x"`).
		not("type", `7`, `[]`).
		not("pattern", `"ftp://h"`, `"https://user:pass@h"`, `"https://h?x=1"`, `"https://h/#top"`).
		not("format", `""`, `"api.example.com"`, `"/partner"`, `"https://h/%zz"`, `"https://h/\u0000"`)
}

func integrationFields() []field {
	return []field{
		must(schemas.Integration, "/integration_id").id(),
		must(schemas.Integration, "/name").anyText(),
		must(schemas.Integration, "/base_url").baseURL(),
		must(schemas.Integration, "/auth_type").oneOf("bearer", "api_key"),
		must(schemas.Integration, "/handles_ticket_delivery").flag(),
		shown(schemas.Integration, "/last_sync_at").dateTime(),

		must(schemas.RegistrationRequest, "/name").id(),
		must(schemas.RegistrationRequest, "/base_url").baseURL(),
		may(schemas.RegistrationRequest, "/auth_type").lawful(`"bearer"`, `"api_key"`).not("enum", `""`, `"Bearer"`, `"basic"`, `7`),
		must(schemas.RegistrationRequest, "/auth_key").lawful(`"k"`, `"a key, with: spaces"`).not("type", `7`, `[]`).
			not("pattern", `""`, `" k"`, `"k "`, `"k\n"`, `"k\r\nX: y"`, `"clé"`),
		may(schemas.RegistrationRequest, "/handles_ticket_delivery").flag(),

		must(schemas.RegistrationAnswer, "/success").success(`1`, `0`),
		must(schemas.RegistrationAnswer, "/data").object().
			lawful(`{"integration_id": "i", "webhook_secret": "0000000000000000000000000000000000000000000000000000000000000000"}`),
		must(schemas.RegistrationAnswer, "/data/integration_id").id(),
		must(schemas.RegistrationAnswer, "/data/webhook_secret").
			lawful(`"00000000000000000000000000000000000000000000000000000000000000ff"`).not("type", `7`, `[]`).
			not("pattern", `""`, `"abc"`, `"g000000000000000000000000000000000000000000000000000000000000000"`,
				`"000000000000000000000000000000000000000000000000000000000000000000"`),
	}
}
