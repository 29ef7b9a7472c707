package partner

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// call is one request.
type call struct {
	method, path string
	name         string // for people, where the path holds a code
	query        url.Values
	body         any           // nil: none
	wait         time.Duration // the longest for a permit; 0: as long as the caller likes
	limit        time.Duration
	largest      int64
	only200      bool // the probe's: no other 2xx will do
	once         bool // net/http must not send it again, whatever it thinks of the connection
	read         func([]byte) error
	refusals     map[int]Kind  // what statuses mean that mean more than that it was refused
	late         func(Outcome) // is told what comes after the limit; nil: nothing is waited for
}

// what names the call for people.
func (asked call) what() string {
	if asked.name != "" {
		return asked.name
	}
	return asked.method + " " + asked.path
}

var (
	errLate   = errors.New("the partner's time is over")
	errLarge  = errors.New("the answer is larger than is read")
	errClosed = errors.New("the service is stopping")
)

// do is the way of every call: it is sent once it is the partner's turn, its whole answer
// is read and judged within the limit, and the partner's health hears of it.
func (c *Client) do(ctx context.Context, t Target, asked call) Outcome {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(c.life, func() { end(errClosed) })()
	began := c.config.Now()
	leave, err := c.permit(ctx, t, asked)
	if err != nil {
		return Outcome{Kind: NotSent, Took: c.config.Now().Sub(began), Err: err}
	}
	defer leave() // a partner that hangs does not keep others from their turn
	if asked.late != nil {
		return c.listen(context.WithoutCancel(ctx), t, asked)
	}
	within, cancel := context.WithTimeoutCause(ctx, c.config.Scale(asked.limit), errLate)
	defer cancel()
	return c.observed(ctx, t, c.exchange(within, t, asked))
}
