package api

import (
	"sync"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

const (
	mostStreams = 100
	// mostStreamsOfAccount is more than a browser opens, and leaves room for other accounts.
	mostStreamsOfAccount = 10
)

// streams limits the concurrent progress streams of a replica, for each account and of all. It is safe
// for concurrent use.
type streams struct {
	mu        sync.Mutex
	all       int
	byAccount map[uuid.UUID]int
}

// enter counts a stream of an account until leave is called. The error is RateLimited.
func (s *streams) enter(account uuid.UUID) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= mostStreams || s.byAccount[account] >= mostStreamsOfAccount {
		return nil, &domain.Error{Code: domain.RateLimited, Message: "too many streams", RetryAfter: streamPause}
	}
	s.all++
	s.byAccount[account]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.byAccount[account]--; s.byAccount[account] == 0 {
			delete(s.byAccount, account)
		}
	}, nil
}
