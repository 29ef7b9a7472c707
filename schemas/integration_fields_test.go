package schemas_test

import (
	"slices"
	"strconv"
	"strings"

	"partnerkit.dev/schemas"
)

func (f fields) baseURL() fields {
	return f.lawful(`"https://h"`, `"http://127.0.0.1:8081/s/one/"`, `"HTTPS://api.example.com/partner"`, `"https://[::1]:8443/x"`).
		not("type", `7`, `[]`).
		not("pattern", `"ftp://h"`, `"https://user:pass@h"`, `"https://h?x=1"`, `"https://h/#top"`).
		not("format", `""`, `"api.example.com"`, `"/partner"`, `"https://h/%zz"`, `"https://h/\u0000"`)
}

const (
	healthText = `{"state": "HEALTHY", "failure_count": 0, "consecutive_failures": 0, "last_ok_at": null, "changes": []}`
	syncText   = `{"mode": "full", "cause": "trigger", "started_at": "2026-07-01T09:00:00Z", "finished_at": "2026-07-01T09:00:02Z",
		"synced": 0, "skipped": true, "created": 0, "updated": 0, "deactivated": 0, "set_aside": [], "guard": null}`
	integrationText = `{"integration_id": "i", "name": "", "base_url": "https://h", "auth_type": "bearer", "handles_ticket_delivery": true,
		"created_at": "2026-07-01T09:00:00Z", "last_sync_at": null, "health": ` + healthText + `, "last_sync": ` + syncText + `, "awaits_approval": false, "slots": ` + slotsText + `, "breaches": []}`
	slotsText = `{"options": 0, "pulled": 0, "oldest_pull_at": null, "set_aside": []}`
)

func integrationFields() fields {
	return slices.Concat(
		must("integration/integration", "/integration_id").id(),
		must("integration/integration", "/name", "/breaches/0/booking_id", "/breaches/0/message").anyText(),
		must("integration/integration", "/base_url").baseURL(),
		must("integration/integration", "/auth_type").oneOf("bearer", "api_key"),
		must("integration/integration", "/handles_ticket_delivery", "/awaits_approval").flag(),
		must("integration/integration", "/created_at", "/breaches/0/at").dateTime(),
		shown("integration/integration", "/last_sync_at").dateTime(),
		must("integration/integration", "/health").lawful(healthText).object(),
		shown("integration/integration", "/last_sync").lawful(syncText).object(),
		must("integration/integration", "/slots").lawful(slotsText).object(),
		must("integration/integration", "/breaches").lawful(`[]`).list(),
		must("integration/integration", "/breaches/0/endpoint").oneOf("confirm", "release", "cancel"),

		must("integration/health", "/state", "/changes/0/state").oneOf("HEALTHY", "DEGRADED"),
		must("integration/health", "/failure_count", "/consecutive_failures").count(),
		shown("integration/health", "/last_ok_at").dateTime(),
		must("integration/health", "/changes").lawful(`[]`).list(),
		must("integration/health", "/changes/0/at").dateTime(),
		must("integration/health", "/changes/0/reason").anyText(),

		must("integration/sync", "/mode").oneOf("full", "incremental"),
		must("integration/sync", "/cause").oneOf("trigger", "operator", "schedule", "notify"),
		must("integration/sync", "/started_at", "/finished_at").dateTime(),
		must("integration/sync", "/synced", "/created", "/updated", "/deactivated", "/guard/would_deactivate", "/guard/of").count(),
		anything("integration/sync", "/skipped").lawful(`true`, `false`).not("type", `null`, `"true"`, `1`),
		must("integration/sync", "/set_aside").lawful(`[]`, `[{"product_id": "", "problems": []}]`).list(),
		must("integration/sync", "/set_aside/0/product_id", "/set_aside/0/problems/0/pointer", "/set_aside/0/problems/0/message").anyText(),
		must("integration/sync", "/set_aside/0/problems").lawful(`[]`).list(),
		shown("integration/sync", "/guard").lawful(`{"would_deactivate": 5, "of": 6}`).object(),

		must("integration/slots", "/options", "/pulled").count(),
		shown("integration/slots", "/oldest_pull_at").dateTime(),
		must("integration/slots", "/set_aside").lawful(`[]`, `[{"product_id": "", "option_id": "", "availability_id": "", "problems": []}]`).list(),
		must("integration/slots", "/set_aside/0/product_id", "/set_aside/0/option_id", "/set_aside/0/availability_id").anyText(),
		must("integration/slots", "/set_aside/0/problems").lawful(`[]`).list(),

		must("integration/integration-answer", "/data").lawful(integrationText).object(),

		must("integration/integrations-answer", "/data").lawful(`[]`, `[`+integrationText+`]`).list(),

		must("integration/sync-answer", "/data").lawful(syncText).object(),

		must("integration/syncs-answer", "/data").lawful(`[]`, `[`+syncText+`]`).list(),

		must("integration/registration-request", "/name").id().upTo(200),
		must("integration/registration-request", "/base_url").baseURL().not("maxLength", strconv.Quote("https://h/"+strings.Repeat("x", 2000))),
		may("integration/registration-request", "/auth_type").lawful(`"bearer"`, `"api_key"`).not("enum", `""`, `"Bearer"`, `"basic"`, `7`),
		must("integration/registration-request", "/auth_key").upTo(4000).lawful(`"k"`, `"a key, with: spaces"`).not("type", `7`, `[]`).
			not("pattern", `""`, `" k"`, `"k "`, `"k\n"`, `"k\r\nX: y"`, `"clé"`),
		may("integration/registration-request", "/handles_ticket_delivery").flag(),

		must(schemas.RegistrationAnswer, "/data").object().
			lawful(`{"integration_id": "i", "webhook_secret": "0000000000000000000000000000000000000000000000000000000000000000"}`),
		must(schemas.RegistrationAnswer, "/data/integration_id").id(),
		must(schemas.RegistrationAnswer, "/data/webhook_secret").
			lawful(`"00000000000000000000000000000000000000000000000000000000000000ff"`).not("type", `7`, `[]`).
			not("pattern", `""`, `"abc"`, `"g000000000000000000000000000000000000000000000000000000000000000"`,
				`"000000000000000000000000000000000000000000000000000000000000000000"`),
	)
}

func authFields() fields {
	return slices.Concat(
		must("auth/login-request", "/email").text().upTo(254).not("minLength", `""`),
		must("auth/login-request", "/password").text().upTo(1000).not("minLength", `""`),

		must("auth/refresh-request", "/refresh_token").text().upTo(200).not("minLength", `""`),

		must("auth/tokens-answer", "/data").object().
			lawful(`{"access_token": "a", "token_type": "Bearer", "expires_in": 900, "refresh_token": "r"}`),
		must("auth/tokens-answer", "/data/access_token", "/data/refresh_token").id(),
		must("auth/tokens-answer", "/data/token_type").lawful(`"Bearer"`).not("const", `"bearer"`, `""`),
		must("auth/tokens-answer", "/data/expires_in").integer().not("minimum", `0`),
	)
}

func serviceFields() fields {
	return slices.Concat(
		must("service/done-answer", "/data").lawful(`{}`).object(),

		must("service/status-answer", "/data").lawful(`{"status": "alive"}`).object(),
		must("service/status-answer", "/data/status").oneOf("alive", "ready"),
	)
}
