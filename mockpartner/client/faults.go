package client

import (
	"context"
	"net/http"
	"strconv"
)

// Faults break the traffic between a sandbox and its callers.
type Faults struct{ sandbox *sandbox }

// Fault is a fault that is armed, and how often it came to bear.
type Fault struct {
	Name       string `json:"name"`
	Considered uint64 `json:"considered"` // requests that it was held against
	Matched    uint64 `json:"matched"`    // of those, the ones that it applies to
	Fired      uint64 `json:"fired"`      // of those, the ones that it broke
	UsedUp     bool   `json:"usedUp"`     // it will not fire again
	Origin     string `json:"origin"`     // the scenario or the like that it came with
}

// Arm arms a fault, or a list of them, in the form of a scenario file (YAML or
// JSON), and returns them with their names.
func (f Faults) Arm(ctx context.Context, faults string) ([]Fault, error) {
	return field[[]Fault](ctx, f.sandbox, http.MethodPost, "/faults", "faults", faults)
}

// ArmRecorded arms a fault that answers the next call like the recorded exchange of that
// number.
func (f Faults) ArmRecorded(ctx context.Context, exchange uint64) ([]Fault, error) {
	return field[[]Fault](ctx, f.sandbox, http.MethodPost, path("faults", "from", strconv.FormatUint(exchange, 10)), "faults", nil)
}

// List lists the armed faults. One whose Fired is 0 has not come to bear.
func (f Faults) List(ctx context.Context) ([]Fault, error) {
	return field[[]Fault](ctx, f.sandbox, http.MethodGet, "/faults", "faults", nil)
}

// Disarm disarms the fault of that name.
func (f Faults) Disarm(ctx context.Context, name string) error {
	return do(ctx, f.sandbox, http.MethodDelete, path("faults", name), nil)
}

// DisarmAll disarms all faults.
func (f Faults) DisarmAll(ctx context.Context) error {
	return do(ctx, f.sandbox, http.MethodDelete, "/faults", nil)
}

// Quirks are mistakes of a sandbox's business itself.
type Quirks struct{ sandbox *sandbox }

// Add adds a quirk, or a list of them, in the form of a scenario file (YAML or
// JSON).
func (q Quirks) Add(ctx context.Context, quirks string) error {
	return do(ctx, q.sandbox, http.MethodPost, "/quirks", quirks)
}

// RemoveAll removes all quirks that were added by themselves.
func (q Quirks) RemoveAll(ctx context.Context) error {
	return do(ctx, q.sandbox, http.MethodDelete, "/quirks", nil)
}

// Choices are what a sandbox can be by name: the defects, or the variants, that
// "mockpartner defects" and "mockpartner variants" list.
type Choices struct {
	sandbox *sandbox
	kind    string
}

// Apply makes the sandbox a partner with that defect, or of that variant.
func (c Choices) Apply(ctx context.Context, name string) error {
	return do(ctx, c.sandbox, http.MethodPost, path(c.kind, name), nil)
}

// Remove takes a defect or a variant off again.
func (c Choices) Remove(ctx context.Context, name string) error {
	return do(ctx, c.sandbox, http.MethodDelete, path(c.kind, name), nil)
}
