package client

import (
	"context"
	"net/http"
)

// Fault is a fault that is armed, and how often it came to bear.
type Fault struct {
	Name       string `json:"name"`
	Considered uint64 `json:"considered"` // requests that it was held against
	Matched    uint64 `json:"matched"`    // of those, the ones that it applies to
	Fired      uint64 `json:"fired"`      // of those, the ones that it broke
	Origin     string `json:"origin"`     // the scenario or the like that it came with
}

// Arm arms a fault, or a list of them, in the form of a scenario file (YAML or
// JSON), and returns them with their names.
func (c *Client) Arm(ctx context.Context, faults string) ([]Fault, error) {
	answer, err := call[struct{ Faults []Fault }](ctx, c, http.MethodPost, "/faults", faults)
	return answer.Faults, err
}

// Faults lists the armed faults. One whose Fired is 0 has not come to bear.
func (c *Client) Faults(ctx context.Context) ([]Fault, error) {
	answer, err := call[struct{ Faults []Fault }](ctx, c, http.MethodGet, "/faults", nil)
	return answer.Faults, err
}

// Disarm disarms the fault of that name.
func (c *Client) Disarm(ctx context.Context, name string) error {
	return do(ctx, c, http.MethodDelete, path("faults", name), nil)
}

// DisarmAll disarms all faults.
func (c *Client) DisarmAll(ctx context.Context) error {
	return do(ctx, c, http.MethodDelete, "/faults", nil)
}
