package client

import (
	"encoding/json"
	"time"
)

// WebhookKind is which of the two calls a webhook is.
type WebhookKind string

const (
	Trigger WebhookKind = "trigger" // POST /sync/trigger (WHK-1)
	Notify  WebhookKind = "notify"  // POST /availability/notify (WHK-2)
)

// DeliveryState is the state of a delivery: pending, held (back, by a fault), delivered, failed or
// dropped. The last three are final.
type DeliveryState string

// Delivery is one webhook and its outcome.
type Delivery struct {
	Number uint64          `json:"number"` // from 1, in the order of the changes
	Kind   WebhookKind     `json:"kind"`
	Cause  Cause           `json:"cause"`
	At     time.Time       `json:"at"`              // time of the change, by the sandbox's clock
	Body   json.RawMessage `json:"body,omitempty"`  // empty for a trigger
	Fault  string          `json:"fault,omitempty"` // the fault that fired
	State  DeliveryState   `json:"state"`
	// Presents is set if a fault sends a wrong secret or omits it.
	Presents string    `json:"presents,omitempty"`
	Reason   string    `json:"reason,omitempty"` // why it was dropped or has failed
	Attempts []Attempt `json:"attempts"`
}

// Attempt is one call of the marketplace.
type Attempt struct {
	At         time.Time `json:"at"` // in real time
	DurationMS int64     `json:"durationMs"`
	Status     int       `json:"status,omitempty"` // 0 if there was no answer
	Answer     string    `json:"answer,omitempty"` // the beginning of its body
	Error      string    `json:"error,omitempty"`  // why there was no successful answer
}

// DeliveryCounts are the numbers of deliveries by outcome.
type DeliveryCounts struct {
	Waiting   int `json:"waiting"` // have not ended
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
	Dropped   int `json:"dropped"`
	Overflow  int `json:"overflow"` // those dropped because the queue was full
}

// Cause is the cause of a change.
type Cause string

const (
	CatalogChanged Cause = "catalog"  // the catalog was replaced
	StaffChange    Cause = "staff"    // a slot was changed from outside the contract, immediately or as planned
	BookingChange  Cause = "bookings" // a call took or returned a slot's seats, or a hold expired
)
