package api_test

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres/pgtest"
	"partnerkit.dev/marketplace/internal/replica"
	"partnerkit.dev/mockpartner"
	mockclient "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
)

const integrationsPath = "/api/v1/partner-integrations/"

func TestANewKeyReplacesTheOldOneOnlyWhenItWorks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mock, address := aPartner(t)
	moved := mocktest.Start(t, mockpartner.Options{AuthKey: "partner-key-2"})
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, address)
	path := integrationsPath + made.ID
	patch := func(body string) answer { return b.do(t, "PATCH", path, body, owner) }

	a := patch(`{"auth_key":"a-secret-guess"}`)
	wantProblem(t, a, 422, `"error_code":"connection_test_failed"`, "GET /products?limit=1: the partner answered GET /products with 401")
	if strings.Contains(string(a.body), "a-secret-guess") {
		t.Errorf("want no key in the answer, got %s", a.body)
	}
	if a := b.trigger(t, made); a.StatusCode != 200 {
		t.Fatalf("want the old key still in use, got %d %s", a.StatusCode, a.body)
	}
	calls := len(mock.Default().Exchanges(mockclient.Filter{}))
	var view client.Integration
	patch(`{"name":"New Town Walks","handles_ticket_delivery":true}`).data(t, &view)
	if view.Name != "New Town Walks" || !view.HandlesTicketDelivery || view.BaseURL != address {
		t.Errorf("want name and tickets changed, and nothing else, got %+v", view)
	}
	if now := len(mock.Default().Exchanges(mockclient.Filter{})); now != calls {
		t.Errorf("want no call for a change of the name, got %d", now-calls)
	}
	wantProblem(t, patch(fmt.Sprintf(`{"base_url":%q,"auth_key":"partner-key-1"}`, moved.URL)), 422, "with 401")
	patch(fmt.Sprintf(`{"base_url":%q,"auth_key":"partner-key-2"}`, moved.URL)).data(t, &view)
	if view.BaseURL != moved.URL {
		t.Errorf("want the new address, got %q", view.BaseURL)
	}
	if a := b.trigger(t, made); a.StatusCode != 200 || len(moved.Mock.Default().Exchanges(mockclient.Filter{})) < 3 {
		t.Errorf("want the next sync to use the new address and key, got %d %s", a.StatusCode, a.body)
	}
	if view.Health.FailureCount != 0 {
		t.Errorf("want tries to leave the health alone, got %+v", view.Health)
	}
}

func TestTheStoredSettingsAreTheTestedOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.signIn(t, domain.Partner)
	var path string
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// Another change of the key arrives while the address is tried.
		b.do(t, "PATCH", path, `{"auth_key":"meanwhile","force":true}`, owner)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `[]`)
	}))
	t.Cleanup(platform.Close)
	path = integrationsPath + b.register(t, owner, "https://partner.example").ID
	wantProblem(t, b.do(t, "PATCH", path, fmt.Sprintf(`{"base_url":%q,"auth_key":"some"}`, platform.URL), owner), 409, "the integration was changed in the meantime")
	var view client.Integration
	if b.do(t, "GET", path, "", owner).data(t, &view); view.BaseURL != "https://partner.example" {
		t.Errorf("want the address unchanged, got %q", view.BaseURL)
	}
}

// A caller who can change an integration's address, an operator too, must not read its key that way.
func TestAStoredKeyIsSentOnlyToTheOriginThatItWasGivenFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := aPartner(t)
	var calls atomic.Int32
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(thief.Close)
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, address)
	path, host := integrationsPath+made.ID, strings.TrimPrefix(address, "http://")
	for _, who := range []header{owner, b.signIn(t, domain.Operator)} {
		for _, moved := range []string{
			thief.URL,                             // another port
			"https://" + host,                     // another scheme
			"http://thief.example",                // another host
			"http://127.0.0.1.thief.example",      // a host that begins alike
			"http://thief.example/" + host,        // a path that names it
			strings.ToUpper(thief.URL) + "/later", // another port, in capitals
		} {
			for _, call := range []struct{ method, path, more string }{{"POST", path + "/test", ""}, {"PATCH", path, ""}, {"PATCH", path, `,"force":true`}} {
				a := b.do(t, call.method, call.path, fmt.Sprintf(`{"base_url":%q%s}`, moved, call.more), who)
				wantProblem(t, a, 422, `"error_code":"key_required"`, "auth_key: required, because base_url has another scheme, host or port than the stored key was given for ("+address+")")
			}
		}
	}
	if calls.Load() != 0 {
		t.Errorf("want no call to another origin, got %d", calls.Load())
	}
	var view client.Integration
	if b.do(t, "GET", path, "", owner).data(t, &view); view.BaseURL != address {
		t.Fatalf("want the address unchanged, got %q", view.BaseURL)
	}
	for _, change := range []string{
		fmt.Sprintf(`{"base_url":"HTTP://%s/other/path/","force":true}`, host),            // the same origin
		fmt.Sprintf(`{"base_url":%q,"auth_key":"partner-key-1","force":true}`, thief.URL), // the same key, given for the new one
		`{"auth_key":"partner-key-2","force":true}`,
	} {
		if a := b.do(t, "PATCH", path, change, owner); a.StatusCode != 200 {
			t.Errorf("%s: want it stored, got %d %s", change, a.StatusCode, a.body)
		}
	}
	if _, err := b.store.Pool().Exec(t.Context(), `UPDATE integrations SET base_url = 'https://elsewhere.example' WHERE id = $1`, made.ID); err == nil || !strings.Contains(err.Error(), "a key is sent only to the origin that it was given for") {
		t.Errorf("want the database to refuse another origin with the same key, got %v", err)
	}
}

