package partner

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"partnerkit.dev/marketplace/internal/health"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// What is read of a booking's answers at most, in bytes. Tickets may be long.
const (
	largestHold   = 1 << 20
	largestTicket = 8 << 20
)

const (
	// listening is how much longer than its limit the answer to reserve is waited for:
	// a hold that comes then has to be released.
	listening = 60 * time.Second
	// turnTime bounds the wait for a turn with the partner before a booking call, so
	// that nobody takes one that has not been sent yet for one without an answer.
	turnTime = 10 * time.Second
)

// Kind is what is known of a booking call when it is over.
type Kind string

// The kinds.
const (
	Done       Kind = "done"       // 2xx, read
	Refused    Kind = "refused"    // any other HTTP answer, read whole
	Unreadable Kind = "unreadable" // 2xx whose body makes no sense
	Unanswered Kind = "unanswered" // it was sent, and no whole answer came
	NotSent    Kind = "not sent"   // the partner has nothing of it
)

// Answered reports whether the partner's whole answer was read.
func (k Kind) Answered() bool { return k == Done || k == Refused || k == Unreadable }

// Outcome is what came of a booking call.
type Outcome struct {
	Kind     Kind
	Status   int // of the answer; 0 where none was read
	Took     time.Duration
	Message  string   // the partner's own words with a refusal, in one line that is not long; "" where it has none
	Breaches []string // of the contract, in an answer that can be used all the same
	Err      error    // PartnerLate or PartnerFailed; nil where Kind is Done
}

// Reserve asks for a hold (RSV-1). It is sent once, and outlives ctx. Where no answer
// has come within the limit of that health, the outcome is Unanswered, and late is
// called once, in its own time, with what comes in the minute after it; code is set in
// an unreadable answer too, where it can be read.
func (c *Client) Reserve(ctx context.Context, t Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, Outcome)) (partnerapi.ReserveAnswer, Outcome) {
	var hold partnerapi.ReserveAnswer
	what := call{
		method: http.MethodPost, path: partnerapi.ReservePath, body: asked, once: true,
		limit: partnerapi.Reserve.Timeout(h), largest: largestHold, read: readHold(&hold),
	}
	leave, outcome := c.turnFor(ctx, t, what)
	if outcome.Err != nil {
		return hold, outcome
	}
	ctx = context.WithoutCancel(ctx)
	limit := c.config.Scale(what.limit)
	within, stop := context.WithTimeoutCause(ctx, limit+c.config.Scale(listening), errLate)
	ended := context.AfterFunc(c.life, stop)
	answered := make(chan reply, 1)
	c.calls.Go(func() {
		defer stop()
		defer ended()
		answered <- c.exchange(within, t, what)
	})
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-answered:
		leave()
		outcome = c.outcome(ctx, within, t, what, r)
		return hold, outcome
	case <-timer.C:
		leave() // whoever hangs does not keep others from their turn
		c.config.Observe(t.ID, health.Call{At: c.config.Now(), Outcome: health.Timeout})
		c.calls.Go(func() {
			r := <-answered
			_, err := judged(within, what, r.status, r.body, r.err)
			late(hold, outcomeOf(r, err))
		})
		return partnerapi.ReserveAnswer{}, Outcome{Kind: Unanswered, Took: limit, Err: errTooLate(what)}
	}
}

