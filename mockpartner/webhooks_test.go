package mockpartner_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"partnerkit.dev/mockpartner"
	"partnerkit.dev/mockpartner/catalog"
	control "partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/webhook"
	"partnerkit.dev/mockpartner/mocktest"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

const webhookSecret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

// marketplace takes webhooks, and counts them.
func marketplace(t *testing.T) (url string, taken *atomic.Int64) {
	taken = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get(partnerapi.WebhookSecretHeader) != webhookSecret {
			t.Errorf("%s: want the secret", r.URL.Path)
		}
		if strings.HasSuffix(r.URL.Path, partnerapi.AvailabilityNotifyPath) {
			for _, problem := range schemas.Validate(schemas.AvailabilityNotifyRequest, body) {
				t.Errorf("notify: %s", problem)
			}
		}
		taken.Add(1)
	}))
	t.Cleanup(server.Close)
	return server.URL, taken
}

func TestWebhooksAreSetUpWatchedAndTurnedOffOverTheControlAPI(t *testing.T) {
	t.Parallel()
	url, taken := marketplace(t)
	partner := mocktest.Start(t, mockpartner.Options{Now: noon, Frozen: true})
	ctx := t.Context()
	if _, err := partner.Control.Webhooks.SendTrigger(ctx); !control.IsStatus(err, 409) {
		t.Errorf("want 409 while there are none, got %v", err)
	}
	check(t, partner.Control.Webhooks.Set(ctx, fmt.Sprintf("url: %s/hooks\nsecret: %s\non: [catalog, staff]\n", url, webhookSecret)))
	slot := newCaller(t, partner.Mock, partner.URL).slot(5)                                       // 1: staff
	if _, err := partner.Control.Webhooks.SendNotify(ctx, product, option, slot.ID); err != nil { // 2
		t.Fatal(err)
	}
	if _, err := partner.Control.Webhooks.SendTrigger(ctx); err != nil { // 3
		t.Fatal(err)
	}
	if err := partner.Control.Catalog.DeleteProduct(ctx, "lisbon-walk"); err != nil { // 4: the catalog
		t.Fatal(err)
	}
	await(t, "four are delivered", func() bool {
		met, err := partner.Control.Webhooks.Wait(ctx, "", webhook.Delivered, 4, time.Minute)
		check(t, err)
		return met
	})
	seen, err := partner.Control.Webhooks.Status(ctx)
	if err != nil || seen.Config == nil || seen.Config.URL != url+"/hooks" || len(seen.Deliveries) != 4 || seen.Counts.Delivered != 4 || taken.Load() != 4 {
		t.Errorf("want four on record, got %+v, %v", seen, err)
	}
	check(t, partner.Control.Webhooks.TurnOff(ctx))
	if seen, err = partner.Control.Webhooks.Status(ctx); err != nil || seen.Config != nil || len(seen.Deliveries) != 4 {
		t.Errorf("want them off and the record kept, got %+v, %v", seen, err)
	}
}

func TestTheWebhookSecretIsInNoAnswerAndNotInTheJournal(t *testing.T) {
	t.Parallel()
	url, _ := marketplace(t)
	c := start(t)
	body := fmt.Sprintf(`{"url":%q,"secret":%q}`, url, webhookSecret)
	answers := []answer{c.call("PUT", "/_mock/webhooks", body), c.call("GET", "/_mock/webhooks", ""), c.call("PUT", "/_mock/webhooks", strings.Replace(body, "url", "uri", 1)),
		c.call("PUT", "/_mock/webhooks", fmt.Sprintf(`{"url":%q,"secret":["%s"]}`, url, webhookSecret)),
		c.call("PUT", "/_mock/webhooks", fmt.Sprintf(`{"url":%q,"secret":"%s\u00e9"}`, url, webhookSecret))}
	c.call("GET", "/products?limit=1&stray="+webhookSecret, "")
	c.call("POST", partnerapi.ReservePath, `{"productId":"`+webhookSecret+`"}`)
	answers = append(answers, c.call("GET", "/_mock/journal", ""), c.call("GET", "/_mock/journal/har", ""))
	for _, a := range answers {
		if strings.Contains(a.body, webhookSecret) {
			t.Errorf("%s: want no secret, got %s", a.what, a.body)
		}
	}
}

