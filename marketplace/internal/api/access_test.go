package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/replica"
)

// The access to each route, by letters: r a p o are the roles, t is a reseller's long-lived
// token, * is everyone, w is the integration's webhook secret.
var whoMay = map[string]string{
	"GET /":             "*",
	"GET /healthz":      "*",
	"GET /readyz":       "*",
	"GET /openapi.yaml": "*",
	"GET /docs":         "*", "GET /docs/partner": "*", "GET /docs/partner.yaml": "*",
	"GET /metrics": "*", // for allowed networks

	"GET /shared/reports/{token}": "*",

	"GET /registry":                               "*",
	"GET /registry.json":                          "*",
	"GET /registry/{integration}/badge.svg":       "*",
	"GET /registry/{integration}/certificate.jws": "*",
	"GET /registry/revocations.jws":               "*",

	"POST /api/v1/auth/login":   "*",
	"POST /api/v1/auth/refresh": "*",
	"POST /api/v1/auth/logout":  "*",

	"GET /api/v1/resellers/activities":                                                        "rt",
	"GET /api/v1/resellers/activities/{activity}":                                             "rt",
	"GET /api/v1/resellers/activities/{activity}/calendar":                                    "rt",
	"GET /api/v1/resellers/activities/{activity}/variations/{variation}/calendar":             "rt",
	"GET /api/v1/resellers/activities/{activity}/variations/{variation}/availability":         "rt",
	"GET /api/v1/affiliates/activities":                                                       "a",
	"GET /api/v1/affiliates/commissions":                                                      "a",
	"POST /api/v1/resellers/bookings":                                                         "rt",
	"GET /api/v1/resellers/bookings":                                                          "rt",
	"GET /api/v1/resellers/bookings/{booking}":                                                "rt",
	"DELETE /api/v1/resellers/bookings/{booking}":                                             "rt",
	"POST /api/v1/resellers/bookings/{booking}/payment":                                       "rt",
	"POST /api/v1/resellers/bookings/{booking}/reschedule":                                    "rt",
	"POST /api/v1/resellers/bookings/{booking}/cancel":                                        "rt",
	"GET /api/v1/resellers/events":                                                            "rt",
	"POST /api/v1/resellers/webhooks":                                                         "rt",
	"GET /api/v1/resellers/webhooks":                                                          "rt",
	"DELETE /api/v1/resellers/webhooks/{webhook}":                                             "rt",
	"PATCH /api/v1/resellers/webhooks/{webhook}":                                              "rt",
	"POST /api/v1/resellers/webhooks/{webhook}/secret":                                        "rt",
	"GET /api/v1/resellers/webhooks/{webhook}/deliveries":                                     "rt",
	"POST /api/v1/resellers/webhooks/{webhook}/deliveries/{event}/retry":                      "rt",
	"GET /api/v1/partner-integrations":                                                        "po",
	"POST /api/v1/partner-integrations":                                                       "po",
	"GET /api/v1/partner-integrations/{integration}":                                          "po",
	"PATCH /api/v1/partner-integrations/{integration}":                                        "po",
	"DELETE /api/v1/partner-integrations/{integration}":                                       "po",
	"POST /api/v1/partner-integrations/{integration}/test":                                    "po",
	"POST /api/v1/partner-integrations/{integration}/webhook-secret":                          "po",
	"GET /api/v1/partner-integrations/{integration}/syncs":                                    "po",
	"GET /api/v1/partner-integrations/{integration}/calls":                                    "po",
	"GET /api/v1/partner-integrations/{integration}/bookings":                                 "po",
	"GET /api/v1/partner-integrations/{integration}/webhook-deliveries":                       "po",
	"GET /.well-known/jwks.json":                                                              "*",
	"GET /api/v1/partner-integrations/{integration}/certificate":                              "po",
	"POST /api/v1/partner-integrations/{integration}/conformance-runs":                        "po",
	"GET /api/v1/partner-integrations/{integration}/conformance-runs":                         "po",
	"GET /api/v1/partner-integrations/{integration}/conformance-runs/{run}":                   "po",
	"GET /api/v1/partner-integrations/{integration}/conformance-runs/{run}/progress":          "po",
	"GET /api/v1/partner-integrations/{integration}/conformance-runs/{run}/report.json":       "po",
	"GET /api/v1/partner-integrations/{integration}/conformance-runs/{run}/report.html":       "po",
	"GET /api/v1/partner-integrations/{integration}/conformance-runs/{run}/junit.xml":         "po",
	"POST /api/v1/partner-integrations/{integration}/conformance-runs/{run}/share":            "po",
	"GET /api/v1/partner-integrations/{integration}/conformance-runs/{run}/shares":            "po",
	"DELETE /api/v1/partner-integrations/{integration}/conformance-runs/{run}/shares/{share}": "po",
	"PUT /api/v1/partner-integrations/{integration}/registry":                                 "po",
	"DELETE /api/v1/partner-integrations/{integration}/registry":                              "po",
	"POST /api/v1/partner-integrations/{integration}/go-live":                                 "po",
	"GET /api/v1/partner-integrations/{integration}/events":                                   "po",
	"POST /api/v1/partner-integrations/{integration}/sync/trigger":                            "w",
	"POST /api/v1/partner-integrations/{integration}/availability/notify":                     "w",

	"GET /api/v1/operator/overview":                                         "o",
	"GET /api/v1/operator/accounts":                                         "o",
	"GET /api/v1/operator/accounts/{account}/webhooks":                      "o",
	"GET /api/v1/operator/accounts/{account}/webhooks/{webhook}/deliveries": "o",
	"POST /api/v1/operator/accounts":                                        "o",
	"GET /api/v1/operator/accounts/{account}":                               "o",
	"PATCH /api/v1/operator/accounts/{account}":                             "o",
	"POST /api/v1/operator/accounts/{account}/api-tokens":                   "o",
	"DELETE /api/v1/operator/accounts/{account}/api-tokens/{token}":         "o",
	"POST /api/v1/operator/invitations":                                     "o",
	"GET /api/v1/operator/invitations":                                      "o",
	"DELETE /api/v1/operator/invitations/{invitation}":                      "o",
	"GET /api/v1/operator/activities":                                       "o",
	"GET /api/v1/operator/activities/{activity}":                            "o",
	"GET /api/v1/operator/activities/{activity}/prices":                     "o",
	"PATCH /api/v1/operator/activities/{activity}":                          "o",
	"GET /api/v1/operator/integrations/{integration}/syncs":                 "o",
	"POST /api/v1/operator/integrations/{integration}/sync":                 "o",
	"POST /api/v1/operator/integrations/{integration}/sync/approve":         "o",
	"PUT /api/v1/operator/integrations/{integration}/certification":         "o",
	"POST /api/v1/operator/integrations/{integration}/go-live":              "o",
	"GET /api/v1/operator/conformance":                                      "o",
	"GET /api/v1/operator/conformance.csv":                                  "o",
	"GET /api/v1/operator/bookings":                                         "o",
	"GET /api/v1/operator/bookings/{booking}":                               "o",
	"POST /api/v1/operator/bookings/{booking}/confirm":                      "o",
	"POST /api/v1/operator/bookings/{booking}/cancel":                       "o",
	"POST /api/v1/operator/bookings/{booking}/deliver":                      "o",
	"POST /api/v1/operator/bookings/{booking}/resolve":                      "o",
	"POST /api/v1/operator/bookings/{booking}/erase-guest":                  "o",
	"GET /api/v1/operator/rates":                                            "o",
	"PUT /api/v1/operator/rates":                                            "o",
	"POST /api/v1/operator/rates/import":                                    "o",
	"GET /api/v1/operator/pricing":                                          "o",
	"PUT /api/v1/operator/pricing":                                          "o",
}

