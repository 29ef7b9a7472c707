package client

import (
	"context"
	"net/http"
	"time"
)

// EventType is a type of events.
type EventType string

// The types of events.
const (
	BookingConfirmed EventType = "booking.confirmed"
	BookingCancelled EventType = "booking.cancelled"
	BookingReleased  EventType = "booking.released"
	BookingAttention EventType = "booking.attention"
	ActivityChanged  EventType = "activity.changed"
	ActivityRemoved  EventType = "activity.removed"
	SlotChanged      EventType = "slot.changed"
)

// EventWebhook is a reseller's subscription to events.
type EventWebhook struct {
	ID                  string      `json:"_id"`
	Mode                string      `json:"mode"`
	URL                 string      `json:"url" wire:"null"` // "": its events are only in the feed
	Events              []EventType `json:"events"`
	CreatedAt           time.Time   `json:"created_at"`
	FailingSince        time.Time   `json:"failing_since" wire:"null"`         // the first failure since the last success; zero: none
	Disabled            *Disabled   `json:"disabled"`                          // nil: events are sent
	PreviousSecretUntil time.Time   `json:"previous_secret_until" wire:"null"` // until when the secret before the last rotation signs too; zero: it does not
	Secret              Secret      `json:"secret" wire:"null"`                // only when it is created or rotated
}

// EventDelivery is the delivery of an event to a webhook.
type EventDelivery struct {
	EventID     string           `json:"event_id"`
	Type        EventType        `json:"type"`
	State       string           `json:"state"` // pending, delivered or failed
	Attempts    int              `json:"attempts"`
	CreatedAt   time.Time        `json:"created_at"`
	NextAttempt time.Time        `json:"next_attempt_at" wire:"null"` // zero: no attempt is due
	Last        *DeliveryAttempt `json:"last_attempt"`                // nil: none yet
}

// DeliveryAttempt is an attempt to deliver an event.
type DeliveryAttempt struct {
	At     time.Time `json:"at"`
	Status int       `json:"status" wire:"null"` // 0: no answer
	Error  string    `json:"error" wire:"null"`  // "": it was delivered
}

// Disabled says when and why a webhook was disabled.
type Disabled struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// EventWebhookRequest describes a webhook.
type EventWebhookRequest struct {
	URL    string      `json:"url"` // "": its events are only in the feed
	Events []EventType `json:"events"`
}

// EventWebhookChange changes a webhook. A nil field is left unchanged.
type EventWebhookChange struct {
	URL     *string     `json:"url,omitempty"` // "": its events are only in the feed
	Events  []EventType `json:"events,omitempty"`
	Enabled *bool       `json:"enabled,omitempty"` // false: nothing is sent; its events are in the feed
}

// EventWebhooks lists the webhooks, the oldest first.
func (r *Reseller) EventWebhooks(ctx context.Context) ([]EventWebhook, error) {
	return call[[]EventWebhook](ctx, r.c, get(path("resellers", "webhooks"), nil))
}

// CreateEventWebhook creates a webhook and returns it with its signing secret.
func (r *Reseller) CreateEventWebhook(ctx context.Context, asked EventWebhookRequest) (EventWebhook, error) {
	return call[EventWebhook](ctx, r.c, request{method: http.MethodPost, path: path("resellers", "webhooks"), body: asked})
}

// ChangeEventWebhook changes, disables or enables a webhook.
func (r *Reseller) ChangeEventWebhook(ctx context.Context, webhook string, change EventWebhookChange) (EventWebhook, error) {
	return call[EventWebhook](ctx, r.c, request{method: http.MethodPatch, path: path("resellers", "webhooks", webhook), body: change})
}

// RotateSigningSecret replaces the signing secret of a webhook, and returns the webhook with the new one.
// The previous secret signs for a day too.
func (r *Reseller) RotateSigningSecret(ctx context.Context, webhook string) (EventWebhook, error) {
	return call[EventWebhook](ctx, r.c, request{method: http.MethodPost, path: path("resellers", "webhooks", webhook, "secret")})
}

// DeleteEventWebhook deletes a webhook.
func (r *Reseller) DeleteEventWebhook(ctx context.Context, webhook string) error {
	return do(ctx, r.c, request{method: http.MethodDelete, path: path("resellers", "webhooks", webhook)})
}
