package client

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Clock is what a sandbox's clock shows.
type Clock struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"` // it stands still
}

// Clock reads the clock.
func (c *Client) Clock(ctx context.Context) (Clock, error) {
	return call[Clock](ctx, c, http.MethodGet, "/clock", nil)
}

func (c *Client) move(ctx context.Context, move map[string]any) (Clock, error) {
	return call[Clock](ctx, c, http.MethodPost, "/clock", move)
}

// Advance moves the clock forward.
func (c *Client) Advance(ctx context.Context, by time.Duration) (Clock, error) {
	return c.move(ctx, map[string]any{"advance": by.String()})
}

// Set moves the clock to t, whole seconds.
func (c *Client) Set(ctx context.Context, t time.Time) (Clock, error) {
	return c.move(ctx, map[string]any{"set": partnerapi.FormatDateTime(t)})
}

// Freeze stops the clock where it is.
func (c *Client) Freeze(ctx context.Context) (Clock, error) {
	return c.move(ctx, map[string]any{"freeze": true})
}

// Run lets a frozen clock run on from where it stands.
func (c *Client) Run(ctx context.Context) (Clock, error) {
	return c.move(ctx, map[string]any{"freeze": false})
}

// Timers lists what is pending, the next first; of each kind at most limit.
func (c *Client) Timers(ctx context.Context, limit int) ([]platform.Timer, error) {
	answer, err := call[struct{ Timers []platform.Timer }](ctx, c, http.MethodGet, "/clock/timers?limit="+strconv.Itoa(limit), nil)
	return answer.Timers, err
}

// Next moves the clock to the next event, of any of the kinds where some are
// named, and returns which one it was. Where nothing is pending, the error is a
// refusal of status 409.
func (c *Client) Next(ctx context.Context, kinds ...platform.TimerKind) (platform.Timer, error) {
	answer, err := call[struct{ Timer platform.Timer }](ctx, c, http.MethodPost, "/clock/next", map[string]any{"kinds": kinds})
	return answer.Timer, err
}
