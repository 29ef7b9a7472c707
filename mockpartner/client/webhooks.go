package client

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// Webhooks are what a sandbox tells its marketplace by itself.
type Webhooks struct{ sandbox *sandbox }

// WebhookStatus is how webhooks are set up, and what became of them.
type WebhookStatus struct {
	// Config is how they are set up, without the secret; nil: they are off.
	Config *struct {
		URL string   `json:"url"`
		On  []string `json:"on"`
	} `json:"config"`
	Counts     webhook.Counts     `json:"counts"`
	Faults     []Fault            `json:"faults"`
	Problems   []string           `json:"problems"` // what kept planned changes from being made
	Deliveries []webhook.Delivery `json:"deliveries"`
}

// Status shows how webhooks are set up and the newest thousand of them.
func (w Webhooks) Status(ctx context.Context) (WebhookStatus, error) {
	return call[WebhookStatus](ctx, w.sandbox, http.MethodGet, "/webhooks", nil)
}

// Set sets webhooks up, in the form that they have in a scenario (YAML or
// JSON), in place of those that were.
func (w Webhooks) Set(ctx context.Context, webhooks string) error {
	return do(ctx, w.sandbox, http.MethodPut, "/webhooks", webhooks)
}

// Unset turns webhooks off.
func (w Webhooks) Unset(ctx context.Context) error {
	return do(ctx, w.sandbox, http.MethodDelete, "/webhooks", nil)
}

// SendTrigger has a sync/trigger sent now.
func (w Webhooks) SendTrigger(ctx context.Context) (webhook.Delivery, error) {
	return call[webhook.Delivery](ctx, w.sandbox, http.MethodPost, "/webhooks/trigger", nil)
}

// SendNotify has the marketplace told how a slot is now.
func (w Webhooks) SendNotify(ctx context.Context, productID, optionID, availabilityID string) (webhook.Delivery, error) {
	slot := map[string]string{"productId": productID, "optionId": optionID, "availabilityId": availabilityID}
	return call[webhook.Delivery](ctx, w.sandbox, http.MethodPost, "/webhooks/notify", slot)
}

// Wait waits until n webhooks have ended, of that kind and in that
// state where those are not empty, and reports whether they have. It waits for at
// most a minute.
func (w Webhooks) Wait(ctx context.Context, kind script.WebhookKind, state webhook.State, n int, timeout time.Duration) (met bool, err error) {
	parameters := wait(n, timeout)
	parameters["kind"], parameters["state"] = kind, state
	return field[bool](ctx, w.sandbox, http.MethodGet, "/webhooks/wait?"+encoded(parameters), "met", nil)
}
