package auth

import (
	"sync"
	"time"

	"partnerkit.dev/marketplace/internal/domain"
)

// mostKeys limits the keys that are counted concurrently. More are refused until a
// window ends, so that a flood of keys cannot exhaust the memory.
const mostKeys = 1 << 20

// Limiter allows a number of requests of a key in a window, which begins with the key's first
// request. It counts in memory, so each replica allows the limit. It is safe for concurrent use.
type Limiter struct {
	limit  int
	keys   int // that are counted at the same time
	window time.Duration
	now    func() time.Time

	mu      sync.Mutex
	windows map[string]*window
	sweep   time.Time // when expired windows are dropped next
}

type window struct {
	ends  time.Time
	taken int
}

// NewLimiter returns a limiter. A limit of 0 allows everything.
func NewLimiter(limit int, window time.Duration, now func() time.Time) *Limiter {
	return &Limiter{limit: limit, keys: mostKeys, window: window, now: now, windows: newWindows()}
}

func newWindows() map[string]*window { return map[string]*window{} }

// Decision is a limiter's decision about a request.
type Decision struct {
	Allowed   bool
	Limit     int           // per window; 0 disables the limit
	Remaining int           // in this window
	Reset     time.Duration // until the window ends
}

// Err returns RateLimited if the request is refused.
func (d Decision) Err() error {
	if d.Allowed {
		return nil
	}
	return &domain.Error{Code: domain.RateLimited, Message: "rate limit exceeded", RetryAfter: d.Reset}
}

// Take counts a request of the key if it is allowed.
func (l *Limiter) Take(key string) Decision {
	if l.limit == 0 {
		return Decision{Allowed: true}
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dropEnded(now)
	w := l.windows[key]
	if w == nil || !now.Before(w.ends) {
		if w == nil && len(l.windows) >= l.keys {
			return Decision{Limit: l.limit, Reset: l.window}
		}
		w = &window{ends: now.Add(l.window)}
		l.windows[key] = w
	}
	d := Decision{Allowed: w.taken < l.limit, Limit: l.limit, Reset: w.ends.Sub(now)}
	if d.Allowed {
		w.taken++
	}
	d.Remaining = l.limit - w.taken
	return d
}

// GiveBack takes back the count of an allowed request.
func (l *Limiter) GiveBack(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := l.windows[key]; w != nil && w.taken > 0 {
		w.taken--
	}
}

// dropEnded drops expired windows, once per window.
func (l *Limiter) dropEnded(now time.Time) {
	if now.Before(l.sweep) {
		return
	}
	l.sweep = now.Add(l.window)
	for key, w := range l.windows {
		if !now.Before(w.ends) {
			delete(l.windows, key)
		}
	}
}