func TestAForcedChangeIsNotTried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mock, address := aPartner(t)
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, address)
	if a := b.do(t, "PATCH", integrationsPath+made.ID, `{"auth_key":"partner-key-3","auth_type":"api_key","force":true}`, owner); a.StatusCode != 200 {
		t.Fatalf("want it stored, got %d %s", a.StatusCode, a.body)
	}
	if calls := len(mock.Default().Exchanges(mockclient.Filter{})); calls != 0 {
		t.Errorf("want no call, got %d", calls)
	}
	wantProblem(t, b.trigger(t, made), 502, "with 401")
}

func TestAChangeOfAnIntegrationNamesEveryMistake(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *replica.Config) { c.AllowPrivatePartners = false })
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, "https://partner.example")
	b.register(t, owner, "https://taken.example")
	for body, want := range map[string]struct {
		status int
		words  string
	}{
		`{"name":"","auth_key":" k","auth_type":"basic"}`: {400, "name: expected at least 1"},
		`{"auth_key":""}`:                                                     {400, "auth_key: expected printable ASCII"},
		`{"base_url":"ftp://partner.example"}`:                                {400, "base_url: expected an http or https address"},
		`{"base_url":"http://127.0.0.1:8080"}`:                                {400, "base_url: expected a public address, not one of a private network"},
		`{"base_url":"http://10.0.0.7"}`:                                      {400, "base_url: expected a public address, not one of a private network"},
		`{"base_url":"http://169.254.169.254"}`:                               {400, "base_url: expected a public address, not one of a private network"},
		`{"base_url":"http://[::1]","force":true}`:                            {400, "base_url: expected a public address, not one of a private network"},
		`{"base_url":"http://localhost:1","auth_key":"some"}`:                 {422, "the partner could not be reached for GET /products, or the connection was lost: address ("},
		`{"base_url":"https://taken.example","auth_key":"some","force":true}`: {409, "an integration with this base_url and mode exists"},
		`{"base_url":"http://nowhere.invalid","auth_key":"some"}`:             {422, "the partner could not be reached for GET /products, or the connection was lost: address ("},
	} {
		wantProblem(t, b.do(t, "PATCH", integrationsPath+made.ID, body, owner), want.status, want.words)
	}
}

// Each place where the owner looks has the cause, and none has an address.
func TestTheOwnerReadsWhyAPartnerIsNotReached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.signIn(t, domain.Partner)
	secured := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secured.Close)
	secured.Config.ErrorLog = log.New(io.Discard, "", 0)
	for address, cause := range map[string]string{
		"http://127.0.0.1:1": "refused", "http://nowhere.invalid": "address", secured.URL: "tls_untrusted",
	} {
		made := b.register(t, owner, address)
		places := map[string][]byte{
			"trigger": b.trigger(t, made).body, "test": b.do(t, "POST", integrationsPath+made.ID+"/test", "", owner).body,
			"syncs": b.do(t, "GET", integrationsPath+made.ID+"/syncs", "", owner).body, "calls": b.do(t, "GET", integrationsPath+made.ID+"/calls", "", owner).body,
		}
		for place, body := range places {
			if text := string(body); !strings.Contains(text, "connection was lost: "+cause+" (") || strings.Contains(text, "lookup") || strings.Contains(text, "dial") {
				t.Errorf("%s of %s: Expected %s and no address, received %s", place, address, cause, body)
			}
		}
	}
}

