package suite

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// The suite waits longer than the longest limit, so that a late answer is seen and
// timed, and a hold that comes with it is known.
const (
	graceShare = 10          // a tenth of the limit, and
	graceFixed = time.Second // this, scaled as the limits are
)

// call sends one call under a limit and returns its answer; the answer is nil
// where nothing was sent, as when the limit is already broken, or the run ended.
// A call that is not answered at all is sent again, until its limit is decided,
// when again says that this is safe; otherwise it comes with an obstacle.
func (s *session) call(ctx context.Context, limit rule.Rule, call probe.Call, again bool) (*probe.Answer, *obstacle) {
	if s.config.Bounds.ReadOnly && writes(call.Endpoint) {
		return nil, outOfBounds(readOnly)
	}
	pace := s.paces[limit.ID]
	call = s.timed(limit, call)
	for {
		if broken := pace.broken(); broken != nil {
			return nil, broken
		}
		if ctx.Err() != nil {
			return nil, s.outOfTime()
		}
		answer := s.client.Do(ctx, call)
		pace.record(answer.Exchange)
		switch {
		case answer.Failure == nil:
			return answer, nil
		case answer.Failure.Kind == probe.Stopped:
			return nil, s.outOfTime()
		case answer.Failure.Kind != probe.Timeout:
			return answer, nil
		case !again:
			return answer, pace.unanswered(call)
		}
	}
}

// timed gives a call its limit, and time to be seen to break it, also that of a
// DEGRADED partner while the run's own time lasts.
func (s *session) timed(limit rule.Rule, call probe.Call) probe.Call {
	grace := func(limit time.Duration) time.Duration { return limit + limit/graceShare + s.scaled(graceFixed) }
	call.Limit = s.paces[limit.ID].limit
	call.Deadline = max(grace(call.Limit), min(grace(s.longest(call.Endpoint, call.Limit)), time.Until(s.deadline)))
	return call
}

func (s *session) outOfTime() *obstacle {
	if s.interrupted() || time.Now().Before(s.deadline) {
		return missing("the run was interrupted")
	}
	s.ranOut.Store(true)
	return missing("the run's time, %s, was used up (--max-duration)", s.config.MaxDuration)
}

// products sends GET /products.
func (s *session) products(ctx context.Context, purpose string, query url.Values, key probe.Key) (*probe.Answer, *obstacle) {
	limit := rule.ProductsLimit
	if query.Has("limit") {
		limit = rule.ProbeLimit
	}
	return s.call(ctx, limit, probe.Call{
		Endpoint: partnerapi.Products, Purpose: purpose,
		Method: http.MethodGet, Path: partnerapi.ProductsPath, Query: query, Key: key,
	}, true)
}

func probeQuery() url.Values { return url.Values{"limit": {"1"}} }

// availability sends POST /availability.
func (s *session) availability(ctx context.Context, purpose string, product discover.Product, option discover.Option, window discover.Window, key probe.Key) (*probe.Answer, *obstacle) {
	return s.call(ctx, rule.AvailabilityLimit, availabilityCall(purpose, product, option, window, key), true)
}

func availabilityCall(purpose string, product discover.Product, option discover.Option, window discover.Window, key probe.Key) probe.Call {
	return probe.Call{
		Endpoint: partnerapi.Availability, Purpose: purpose,
		Method: http.MethodPost, Path: partnerapi.AvailabilityPath, Key: key,
		Body: encode(partnerapi.AvailabilityRequest{
			ProductID: product.ID, OptionID: option.ID,
			LocalDateStart: window.From, LocalDateEnd: window.To,
			Units: []partnerapi.UnitQuantity{{ID: option.Lead(), Quantity: 1}},
		}),
	}
}

// release sends DELETE /bookings/{code}, with or without its optional body.
func (s *session) release(ctx context.Context, purpose, code string, body bool, key probe.Key) (*probe.Answer, *obstacle) {
	return s.call(ctx, rule.ReleaseLimit, releaseCall(purpose, code, body, key), true)
}

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

// cancel sends POST /bookings/{id}/cancel, with or without its optional body.
func (s *session) cancel(ctx context.Context, purpose, id string, body bool, key probe.Key) (*probe.Answer, *obstacle) {
	return s.call(ctx, rule.CancelLimit, cancelCall(purpose, id, body, key), true)
}

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

// encode marshals a request of our own, which cannot fail.
func encode(request any) []byte {
	body, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	return body
}

// seatsWord says a number of seats in words.
func seatsWord(n int64) string {
	if n == 1 {
		return "1 seat"
	}
	return strconv.FormatInt(n, 10) + " seats"
}
