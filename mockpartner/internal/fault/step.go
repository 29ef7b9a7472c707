package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

// An action implements one of these interfaces, or is a compiler that returns what does.

// compiler is an action whose fields must be validated, or prepared.
type compiler interface{ compile() (any, error) }

// waiter delays the answer. The contract's limits are scaled by a factor.
type waiter interface {
	wait(random *rand.Rand, scale float64) time.Duration
}

// requester changes the request before the partner receives it.
type requester interface {
	request(r *http.Request, variables func() []any) *http.Request
}

// replacer replaces the partner's answer.
type replacer interface {
	replace(fault string) *response
}

// transformer changes an answer.
type transformer interface {
	transform(ctx context.Context, answer *response, variables func() []any) error
}

// deliverer sends an answer. What it writes is recorded. To abort the connection it panics with
// http.ErrAbortHandler.
type deliverer interface {
	deliver(ctx context.Context, w http.ResponseWriter, answer *response, random *rand.Rand)
}

// steps are compiled actions, by what they do.
type steps struct {
	waiters      []waiter
	requesters   []requester
	cache        *cache
	replacer     replacer
	transformers []transformer
	deliverer    deliverer
}

func (s *steps) add(action any) {
	switch action := action.(type) {
	case waiter:
		s.waiters = append(s.waiters, action)
	case requester:
		s.requesters = append(s.requesters, action)
	case *cache:
		s.cache = action
	case replacer:
		s.replacer = action
	case transformer:
		s.transformers = append(s.transformers, action)
	case deliverer:
		s.deliverer = action
	}
}

// losesAnswer reports whether the caller gets no answer, so that none is needed.
func (s *steps) losesAnswer() bool {
	_, loses := s.deliverer.(Wire)
	return loses
}
