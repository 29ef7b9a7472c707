package schemas_test

import (
	"strconv"
	"strings"

	"partnerkit.dev/schemas"
)

func (f field) baseURL() field {
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

func integrationFields() []field {
	return []field{
		must(schemas.Integration, "/integration_id").id(),
		must(schemas.Integration, "/name").anyText(),
		must(schemas.Integration, "/base_url").baseURL(),
		must(schemas.Integration, "/auth_type").oneOf("bearer", "api_key"),
		must(schemas.Integration, "/handles_ticket_delivery").flag(),
		must(schemas.Integration, "/created_at").dateTime(),
		shown(schemas.Integration, "/last_sync_at").dateTime(),
		must(schemas.Integration, "/health").lawful(healthText).object(),
		shown(schemas.Integration, "/last_sync").lawful(syncText).object(),
		must(schemas.Integration, "/awaits_approval").flag(),
		must(schemas.Integration, "/slots").lawful(slotsText).object(),
		must(schemas.Integration, "/breaches").lawful(`[]`).list(),
		must(schemas.Integration, "/breaches/0/at").dateTime(),
		must(schemas.Integration, "/breaches/0/booking_id").anyText(),
		must(schemas.Integration, "/breaches/0/endpoint").oneOf("confirm", "release", "cancel"),
		must(schemas.Integration, "/breaches/0/message").anyText(),

		must(schemas.IntegrationHealth, "/state").oneOf("HEALTHY", "DEGRADED"),
		must(schemas.IntegrationHealth, "/failure_count").count(),
		must(schemas.IntegrationHealth, "/consecutive_failures").count(),
		shown(schemas.IntegrationHealth, "/last_ok_at").dateTime(),
		must(schemas.IntegrationHealth, "/changes").lawful(`[]`).list(),
		must(schemas.IntegrationHealth, "/changes/0/at").dateTime(),
		must(schemas.IntegrationHealth, "/changes/0/state").oneOf("HEALTHY", "DEGRADED"),
		must(schemas.IntegrationHealth, "/changes/0/reason").anyText(),

		must(schemas.CatalogSync, "/mode").oneOf("full", "incremental"),
		must(schemas.CatalogSync, "/cause").oneOf("trigger", "operator", "schedule", "notify"),
		must(schemas.CatalogSync, "/started_at").dateTime(),
		must(schemas.CatalogSync, "/finished_at").dateTime(),
		must(schemas.CatalogSync, "/synced").count(),
		{schema: schemas.CatalogSync, place: "/skipped", need: open, good: []string{`true`, `false`}, bad: []mistake{{`null`, "type", ""}, {`"true"`, "type", ""}, {`1`, "type", ""}}},
		must(schemas.CatalogSync, "/created").count(),
		must(schemas.CatalogSync, "/updated").count(),
		must(schemas.CatalogSync, "/deactivated").count(),
		must(schemas.CatalogSync, "/set_aside").lawful(`[]`, `[{"product_id": "", "problems": []}]`).list(),
		must(schemas.CatalogSync, "/set_aside/0/product_id").anyText(),
		must(schemas.CatalogSync, "/set_aside/0/problems").lawful(`[]`).list(),
		must(schemas.CatalogSync, "/set_aside/0/problems/0/pointer").anyText(),
		must(schemas.CatalogSync, "/set_aside/0/problems/0/message").anyText(),
		shown(schemas.CatalogSync, "/guard").lawful(`{"would_deactivate": 5, "of": 6}`).object(),
		must(schemas.CatalogSync, "/guard/would_deactivate").count(),
		must(schemas.CatalogSync, "/guard/of").count(),

		must(schemas.IntegrationSlots, "/options").count(),
		must(schemas.IntegrationSlots, "/pulled").count(),
		shown(schemas.IntegrationSlots, "/oldest_pull_at").dateTime(),
		must(schemas.IntegrationSlots, "/set_aside").lawful(`[]`, `[{"product_id": "", "option_id": "", "availability_id": "", "problems": []}]`).list(),
		must(schemas.IntegrationSlots, "/set_aside/0/product_id").anyText(),
		must(schemas.IntegrationSlots, "/set_aside/0/option_id").anyText(),
		must(schemas.IntegrationSlots, "/set_aside/0/availability_id").anyText(),
		must(schemas.IntegrationSlots, "/set_aside/0/problems").lawful(`[]`).list(),

		must(schemas.IntegrationAnswer, "/success").success(`1`, `0`),
		must(schemas.IntegrationAnswer, "/data").lawful(integrationText).object(),
		must(schemas.IntegrationsAnswer, "/success").success(`1`, `0`),
		must(schemas.IntegrationsAnswer, "/data").lawful(`[]`, `[`+integrationText+`]`).list(),
		must(schemas.IntegrationsAnswer, "/pagination").lawful(paginationText).object(),

		must(schemas.SyncAnswer, "/success").success(`1`, `0`),
		must(schemas.SyncAnswer, "/data").lawful(syncText).object(),
		must(schemas.SyncsAnswer, "/success").success(`1`, `0`),
		must(schemas.SyncsAnswer, "/data").lawful(`[]`, `[`+syncText+`]`).list(),
		must(schemas.SyncsAnswer, "/pagination").lawful(paginationText).object(),

		must(schemas.RegistrationRequest, "/name").id().upTo(200),
		must(schemas.RegistrationRequest, "/base_url").baseURL().not("maxLength", strconv.Quote("https://h/"+strings.Repeat("x", 2000))),
		may(schemas.RegistrationRequest, "/auth_type").lawful(`"bearer"`, `"api_key"`).not("enum", `""`, `"Bearer"`, `"basic"`, `7`),
		must(schemas.RegistrationRequest, "/auth_key").upTo(4000).lawful(`"k"`, `"a key, with: spaces"`).not("type", `7`, `[]`).
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
