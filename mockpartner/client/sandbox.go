package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/catalog"
)

// Sandbox is one isolated partner of a mock.
type Sandbox struct {
	Name      string         `json:"name"`
	BaseURL   string         `json:"baseUrl"` // base URL of its partner endpoints
	CreatedAt time.Time      `json:"createdAt"`
	Now       time.Time      `json:"now"`
	Frozen    bool           `json:"frozen"`
	Seed      uint64         `json:"seed"`
	Policy    catalog.Policy `json:"policy"`
	Products  int            `json:"products"`
	OwnKey    bool           `json:"ownKey"`
}

// Spec describes a new sandbox. Only Name is required; omitted fields are as in the mock.
type Spec struct {
	Name    string  `json:"name"`
	AuthKey string  `json:"authKey,omitempty"` // its own key; requests at the root that present it go to the sandbox
	Seed    *uint64 `json:"seed,omitempty"`
	Now     string  `json:"now,omitempty"` // a date-time
	Frozen  *bool   `json:"frozen,omitempty"`
	HoldFor string  `json:"holdFor,omitempty"` // a duration such as 15m
	// Defects and Variants are the names of its breaches and of its lawful variants.
	Defects  []string        `json:"defects,omitempty"`
	Variants []string        `json:"variants,omitempty"`
	Policy   *catalog.Policy `json:"policy,omitempty"`
	// Catalog has the form of a catalog file, in JSON. Products and Options generate one instead.
	Catalog  json.RawMessage `json:"catalog,omitempty"`
	Products int             `json:"products,omitempty"`
	Options  int             `json:"options,omitempty"`
	// Webhooks have the form that a scenario uses, in JSON. If absent, the sandbox sends no
	// webhooks.
	Webhooks json.RawMessage `json:"webhooks,omitempty"`
}

// State is the internal state of a sandbox. The counts cover everything, the lists only the newest
// thousand.
type State struct {
	Now          time.Time   `json:"now"`
	Seed         uint64      `json:"seed"`
	HoldCount    int         `json:"holdCount"`
	BookingCount int         `json:"bookingCount"`
	SlotCount    int         `json:"slotCount"`
	Holds        []Hold      `json:"holds"`
	Bookings     []Booking   `json:"bookings"`
	Slots        []SlotState `json:"slots"`
}

// Sandboxes lists the sandboxes of the mock, by name.
func (c *Client) Sandboxes(ctx context.Context) ([]Sandbox, error) {
	return field[[]Sandbox](ctx, c.sandbox, http.MethodGet, "/sandboxes", "sandboxes", nil)
}

// CreateSandbox creates a sandbox in the mock.
func (c *Client) CreateSandbox(ctx context.Context, s Spec) (Sandbox, error) {
	return call[Sandbox](ctx, c.sandbox, http.MethodPost, "/sandboxes", s)
}

// Describe describes the sandbox.
func (c *Client) Describe(ctx context.Context) (Sandbox, error) {
	mock, own := c.ownPath()
	return call[Sandbox](ctx, mock, http.MethodGet, own, nil)
}

// Clone creates a copy of the sandbox. An empty authKey means the mock's key.
func (c *Client) Clone(ctx context.Context, name, authKey string) (Sandbox, error) {
	mock, own := c.ownPath("clone")
	return call[Sandbox](ctx, mock, http.MethodPost, own, map[string]string{"name": name, "authKey": authKey})
}

// Reset restores the state, clock and journal that the sandbox had when it was created.
func (c *Client) Reset(ctx context.Context) error {
	mock, own := c.ownPath("reset")
	return do(ctx, mock, http.MethodPost, own, nil)
}

// Delete deletes the sandbox.
func (c *Client) Delete(ctx context.Context) error {
	mock, own := c.ownPath()
	return do(ctx, mock, http.MethodDelete, own, nil)
}

// ownPath returns the path for an operation on the sandbox itself. It belongs to the default sandbox's
// control API, because that outlives the sandbox.
func (c *Client) ownPath(segments ...string) (*sandbox, string) {
	mock := *c.sandbox
	mock.base = mock.root
	return &mock, path(append([]string{"sandboxes", c.sandbox.name}, segments...)...)
}

// TakeSnapshot saves the sandbox's state and clock under a name.
func (c *Client) TakeSnapshot(ctx context.Context, name string) error {
	mock, own := c.ownPath("snapshots")
	return do(ctx, mock, http.MethodPost, own, map[string]string{"name": name})
}

// RestoreSnapshot restores state and clock from the snapshot.
func (c *Client) RestoreSnapshot(ctx context.Context, name string) error {
	mock, own := c.ownPath("snapshots", name, "restore")
	return do(ctx, mock, http.MethodPost, own, nil)
}

// Play applies a scenario (YAML or JSON) to the sandbox, in place of the previous one.
func (c *Client) Play(ctx context.Context, scenario string) error {
	return do(ctx, c.sandbox, http.MethodPut, "/scenario", scenario)
}

// Stop removes the faults, quirks and policy of the scenario.
func (c *Client) Stop(ctx context.Context) error {
	return do(ctx, c.sandbox, http.MethodDelete, "/scenario", nil)
}

// State returns the sandbox's internal state.
func (c *Client) State(ctx context.Context) (State, error) {
	return call[State](ctx, c.sandbox, http.MethodGet, "/state", nil)
}

// Invariants lists the violated invariants of the inventory; an empty list is healthy.
func (c *Client) Invariants(ctx context.Context) ([]Violation, error) {
	return field[[]Violation](ctx, c.sandbox, http.MethodGet, "/invariants", "violations", nil)
}
