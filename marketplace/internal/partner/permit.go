package partner

import (
	"context"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"
)

// permits let a few calls to a partner through at once. A partner that hangs keeps its
// own callers waiting, and nobody else's.
type permits struct {
	width int64
	mu    sync.Mutex
	of    map[uuid.UUID]*permit
}

type permit struct {
	*semaphore.Weighted
	users int // that have one, or wait; a permit without any is forgotten
}

func newPermits(width int) *permits {
	return &permits{width: int64(width), of: map[uuid.UUID]*permit{}}
}

// enter waits for a permit to call the partner, until ctx ends, and returns the way out.
func (p *permits) enter(ctx context.Context, partner uuid.UUID) (leave func(), err error) {
	p.mu.Lock()
	at := p.of[partner]
	if at == nil {
		at = &permit{Weighted: semaphore.NewWeighted(p.width)}
		p.of[partner] = at
	}
	at.users++
	p.mu.Unlock()
	forget := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if at.users--; at.users == 0 {
			delete(p.of, partner)
		}
	}
	if err := at.Acquire(ctx, 1); err != nil {
		forget()
		return nil, err
	}
	return func() { at.Release(1); forget() }, nil
}
