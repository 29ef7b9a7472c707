package api

import (
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// staleReads decides which reads a standby may answer. It remembers the last change of each account
// through this replica, because the account's next lists show that change.
type staleReads struct {
	mu      sync.Mutex
	changes map[uuid.UUID]accountChange // those of the last MaxStaleness
	pruned  time.Time
}

// accountChange is the last change of an account.
type accountChange struct {
	ended   time.Time // by the machine's clock
	running int       // requests that may change something
}

func newStaleReads() *staleReads { return &staleReads{changes: map[uuid.UUID]accountChange{}} }

// allow lets a route's reads be stale. For nil they are not.
func (s *staleReads) allow(next handler) handler {
	if s == nil {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx := r.Context()
		return next(w, r.WithContext(domain.AllowStale(ctx, s.lastChange(caller(ctx).Account))))
	}
}

// lastChange returns when an account last changed something. The answer to a request may arrive before
// the request has ended here.
func (s *staleReads) lastChange(account uuid.UUID) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.changes[account]
	if last.running > 0 {
		return time.Now()
	}
	return last.ended
}

// change records that a request of the account may change something, until the returned function is called.
func (s *staleReads) change(account uuid.UUID) (end func()) {
	if s == nil {
		return func() {}
	}
	s.add(account, 1)
	return func() { s.add(account, -1) }
}

func (s *staleReads) add(account uuid.UUID, running int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.pruned) > domain.MaxStaleness {
		maps.DeleteFunc(s.changes, func(_ uuid.UUID, c accountChange) bool {
			return c.running == 0 && now.Sub(c.ended) > domain.MaxStaleness
		})
		s.pruned = now
	}
	s.changes[account] = accountChange{now, s.changes[account].running + running}
}
