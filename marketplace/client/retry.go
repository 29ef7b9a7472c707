package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// The pauses between retries. They double from the first to the last and are randomized, so that
// clients do not retry at the same time.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// send sends a request, with retries until the patience is over. It returns the last result.
func (c *connection) send(ctx context.Context, r request) ([]byte, error) {
	began, renewed := c.now(), false
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		made, err := c.compose(ctx, r)
		if err != nil {
			return nil, err
		}
		text, err := c.try(ctx, r, made)
		if err == nil {
			return text, nil
		}
		refusal := (*Error)(nil)
		if errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized && !r.open && !renewed {
			// Nothing was done: the session may have expired or been ended elsewhere.
			if renewed = true; c.credentials.refused(ctx, made.Header) {
				continue
			}
		}
		wait := pause/2 + rand.N(pause/2)
		if refusal != nil {
			wait = max(wait, refusal.RetryAfter)
		}
		if !r.mayBeMadeAgain(err, refusal) || c.now().Add(wait).Sub(began) > c.patience || !sleep(ctx, wait) {
			return nil, err
		}
	}
}

// mayBeMadeAgain reports whether a request with this result may be repeated, and whether a retry
// could succeed.
func (r request) mayBeMadeAgain(err error, refusal *Error) bool {
	if refusal == nil {
		return r.harmless && errors.As(err, new(lost))
	}
	if refusal.final {
		return false
	}
	switch refusal.Status {
	case http.StatusTooManyRequests:
		return !r.open // a sign-in is limited because of wrong passwords
	case http.StatusConflict:
		return r.key != "" && refusal.RetryAfter > 0 // the first request is in progress
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		// The error is a partner's, and a repeated key would return it again.
		return r.harmless && (refusal.foreign || r.method == http.MethodGet)
	}
	return r.harmless && refusal.Status >= 500
}

// sleep waits. It returns false if ctx ends first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