func TestCallersOfTheControlAPICannotHaveOtherMachinesCalledNorReadTheEnvironment(t *testing.T) {
	t.Parallel()
	c := start(t)
	elsewhere := fmt.Sprintf(`{"url":"http://marketplace.example/hooks","secret":%q}`, webhookSecret)
	c.call("PUT", "/_mock/webhooks", elsewhere).requireRefusal(400, "loopback")
	c.call("POST", "/_mock/sandboxes", `{"name":"mine","webhooks":`+elsewhere+`}`).requireRefusal(400, "loopback")
	c.call("PUT", "/_mock/webhooks", `{"url":"http://127.0.0.1:1/hooks","secret_env":"PATH"}`).requireRefusal(400, "secret_env")
	for _, url := range []string{"", "ftp://127.0.0.1/", "http://user:pass@127.0.0.1/", "http://127.0.0.1/?key=x", "127.0.0.1:80", "http://"} {
		c.call("PUT", "/_mock/webhooks", fmt.Sprintf(`{"url":%q,"secret":%q}`, url, webhookSecret)).requireRefusal(400, "url: expected")
	}
	guarded := start(t, func(o *mockpartner.Options) { o.ControlToken = "a-control-token" })
	guarded.key = "Bearer a-control-token"
	if a := guarded.call("PUT", "/_mock/webhooks", elsewhere); a.status != 200 {
		t.Errorf("want any host with a control token, got %d: %s", a.status, a.body)
	}
}

