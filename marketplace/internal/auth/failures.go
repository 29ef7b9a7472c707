package auth

import (
	"context"
	"sync"
	"time"
)

// failures limits what fails, by key. An attempt takes a place before it is known how
// it ends, and gives it back when it does not fail; who finds no place left waits for
// the attempts that are under way, so that good ones at the same time never count. It
// is safe for concurrent use.
type failures struct {
	limiter *Limiter

	mu       sync.Mutex
	underWay map[string]*attempts
}

// attempts are those of one key that are under way.
type attempts struct {
	count int
	ended chan struct{} // closed when one of them has ended
}

func newFailures(most int, now func() time.Time) *failures {
	return &failures{limiter: NewLimiter(most, time.Minute, now), underWay: map[string]*attempts{}}
}

// begin takes a place. The error is RateLimited where too many attempts have failed.
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

// take takes a place, or says what to wait for.
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

// end says how an attempt has ended.
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
