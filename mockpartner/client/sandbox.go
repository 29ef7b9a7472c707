package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/platform"
)

// Sandbox is one isolated partner of a mock.
type Sandbox struct {
	Name      string         `json:"name"`
	BaseURL   string         `json:"baseUrl"` // where its partner endpoints lie
	CreatedAt time.Time      `json:"createdAt"`
	Now       time.Time      `json:"now"`
	Frozen    bool           `json:"frozen"`
	Seed      uint64         `json:"seed"`
	Policy    catalog.Policy `json:"policy"`
	Products  int            `json:"products"`
	OwnKey    bool           `json:"ownKey"`
}

// Spec is what a new sandbox is to be like. Only Name is required; what is left
// out is as in the mock.
type Spec struct {
	Name    string  `json:"name"`
	AuthKey string  `json:"authKey,omitempty"` // its own: requests at the root that present it are the sandbox's
	Seed    *uint64 `json:"seed,omitempty"`
	Now     string  `json:"now,omitempty"` // a date-time
	Frozen  *bool   `json:"frozen,omitempty"`
	HoldFor string  `json:"holdFor,omitempty"` // a duration such as 15m
	// Defects and Variants are names of breaches that it has, and of lawful variants
	// that it is.
	Defects  []string        `json:"defects,omitempty"`
	Variants []string        `json:"variants,omitempty"`
	Policy   *catalog.Policy `json:"policy,omitempty"`
	// Catalog has the form of a catalog file, in JSON. Products and Options
	// generate one instead.
	Catalog  json.RawMessage `json:"catalog,omitempty"`
	Products int             `json:"products,omitempty"`
	Options  int             `json:"options,omitempty"`
	// Webhooks have the form that they have in a scenario, in JSON; without, the
	// sandbox has none.
	Webhooks json.RawMessage `json:"webhooks,omitempty"`
}

// Snapshot is a state of a sandbox that can be gone back to.
type Snapshot struct {
	Name string    `json:"name"`
	Now  time.Time `json:"now"` // by the sandbox's clock, when it was taken
}

func path(parts ...string) (joined string) {
	for _, part := range parts {
		joined += "/" + url.PathEscape(part)
	}
	return joined
}

// Sandboxes lists the sandboxes of the mock, by name.
func (c *Client) Sandboxes(ctx context.Context) ([]Sandbox, error) {
	answer, err := call[struct{ Sandboxes []Sandbox }](ctx, c, http.MethodGet, "/sandboxes", nil)
	return answer.Sandboxes, err
}

// Describe returns the sandbox of that name.
func (c *Client) Describe(ctx context.Context, name string) (Sandbox, error) {
	return call[Sandbox](ctx, c, http.MethodGet, path("sandboxes", name), nil)
}

// CreateSandbox makes a sandbox.
func (c *Client) CreateSandbox(ctx context.Context, s Spec) (Sandbox, error) {
	return call[Sandbox](ctx, c, http.MethodPost, "/sandboxes", s)
}

// CloneSandbox makes a sandbox like another one. An authKey of "" is the mock's.
func (c *Client) CloneSandbox(ctx context.Context, original, name, authKey string) (Sandbox, error) {
	return call[Sandbox](ctx, c, http.MethodPost, path("sandboxes", original, "clone"), map[string]string{"name": name, "authKey": authKey})
}

// ResetSandbox makes state, clock and journal what they were when the sandbox
// was made.
func (c *Client) ResetSandbox(ctx context.Context, name string) error {
	return do(ctx, c, http.MethodPost, path("sandboxes", name, "reset"), nil)
}

// DeleteSandbox deletes a sandbox.
func (c *Client) DeleteSandbox(ctx context.Context, name string) error {
	return do(ctx, c, http.MethodDelete, path("sandboxes", name), nil)
}

// Snapshots lists the snapshots of a sandbox, by name.
func (c *Client) Snapshots(ctx context.Context, sandbox string) ([]Snapshot, error) {
	answer, err := call[struct{ Snapshots []Snapshot }](ctx, c, http.MethodGet, path("sandboxes", sandbox, "snapshots"), nil)
	return answer.Snapshots, err
}

// TakeSnapshot keeps state and clock of a sandbox under a name.
func (c *Client) TakeSnapshot(ctx context.Context, sandbox, name string) (Snapshot, error) {
	return call[Snapshot](ctx, c, http.MethodPost, path("sandboxes", sandbox, "snapshots"), map[string]string{"name": name})
}

// RestoreSnapshot puts state and clock back to the snapshot.
func (c *Client) RestoreSnapshot(ctx context.Context, sandbox, name string) error {
	return do(ctx, c, http.MethodPost, path("sandboxes", sandbox, "snapshots", name, "restore"), nil)
}

// DeleteSnapshot forgets a snapshot.
func (c *Client) DeleteSnapshot(ctx context.Context, sandbox, name string) error {
	return do(ctx, c, http.MethodDelete, path("sandboxes", sandbox, "snapshots", name), nil)
}

// State is the inside of a sandbox. The counts are of all, the lists of the
// newest thousand.
type State struct {
	Now          time.Time            `json:"now"`
	Seed         uint64               `json:"seed"`
	HoldCount    int                  `json:"holdCount"`
	BookingCount int                  `json:"bookingCount"`
	SlotCount    int                  `json:"slotCount"`
	Holds        []platform.Hold      `json:"holds"`
	Bookings     []platform.Booking   `json:"bookings"`
	Slots        []platform.SlotState `json:"slots"`
}

// State returns what is inside the sandbox.
func (c *Client) State(ctx context.Context) (State, error) {
	return call[State](ctx, c, http.MethodGet, "/state", nil)
}

// Invariants lists the laws of the inventory that are broken; none is right.
func (c *Client) Invariants(ctx context.Context) ([]platform.Violation, error) {
	answer, err := call[struct{ Violations []platform.Violation }](ctx, c, http.MethodGet, "/invariants", nil)
	return answer.Violations, err
}
