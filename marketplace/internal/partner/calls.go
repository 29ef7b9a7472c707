package partner

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Limits of an answer after decompression, in bytes.
const (
	largestCatalog = 64 << 20
	largestSlots   = 16 << 20
	largestProbe   = 64 << 10 // its content is not used; the rest is not read
	largestHold    = 1 << 20
	largestTicket  = 8 << 20 // tickets may be long
)

// turnTime limits the wait for a permit before a booking call. A call that was never sent must not
// look like one without an answer.
const turnTime = 10 * time.Second

// Products pulls the catalog, complete or since a time. It passes the body to read, which must not
// keep it. The error is PartnerLate or PartnerFailed, with a message for the partner that includes
// read's error.
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

// Probe checks whether the partner answers. The content does not matter.
func (c *Client) Probe(ctx context.Context, t Target) error { return c.do(ctx, t, probe()).Err }

func probe() call {
	return call{
		endpoint: partnerapi.Products, method: http.MethodGet, path: partnerapi.ProductsPath, query: url.Values{"limit": {"1"}},
		limit: partnerapi.ProbeTimeout, largest: largestProbe, only200: true,
	}
}

// Availability requests an option's slots and passes the answer's body to read. Its errors are
// those of Products.
func (c *Client) Availability(ctx context.Context, t Target, asked partnerapi.AvailabilityRequest, read func(ctx context.Context, body []byte) error) error {
	return c.do(ctx, t, availability(asked, read)).Err
}

// FreshAvailability is Availability for a waiting customer. It waits up to turnTime for its permit.
// Once sent, it outlives ctx: it waits for the partner until the limit (LIM-1), even if the
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

// TryProducts is Probe for a test of settings: it passes the answer's body to read and does not
// affect the partner's health. The body may be a catalog, because a partner may ignore the limit of
// one product.
func (c *Client) TryProducts(ctx context.Context, t Target, read func(ctx context.Context, body []byte) error) Outcome {
	tried := probe()
	tried.trial, tried.wait, tried.largest, tried.read = true, turnTime, largestCatalog, read
	return c.do(ctx, t, tried)
}

// TryAvailability is Availability for a test of settings, like TryProducts.
func (c *Client) TryAvailability(ctx context.Context, t Target, asked partnerapi.AvailabilityRequest, read func(ctx context.Context, body []byte) error) Outcome {
	tried := availability(asked, read)
	tried.trial, tried.wait = true, turnTime
	return c.do(ctx, t, tried)
}

// Reserve requests a hold (RSV-1). It is sent once, before that time, and outlives ctx. Without an
// answer within the limit the outcome is Unanswered. late is then called once, in its own
// goroutine, with the answer of the following minute, if any. An unreadable answer includes the
// code if the code is readable.
func (c *Client) Reserve(ctx context.Context, by SendBy, t Target, h partnerapi.Health, asked partnerapi.ReserveRequest, late func(partnerapi.ReserveAnswer, Outcome)) (partnerapi.ReserveAnswer, Outcome) {
	var hold partnerapi.ReserveAnswer
	outcome := c.do(ctx, t, call{
		endpoint: partnerapi.Reserve, method: http.MethodPost, path: partnerapi.ReservePath, body: asked, once: true, wait: turnTime, by: by,
		limit: partnerapi.Reserve.Timeout(h), largest: largestHold, read: readHold(&hold),
		refusals: map[int]Kind{http.StatusBadRequest: SlotRefused},
		late:     func(o Outcome) { late(hold, o) },
	})
	if outcome.Kind == Unanswered {
		return partnerapi.ReserveAnswer{}, outcome // hold may be written to after this
	}
	return hold, outcome
}

// Confirm books a paid hold (CNF-1). tickets means that the partner delivers its own tickets
// (CNF-6). An answer with a booking id is Done, with its breaches.
func (c *Client) Confirm(ctx context.Context, by SendBy, t Target, h partnerapi.Health, asked partnerapi.ConfirmRequest, tickets bool) (booked partnerapi.ConfirmAnswer, outcome Outcome) {
	var breaches []string
	outcome = c.do(ctx, t, call{
		endpoint: partnerapi.Confirm, method: http.MethodPost, path: partnerapi.ConfirmPath, body: asked, once: true, wait: turnTime, by: by,
		limit: partnerapi.Confirm.Timeout(h), largest: largestTicket, read: readBooking(&booked, &breaches, tickets),
	})
	outcome.Breaches = withoutKey(t.AuthKey, breaches)
	return booked, outcome
}

// Release releases a hold (REL-1). Every 2xx is Done.
func (c *Client) Release(ctx context.Context, by SendBy, t Target, code string) Outcome {
	return c.deliver(ctx, t, call{
		by:       by,
		endpoint: partnerapi.Release, method: http.MethodDelete, path: partnerapi.ReleasePath(code), name: "release",
		body:  partnerapi.ReleaseRequest{ReservationConfirmationCode: code},
		limit: partnerapi.Release.Timeout(partnerapi.Healthy),
	})
}

// Cancel cancels a booking (CAN-1). Every 2xx is Done. The outcome is Unsupported if the partner
// does not offer the call.
func (c *Client) Cancel(ctx context.Context, by SendBy, t Target, externalID, reason string) Outcome {
	return c.deliver(ctx, t, call{
		by:       by,
		endpoint: partnerapi.Cancel, method: http.MethodPost, path: partnerapi.CancelPath(externalID), name: "cancel",
		body:     partnerapi.CancelRequest{Reason: reason},
		limit:    partnerapi.Cancel.Timeout(partnerapi.Healthy),
		refusals: map[int]Kind{http.StatusNotFound: Unsupported, http.StatusMethodNotAllowed: Unsupported, http.StatusNotImplemented: Unsupported},
	})
}

// deliver makes a call whose answer only acknowledges it.
func (c *Client) deliver(ctx context.Context, t Target, asked call) Outcome {
	asked.wait, asked.largest, asked.read = turnTime, largestHold, readDone
	outcome := c.do(ctx, t, asked)
	if outcome.Kind == Unreadable {
		outcome.Kind, outcome.Breaches, outcome.Err = Done, []string{outcome.Err.Error()}, nil
	}
	return outcome
}

// do performs every call: it waits for a permit, sends the call, reads and judges the complete
// answer within the limit, and updates the partner's health.
func (c *Client) do(ctx context.Context, t Target, asked call) Outcome {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(c.life, func() { end(errClosed) })()
	began := c.config.Now()
	notSent := func(why error) Outcome { return Outcome{Kind: NotSent, Took: c.config.Now().Sub(began), Err: why} }
	if asked.body != nil {
		text, err := json.Marshal(asked.body)
		if err != nil {
			return notSent(err)
		}
		asked.text = text
	}
	leave, err := c.permit(ctx, t, asked)
	if err != nil {
		return notSent(err)
	}
	defer leave() // a partner that hangs must not block others
	if asked.late != nil {
		return c.listen(context.WithoutCancel(ctx), t, asked)
	}
	if asked.stays {
		if ctx.Err() != nil { // a free permit is granted even to a caller who has gone
			return notSent(context.Cause(ctx))
		}
		staying, end := context.WithCancelCause(context.WithoutCancel(ctx))
		defer end(nil)
		defer context.AfterFunc(c.life, func() { end(errClosed) })()
		ctx = staying
	}
	within, cancel := context.WithTimeoutCause(ctx, c.config.Scale(asked.limit), errLate)
	defer cancel()
	return c.observeCall(ctx, t, asked, c.exchange(within, t, asked))
}
