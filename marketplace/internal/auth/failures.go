package auth

import (
	"context"
	"sync"
	"time"
)

// failures limits failed attempts by key. An attempt counts before its result is known, and the
// count is taken back if it succeeds. When the limit is reached, callers wait for the running
// attempts, so that concurrent successes never count. It is safe for concurrent use.
type failures struct {
	limiter *Limiter

	mu       sync.Mutex
	underWay map[string]*attempts
}

// attempts are the running attempts of one key.
type attempts struct {
	count int
	ended chan struct{} // closed when an attempt ends
}

func newFailures(most int, now func() time.Time) *failures {
	return &failures{limiter: NewLimiter(most, time.Minute, now), underWay: map[string]*attempts{}}
}

// begin counts an attempt. The error is RateLimited if too many attempts have failed.
func (f *failures) begin(ctx context.Context, key string) error {
	for {
		d, wait := f.take(key)
		switch {
		case d.Allowed:
			return nil
		case wait == nil:
			return d.Err()
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// take counts an attempt, or returns a channel to wait for.
func (f *failures) take(key string) (d Decision, wait <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d = f.limiter.Take(key)
	a := f.underWay[key]
	switch {
	case d.Allowed && a == nil:
		f.underWay[key] = &attempts{count: 1, ended: make(chan struct{})}
	case d.Allowed:
		a.count++
	case a != nil:
		wait = a.ended
	}
	return d, wait
}

// end records the result of an attempt.
func (f *failures) end(key string, failed bool) {
	if !failed {
		f.limiter.GiveBack(key)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.underWay[key]
	close(a.ended)
	a.ended = make(chan struct{})
	if a.count--; a.count == 0 {
		delete(f.underWay, key)
	}
}