// Confirm books a hold that is paid (CNF-1). tickets says that the partner delivers its
// own (CNF-6). An answer that names a booking is Done, with its breaches.
func (c *Client) Confirm(ctx context.Context, t Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (booked partnerapi.ConfirmAnswer, outcome Outcome) {
	var breaches []string
	outcome = c.call(ctx, t, call{
		method: http.MethodPost, path: partnerapi.ConfirmPath, body: asked, once: true,
		limit: partnerapi.Confirm.Timeout(h), largest: largestTicket, read: readBooking(&booked, &breaches, tickets),
	})
	outcome.Breaches = breaches
	return booked, outcome
}

// Release gives a hold back (REL-1). Every 2xx is Done.
func (c *Client) Release(ctx context.Context, t Target, code string) Outcome {
	return c.deliver(ctx, t, call{
		method: http.MethodDelete, path: partnerapi.ReleasePath(code), name: "release",
		body:  partnerapi.ReleaseRequest{ReservationConfirmationCode: code},
		limit: partnerapi.Release.Timeout(partnerapi.Healthy),
	})
}

// Cancel calls a booking off (CAN-1). Every 2xx is Done.
func (c *Client) Cancel(ctx context.Context, t Target, externalID, reason string) Outcome {
	return c.deliver(ctx, t, call{
		method: http.MethodPost, path: partnerapi.CancelPath(externalID), name: "cancel",
		body:  partnerapi.CancelRequest{Reason: reason},
		limit: partnerapi.Cancel.Timeout(partnerapi.Healthy),
	})
}

// deliver makes a call whose answer says no more than that it was taken.
func (c *Client) deliver(ctx context.Context, t Target, asked call) Outcome {
	asked.largest, asked.read = largestHold, readDone
	outcome := c.call(ctx, t, asked)
	if outcome.Kind == Unreadable {
		outcome.Kind, outcome.Breaches, outcome.Err = Done, []string{outcome.Err.Error()}, nil
	}
	return outcome
}

// call makes a booking call once it is the partner's turn.
func (c *Client) call(ctx context.Context, t Target, asked call) Outcome {
	leave, outcome := c.turnFor(ctx, t, asked)
	if outcome.Err != nil {
		return outcome
	}
	defer leave()
	within, cancel := context.WithTimeoutCause(ctx, c.config.Scale(asked.limit), errLate)
	defer cancel()
	ended := context.AfterFunc(c.life, cancel)
	defer ended()
	return c.outcome(ctx, within, t, asked, c.exchange(within, t, asked))
}

// turnFor waits for a turn with the partner. The outcome is without an error where it
// came.
func (c *Client) turnFor(ctx context.Context, t Target, asked call) (leave func(), outcome Outcome) {
	waiting, cancel := context.WithTimeout(ctx, c.config.Scale(turnTime))
	defer cancel()
	began := c.config.Now()
	leave, err := c.gates.enter(waiting, t.ID)
	switch {
	case err == nil:
		return leave, Outcome{}
	case ctx.Err() == nil:
		err = marketplace.Errorf(marketplace.PartnerLate, "the partner has not answered earlier calls: %s was not sent", asked.what())
	}
	return nil, Outcome{Kind: NotSent, Took: c.config.Now().Sub(began), Err: err}
}

// reply is what was read of a call.
type reply struct {
	status int
	body   []byte
	err    error
	sent   bool // it had a connection
	took   time.Duration
}

// exchange sends a booking call, and tells whether it got as far as a connection.
func (c *Client) exchange(ctx context.Context, t Target, asked call) reply {
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	began := c.config.Now()
	turn := &turn{of: c.large}
	defer turn.leave()
	status, body, err := c.send(ctx, t, asked, turn)
	return reply{status: status, body: body, err: err, sent: sent.Load(), took: c.config.Now().Sub(began)}
}

// outcome judges a reply, and tells of it.
func (c *Client) outcome(ctx, within context.Context, t Target, asked call, r reply) Outcome {
	if r.err != nil && (ctx.Err() != nil || c.life.Err() != nil) {
		return outcomeOf(r, context.Canceled) // we gave up, which says nothing of the partner
	}
	judgement, err := judged(within, asked, r.status, r.body, r.err)
	c.config.Observe(t.ID, health.Call{At: c.config.Now(), Outcome: judgement, Status: r.status})
	return outcomeOf(r, err)
}

func outcomeOf(r reply, err error) Outcome {
	o := Outcome{Took: r.took, Err: err}
	switch {
	case err == nil:
		o.Kind, o.Status = Done, r.status
	case badAnswer(r.err) && r.status/100 == 2:
		o.Kind, o.Status = Unreadable, r.status
	case badAnswer(r.err):
		o.Kind, o.Status = Refused, r.status
	case r.err != nil && r.sent:
		o.Kind = Unanswered
	case r.err != nil:
		o.Kind = NotSent
	case r.status/100 != 2:
		o.Kind, o.Status, o.Message = Refused, r.status, words(r.body)
	default:
		o.Kind, o.Status = Unreadable, r.status
	}
	return o
}
