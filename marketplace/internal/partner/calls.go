package partner

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// What is read of an answer at most, in bytes, once it is unpacked.
const (
	largestCatalog = 64 << 20
	largestSlots   = 16 << 20
	largestProbe   = 64 << 10 // its content is not read; the rest is left where it is
	largestHold    = 1 << 20
	largestTicket  = 8 << 20 // tickets may be long
)

// turnTime bounds the wait for a permit before a booking call, so that a call
// that was never sent is not mistaken for one without an answer.
const turnTime = 10 * time.Second

// Products pulls the catalog, complete or since a time. It passes the body to read, which
// must not keep it. The error is PartnerLate or PartnerFailed, with words for
// the partner; what read returns is part of them.
func (c *Client) Products(ctx context.Context, t Target, since time.Time, read func(ctx context.Context, body []byte) error) error {
	query := url.Values{}
	if !since.IsZero() {
		query.Set("updated_since", since.UTC().Format(time.RFC3339))
	}
	return c.do(ctx, t, call{
		endpoint: partnerapi.Products, method: http.MethodGet, path: partnerapi.ProductsPath, query: query,
		limit: partnerapi.Products.Timeout(partnerapi.Healthy), largest: largestCatalog, read: read,
	}).Err
}

// Probe asks whether the partner is there; what it answers does not matter.
func (c *Client) Probe(ctx context.Context, t Target) error {
	return c.do(ctx, t, call{
		endpoint: partnerapi.Products, method: http.MethodGet, path: partnerapi.ProductsPath, query: url.Values{"limit": {"1"}},
		limit: partnerapi.ProbeTimeout, largest: largestProbe, only200: true,
	}).Err
}

// Availability asks for an option's slots, and has read read the answer's body. Errors
// are those of Products.
func (c *Client) Availability(ctx context.Context, t Target, asked partnerapi.AvailabilityRequest, read func(ctx context.Context, body []byte) error) error {
	return c.do(ctx, t, availability(asked, read)).Err
}

// FreshAvailability is Availability for a customer who waits. It waits turnTime for its permit.
// Once it is sent it outlives ctx: the partner is waited for until its limit (LIM-1), also if the
// customer hangs up.
func (c *Client) FreshAvailability(ctx context.Context, t Target, asked partnerapi.AvailabilityRequest, read func(ctx context.Context, body []byte) error) error {
	fresh := availability(asked, read)
	fresh.wait, fresh.stays = turnTime, true
	return c.do(ctx, t, fresh).Err
}

func availability(asked partnerapi.AvailabilityRequest, read func(ctx context.Context, body []byte) error) call {
	return call{
		endpoint: partnerapi.Availability,
		method:   http.MethodPost, path: partnerapi.AvailabilityPath, body: asked, safe: true,
		limit: partnerapi.Availability.Timeout(partnerapi.Healthy), largest: largestSlots, read: read,
	}
}

// TryProducts asks a partner for one product, as a probe does, and has read read the answer's
// body. It is a try of settings that may be wrong: the partner's health does not change.
func (c *Client) TryProducts(ctx context.Context, t Target, read func(ctx context.Context, body []byte) error) Outcome {
	return c.do(ctx, t, call{
		endpoint: partnerapi.Products, trial: true, wait: turnTime,
		method: http.MethodGet, path: partnerapi.ProductsPath, query: url.Values{"limit": {"1"}},
		limit: partnerapi.Products.Timeout(partnerapi.Healthy), largest: largestCatalog, read: read,
	})
}

// TryAvailability is Availability as a try, like TryProducts.
func (c *Client) TryAvailability(ctx context.Context, t Target, asked partnerapi.AvailabilityRequest, read func(ctx context.Context, body []byte) error) Outcome {
	tried := availability(asked, read)
	tried.trial, tried.wait = true, turnTime
	return c.do(ctx, t, tried)
}

