package client

import (
	"context"
	"net/http"
)

// Quirk is a way in which the platform itself misbehaves.
type Quirk struct {
	Name   string `json:"name"`
	Origin string `json:"origin"` // the scenario or the like that it came with
}

// Add adds a quirk, or a list of them, in the form of a scenario file (YAML or
// JSON), and returns them with their names.
func (c *Client) Add(ctx context.Context, quirks string) ([]Quirk, error) {
	answer, err := call[struct{ Quirks []Quirk }](ctx, c, http.MethodPost, "/quirks", quirks)
	return answer.Quirks, err
}

// Quirks lists the quirks.
func (c *Client) Quirks(ctx context.Context) ([]Quirk, error) {
	answer, err := call[struct{ Quirks []Quirk }](ctx, c, http.MethodGet, "/quirks", nil)
	return answer.Quirks, err
}

// Remove removes the quirk of that name.
func (c *Client) Remove(ctx context.Context, quirk string) error {
	return do(ctx, c, http.MethodDelete, path("quirks", quirk), nil)
}

// RemoveAll removes all quirks that were added by themselves.
func (c *Client) RemoveAll(ctx context.Context) error {
	return do(ctx, c, http.MethodDelete, "/quirks", nil)
}
