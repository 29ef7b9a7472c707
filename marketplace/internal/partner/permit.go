package partner

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"partnerkit.dev/marketplace/internal/domain"
)

// permit waits for a permit to call the partner.
func (c *Client) permit(ctx context.Context, t Target, asked call) (leave func(), err error) {
	waiting := ctx
	if asked.wait > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, c.config.Scale(asked.wait))
		defer cancel()
	}
	leave, err = c.permits.enter(waiting, t.ID)
	switch {
	case err == nil:
		return leave, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	default:
		return nil, domain.Errorf(domain.PartnerLate, "the partner has not answered earlier calls: %s was not sent", asked.what())
	}
}

// Permits limit the concurrent calls to a partner. A partner that hangs delays only its
// own callers.
type Permits struct {
	width int64
	mu    sync.Mutex
	of    map[uuid.UUID]*permit
}

type permit struct {
	*semaphore.Weighted
	users int // holders and waiters; a permit without users is removed
}

// NewPermits returns permits for width concurrent calls to each partner.
func NewPermits(width int) *Permits {
	return &Permits{width: int64(width), of: map[uuid.UUID]*permit{}}
}

// enter waits for a permit until ctx ends, and returns a function that releases it.
func (p *Permits) enter(ctx context.Context, partner uuid.UUID) (leave func(), err error) {
	at, forget := p.permitOf(partner)
	if err := at.Acquire(ctx, 1); err != nil {
		forget()
		return nil, err
	}
	return func() { at.Release(1); forget() }, nil
}

// Try is enter without waiting.
func (p *Permits) Try(partner uuid.UUID) (leave func(), ok bool) {
	at, forget := p.permitOf(partner)
	if !at.TryAcquire(1) {
		forget()
		return nil, false
	}
	return func() { at.Release(1); forget() }, true
}

func (p *Permits) permitOf(partner uuid.UUID) (at *permit, forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at = p.of[partner]; at == nil {
		at = &permit{Weighted: semaphore.NewWeighted(p.width)}
		p.of[partner] = at
	}
	at.users++
	return at, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if at.users--; at.users == 0 {
			delete(p.of, partner)
		}
	}
}

// Concurrent large answers must not exhaust the memory. The part of an answer beyond the usual size
// is read only with a permit.
const (
	usualAnswer    = 8 << 20 // bytes: some 5,000 products
	largeAtOnce    = 4
	largeOfAccount = 2 // of one account's partners, so that it does not take all
)

// errCrowded is returned when other large answers were being read until the deadline.
var errCrowded = errors.New("other large answers were being read until the time limit")

// place is a call's permit for a large answer. It is acquired when needed.
type place struct {
	of       *semaphore.Weighted
	accounts *Permits
	account  uuid.UUID
	release  func() // nil: not taken
}

func (p *place) take(ctx context.Context) error {
	leave, err := p.accounts.enter(ctx, p.account)
	if err != nil {
		return errCrowded
	}
	if p.of.Acquire(ctx, 1) != nil {
		leave()
		return errCrowded
	}
	p.release = func() { p.of.Release(1); leave() }
	return nil
}

func (p *place) leave() {
	if p.release != nil {
		p.release()
	}
}

// largeReader reads an answer and acquires a place before it reads beyond the usual size.
type largeReader struct {
	answer io.Reader
	ctx    context.Context
	place  *place
	left   int64 // bytes until a place is needed
}

func (r *largeReader) Read(into []byte) (int, error) {
	if r.left <= 0 && r.place.release == nil {
		if err := r.place.take(r.ctx); err != nil {
			return 0, err
		}
	}
	n, err := r.answer.Read(into)
	r.left -= int64(n)
	return n, err
}
