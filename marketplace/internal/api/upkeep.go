package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
)

// Journals contain recent calls and webhooks. Waiting entries are written before a read.
type Journals struct {
	Calls    *partner.CallJournal
	Webhooks *partner.Journal[partner.WebhookEntry]
}

// test tests an integration's settings after a change, without saving the change.
func (h integrationHandler) test(r *http.Request, id uuid.UUID, body partner.Change) (any, error) {
	target, err := h.service.TryTarget(r.Context(), scope(r).Account, id, body)
	if err != nil {
		return nil, err
	}
	trial := catalog.Try(r.Context(), h.trials, target, h.now)
	view := client.Trial{Works: trial.Works, Products: viewTrialRead(trial.Products)}
	if trial.Availability != nil {
		view.Availability = new(viewTrialRead(*trial.Availability))
	}
	return view, nil
}

func viewTrialRead(r catalog.TrialRead) client.TrialRead {
	return client.TrialRead{
		Request: r.Request, Status: valueOf(r.Status), Duration: int(r.Duration), Found: r.Found, Error: valueOf(r.Error), Problems: viewList(r.Problems, viewProblem),
	}
}

// change changes an integration. Settings that do not work are not stored.
func (h integrationHandler) change(r *http.Request, id uuid.UUID, body partner.Change) (any, error) {
	changed, err := h.service.Change(r.Context(), scope(r).Account, id, body, func(ctx context.Context, t partner.Target) error {
		return catalog.Try(ctx, h.trials, t, h.now).Err()
	})
	if err != nil {
		return nil, err
	}
	h.caughtUp(r.Context()) // readers see the new name
	return h.show(r, changed)
}

// rotate gives an integration a new webhook secret.
func (h integrationHandler) rotate(r *http.Request, i domain.Integration) (any, error) {
	webhook, until, err := h.service.RotateWebhookSecret(r.Context(), scope(r).Account, i.ID)
	return withSecret(i, webhook, until), err
}

// everySync lists an integration's syncs, newest first, including skipped and failed ones.
func (h integrationHandler) everySync(r *http.Request, i domain.Integration) (any, error) {
	asked, err := readQuery(r).storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.catalog.EverySync(r.Context(), i.ID, asked.request())
	return pageOf(asked, found, viewSync), err
}

// calls lists the last calls to an integration's partner.
func (h integrationHandler) calls(r *http.Request, i domain.Integration) (any, error) {
	h.journals.Calls.Flush(r.Context())
	return entries(r, i, h.store.Calls, func(c partner.CallEntry) client.Call {
		return client.Call{At: c.At, Endpoint: c.Endpoint, Status: valueOf(c.Status), DurationMS: int(c.Duration), Outcome: string(c.Outcome), Error: valueOf(c.Error)}
	})
}

// listWebhooks lists the last webhooks of an integration's partner.
func (h integrationHandler) listWebhooks(r *http.Request, i domain.Integration) (any, error) {
	h.journals.Webhooks.Flush(r.Context())
	return entries(r, i, h.store.Webhooks, func(w partner.WebhookEntry) client.ReceivedWebhook {
		return client.ReceivedWebhook{At: w.At, Webhook: string(w.Webhook), Status: w.Status, DurationMS: int(w.Duration), Reason: valueOf(w.Reason)}
	})
}

// entries lists a journal's entries for an integration, newest first.
func entries[E, V any](r *http.Request, i domain.Integration, read func(context.Context, uuid.UUID, *bool, domain.PageRequest) (domain.Page[E], error), view func(E) V) (any, error) {
	given := readQuery(r)
	var failed *bool
	if word := given.validated("failed", "oneof=true false"); word != "" {
		failed = new(word == "true")
	}
	asked, err := given.storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := read(r.Context(), i.ID, failed, asked.request())
	return pageOf(asked, found, view), err
}

// bookingsOf lists an integration's bookings, newest first.
func (h integrationHandler) bookingsOf(r *http.Request, i domain.Integration) (any, error) {
	given := readQuery(r)
	by := booking.Filter{Integration: i.ID, Status: given.bookingStatus(domain.BookingStatuses())}
	asked, err := given.storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.bookings.List(r.Context(), by, asked.request())
	return pageOf(asked, found, viewPartnerBooking), err
}

// viewPartnerBooking leaves out the guest, the reseller and the marketplace's prices.
func viewPartnerBooking(b domain.Booking) client.PartnerBooking {
	of := viewBooking(b, nil)
	return client.PartnerBooking{
		ID: of.ID, Status: of.Status, ReleaseReason: of.ReleaseReason, ProductID: b.ProductID, OptionID: b.OptionID, AvailabilityID: of.AvailabilityID,
		Start: of.Start, End: of.End, ReservationCode: b.Code, ExternalBookingID: of.ExternalBookingID,
		CreatedAt: of.CreatedAt, ExpiresAt: of.ExpiresAt, PartnerRelease: of.PartnerRelease, PartnerCancellation: of.PartnerCancellation,
		Units: viewList(b.Guests, func(g domain.Guests) client.PartnerUnit {
			return client.PartnerUnit{UnitID: g.UnitID, Quantity: g.Quantity}
		}),
	}
}