// Reserve asks for a hold (RSV-1). It is sent once, by that time, and outlives ctx. Where no answer
// has come within the limit of that health, the outcome is Unanswered, and late is
// called once, in its own time, with what comes in the minute after it; the code is set
// in an unreadable answer too, where it can be read.
func (c *Client) Reserve(ctx context.Context, by SendBy, t Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, Outcome)) (partnerapi.ReserveAnswer, Outcome) {
	var hold partnerapi.ReserveAnswer
	outcome := c.do(ctx, t, call{
		endpoint: partnerapi.Reserve, method: http.MethodPost, path: partnerapi.ReservePath, body: asked, once: true, wait: turnTime, by: by,
		limit: partnerapi.Reserve.Timeout(h), largest: largestHold, read: readHold(&hold),
		refusals: map[int]Kind{http.StatusBadRequest: SlotRefused},
		late:     func(o Outcome) { late(hold, o) },
	})
	if outcome.Kind == Unanswered {
		return partnerapi.ReserveAnswer{}, outcome // hold may be written to from now on
	}
	return hold, outcome
}

// Confirm books a hold that is paid (CNF-1). tickets says that the partner delivers its
// own (CNF-6). An answer that names a booking is Done, with its breaches.
func (c *Client) Confirm(ctx context.Context, by SendBy, t Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (booked partnerapi.ConfirmAnswer, outcome Outcome) {
	var breaches []string
	outcome = c.do(ctx, t, call{
		endpoint: partnerapi.Confirm, method: http.MethodPost, path: partnerapi.ConfirmPath, body: asked, once: true, wait: turnTime, by: by,
		limit: partnerapi.Confirm.Timeout(h), largest: largestTicket, read: readBooking(&booked, &breaches, tickets),
	})
	outcome.Breaches = withoutKey(t.AuthKey, breaches)
	return booked, outcome
}

// Release gives a hold back (REL-1). Every 2xx is Done.
func (c *Client) Release(ctx context.Context, by SendBy, t Target, code string) Outcome {
	return c.deliver(ctx, t, call{
		by:       by,
		endpoint: partnerapi.Release, method: http.MethodDelete, path: partnerapi.ReleasePath(code), name: "release",
		body:  partnerapi.ReleaseRequest{ReservationConfirmationCode: code},
		limit: partnerapi.Release.Timeout(partnerapi.Healthy),
	})
}

// Cancel calls a booking off (CAN-1). Every 2xx is Done; a partner that has no such call
// answers Unsupported.
func (c *Client) Cancel(ctx context.Context, by SendBy, t Target, externalID, reason string) Outcome {
	return c.deliver(ctx, t, call{
		by:       by,
		endpoint: partnerapi.Cancel, method: http.MethodPost, path: partnerapi.CancelPath(externalID), name: "cancel",
		body:     partnerapi.CancelRequest{Reason: reason},
		limit:    partnerapi.Cancel.Timeout(partnerapi.Healthy),
		refusals: map[int]Kind{http.StatusNotFound: Unsupported, http.StatusMethodNotAllowed: Unsupported, http.StatusNotImplemented: Unsupported},
	})
}

// deliver makes a call whose answer says no more than that it was taken.
func (c *Client) deliver(ctx context.Context, t Target, asked call) Outcome {
	asked.wait, asked.largest, asked.read = turnTime, largestHold, readDone
	outcome := c.do(ctx, t, asked)
	if outcome.Kind == Unreadable {
		outcome.Kind, outcome.Breaches, outcome.Err = Done, []string{outcome.Err.Error()}, nil
	}
	return outcome
}

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
	if asked.stays {
		if ctx.Err() != nil { // a permit that is free is given to those who have left too
			return Outcome{Kind: NotSent, Took: c.config.Now().Sub(began), Err: context.Cause(ctx)}
		}
		staying, end := context.WithCancelCause(context.WithoutCancel(ctx))
		defer end(nil)
		defer context.AfterFunc(c.life, func() { end(errClosed) })()
		ctx = staying
	}
	within, cancel := context.WithTimeoutCause(ctx, c.config.Scale(asked.limit), errLate)
	defer cancel()
	return c.observed(ctx, t, asked, c.exchange(within, t, asked))
}
