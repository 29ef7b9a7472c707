package client

import (
	"context"
	"net/http"

	"partnerkit.dev/mockpartner/internal/judge"
)

// Verdict tells whether the sandbox's callers kept their side of the contract.
// Its String tells it to people.
func (c *Client) Verdict(ctx context.Context) (judge.Verdict, error) {
	return call[judge.Verdict](ctx, c, http.MethodGet, "/verdict", nil)
}