func TestEveryRouteAdmitsTheRolesInTheTable(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.RateLimit = 0 })
	var routes []string
	for _, route := range api.Routes() {
		routes = append(routes, route.Method+" "+route.Path)
	}
	for route := range whoMay {
		if !slices.Contains(routes, route) {
			t.Errorf("the table has %s, which is no route", route)
		}
	}
	letters := map[string]header{"t": {"X-Api-Token", b.apiToken(t)}}
	for _, role := range roles {
		letters[string(role[0])] = b.signIn(t, role)
	}
	nobodies := map[string]header{
		"no credential": {"X-Nothing", "x"}, "garbage": {"Authorization", "Bearer x.y.z"}, "another scheme": {"Authorization", "Basic " + strings.Repeat("YTpi", 9)},
		"an unknown API token": {"X-Api-Token", strings.Repeat("0", 64)}, "an API token as a JWT": {"Authorization", "Bearer " + letters["t"].value},
		"a webhook secret": {"X-Webhook-Secret", strings.Repeat("0", 64)},
		"a forged token":   {"Authorization", letters["o"].value[:len(letters["o"].value)-6] + "AAAAAA"},
	}
	ask := func(route string, who header) int {
		method, path, _ := strings.Cut(route, " ")
		for strings.Contains(path, "{") {
			from, rest, _ := strings.Cut(path, "{")
			_, rest, _ = strings.Cut(rest, "}")
			path = from + uuid.NewString() + rest
		}
		body := ""
		if method != http.MethodGet && method != http.MethodDelete {
			body = "{}"
		}
		return b.ask(t, method, path, body, who).StatusCode
	}
	for _, route := range routes {
		may, known := whoMay[route]
		if !known {
			t.Errorf("%s is not in the table: who may come in?", route)
			continue
		}
		for letter, who := range letters {
			got := ask(route, who)
			switch {
			case strings.Contains(may, letter) || may == "*":
				if got == 401 || got == 403 {
					t.Errorf("%s: want %s let in, got %d", route, letter, got)
				}
			case may == "w":
				if got != 400 {
					t.Errorf("%s: Expected the missing secret to be reported to %s with 400, received %d", route, letter, got)
				}
			case letter == "t":
				if got != 401 {
					t.Errorf("%s: want an API token refused with 401, got %d", route, got)
				}
			default:
				if got != 403 {
					t.Errorf("%s: want %s refused with 403, got %d", route, letter, got)
				}
			}
		}
		for name, who := range nobodies {
			want := 401
			switch {
			case may == "*":
				continue // the route checks it itself
			case may == "w" && who.name != "X-Webhook-Secret":
				want = 400
			}
			if got := ask(route, who); got != want {
				t.Errorf("%s: want %s answered with %d, got %d", route, name, want, got)
			}
		}
	}
	b.ahead.Add(int64(15*time.Minute + time.Second))
	for _, route := range routes {
		for letter, who := range letters {
			if may := whoMay[route]; may != "*" && may != "w" && letter != "t" {
				if got := ask(route, who); got != 401 {
					t.Errorf("%s: want a token that has run out refused with 401, got %d for %s", route, got, letter)
				}
			}
		}
	}
}

