// Package clock provides the clocks of a mock's sandboxes. They run on another clock or stand
// still, and can be moved.
package clock

import (
	"sync"
	"time"
)

// Clock returns the current time.
type Clock interface {
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now returns the machine's time.
func (System) Now() time.Time { return time.Now() }

// Virtual runs on a base clock, or stands still, and can be moved in both directions. Holds,
// cut-offs and "today" follow it. It is safe for concurrent use.
type Virtual struct {
	mu     sync.Mutex
	base   Clock
	offset time.Duration // of a running clock, to base
	frozen *time.Time    // the time at which the clock stands; nil while it runs
	moved  chan struct{} // closed when the clock is moved; nil while nothing waits
}

// NewVirtual returns a clock that shows base's time until it is moved. A nil base means the
// machine's clock.
func NewVirtual(base Clock) *Virtual {
	if base == nil {
		base = System{}
	}
	return &Virtual{base: base}
}

// NewFrozen returns a clock that stands at t until it is moved.
func NewFrozen(t time.Time) *Virtual {
	return &Virtual{base: System{}, frozen: &t}
}

// Now returns the virtual time.
func (c *Virtual) Now() time.Time { return c.Read().At }

func (c *Virtual) now() time.Time {
	if c.frozen != nil {
		return *c.frozen
	}
	// The monotonic reading is removed, because virtual times are compared with parsed ones.
	return c.base.Now().Add(c.offset).Round(0)
}

// NextMove returns a channel that is closed when the clock is next moved, stopped or started.
func (c *Virtual) NextMove() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.moved == nil {
		c.moved = make(chan struct{})
	}
	return c.moved
}

// Reading is the state of a clock.
type Reading struct {
	At     time.Time
	Frozen bool // the clock stands still
}

// Read returns the clock's state.
func (c *Virtual) Read() Reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Reading{At: c.now(), Frozen: c.frozen != nil}
}

// change changes the clock, and notifies waiters that it was moved.
func (c *Virtual) change(how func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how()
	if c.moved != nil {
		close(c.moved)
		c.moved = nil
	}
}

// Show makes the clock stand at, or continue from, an earlier reading.
func (c *Virtual) Show(r Reading) {
	c.change(func() {
		if c.frozen = nil; r.Frozen {
			c.frozen = &r.At
		} else {
			c.set(r.At)
		}
	})
}

// IsFrozen reports whether the clock stands still.
func (c *Virtual) IsFrozen() bool { return c.Read().Frozen }

// Set moves the clock to t. A frozen clock stays frozen.
func (c *Virtual) Set(t time.Time) { c.change(func() { c.set(t) }) }

func (c *Virtual) set(t time.Time) {
	if c.frozen != nil {
		c.frozen = &t
		return
	}
	c.offset = t.Sub(c.base.Now().Round(0))
}

// Advance moves the clock by d, which may be negative, and returns the new time.
func (c *Virtual) Advance(d time.Duration) (now time.Time) {
	c.change(func() {
		if c.frozen != nil {
			c.frozen = new(c.frozen.Add(d))
		} else {
			c.offset += d
		}
		now = c.now()
	})
	return now
}

// Freeze stops the clock at its current time.
func (c *Virtual) Freeze() { c.change(func() { c.frozen = new(c.now()) }) }

// Run lets a frozen clock continue from its current time.
func (c *Virtual) Run() {
	c.change(func() {
		if c.frozen != nil {
			stood := *c.frozen
			c.frozen = nil
			c.set(stood)
		}
	})
}
