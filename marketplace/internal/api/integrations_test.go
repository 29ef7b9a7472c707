package api_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/mockpartner"
	mockclient "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas"
)

// registered is the answer to a registration.
type registered struct {
	ID     string `json:"integration_id"`
	Secret string `json:"webhook_secret"`
}

func (b *bench) register(t testing.TB, who header, baseURL string) registered {
	t.Helper()
	var made registered
	a := b.do(t, "POST", "/api/v1/partner-integrations", fmt.Sprintf(`{"name":"Old Town Walks","base_url":%q,"auth_key":"partner-key"}`, baseURL), who)
	a.data(t, &made)
	if a.StatusCode != http.StatusCreated {
		t.Errorf("want 201, got %d", a.StatusCode)
	}
	for _, problem := range schemas.Validate(schemas.RegistrationAnswer, a.body) {
		t.Error(problem)
	}
	return made
}

// aPartner starts a mock partner that keeps the contract, and returns it with its address.
func aPartner(t *testing.T) (*mockpartner.Mock, string) {
	t.Helper()
	mock := mocktest.Start(t, mockpartner.Options{AuthKey: "partner-key"})
	return mock.Mock, mock.URL
}

func (b *bench) trigger(t testing.TB, r registered) answer {
	t.Helper()
	return b.do(t, "POST", "/api/v1/partner-integrations/"+r.ID+"/sync/trigger", "", header{"x-webhook-secret", r.Secret})
}

func TestARegistrationShowsTheWebhookSecretOnceAndTheKeyNever(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	made := b.register(t, partner, "https://partner.example/api/")
	a := b.do(t, "GET", "/api/v1/partner-integrations/"+made.ID, "", partner)
	if strings.Contains(string(a.body), made.Secret) || strings.Contains(string(a.body), "partner-key") {
		t.Errorf("want neither secret nor key, got %s", a.body)
	}
	var view client.Integration
	a.data(t, &view)
	if view.BaseURL != "https://partner.example/api" || view.AuthType != "bearer" || view.Health.State != "HEALTHY" || view.LastSync != nil {
		t.Errorf("want it as it was registered, got %+v", view)
	}
}

func TestWebhookSecretsAreStoredHashed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.signIn(t, domain.Partner)
	first := b.register(t, partner, "https://partner.example")
	requireStored := func(secrets ...string) {
		t.Helper()
		var hash, previous []byte
		var row string
		must(t, b.store.Pool().QueryRow(t.Context(), `SELECT webhook_secret_hash, previous_webhook_secret_hash, i::text FROM integrations i`).Scan(&hash, &previous, &row))
		for i, stored := range [][]byte{hash, previous}[:len(secrets)] {
			if want := sha256.Sum256([]byte(secrets[i])); !bytes.Equal(stored, want[:]) {
				t.Errorf("want secret %d stored as its SHA-256, got %x", i, stored)
			}
			if strings.Contains(row, secrets[i]) { // its digits are also how the database writes its bytes
				t.Errorf("want secret %d nowhere, got %s", i, row)
			}
		}
	}
	requireStored(first.Secret)
	var second registered
	b.do(t, "POST", "/api/v1/partner-integrations/"+first.ID+"/webhook-secret", "", partner).data(t, &second)
	requireStored(second.Secret, first.Secret)
}

func TestARegistrationNamesEveryMistake(t *testing.T) {
	t.Parallel()
	b := shared(t)
	partner := b.signIn(t, domain.Partner)
	for body, words := range map[string][]string{
		`{}`: {"name: is required", "base_url: is required", "auth_key: is required"},
		`{"name":"x","base_url":"https://p.example","auth_key":" k","auth_type":"basic"}`: {"auth_key: expected printable ASCII", "auth_type: expected one of bearer, api_key"},
		`{"name":"x","base_url":"https://u:p@p.example","auth_key":"k"}`:                  {"base_url: expected an http or https address"},
	} {
		wantProblem(t, b.do(t, "POST", "/api/v1/partner-integrations", body, partner), 400, words...)
	}
}

