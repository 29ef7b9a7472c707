package partner

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// The suite waits longer than the limit. A late answer is then received and timed, and a hold in it
// is recorded.
const (
	graceShare = 10          // one tenth of the limit, plus
	graceFixed = time.Second // this, scaled like the limits
)

// Caller sends calls to the partner, each with the deadline that its limit implies.
type Caller struct {
	Client     *probe.Client
	Time       *Time
	LimitScale float64
	ReadOnly   bool // send nothing that may make or undo a hold
	Sparing    bool // send no call that the rules can be judged without

	Crowded func() bool // other customers were seen; nil: none are

	paces paces
	turns turns        // nil: one story is played after another
	most  atomic.Int64 // calls that are made, but for undoing; 0: no limit
	gone  atomic.Bool  // the last call did not arrive, however often it was sent
}

// NewCaller returns a caller within a run's time. The limits of the contract are scaled.
func NewCaller(client *probe.Client, within *Time, limitScale float64) *Caller {
	return &Caller{Client: client, Time: within, LimitScale: limitScale, paces: newPaces(limitScale)}
}

// Pace returns the answer times of a limit.
func (c *Caller) Pace(limit Limit) *Pace { return c.paces[limit] }

// Affordable returns how many calls to an endpoint fit in that share of the run's time. It returns
// 0 if the caller is sparing, and when the run is late.
func (c *Caller) Affordable(endpoint partnerapi.Endpoint, share float64) int {
	if c.Sparing || c.Time.LateForMore() {
		return 0
	}
	return int(share * float64(c.Time.most) / float64(c.Usual(endpoint)))
}

// Usual returns how long a call to one of the endpoints takes on average.
func (c *Caller) Usual(endpoints ...partnerapi.Endpoint) time.Duration {
	sum, n := time.Duration(0), time.Duration(0)
	for _, endpoint := range endpoints {
		for _, each := range c.paces[Limit{Endpoint: endpoint}].Times() {
			sum, n = sum+each, n+1
		}
	}
	return time.Millisecond + sum/max(1, n)
}

// Call sends one call under its limit and returns its answer. The answer is nil if nothing was
// sent, for example because the limit is already broken or the run ended. If again is true, a call
// that times out is sent again until its limit is decided; if it is false, Call returns a stop.
func (c *Caller) Call(ctx context.Context, call probe.Call, again bool) (*probe.Answer, *Stop) {
	if stop := c.checkBounds(call); stop != nil {
		return nil, stop
	}
	pace := c.paces[limitOf(call)]
	call = c.withDeadline(call)
	for {
		if broken := pace.BreachStop(); broken != nil {
			return nil, broken
		}
		answer, stop := c.send(ctx, call)
		if answer != nil && !c.Interleaves() {
			pace.record(answer.Exchange)
		}
		if stop == nil && answer.IsUnsent() {
			answer, stop = c.sendUntilItArrives(ctx, call, answer)
		}
		if stop != nil {
			return answer, stop
		}
		switch {
		case answer.Failure == nil, answer.Failure.Kind != report.Timeout:
			return answer, nil
		case !again, c.Interleaves():
			return answer, pace.stopUnanswered(call)
		}
	}
}

// mostConnects is how often a call is sent again that could not be delivered to a partner that has answered before.
const mostConnects = 3

// sendUntilItArrives sends a call again that did not arrive. What fails below HTTP shows nothing about the partner's
// answers, and a server may just be restarting. It returns a stop if the partner cannot be reached any more.
func (c *Caller) sendUntilItArrives(ctx context.Context, call probe.Call, answer *probe.Answer) (*probe.Answer, *Stop) {
	for wait := shortestWait; answer.IsUnsent(); wait *= 2 {
		if c.gone.Load() || !c.Client.WasReached() || wait >= shortestWait<<mostConnects {
			c.gone.Store(true)
			return nil, StopAt(Unreachable, answer, "%s", answer.Failure.Message)
		}
		c.Wait(ctx, c.ScaleLimit(wait))
		var stop *Stop
		if answer, stop = c.send(ctx, call); stop != nil {
			return answer, stop
		}
	}
	return answer, nil
}

// SendUnusual sends, once, a call that the marketplace never sends. The contract sets no limit for it: it
// gets the endpoint's deadline, and a late answer is not judged.
func (c *Caller) SendUnusual(ctx context.Context, call probe.Call) (*probe.Answer, *Stop) {
	if stop := c.checkBounds(call); stop != nil {
		return nil, stop
	}
	if stop := c.MaySend(ctx, call.Endpoint); stop != nil {
		return nil, stop
	}
	call.Deadline, call.BadInput = c.timedAs(Limit{Endpoint: call.Endpoint}, call).Deadline, true
	answer, stop := c.send(ctx, call)
	if stop == nil && answer.IsUnsent() {
		answer, stop = c.sendUntilItArrives(ctx, call, answer)
	}
	if answer != nil && answer.Failure != nil && stop != nil {
		return nil, stop
	}
	return answer, stop
}

