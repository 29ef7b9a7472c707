package booking

import (
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	// mostDeliveries is how many deliveries to one partner are under way at once, in a
	// replica: one that hangs must not fill the workers.
	mostDeliveries = 4
	// busyPause is how long a delivery waits that finds so many under way.
	busyPause = 3 * time.Second
)

// shares count the deliveries to each partner.
type shares struct {
	mu    sync.Mutex
	under map[uuid.UUID]int
}

// take reports whether there is room for one more, which give ends.
func (s *shares) take(partner uuid.UUID) (give func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.under[partner] >= mostDeliveries {
		return nil, false
	}
	if s.under == nil {
		s.under = map[uuid.UUID]int{}
	}
	s.under[partner]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.under[partner]--; s.under[partner] == 0 {
			delete(s.under, partner)
		}
	}, true
}
