package partner

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"partnerkit.dev/internal/connection"
	"partnerkit.dev/schemas/partnerapi"
)

// listening is how long after its limit an answer to reserve is awaited. A hold that arrives then
// must be released.
const listening = 60 * time.Second

// catchUp is how long an answer is read after the time to listen. A replica that was paused finds
// the answers that arrived meanwhile in its sockets. It is not scaled.
const catchUp = time.Second

// listen makes a call that continues after its caller has gone, and reads a late answer.
func (c *Client) listen(ctx context.Context, t Target, asked call) Outcome {
	limit := c.config.Scale(asked.limit)
	answered := make(chan Outcome, 1)
	c.calls.Go(func() {
		within, end := context.WithCancelCause(ctx)
		defer end(nil)
		// The second timer starts when the first one fires, so not before a paused replica
		// continues.
		listener := time.AfterFunc(limit+c.config.Scale(listening), func() { time.AfterFunc(catchUp, func() { end(errLate) }) })
		defer listener.Stop()
		defer context.AfterFunc(c.life, func() { end(errClosed) })()
		answered <- c.exchange(within, t, asked)
	})
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case outcome := <-answered:
		return c.observeCall(c.life, t, asked, outcome)
	case <-timer.C:
		c.calls.Go(func() { asked.late(<-answered) })
		return c.observeCall(ctx, t, asked, Outcome{Kind: Unanswered, Took: limit, Err: tooLate(asked), result: ResultTimeout})
	}
}

// observeCall updates the partner's health after a call, unless the service itself cancelled it.
func (c *Client) observeCall(ctx context.Context, t Target, asked call, o Outcome) Outcome {
	if ctx.Err() != nil && !o.Kind.IsAnswered() {
		o.Err = context.Cause(ctx)
	} else if o.result != "" && !asked.trial {
		c.config.Observe(t.ID, Observation{
			At: c.config.Now(), Mode: t.Mode, Result: o.result, Status: o.Status, Took: o.Took, Endpoint: asked.endpoint, Wrong: asked.problem(o), Lawful: asked.isLawful(o),
		})
	}
	return o
}

// reply is the raw result of a call.
type reply struct {
	status int
	body   []byte
	err    error
	sent   bool // or may have been

	request *http.Request // nil: there was none
	asked   []byte        // its body
	header  http.Header   // of the answer
}

// exchange sends a call and judges its answer.
func (c *Client) exchange(ctx context.Context, t Target, asked call) Outcome {
	ctx, span := spanOf(connection.Watch(ctx), t, asked)
	place := &place{of: c.large, accounts: c.largeOf, account: t.Account}
	defer place.leave() // after the body has been interpreted, too
	r, took := c.sendWatched(t, asked, func() reply { return c.send(ctx, t, asked, place) })
	o := judge(ctx, asked, r)
	o.Took = took
	span.end(o)
	return o.redactKey(t.AuthKey)
}

func (c *Client) send(ctx context.Context, t Target, asked call, place *place) (r reply) {
	sending := &sending{by: asked.by}
	defer func() { r.sent = sending.sent.Load() }()
	request, err := c.request(sending.guardSending(ctx), t, asked)
	r.request, r.asked = request, asked.text
	if err != nil {
		return reply{err: err}
	}
	client, done, err := c.clientFor(t, asked)
	if err != nil {
		return reply{err: err}
	}
	defer done()
	response, err := client.Do(request)
	if err != nil {
		r.err = err
		return r
	}
	defer response.Body.Close()
	r.status, r.header = response.StatusCode, response.Header
	if response.ContentLength > asked.largest && asked.read != nil {
		r.err = errLarge
		return r
	}
	r.body, r.err = io.ReadAll(io.LimitReader(&largeReader{response.Body, ctx, place, usualAnswer}, asked.largest+1))
	if r.err == nil && int64(len(r.body)) > asked.largest && asked.read != nil {
		r.err = errLarge
	}
	return r
}

func (c *Client) request(ctx context.Context, t Target, asked call) (*http.Request, error) {
	address, err := partnerapi.URL(t.BaseURL, asked.path, asked.query)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if asked.text != nil {
		body = bytes.NewReader(asked.text)
	}
	request, err := http.NewRequestWithContext(ctx, asked.method, address.String(), body)
	if err != nil {
		return nil, err
	}
	request.URL = address // unchanged: NewRequest would parse it again
	if asked.once {
		request.GetBody = nil
	}
	if asked.safe {
		// net/http retries a request if a reused connection closes without an answer, unless this
		// header is set. A header without a value is not sent.
		request.Header["Idempotency-Key"] = []string{}
	}
	if asked.text != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", c.config.UserAgent)
	request.Header.Set("Authorization", t.AuthType.Authorization(t.AuthKey))
	return request, nil
}
