// Package event notifies resellers of changes to their bookings and to the catalog.
//
// An event is stored in an outbox, in the transaction of its change. A publisher moves events to
// the feed, one replica at a time, and adds a delivery for each subscription. A job for each
// subscription sends its deliveries (sender.go). So each event is sent at least once despite
// crashes, and never before an earlier event about the same booking, activity or variation was
// delivered or given up.
package event

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// Event is an event as the feed and webhooks contain it.
type Event struct {
	ID        uuid.UUID        `json:"id"`
	Type      domain.EventType `json:"type"`
	Timestamp time.Time        `json:"timestamp"`
	Data      json.RawMessage  `json:"data"`
}

// Subscription is a reseller's subscription to events.
type Subscription struct {
	ID             uuid.UUID
	Account        uuid.UUID
	Mode           domain.Mode // of its events
	URL            string      // "": its events are only in the feed
	Events         []domain.EventType
	Secret         []byte // encrypted
	PreviousSecret []byte // encrypted; nil: it no longer signs
	PreviousUntil  *time.Time
	CreatedAt      time.Time
	FailingSince   *time.Time // the first failure since the last success
	DisabledAt     *time.Time
	DisabledReason *string
}

// Change changes a subscription. A nil field is left unchanged.
type Change struct {
	URL     *string            `json:"url"` // "": its events are only in the feed
	Events  []domain.EventType `json:"events"`
	Enabled *bool              `json:"enabled"`
}

// State is the state of a delivery.
type State string

// The states.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed" // given up
)

// Delivery is the delivery of an event to a subscription's address.
type Delivery struct {
	Event     uuid.UUID
	Type      domain.EventType
	State     State
	Attempts  int
	OwedAt    time.Time
	DueAt     time.Time
	LastAt    *time.Time
	LastCode  *int // the HTTP status; null: no answer
	LastError *string
}

// Due is a delivery that is due now.
type Due struct {
	Position int64
	Attempts int // so far
	Event    Event
}

// Outcome is the result of a delivery attempt.
type Outcome struct {
	Position int64
	Attempts int // before this attempt; an outcome with another number is ignored
	Status   int // 0: no answer
	Error    string
	Pause    time.Duration // until the next attempt
}

// Result is the result of some deliveries to one address.
type Result struct {
	Outcomes []Outcome
	Pause    time.Duration // before anything else is sent; 0: no pause
	Gone     bool          // the receiver answered 410
}

// Feed is a section of a reseller's events. Next is the start of the next section, even if nothing
// follows yet.
type Feed struct {
	Events  []Event
	Next    int64
	Expired bool // events after the requested position may have been deleted
}

// Store stores events and subscriptions.
type Store interface {
	// Subscribe stores a subscription, or returns Conflict if the account has the maximum number in
	// its mode.
	Subscribe(ctx context.Context, s Subscription, most int) (Subscription, error)
	// Subscriptions returns the subscriptions within a scope, oldest first.
	Subscriptions(ctx context.Context, of domain.Scope) ([]Subscription, error)
	// Subscription returns a subscription within a scope, or NotFound.
	Subscription(ctx context.Context, of domain.Scope, id uuid.UUID) (Subscription, error)
	// Unsubscribe deletes a subscription within a scope with its deliveries, or returns NotFound.
	Unsubscribe(ctx context.Context, of domain.Scope, id uuid.UUID) error
	// Change changes a subscription within a scope, or returns NotFound. Pending deliveries of one that
	// is disabled or has no address are given up.
	Change(ctx context.Context, of domain.Scope, id uuid.UUID, c Change) (Subscription, error)
	// RotateSecret replaces the secret of a subscription within a scope. The one before signs for that
	// time too, and an earlier one no longer.
	RotateSecret(ctx context.Context, of domain.Scope, id uuid.UUID, sealed []byte, both time.Duration) (Subscription, error)
	// Deliveries returns the last deliveries of a subscription, newest first. An empty state
	// includes all.
	Deliveries(ctx context.Context, id uuid.UUID, state State, most int) ([]Delivery, error)
	// Retry makes an event due again and returns its delivery, or NotFound.
	Retry(ctx context.Context, id, event uuid.UUID) (Delivery, error)
	// Feed returns an account's events in a mode after a position.
	Feed(ctx context.Context, of domain.Scope, after int64, most int) (Feed, error)

	// Target returns a subscription to send to, or NotFound if it or its account is deleted or
	// disabled.
	Target(ctx context.Context, id uuid.UUID) (Subscription, error)
	// DueDeliveries returns due deliveries in order, at most one for each subject.
	DueDeliveries(ctx context.Context, id uuid.UUID, most int) ([]Due, error)
	// Settle stores the outcomes of deliveries. It gives up deliveries and disables addresses that
	// have failed for too long.
	Settle(ctx context.Context, id uuid.UUID, r Result, limits Limits) error
}

// Limits are the limits for an address that fails.
type Limits struct {
	GiveUp  time.Duration // an event
	Disable time.Duration // an address without any success
	Waiting int           // pending events
}
