package client

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/schemas/partnerapi"
)

// Clock is a sandbox's clock: it decides when holds expire and which day it is.
type Clock struct{ sandbox *sandbox }

// Time is what a clock shows.
type Time struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"` // it stands still
}

// Time reads the clock.
func (c Clock) Time(ctx context.Context) (Time, error) {
	return call[Time](ctx, c.sandbox, http.MethodGet, "/clock", nil)
}

func (c Clock) move(ctx context.Context, move map[string]any) (Time, error) {
	return call[Time](ctx, c.sandbox, http.MethodPost, "/clock", move)
}

// Advance moves the clock forward.
func (c Clock) Advance(ctx context.Context, by time.Duration) (Time, error) {
	return c.move(ctx, map[string]any{"advance": by.String()})
}

// Set moves the clock to t, whole seconds.
func (c Clock) Set(ctx context.Context, t time.Time) (Time, error) {
	return c.move(ctx, map[string]any{"set": partnerapi.FormatDateTime(t)})
}

// Freeze stops the clock where it is.
func (c Clock) Freeze(ctx context.Context) (Time, error) {
	return c.move(ctx, map[string]any{"freeze": true})
}

// Run lets a frozen clock run on from where it stands.
func (c Clock) Run(ctx context.Context) (Time, error) {
	return c.move(ctx, map[string]any{"freeze": false})
}

// Next moves the clock to the next event, of any of the kinds where some are
// named, and returns which one it was. Where nothing is pending, the error is a
// refusal of status 409.
func (c Clock) Next(ctx context.Context, kinds ...platform.TimerKind) (platform.Timer, error) {
	return field[platform.Timer](ctx, c.sandbox, http.MethodPost, "/clock/next", "timer", map[string]any{"kinds": kinds})
}
