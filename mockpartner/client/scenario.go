package client

import (
	"context"
	"net/http"
)

// Play makes the sandbox what a scenario says (YAML or JSON), in the place of the
// one before.
func (c *Client) Play(ctx context.Context, scenario string) error {
	return do(ctx, c, http.MethodPut, "/scenario", scenario)
}

// Stop takes off the faults, quirks and policy of the scenario.
func (c *Client) Stop(ctx context.Context) error {
	return do(ctx, c, http.MethodDelete, "/scenario", nil)
}
