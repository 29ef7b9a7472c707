package platform

import (
	"sync"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/clock"
)

// Snapshot is what was in a platform at one moment. It never changes, and is
// safe for concurrent use.
type Snapshot struct {
	sold *catalog.Index

	mu    sync.Mutex
	state state
}

// Snapshot keeps what is in the platform now, in constant time.
func (p *Platform) Snapshot() *Snapshot {
	p.life.enter()
	defer p.life.mu.Unlock()
	return &Snapshot{sold: p.Catalog(), state: p.stock.state.fork()}
}

func (s *Snapshot) fork() state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.fork()
}

// Restore puts into the platform what was in it, or in another one, when the
// snapshot was taken, and has it sell what was sold then; in constant time. The
// clock is not moved: holds that it has passed meanwhile expire.
func (p *Platform) Restore(s *Snapshot) {
	restored := s.fork()
	p.selling.Lock()
	defer p.selling.Unlock()
	p.life.mu.Lock()
	defer p.life.mu.Unlock()
	p.stock.state = restored
	p.stock.sold.Store(s.sold)
	p.stock.restored++
}

// Clone returns a platform that is like this one, and from now on has a life and
// a clock of its own; in constant time.
func (p *Platform) Clone(clock clock.Clock) *Platform {
	p.life.enter()
	defer p.life.mu.Unlock()
	return newPlatform(clock, p.stock.seed, p.life.most, p.stock.state.fork(), p.Catalog(), p.stock.conduct.Load())
}
