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

// reserveCall returns the reserve of a ledger entry. full adds the contact and the reference.
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

// releaseCall returns DELETE /bookings/{code}, with or without its optional body.
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

// cancelCall returns POST /bookings/{id}/cancel, with or without its optional body.
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

// encode marshals a request of this package, which cannot fail.
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

// The suite waits longer than the limit. A late answer is then received and timed, and a hold in it
// is recorded.
const (
	graceShare = 10          // one tenth of the limit, plus
	graceFixed = time.Second // this, scaled like the limits
)

const (
	// MostCallers is the number of concurrent calls in a race. The marketplace makes up to eight.
	MostCallers = 8
	// together is the number of concurrent calls of other kinds.
	together = 4
)

// caller sends calls to the partner, each with the deadline that its limit implies.
type caller struct {
	Config
	paces paces
}

// call sends one call under its limit and returns its answer. The answer is nil if nothing was
// sent, for example because the limit is already broken or the run ended. If again is true, a call
// that times out is sent again until its limit is decided; if it is false, call returns a stop.
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

// odd sends, once, a call that the marketplace never sends. The contract sets no limit for it: it
// gets the endpoint's deadline, and a late answer is not judged.
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

// send sends a call, and sends it again if the partner answered 429 or closed a kept-alive
// connection: neither shows anything about the call. The answer to a repeated confirm is used if it
// is 200 or 401, or if it failed. Any other refusal may result from a booking that the first
// confirm made. A reserve is never repeated after a closed connection.
func (c *caller) send(ctx context.Context, call probe.Call) (*probe.Answer, *Stop) {
	unheard := false // an earlier call may have been served
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

// timed gives a call its limit and a later deadline, so that a late answer is seen. While the run's
// own time lasts, the deadline also allows for the limit of a DEGRADED partner.
func (c *caller) timed(call probe.Call) probe.Call { return c.timedAs(limitOf(call), call) }

func (c *caller) timedAs(limit Limit, call probe.Call) probe.Call {
	grace := func(limit time.Duration) time.Duration { return limit + limit/graceShare + c.scaled(graceFixed) }
	call.Limit = c.paces[limit].limit
	longest := call.Limit + c.scaled(call.Endpoint.Timeout(partnerapi.Degraded)-call.Endpoint.Timeout(partnerapi.Healthy))
	call.Deadline = max(grace(call.Limit), min(grace(longest), time.Until(c.Time.deadline)))
	return call
}

func (c *caller) redact(text string) string { return c.Client.Redactor().Redact(text) }

// scaled returns a duration of the contract, scaled by the run's limit scale.
func (c *caller) scaled(d time.Duration) time.Duration {
	return time.Duration(c.LimitScale * float64(d))
}

// together sends the calls of a race, each on its own connection, and returns their answers. Their
// times are not judged: a partner that serves one caller after another is slow for the last one,
// which is allowed. The calls are not interrupted: an answer that is not read may contain a hold.
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

// callers returns the number of calls that may run concurrently, so that a partner that serves them
// one after another can answer all within the limit.
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

// maySend returns a stop if no such calls can be sent now: one of their limits is broken, or the
// run must stop.
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

// answeredAll returns a stop if a call of a race was not answered in time: its effect is unknown.
func answeredAll(answers []*probe.Answer) *Stop {
	for _, answer := range answers {
		if answer.Failure != nil && (answer.Failure.Kind == probe.Timeout || answer.Failure.Kind == probe.Stopped || answer.Closed) {
			return NotHere("of %d calls at the same time %s was not answered in time", len(answers), answer.Endpoint)
		}
	}
	return nil
}

// IsBusy reports whether a call was answered 429. A partner may limit the rate of calls, and such a
// call has no effect.
func IsBusy(answer *probe.Answer) bool { return answer.OK(http.StatusTooManyRequests) }

func turnedAway(answers []*probe.Answer) (n int64) {
	for _, answer := range answers {
		if IsBusy(answer) {
			n++
		}
	}
	return n
}

// metAll returns a stop if a call of a race was not answered in time, or if a call that had to take
// part was answered 429.
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