// apiToken creates a long-lived token for the reseller.
func (b *bench) apiToken(t testing.TB) string {
	t.Helper()
	var made client.MadeToken
	b.do(t, "POST", "/api/v1/operator/accounts/"+b.accounts[domain.Reseller].ID.String()+"/api-tokens", `{"name":"shop"}`, b.signIn(t, domain.Operator)).data(t, &made)
	return string(made.Token)
}

// anotherAccount creates another account with the role and signs it in.
func (b *bench) anotherAccount(t testing.TB, role domain.Role) header {
	t.Helper()
	b.do(t, "POST", "/api/v1/operator/accounts", fmt.Sprintf(`{"email":"other@example.com","password":%q,"role":%q}`, password, role), b.signIn(t, domain.Operator))
	return b.signInAs(t, "other@example.com")
}

func TestOthersIntegrationsAreNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	operator, own := b.signIn(t, domain.Operator), b.signIn(t, domain.Partner)
	other := b.anotherAccount(t, domain.Partner)
	made, another := b.register(t, own, "https://one.example"), b.register(t, other, "https://two.example")
	run := b.storeFinishedRun(t, made.ID).String()
	b.certify(t, made.ID)
	judged := 0
	for route, may := range whoMay {
		method, path, _ := strings.Cut(route, " ")
		if !strings.Contains(path, "{integration}") || !strings.Contains(may, "p") {
			continue
		}
		body := ""
		if method != http.MethodGet {
			body = "{}"
		}
		if strings.Contains(path, "{run}") { // as if the run were of its own integration
			wantProblem(t, b.ask(t, method, strings.NewReplacer("{integration}", another.ID, "{run}", run).Replace(path), body, other), 404, "run not found")
		}
		path = strings.NewReplacer("{integration}", made.ID, "{run}", run).Replace(path)
		judged++
		wantProblem(t, b.ask(t, method, path, body, other), 404, "integration not found")
		if method != http.MethodGet {
			continue // it would change something; DELETE comes last
		}
		for _, who := range []header{own, operator} {
			if got := b.ask(t, method, path, "", who).StatusCode; got != 200 {
				t.Errorf("%s: want it shown to its own account and to operators, got %d", route, got)
			}
		}
	}
	if judged == 0 {
		t.Error("no route was judged")
	}
	for _, path := range []string{"/sync/trigger", "/availability/notify"} {
		wantProblem(t, b.ask(t, "POST", "/api/v1/partner-integrations/"+made.ID+path, "{}", header{"X-Webhook-Secret", another.Secret}), 401)
	}
	wantProblem(t, b.ask(t, "DELETE", "/api/v1/partner-integrations/"+made.ID, "", other), 404, "integration not found")
	if got := b.ask(t, "DELETE", "/api/v1/partner-integrations/"+made.ID, "", own).StatusCode; got != 200 {
		t.Errorf("want it deleted by its own account, got %d", got)
	}
}
