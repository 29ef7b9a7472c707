package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/internal/script"
	"partnerkit.dev/mockpartner/internal/webhook"
)

// Webhooks is what became of a sandbox's webhooks.
type Webhooks struct {
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

// Webhooks shows how webhooks are set up and the newest thousand of them.
func (c *Client) Webhooks(ctx context.Context) (Webhooks, error) {
	return call[Webhooks](ctx, c, http.MethodGet, "/webhooks", nil)
}

// SetWebhooks sets webhooks up, in the form that they have in a scenario (YAML or
// JSON), in place of those that were.
func (c *Client) SetWebhooks(ctx context.Context, webhooks string) error {
	return do(ctx, c, http.MethodPut, "/webhooks", webhooks)
}

// UnsetWebhooks turns webhooks off.
func (c *Client) UnsetWebhooks(ctx context.Context) error {
	return do(ctx, c, http.MethodDelete, "/webhooks", nil)
}

// SendTrigger has a sync/trigger sent now.
func (c *Client) SendTrigger(ctx context.Context) (webhook.Delivery, error) {
	return call[webhook.Delivery](ctx, c, http.MethodPost, "/webhooks/trigger", nil)
}

// SendNotify has the marketplace told how a slot is now.
func (c *Client) SendNotify(ctx context.Context, productID, optionID, availabilityID string) (webhook.Delivery, error) {
	slot := map[string]string{"productId": productID, "optionId": optionID, "availabilityId": availabilityID}
	return call[webhook.Delivery](ctx, c, http.MethodPost, "/webhooks/notify", slot)
}

// WaitForWebhooks waits until n webhooks have ended, of that kind and in that
// state where those are not empty, and reports whether they have. It waits for at
// most a minute.
func (c *Client) WaitForWebhooks(ctx context.Context, kind script.WebhookKind, state webhook.State, n int, timeout time.Duration) (met bool, err error) {
	values := url.Values{"count": {strconv.Itoa(n)}, "timeout": {timeout.String()}}
	if kind != "" {
		values.Set("kind", string(kind))
	}
	if state != "" {
		values.Set("state", string(state))
	}
	answer, err := call[struct{ Met bool }](ctx, c, http.MethodGet, "/webhooks/wait?"+values.Encode(), nil)
	return answer.Met, err
}
