package client

import (
	"context"
	"net/http"
	"strconv"
)

// Faults controls the faults between a sandbox and its callers.
type Faults struct{ sandbox *sandbox }

// Fault is an armed fault with its counters.
type Fault struct {
	Name       string `json:"name"`
	Considered uint64 `json:"considered"` // requests that it was checked against
	Matched    uint64 `json:"matched"`    // considered requests that it applies to
	Fired      uint64 `json:"fired"`      // matched requests for which it fired
	UsedUp     bool   `json:"usedUp"`     // it will not fire again
	Origin     string `json:"origin"`     // the scenario, defect or variant that it belongs to
}

// Arm arms a fault, or a list of faults, in the form of a scenario file (YAML or JSON), and returns
// them with their names.
func (f Faults) Arm(ctx context.Context, faults string) ([]Fault, error) {
	return field[[]Fault](ctx, f.sandbox, http.MethodPost, "/faults", "faults", faults)
}

// ArmRecorded arms a fault that answers the next call like the recorded exchange with that number.
func (f Faults) ArmRecorded(ctx context.Context, exchange uint64) ([]Fault, error) {
	return field[[]Fault](ctx, f.sandbox, http.MethodPost, path("faults", "from", strconv.FormatUint(exchange, 10)), "faults", nil)
}

// List lists the armed faults. A fault whose Fired is 0 has had no effect.
func (f Faults) List(ctx context.Context) ([]Fault, error) {
	return field[[]Fault](ctx, f.sandbox, http.MethodGet, "/faults", "faults", nil)
}

// Disarm disarms the fault with that name.
func (f Faults) Disarm(ctx context.Context, name string) error {
	return do(ctx, f.sandbox, http.MethodDelete, path("faults", name), nil)
}

// DisarmAll disarms all faults.
func (f Faults) DisarmAll(ctx context.Context) error {
	return do(ctx, f.sandbox, http.MethodDelete, "/faults", nil)
}

// Quirks controls the quirks of a sandbox: wrong behaviours of its booking logic.
type Quirks struct{ sandbox *sandbox }

// Add adds a quirk, or a list of quirks, in the form of a scenario file (YAML or JSON).
func (q Quirks) Add(ctx context.Context, quirks string) error {
	return do(ctx, q.sandbox, http.MethodPost, "/quirks", quirks)
}

// RemoveAll removes all quirks that were added by themselves.
func (q Quirks) RemoveAll(ctx context.Context) error {
	return do(ctx, q.sandbox, http.MethodDelete, "/quirks", nil)
}

// Choices controls the defects or the variants of a sandbox. "mockpartner defects" and "mockpartner
// variants" list their names.
type Choices struct {
	sandbox *sandbox
	kind    string
}

// Apply gives the sandbox that defect or variant.
func (c Choices) Apply(ctx context.Context, name string) error {
	return do(ctx, c.sandbox, http.MethodPost, path(c.kind, name), nil)
}

// Remove removes a defect or a variant.
func (c Choices) Remove(ctx context.Context, name string) error {
	return do(ctx, c.sandbox, http.MethodDelete, path(c.kind, name), nil)
}