func TestAConnectionTestSaysWhatCameBackAndChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := aPartner(t)
	var says atomic.Value
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, says.Load())
	}))
	t.Cleanup(odd.Close)
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, address)
	test := func(body string) (got client.Trial) {
		t.Helper()
		b.do(t, "POST", integrationsPath+made.ID+"/test", body, owner).data(t, &got)
		return got
	}
	if got := test(""); !got.Works || got.Products.Status != 200 || got.Products.Found == 0 || got.Availability == nil || got.Availability.Found == 0 {
		t.Errorf("want what is stored to work, got %+v", got)
	}
	if got := test(`{"auth_key":"wrong"}`); got.Works || got.Products.Status != 401 || got.Availability != nil || !strings.Contains(got.Products.Error, "with 401") {
		t.Errorf("want the refusal, got %+v", got)
	}
	for body, want := range map[string]string{
		`no JSON`:       "the partner's answer to GET /products is invalid",
		`{"items":[]}`:  "expected an array of products",
		`[{"id":"p1"}]`: "no product of the answer can be used",
	} {
		says.Store(body)
		if got := test(fmt.Sprintf(`{"base_url":%q,"auth_key":"another-key"}`, odd.URL)); got.Works || !strings.Contains(got.Products.Error, want) {
			t.Errorf("%s: want %q, got %+v", body, want, got)
		}
	}
	says.Store(`[{"id":"p1","locale":"the-new-key"}]`) // a platform that repeats the key in its answer
	if a := b.do(t, "POST", integrationsPath+made.ID+"/test", fmt.Sprintf(`{"base_url":%q,"auth_key":"the-new-key"}`, odd.URL), owner); strings.Contains(string(a.body), "the-new-key") {
		t.Errorf("want no key in the answer, got %s", a.body)
	}
	says.Store(`[]`)
	if got := test(fmt.Sprintf(`{"base_url":%q,"auth_key":"another-key"}`, odd.URL)); !got.Works || got.Availability != nil {
		t.Errorf("want an answer without products to be fine (a probe may be answered so), got %+v", got)
	}
	var view client.Integration
	b.do(t, "GET", integrationsPath+made.ID, "", owner).data(t, &view)
	if view.BaseURL != address || view.Health.FailureCount != 0 || !view.Health.LastOKAt.IsZero() {
		t.Errorf("want nothing changed, health included, got %+v", view)
	}
}

func TestTriesOfAConnectionAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := aPartner(t)
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, address)
	test := func() answer { return b.do(t, "POST", integrationsPath+made.ID+"/test", "", owner) }
	for range 30 {
		if a := test(); a.StatusCode != 200 {
			t.Fatalf("want 200, got %d %s", a.StatusCode, a.body)
		}
	}
	wantProblem(t, test(), 429)
	wantProblem(t, b.do(t, "PATCH", integrationsPath+made.ID, `{"auth_key":"another"}`, owner), 429)
}

func TestARotatedWebhookSecretIsAcceptedForADay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.signIn(t, domain.Partner)
	made := b.register(t, owner, "https://partner.example")
	id, notify := uuid.MustParse(made.ID), integrationsPath+made.ID+"/availability/notify"
	// The model: the secrets, newest first, and for how many hours the second one is valid.
	secrets, left := []string{made.Secret}, 0
	random := rand.New(rand.NewPCG(1, 2))
	for step := range 120 {
		if random.IntN(3) == 0 {
			var rotated client.Registered
			a := b.do(t, "POST", integrationsPath+made.ID+"/webhook-secret", "", owner)
			a.data(t, &rotated)
			if a.StatusCode != 201 || rotated.IntegrationID != made.ID || time.Until(rotated.PreviousSecretUntil).Round(time.Hour) != 24*time.Hour {
				t.Fatalf("want 201 and a day for the previous secret, got %d %s", a.StatusCode, a.body)
			}
			secrets, left = append([]string{string(rotated.WebhookSecret)}, secrets...), 24
		} else {
			hours := 1 + random.IntN(15)
			left -= hours
			// The database's clock cannot be moved, so the stored time is.
			pgtest.Exec(t, b.store, `UPDATE integrations SET previous_webhook_secret_until = previous_webhook_secret_until - $2 * interval '1 hour' WHERE id = $1`, id, hours)
		}
		for i, secret := range secrets[:min(len(secrets), 4)] {
			_, err := b.Integrations.ByWebhook(t.Context(), id, secret)
			if want := i == 0 || i == 1 && left > 0; (err == nil) != want {
				t.Fatalf("step %d: want secret %d from the newest accepted: %t (%d hours left), got %v", step, i, want, left, err)
			}
		}
	}
	for i, status := range []int{400, 401} { // a valid secret with an empty notification, and an old secret
		wantProblem(t, b.do(t, "POST", notify, `{}`, header{"x-webhook-secret", secrets[i*2]}), status)
	}
}
