package scenario

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/ledger"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/schemas/partnerapi"
)

var contact = partnerapi.Contact{
	FullName: "Conformance Test", EmailAddress: "conformance@example.com", PhoneNumber: "+10000000000",
}

func productsCall(purpose string, query url.Values, key probe.Key) probe.Call {
	return probe.Call{
		Endpoint: partnerapi.Products, Purpose: purpose,
		Method: http.MethodGet, Path: partnerapi.ProductsPath, Query: query, Key: key,
	}
}

func availabilityCall(purpose string, q Question, key probe.Key) probe.Call {
	return probe.Call{
		Endpoint: partnerapi.Availability, Purpose: purpose,
		Method: http.MethodPost, Path: partnerapi.AvailabilityPath, Key: key, Body: encode(q.request()),
	}
}

// reserveCall is the reserve that an entry is about; full is one with contact and
// reference.
func reserveCall(purpose string, entry *ledger.Entry, full bool, key probe.Key) probe.Call {
	request := partnerapi.ReserveRequest{
		ProductID: entry.ProductID, OptionID: entry.OptionID, AvailabilityID: entry.AvailabilityID, Units: entry.Units,
	}
	if full {
		request.Contact, request.ResellerReference = &contact, entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Reserve, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ReservePath,
		Body: encode(request), Key: key,
	}
}

func confirmCall(purpose string, h *Hold, full bool, key probe.Key) probe.Call {
	request := partnerapi.ConfirmRequest{ReservationConfirmationCode: h.Code}
	if full {
		request.Contact, request.ResellerReference = &contact, h.entry.Reference
	}
	return probe.Call{
		Endpoint: partnerapi.Confirm, Purpose: purpose, Method: http.MethodPost, Path: partnerapi.ConfirmPath,
		Body: encode(request), Key: key,
	}
}

// releaseCall is DELETE /bookings/{code}, with or without its optional body.
func releaseCall(purpose, code string, body bool, key probe.Key) probe.Call {
	call := probe.Call{
		Endpoint: partnerapi.Release, Purpose: purpose,
		Method: http.MethodDelete, Path: partnerapi.ReleasePath(code), Key: key,
	}
	if body {
		call.Body = encode(partnerapi.ReleaseRequest{ReservationConfirmationCode: code})
	}
	return call
}

// cancelCall is POST /bookings/{id}/cancel, with or without its optional body.
func cancelCall(purpose, id string, body bool, key probe.Key) probe.Call {
	call := probe.Call{
		Endpoint: partnerapi.Cancel, Purpose: purpose,
		Method: http.MethodPost, Path: partnerapi.CancelPath(id), Key: key,
	}
	if body {
		call.Body = encode(partnerapi.CancelRequest{Reason: "conformance test"})
	}
	return call
}

func Guests(option discover.Option, n int64) []partnerapi.UnitQuantity {
	return []partnerapi.UnitQuantity{{ID: option.Lead(), Quantity: int(n)}}
}

