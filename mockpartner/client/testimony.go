package client

import (
	"context"
	"net/http"

	"partnerkit.dev/mockpartner/internal/journal"
)

// Testimony is what only a test can know of the callers.
type Testimony = journal.Testimony

// Testify tells the judge of the callers what the mock cannot see, and returns the
// testimony with the times that it left out.
func (c *Client) Testify(ctx context.Context, t Testimony) (Testimony, error) {
	return call[Testimony](ctx, c, http.MethodPost, "/testimony", t)
}

// Testimony lists what was testified since the journal was last emptied.
func (c *Client) Testimony(ctx context.Context) ([]Testimony, error) {
	answer, err := call[struct{ Testimony []Testimony }](ctx, c, http.MethodGet, "/testimony", nil)
	return answer.Testimony, err
}
