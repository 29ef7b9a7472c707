package client

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Clock is a sandbox's clock. It determines when holds expire and which day it is.
type Clock struct{ sandbox *sandbox }

// Time is the state of a clock.
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

// Set moves the clock to t, in whole seconds.
func (c Clock) Set(ctx context.Context, t time.Time) (Time, error) {
	return c.move(ctx, map[string]any{"set": partnerapi.FormatDateTime(t)})
}

// Freeze stops the clock at its current time.
func (c Clock) Freeze(ctx context.Context) (Time, error) {
	return c.move(ctx, map[string]any{"freeze": true})
}

// Run lets a frozen clock continue from its current time.
func (c Clock) Run(ctx context.Context) (Time, error) {
	return c.move(ctx, map[string]any{"freeze": false})
}

// Next moves the clock to the next event and returns that event. If kinds are given, only events of
// those kinds count. If no event is pending, the error is a refusal with status 409.
func (c Clock) Next(ctx context.Context, kinds ...TimerKind) (Timer, error) {
	return field[Timer](ctx, c.sandbox, http.MethodPost, "/clock/next", "timer", map[string]any{"kinds": kinds})
}
