package client

import (
	"context"
	"net/http"
	"time"
)

// Webhooks controls the webhooks that a sandbox sends to its marketplace.
type Webhooks struct{ sandbox *sandbox }

// WebhookStatus is the configuration of webhooks and their outcomes.
type WebhookStatus struct {
	// Config is the configuration without the secret; nil means that webhooks are off.
	Config *struct {
		URL string   `json:"url"`
		On  []string `json:"on"`
	} `json:"config"`
	Counts     DeliveryCounts `json:"counts"`
	Faults     []Fault        `json:"faults"`
	Problems   []string       `json:"problems"` // errors that prevented planned changes
	Deliveries []Delivery     `json:"deliveries"`
}

// Status returns the configuration and the newest thousand deliveries.
func (w Webhooks) Status(ctx context.Context) (WebhookStatus, error) {
	return call[WebhookStatus](ctx, w.sandbox, http.MethodGet, "/webhooks", nil)
}

// Set configures webhooks, in the form that a scenario uses (YAML or JSON), in place of the
// previous ones.
func (w Webhooks) Set(ctx context.Context, webhooks string) error {
	return do(ctx, w.sandbox, http.MethodPut, "/webhooks", webhooks)
}

// TurnOff turns webhooks off.
func (w Webhooks) TurnOff(ctx context.Context) error {
	return do(ctx, w.sandbox, http.MethodDelete, "/webhooks", nil)
}

// SendTrigger sends a sync/trigger now.
func (w Webhooks) SendTrigger(ctx context.Context) (Delivery, error) {
	return call[Delivery](ctx, w.sandbox, http.MethodPost, "/webhooks/trigger", nil)
}

// SendNotify notifies the marketplace of a slot's current state.
func (w Webhooks) SendNotify(ctx context.Context, productID, optionID, availabilityID string) (Delivery, error) {
	slot := map[string]string{"productId": productID, "optionId": optionID, "availabilityId": availabilityID}
	return call[Delivery](ctx, w.sandbox, http.MethodPost, "/webhooks/notify", slot)
}

// Wait waits until n webhooks of that kind have ended in that state, and reports whether they have.
// An empty kind or state matches any. It waits for at most a minute.
func (w Webhooks) Wait(ctx context.Context, kind WebhookKind, state DeliveryState, n int, timeout time.Duration) (met bool, err error) {
	parameters := wait(n, timeout)
	parameters["kind"], parameters["state"] = kind, state
	return field[bool](ctx, w.sandbox, http.MethodGet, "/webhooks/wait?"+encodeQuery(parameters), "met", nil)
}