// send sends a call, and sends it again if the partner answered 429 or closed a kept-alive
// connection: neither shows anything about the call. The answer to a repeated confirm is used if it
// is 200 or 401, or if it failed. Any other refusal may result from a booking that the first
// confirm made. A reserve is never repeated after a closed connection.
func (c *Caller) send(ctx context.Context, call probe.Call) (*probe.Answer, *Stop) {
	unanswered := false // an earlier call may have been served
	for {
		if ctx.Err() != nil {
			return nil, c.Time.StopCause()
		}
		var answer *probe.Answer
		c.turns.wait(func() { answer = c.Client.Do(ctx, call) })
		switch {
		case answer.Failure != nil && answer.Failure.Kind == report.Stopped:
			return nil, c.Time.StopCause()
		case answer.Closed && call.Endpoint != partnerapi.Reserve:
			unanswered = !probe.IsRepeatable(call.Endpoint)
			continue
		case answer.Closed, unanswered && answer.Failure == nil && !answer.HasStatus(http.StatusOK, http.StatusUnauthorized):
			return answer, NotHere("the partner closed a connection that was kept alive before it answered %s, which is lawful and leaves the call's effect unknown", call.Endpoint)
		case IsBusy(answer):
			if stop := c.turnedAway(ctx, answer); stop != nil {
				return nil, stop
			}
			continue
		}
		c.Time.patience.served()
		if answer.Failure == nil {
			c.gone.Store(false)
		}
		return answer, nil
	}
}

// turnedAway waits as long as the partner requests, within bounds. It returns a stop if that would
// take too long: a call that was never served shows nothing.
func (c *Caller) turnedAway(ctx context.Context, answer *probe.Answer) *Stop {
	asked, stated := retryAfter(answer)
	until, ok := c.Time.patience.nextTry(asked, stated, c.Time.mostWaiting())
	if !ok || until.After(c.Time.deadline) {
		return &Stop{
			Exchanges: []*report.Exchange{answer.Exchange},
			Message:   "the partner turned " + string(answer.Endpoint) + " away with 429 Too Many Requests for longer than the run can wait (--max-rps limits the calls a second)",
		}
	}
	c.Wait(ctx, time.Until(until))
	return nil
}

// ReadOnly and NotReadOnly are the message and the remedy of what a run with --read-only leaves out.
const (
	ReadOnly    = "nothing was held or booked (--read-only)"
	NotReadOnly = "Run without --read-only."
)

func (c *Caller) checkBounds(call probe.Call) *Stop {
	if c.ReadOnly && call.Endpoint != partnerapi.Products && call.Endpoint != partnerapi.Availability {
		return NewBoundStop(ReadOnly).WithRemedy(NotReadOnly)
	}
	undoes := call.Endpoint == partnerapi.Release || call.Endpoint == partnerapi.Cancel
	most := int(c.most.Load())
	if most > 0 && Part(c.Time.part.Load()) != Again {
		most -= keptForDoubts
	}
	if most > 0 && !undoes && c.Client.Calls() >= most && (c.Crowded == nil || !c.Crowded()) {
		return FootprintStop()
	}
	return nil
}

// keptForDoubts is how many calls of a limited number are kept for rules of which it is still in doubt whether they are broken.
const keptForDoubts = 45

// LimitCalls makes the caller send no more calls than so many, except to undo; 0: no limit. Where other customers were seen, it
// takes more to tell whose doing a change was, so that nothing is limited.
func (c *Caller) LimitCalls(most int) { c.most.Store(int64(most)) }

// FootprintStop returns the stop of a run that makes no more calls, holds or bookings because a rule is broken.
func FootprintStop() *Stop {
	return NewBoundStop("a quick run makes few calls, holds and bookings, and they were used up after a rule was found broken").
		WithRemedy("Repair what is broken first, or run with --depth standard.")
}

func limitOf(call probe.Call) Limit {
	if call.Endpoint == partnerapi.Products && call.Query.Has("limit") {
		return Limit{call.Endpoint, Probe}
	}
	return Limit{Endpoint: call.Endpoint}
}

// withDeadline gives a call its limit and a later deadline, so that a late answer is seen. While the run's
// own time lasts, the deadline also allows for the limit of a DEGRADED partner.
func (c *Caller) withDeadline(call probe.Call) probe.Call { return c.timedAs(limitOf(call), call) }

func (c *Caller) timedAs(limit Limit, call probe.Call) probe.Call {
	grace := func(limit time.Duration) time.Duration { return limit + limit/graceShare + c.ScaleLimit(graceFixed) }
	call.Limit = c.paces[limit].Limit
	longest := call.Limit + c.ScaleLimit(call.Endpoint.Timeout(partnerapi.Degraded)-call.Endpoint.Timeout(partnerapi.Healthy))
	call.Deadline = max(grace(call.Limit), min(grace(longest), time.Until(c.Time.deadline)))
	return call
}

// ScaleLimit returns a duration of the contract, scaled by the run's limit scale.
func (c *Caller) ScaleLimit(d time.Duration) time.Duration {
	return time.Duration(c.LimitScale * float64(d))
}

// MaySend returns a stop if no such calls can be sent now: one of their limits is broken, or the
// run must stop.
func (c *Caller) MaySend(ctx context.Context, endpoints ...partnerapi.Endpoint) *Stop {
	for _, endpoint := range endpoints {
		if broken := c.paces[Limit{Endpoint: endpoint}].BreachStop(); broken != nil {
			return broken
		}
	}
	if ctx.Err() != nil {
		return c.Time.StopCause()
	}
	return nil
}

// Wait waits for d, or until ctx is done, and lets other stories go on meanwhile.
func (c *Caller) Wait(ctx context.Context, d time.Duration) { c.turns.wait(func() { Wait(ctx, d) }) }

// Interleave plays stories, n at the same time, until next returns nil. A story goes on while the others wait for the partner,
// so that no two of them use the run's state together. The times of the calls are not judged meanwhile: a partner that serves
// one caller after another is slow for the last one, which is allowed.
func (c *Caller) Interleave(n int, next func() (story func())) { c.turns.interleave(n, next) }

// Interleaves reports whether several stories are played at the same time.
func (c *Caller) Interleaves() bool { return c.turns != nil }