func TestAPartnerSeesItsOwnIntegrationsAndAnOperatorAll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner, operator := b.signIn(t, domain.Partner), b.signIn(t, domain.Operator)
	own := b.register(t, partner, "https://one.example")
	b.register(t, operator, "https://two.example")
	list := func(who header) (ids []string) {
		var views []registered
		b.do(t, "GET", "/api/v1/partner-integrations", "", who).data(t, &views)
		for _, view := range views {
			ids = append(ids, view.ID)
		}
		return ids
	}
	if got := list(partner); len(got) != 1 || got[0] != own.ID {
		t.Errorf("want its own, got %v", got)
	}
	all := list(operator)
	if len(all) != 2 {
		t.Fatalf("want all, got %v", all)
	}
	a := b.do(t, "GET", "/api/v1/partner-integrations?page=2&limit=1", "", operator)
	var second []registered
	if a.data(t, &second); len(second) != 1 || second[0].ID != all[1] || !strings.Contains(string(a.body), `"pagination":{"pageSize":1,"page":2,"totalCount":2,"next_cursor":`) {
		t.Errorf("want the second, got %s", a.body)
	}
}

func TestTheSameAddressIsRegisteredOnceUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const address = "https://partner.example"
	partner := b.signIn(t, domain.Partner)
	first := b.register(t, partner, address)
	wantProblem(t, b.do(t, "POST", "/api/v1/partner-integrations", fmt.Sprintf(`{"name":"x","base_url":%q,"auth_key":"k"}`, address+"/"), partner), 409, "an integration with this base_url and mode exists")
	if a := b.do(t, "DELETE", "/api/v1/partner-integrations/"+first.ID, "", partner); a.StatusCode != 200 {
		t.Fatalf("want 200, got %d %s", a.StatusCode, a.body)
	}
	wantProblem(t, b.do(t, "GET", "/api/v1/partner-integrations/"+first.ID, "", partner), 404)
	wantProblem(t, b.trigger(t, first), 401)
	b.register(t, partner, address)
}

func TestATriggerPullsTheCatalogAndSkipsTheSameOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mock, address := aPartner(t)
	partner := b.signIn(t, domain.Partner)
	made := b.register(t, partner, address)
	if calls := len(mock.Default().Exchanges(mockclient.Filter{})); calls != 0 {
		t.Errorf("want no call made by a registration, got %d calls", calls)
	}
	for _, skipped := range []bool{false, true} {
		a := b.trigger(t, made)
		for _, problem := range schemas.Validate(schemas.SyncTriggerAnswer, a.body) {
			t.Errorf("%s: %s", problem, a.body)
		}
		var data client.Pull
		a.data(t, &data)
		if data.Synced != 8 || data.Skipped != skipped {
			t.Errorf("want 8 products, skipped %t, got %+v", skipped, data)
		}
		var view client.Integration
		b.do(t, "GET", "/api/v1/partner-integrations/"+made.ID, "", partner).data(t, &view)
		last := view.LastSync
		if view.LastSyncAt.IsZero() || last.Skipped != skipped || last.Cause != "trigger" || last.Synced != 8 || (last.Created == 8) == skipped || view.Health.LastOKAt.IsZero() {
			t.Errorf("Expected the sync, skipped %t, and the good answer, received %+v", skipped, view)
		}
		b.ahead.Add(int64(time.Minute))
	}
}

func TestAWebhookWithoutTheSecretLearnsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.register(t, b.signIn(t, domain.Partner), "https://partner.example")
	path := func(id string) string { return "/api/v1/partner-integrations/" + id + "/sync/trigger" }
	wantProblem(t, b.do(t, "POST", path(made.ID), ""), 400, "the header x-webhook-secret is missing")
	wrong := b.do(t, "POST", path(made.ID), "", header{"x-webhook-secret", strings.Repeat("0", 64)})
	wantProblem(t, wrong, 401, "unauthorized access")
	for _, id := range []string{uuid.NewString(), "17"} {
		if unknown := b.do(t, "POST", path(id), "", header{"x-webhook-secret", made.Secret}); string(unknown.body) != string(wrong.body) {
			t.Errorf("want the same answer, got %s and %s", unknown.body, wrong.body)
		}
	}
}

func TestAPartnerThatFailsIsTheTriggersAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	status := http.StatusServiceUnavailable
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(server.Close)
	partner := b.signIn(t, domain.Partner)
	made := b.register(t, partner, server.URL)
	for range 3 {
		wantProblem(t, b.trigger(t, made), 502, "the partner answered GET /products with 503")
	}
	var view client.Integration
	b.do(t, "GET", "/api/v1/partner-integrations/"+made.ID, "", partner).data(t, &view)
	if view.Health.State != "DEGRADED" || view.Health.FailureCount != 3 || len(view.Health.Changes) != 1 || view.Health.Changes[0].Reason != "answered with 503" {
		t.Errorf("want it degraded, and why, got %+v", view.Health)
	}
}
