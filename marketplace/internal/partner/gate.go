package partner

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// gates let a few calls to a partner through at once. A partner that hangs keeps its
// own callers waiting, and nobody else's.
type gates struct {
	width int
	mu    sync.Mutex
	open  map[uuid.UUID]*gate
}

type gate struct {
	turns chan struct{}
	users int // at it, or waiting; a gate without any is forgotten
}

func newGates(width int) *gates { return &gates{width: width, open: map[uuid.UUID]*gate{}} }

// enter waits for a turn with the partner, until ctx ends, and returns the way out.
func (g *gates) enter(ctx context.Context, partner uuid.UUID) (leave func(), err error) {
	g.mu.Lock()
	at := g.open[partner]
	if at == nil {
		at = &gate{turns: make(chan struct{}, g.width)}
		g.open[partner] = at
	}
	at.users++
	g.mu.Unlock()
	forget := func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if at.users--; at.users == 0 {
			delete(g.open, partner)
		}
	}
	select {
	case at.turns <- struct{}{}:
		return func() { <-at.turns; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, ctx.Err()
	}
}
