// Package event tells resellers what has happened to their bookings, and to the catalog.
//
// An event is stored in the transaction of what it tells of, in the outbox. A publisher,
// one at a time, moves it to the feed and notes for each subscription that it is to be
// sent. A job for each subscription sends what is due (sender.go). So an event is sent at
// least once in spite of crashes, and never before an earlier one about the same booking,
// activity or variation was delivered or given up.
package event

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// Event is what a reseller is told, as the feed and webhooks have it.
type Event struct {
	ID        uuid.UUID             `json:"id"`
	Type      marketplace.EventType `json:"type"`
	Timestamp time.Time             `json:"timestamp"`
	Data      json.RawMessage       `json:"data"`
}

// Subscription is what a reseller has asked to be told.
type Subscription struct {
	ID             uuid.UUID
	Account        uuid.UUID
	Mode           marketplace.Mode // of the events that it is told
	URL            string           // "": its events are read from the feed alone
	Events         []marketplace.EventType
	Secret         []byte // sealed
	CreatedAt      time.Time
	FailingSince   *time.Time // the first failure since the last success
	DisabledAt     *time.Time
	DisabledReason *string
}

// State is how far a delivery has come.
type State string

// The states.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed" // given up
)

// Delivery is how far the sending of an event to a subscription's address has come.
type Delivery struct {
	Event     uuid.UUID
	Type      marketplace.EventType
	State     State
	Attempts  int
	OwedAt    time.Time
	DueAt     time.Time
	LastAt    *time.Time
	LastCode  *int // the HTTP status; null where none was read
	LastError *string
}

// Due is a delivery to be made now.
type Due struct {
	Position int64
	Attempts int // so far
	Event    Event
}

// Outcome is what came of a delivery.
type Outcome struct {
	Position int64
	Attempts int // before this one: an outcome of an older one changes nothing
	Status   int // 0: none was read
	Error    string
	Pause    time.Duration // until the next attempt
}

// Result is what came of some deliveries to one address.
type Result struct {
	Outcomes []Outcome
	Pause    time.Duration // nothing more is sent before then; 0: no pause
	Gone     bool          // the receiver wants no more
}

// Feed is a part of what a reseller is told. Next is where the next part begins, also
// where nothing follows yet.
type Feed struct {
	Events  []Event
	Next    int64
	Expired bool // events after the place that was asked for may have been deleted
}

// Store keeps events and subscriptions.
type Store interface {
	// Subscribe stores a subscription, or returns Conflict where the account has so many of
	// its mode.
	Subscribe(ctx context.Context, s Subscription, most int) (Subscription, error)
	// Subscriptions returns those within a scope, the oldest first.
	Subscriptions(ctx context.Context, of marketplace.Scope) ([]Subscription, error)
	// Subscription returns one within a scope, or NotFound.
	Subscription(ctx context.Context, of marketplace.Scope, id uuid.UUID) (Subscription, error)
	// Unsubscribe deletes one within a scope with its deliveries, or returns NotFound.
	Unsubscribe(ctx context.Context, of marketplace.Scope, id uuid.UUID) error
	// Deliveries returns the last deliveries of a subscription, the newest first; of any
	// state where none is given.
	Deliveries(ctx context.Context, id uuid.UUID, state State, most int) ([]Delivery, error)
	// Retry has an event sent again, and returns its delivery, or NotFound.
	Retry(ctx context.Context, id, event uuid.UUID) (Delivery, error)
	// Feed returns what an account is told in a mode after a place.
	Feed(ctx context.Context, of marketplace.Scope, after int64, most int) (Feed, error)

	// Target returns a subscription that is sent to, or NotFound: it is gone, disabled, or
	// its account is.
	Target(ctx context.Context, id uuid.UUID) (Subscription, error)
	// Due returns deliveries that are due, at most one of each subject, in order.
	Due(ctx context.Context, id uuid.UUID, most int) ([]Due, error)
	// Settle stores what came of deliveries. What has been tried for longer than giveUp is
	// given up; an address that has failed for longer than disable is disabled.
	Settle(ctx context.Context, id uuid.UUID, r Result, limits Limits) error
}

// Limits bound what is done for an address that fails.
type Limits struct {
	GiveUp  time.Duration // an event
	Disable time.Duration // an address that has taken nothing meanwhile
	Waiting int           // events that wait for it
}
