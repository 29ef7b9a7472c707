package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// The pauses before a request is made again: they double from the one to the other, and
// no two clients have the same.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// send makes a request until it has an answer that counts, or the patience is at its end:
// then what came last is returned.
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
			// Nothing was done: the sign-in may have run out, or been ended elsewhere.
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

// mayBeMadeAgain reports whether a request that came to this may be made again, and
// whether that may come to something else.
func (r request) mayBeMadeAgain(err error, refusal *Error) bool {
	if refusal == nil {
		return r.harmless && errors.As(err, new(lost))
	}
	if refusal.final {
		return false
	}
	switch refusal.Status {
	case http.StatusTooManyRequests:
		return !r.open // a sign-in is turned away for its wrong passwords
	case http.StatusConflict:
		return r.key != "" && refusal.RetryAfter > 0 // the first one is under way
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		// The marketplace says so of a partner, and would say it again to a key.
		return r.harmless && (refusal.foreign || r.method == http.MethodGet)
	}
	return r.harmless && refusal.Status >= 500
}

// sleep waits, or returns false where ctx ends first.
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
