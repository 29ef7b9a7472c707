package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"
)

// action is one thing that a fault does.
type action interface {
	// compile checks the action, and returns it ready for use: as a waiter, a
	// replacer, a transformer or a deliverer.
	compile() (action, error)
}

// waiter is late with the answer.
type waiter interface {
	wait(random *rand.Rand) time.Duration
}

// replacer gives another answer than the partner would.
type replacer interface {
	replace(fault string) *response
}

// transformer changes an answer.
type transformer interface {
	transform(ctx context.Context, answer *response, variables func() []any) error
}

// deliverer puts an answer on the wire. What it writes has begun to be on
// record; to break the connection off it panics with http.ErrAbortHandler.
type deliverer interface {
	deliver(ctx context.Context, w http.ResponseWriter, answer *response, random *rand.Rand)
}

// response is an answer that is not on its way yet.
type response struct {
	status int
	header http.Header
	body   []byte
}