func TestEachSandboxHasItsOwnWebhooksAndTheScenariosAreTheDefaults(t *testing.T) {
	t.Parallel()
	url, taken := marketplace(t)
	mine, mineTaken := marketplace(t)
	hooks := func(url string) string { return fmt.Sprintf(`{"url": %q, "secret": %q}`, url, webhookSecret) }
	partner := mocktest.Start(t, mockpartner.Options{Now: noon, Frozen: true, Scenario: scenario(t, `webhooks: `+hooks(url))})
	if _, err := partner.Control.CreateSandbox(t.Context(), control.Spec{Name: "mine", Webhooks: json.RawMessage(hooks(mine))}); err != nil {
		t.Fatal(err)
	}
	box, _ := partner.Sandbox("mine")
	other, err := partner.Create("other")
	check(t, err)
	for _, b := range []*mockpartner.Sandbox{partner.Default(), box, other} {
		if err := b.Platform().SellInstead(func(sold *catalog.Index, _ time.Time) (*catalog.Index, error) {
			return sold.WithoutProduct("lisbon-walk")
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range []*mockpartner.Sandbox{partner.Default(), box} {
		b.Webhooks().Wait(t.Context(), webhook.Filter{}, 1)
	}
	if taken.Load() != 1 || mineTaken.Load() != 1 || other.Webhooks().Status(webhook.Filter{}, 1).Config != nil {
		t.Errorf("want one each and none of the third, got %d and %d", taken.Load(), mineTaken.Load())
	}
	if _, err := partner.Control.CreateSandbox(t.Context(), control.Spec{Name: "wrong", Webhooks: json.RawMessage(`{"url": "` + url + `"}`)}); err == nil || !strings.Contains(err.Error(), "webhooks: secret: expected") {
		t.Errorf("want a sandbox refused whose webhooks have no secret, got %v", err)
	}
	if _, there := partner.Sandbox("wrong"); there {
		t.Error("want it not to be there")
	}
	check(t, partner.Delete("mine"))
	if err := box.Webhooks().Configure(webhook.Config{URL: mine, Secret: webhookSecret}); err != webhook.ErrClosed {
		t.Errorf("want a deleted sandbox to send no more, got %v", err)
	}
}

func TestACatalogChangesWhileTheMockRuns(t *testing.T) {
	t.Parallel()
	partner := mocktest.Start(t, mockpartner.Options{Now: noon, Frozen: true})
	c := newCaller(t, partner.Mock, partner.URL)
	ctx := t.Context()
	c.slot(5)
	hold := c.reserve(c.slots()[0].ID, 2)
	shown, err := partner.Control.Catalog.Get(ctx)
	check(t, err)
	var sold struct{ Products []map[string]any }
	check(t, json.Unmarshal(shown, &sold))
	walk := sold.Products[0]
	walk["internalName"] = "Renamed <b>&</b>"
	text, _ := json.Marshal(walk)
	if _, err := partner.Control.Clock.Advance(ctx, time.Second); err != nil {
		t.Fatal(err)
	}
	now, err := partner.Control.Catalog.SetProduct(ctx, "lisbon-walk", string(text))
	if err != nil || !strings.Contains(string(now), `"updatedAt":"2026-07-01T12:00:01+00:00"`) {
		t.Fatalf("want it updated by the sandbox's clock, got %s, %v", now, err)
	}
	changed := read[[]partnerapi.Product](c.call("GET", "/products?updated_since=2026-07-01T12:00:00Z", "").is(200, schemas.ProductsAnswer))
	if len(changed) == 0 || changed[0].InternalName != "Renamed <b>&</b>" {
		t.Errorf("want updated_since to find it, got %+v", changed)
	}
	check(t, partner.Control.Catalog.DeleteProduct(ctx, product))
	c.call("POST", partnerapi.AvailabilityPath, window(day, day)).requireRefusal(400, "no product")
	c.release(hold.ReservationConfirmationCode)
	check(t, partner.Control.Catalog.Set(ctx, string(shown)))
	c.requireVacancies(5)
	c.requireBalanced()
	for _, wrong := range []struct{ method, path, body, words string }{
		{"PUT", "/_mock/products/other", string(text), "the body names"},
		{"PUT", "/_mock/products/x", "id: x\nnonsense: 1\n", "body:2:1:"},
		{"PUT", "/_mock/catalog", "products: []\n", "body:1:"},
		{"PUT", "/_mock/catalog", "noHolds: true\n" + string(shown)[:0] + "products:\n  - {id: x}\n", "policy"},
	} {
		c.call(wrong.method, wrong.path, wrong.body).requireRefusal(400, wrong.words)
	}
	c.call("DELETE", "/_mock/products/nothing", "").requireRefusal(404, "GET /_mock/catalog")
}

func TestADefectOfWebhooksNeedsWebhooksAndKeepsTheirTarget(t *testing.T) {
	t.Parallel()
	if _, err := mockpartner.New(mockpartner.Options{AuthKey: key, Defects: []string{"webhook-without-status"}}); !errors.Is(err, defects.ErrNoWebhooks) {
		t.Errorf("want %v without webhooks, got %v", defects.ErrNoWebhooks, err)
	}
	bodies := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- r.Header.Get(partnerapi.WebhookSecretHeader) + " " + string(body)
	}))
	t.Cleanup(server.Close)
	c := start(t, func(o *mockpartner.Options) {
		o.Defects, o.Webhooks = []string{"webhook-without-status"}, mockpartner.Webhooks{URL: server.URL, Secret: webhookSecret}
	})
	c.reserve(c.slots()[0].ID, 1)
	got := <-bodies
	if !strings.HasPrefix(got, webhookSecret+" {") || strings.Contains(got, `"status"`) || !strings.Contains(got, `"vacancies"`) {
		t.Errorf("want a notification of the hold without its status, at the configured target, got %s", got)
	}
	c.call("POST", "/_mock/defects/webhook-without-status", "").requireRefusal(409, "shows in webhooks only")
}