// encode marshals a request of our own, which cannot fail.
func encode(request any) []byte {
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

func Text(answer *probe.Answer, name string) string {
	s, _ := discover.Object(answer.Raw)[name].(string)
	return s
}

func AnyOf(statuses []int) string {
	words := make([]string, len(statuses))
	for i, status := range statuses {
		words[i] = strconv.Itoa(status)
	}
	return strings.Join(words, " or ")
}

// The suite waits longer than the longest limit, so that a late answer is seen and
// timed, and a hold that comes with it is known.
const (
	graceShare = 10          // a tenth of the limit, and
	graceFixed = time.Second // this, scaled as the limits are
)

const (
	// MostCallers is how many concurrent calls a race makes; the marketplace
	// itself makes up to eight.
	MostCallers = 8
	// together is how many calls of other kinds run concurrently.
	together = 4
)

// caller sends calls to the partner, each in the time that its limit leaves it.
type caller struct {
	Config
	paces paces
}

// call sends one call under its limit and returns its answer; the answer is nil
// where nothing was sent, as when the limit is already broken, or the run ended.
// A call that is not answered at all is sent again, until its limit is decided,
// when again says that this is safe; otherwise it comes with a stop.
func (c *caller) call(ctx context.Context, call probe.Call, again bool) (*probe.Answer, *Stop) {
	if stop := c.bounded(call); stop != nil {
		return nil, stop
	}
	pace := c.paces[limitOf(call)]
	call = c.timed(call)
	for {
		if broken := pace.broken(); broken != nil {
			return nil, broken
		}
		answer, stop := c.send(ctx, call)
		if answer != nil {
			pace.record(answer.Exchange)
		}
		if stop != nil {
			return answer, stop
		}
		switch {
		case answer.Failure == nil, answer.Failure.Kind != probe.Timeout:
			return answer, nil
		case !again:
			return answer, pace.unanswered(call)
		}
	}
}

// odd sends a call that the marketplace never sends, once. The contract sets it
// no limit: it is given the time that the endpoint has, and lateness is not judged.
func (c *caller) odd(ctx context.Context, call probe.Call) (*probe.Answer, *Stop) {
	if stop := c.bounded(call); stop != nil {
		return nil, stop
	}
	if stop := c.maySend(ctx, call.Endpoint); stop != nil {
		return nil, stop
	}
	call.Deadline = c.timedAs(Limit{Endpoint: call.Endpoint}, call).Deadline
	answer, stop := c.send(ctx, call)
	if answer != nil && answer.Failure != nil && stop != nil {
		return nil, stop
	}
	return answer, stop
}

// send sends a call, again where the partner turned it away with 429, or closed a connection
// that was kept alive: neither says anything about the call. A confirm that is sent again counts
// where it is accepted, or breaks off on its new connection too: a refusal may come from the
// first one's booking. A reserve never is.
func (c *caller) send(ctx context.Context, call probe.Call) (*probe.Answer, *Stop) {
	unheard := false // an earlier one may have been served
	for {
		if ctx.Err() != nil {
			return nil, c.Time.out()
		}
		answer := c.Client.Do(ctx, call)
		switch {
		case answer.Failure != nil && answer.Failure.Kind == probe.Stopped:
			return nil, c.Time.out()
		case answer.Closed && call.Endpoint != partnerapi.Reserve:
			unheard = !probe.Repeatable(call.Endpoint)
			continue
		case answer.Closed, unheard && answer.Failure == nil && !answer.OK(http.StatusOK, http.StatusUnauthorized):
			return answer, NotHere("the partner closed a connection that was kept alive before it answered %s, which is lawful and leaves the call's effect unknown", call.Endpoint)
		case IsBusy(answer):
			if stop := c.turnedAway(ctx, answer); stop != nil {
				return nil, stop
			}
			continue
		}
		c.Time.patience.served()
		return answer, nil
	}
}

const (
	ReadOnly    = "nothing was held or booked (--read-only)"
	NotReadOnly = "Run without --read-only."
)

func (c *caller) bounded(call probe.Call) *Stop {
	if c.ReadOnly && call.Endpoint != partnerapi.Products && call.Endpoint != partnerapi.Availability {
		return outOfBounds(ReadOnly).WithRemedy(NotReadOnly)
	}
	return nil
}

func limitOf(call probe.Call) Limit {
	if call.Endpoint == partnerapi.Products && call.Query.Has("limit") {
		return Limit{call.Endpoint, Probe}
	}
	return Limit{Endpoint: call.Endpoint}
}

// timed gives a call its limit, and time to be seen to break it, also that of a
// DEGRADED partner while the run's own time lasts.
func (c *caller) timed(call probe.Call) probe.Call { return c.timedAs(limitOf(call), call) }

func (c *caller) timedAs(limit Limit, call probe.Call) probe.Call {
	grace := func(limit time.Duration) time.Duration { return limit + limit/graceShare + c.scaled(graceFixed) }
	call.Limit = c.paces[limit].limit
	longest := call.Limit + c.scaled(call.Endpoint.Timeout(partnerapi.Degraded)-call.Endpoint.Timeout(partnerapi.Healthy))
	call.Deadline = max(grace(call.Limit), min(grace(longest), time.Until(c.Time.deadline)))
	return call
}

func (c *caller) redact(text string) string { return c.Client.Redactor().Redact(text) }

// scaled is a time of the contract as this run takes it.
func (c *caller) scaled(d time.Duration) time.Duration {
	return time.Duration(c.LimitScale * float64(d))
}

// together sends the calls of a race, each on a connection of its own, and returns their
// answers. Their time is not judged: a partner that serves one caller after another is slow
// for the last, and lawful. They outlive an interrupt: an answer that is not read may be a hold.
func (c *caller) together(ctx context.Context, calls []probe.Call, heard func(i int, answer *probe.Answer)) []*probe.Answer {
	answers := make([]*probe.Answer, len(calls))
	for i, call := range calls {
		calls[i] = c.timed(call)
	}
	c.Client.Together(context.WithoutCancel(ctx), calls, func(i int, answer *probe.Answer) {
		answers[i] = answer
		heard(i, answer)
	})
	return answers
}

// callers is how many calls may run concurrently, so that a partner that
// serves one after another can answer them all within the limit.
func (c *caller) callers() int64 {
	most := int64(MostCallers)
	for _, endpoint := range []partnerapi.Endpoint{partnerapi.Availability, partnerapi.Reserve} {
		pace := c.paces[Limit{Endpoint: endpoint}]
		if times := pace.times(); len(times) > 0 {
			most = min(most, int64(pace.limit/max(1, slices.Max(times))))
		}
	}
	return max(most, 2)
}

// maySend returns why no such calls can be sent now: a limit of them is broken, or the
// run has to end.
func (c *caller) maySend(ctx context.Context, endpoints ...partnerapi.Endpoint) *Stop {
	for _, endpoint := range endpoints {
		if broken := c.paces[Limit{Endpoint: endpoint}].broken(); broken != nil {
			return broken
		}
	}
	if ctx.Err() != nil {
		return c.Time.out()
	}
	return nil
}

// answeredAll returns the stop of a race in which a call was not answered in
// time: its effect is unknown.
func answeredAll(answers []*probe.Answer) *Stop {
	for _, answer := range answers {
		if answer.Failure != nil && (answer.Failure.Kind == probe.Timeout || answer.Failure.Kind == probe.Stopped || answer.Closed) {
			return NotHere("of %d calls at the same time %s was not answered in time", len(answers), answer.Endpoint)
		}
	}
	return nil
}

// IsBusy reports whether a call was refused for being one of many: a partner may
// protect itself, and such a call takes nothing.
func IsBusy(answer *probe.Answer) bool { return answer.OK(http.StatusTooManyRequests) }

func turnedAway(answers []*probe.Answer) (n int64) {
	for _, answer := range answers {
		if IsBusy(answer) {
			n++
		}
	}
	return n
}

// metAll returns the stop of a race in which a call was not answered in time, or some of
// those that have to meet were turned away.
func metAll(answers, meeting []*probe.Answer) *Stop {
	if stop := answeredAll(answers); stop != nil {
		return stop
	}
	if n := turnedAway(meeting); n > 0 {
		return tooFewMet(n, len(meeting))
	}
	return nil
}

func tooFewMet(away int64, of int) *Stop {
	return NotHere("of %d calls at the same time the partner turned %d away with 429: too few of them met", of, away)
}
