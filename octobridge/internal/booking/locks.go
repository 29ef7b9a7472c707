package booking

import (
	"context"
	"sync"
)

// locks let one call at a time act on a booking.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

type lock struct {
	turn  chan struct{}
	users int
}

// acquire waits for the booking's turn. release ends it.
func (l *locks) acquire(ctx context.Context, code string) (release func(), err error) {
	l.mu.Lock()
	one := l.held[code]
	if one == nil {
		one = &lock{turn: make(chan struct{}, 1)}
		l.held[code] = one
	}
	one.users++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.held, code)
		}
	}
	select {
	case one.turn <- struct{}{}:
		return func() { <-one.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
