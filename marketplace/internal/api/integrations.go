package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
)

// partnerStore reads partners' health.
type partnerStore interface {
	Fares(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]partner.Fare, error)
	Calls(ctx context.Context, integration uuid.UUID, failed *bool, asked domain.PageRequest) (domain.Page[partner.CallEntry], error)
	Webhooks(ctx context.Context, integration uuid.UUID, failed *bool, asked domain.PageRequest) (domain.Page[partner.WebhookEntry], error)
	HourCounts(ctx context.Context, integrations []uuid.UUID, since time.Time) (map[uuid.UUID]domain.List[partner.HourCount], error)
	Breaches(ctx context.Context, integrations []uuid.UUID, evidence bool) (map[uuid.UUID][]client.Breach, error)
}

// catalogStore stores partners' catalogs.
type catalogStore interface {
	Position(ctx context.Context, integration uuid.UUID) (catalog.Position, error)
	Syncs(ctx context.Context, integration uuid.UUID, asked domain.PageRequest) (domain.Page[catalog.Sync], error)
	EverySync(ctx context.Context, integration uuid.UUID, asked domain.PageRequest) (domain.Page[catalog.Sync], error)
	Standings(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]catalog.Standing, error)
	Activity(ctx context.Context, id uuid.UUID) (domain.Activity, error)
	Activities(ctx context.Context, by domain.ActivityFilter, asked domain.PageRequest) (domain.Page[domain.Activity], error)
	EditActivity(ctx context.Context, id uuid.UUID, edit func(*domain.Activity) error) (domain.Activity, error)
}

// integrationHandler serves partners' requests about their integrations, and operators' about all.
type integrationHandler struct {
	store    partnerStore
	catalog  catalogStore
	service  *partner.Registry
	syncer   *catalog.Syncer
	trials   catalog.TrialSource
	now      func() time.Time
	caughtUp catchUp
	journals Journals
	bookings bookingStore
	runs     Runs
}

// scope returns what the caller may see and change: everything for an operator, both modes of its
// own for a partner, and its mode of its own for others.
func scope(r *http.Request) domain.Scope {
	switch who := caller(r.Context()); who.Role {
	case domain.Operator:
		return domain.Scope{}
	case domain.Partner:
		return domain.Scope{Account: who.Account}
	default:
		return domain.Scope{Account: who.Account, Mode: who.Mode}
	}
}

// withIntegration passes the live integration in the path to f, if the caller may see it.
func (h integrationHandler) withIntegration(f func(*http.Request, domain.Integration) (any, error)) read {
	return byID("integration", func(r *http.Request, id uuid.UUID) (any, error) {
		i, err := h.service.Find(r.Context(), scope(r).Account, id)
		if err != nil {
			return nil, err
		}
		return f(r, i)
	})
}

// withSecret is the only answer with a webhook secret.
func withSecret(i domain.Integration, secret string, previousUntil time.Time) client.Registered {
	return client.Registered{IntegrationID: i.ID.String(), Mode: string(i.Mode), WebhookSecret: client.Secret(secret), PreviousSecretUntil: previousUntil}
}

func (h integrationHandler) register(r *http.Request, body partner.Registration) (any, error) {
	who, most := caller(r.Context()), 0
	if who.Role == domain.Partner {
		most = partner.MostIntegrations
	}
	made, webhook, err := h.service.RegisterWithin(r.Context(), who.Account, most, body)
	if err != nil {
		return nil, err
	}
	h.caughtUp(r.Context()) // restores the activities of an earlier registration
	return withSecret(made, webhook, time.Time{}), nil
}

func (h integrationHandler) list(r *http.Request) (any, error) {
	given, of := readQuery(r), scope(r)
	of.Mode = given.mode()
	words := given.text("q", longestFilter)
	asked, err := given.storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.service.List(r.Context(), of, words, asked.request())
	if err != nil {
		return nil, err
	}
	views, err := h.views(r.Context(), found.Entries, false)
	return pageOf(asked, found, func(i domain.Integration) client.Integration { return views[i.ID] }), err
}

// callsCounted is how far back calls are counted by hour, in addition to the current hour.
const callsCounted = 23 * time.Hour

func (h integrationHandler) show(r *http.Request, i domain.Integration) (any, error) {
	views, err := h.views(r.Context(), []domain.Integration{i}, true)
	return views[i.ID], err
}

// views reads the state of several integrations in one batch, with the evidence of their breaches
// if asked for.
func (h integrationHandler) views(ctx context.Context, list []domain.Integration, evidence bool) (map[uuid.UUID]client.Integration, error) {
	ids := make([]uuid.UUID, len(list))
	for i, one := range list {
		ids[i] = one.ID
	}
	fares, err := h.store.Fares(ctx, ids)
	if err != nil {
		return nil, err
	}
	standings, err := h.catalog.Standings(ctx, ids)
	if err != nil {
		return nil, err
	}
	certifications, err := h.runs.Store.Certifications(ctx, ids)
	if err != nil {
		return nil, err
	}
	admissions, err := h.runs.Store.Admissions(ctx, ids)
	if err != nil {
		return nil, err
	}
	counts, err := h.store.HourCounts(ctx, ids, h.now().Add(-callsCounted))
	if err != nil {
		return nil, err
	}
	breaches, err := h.store.Breaches(ctx, ids, evidence)
	views := make(map[uuid.UUID]client.Integration, len(list))
	for _, i := range list {
		health, stands := fares[i.ID], standings[i.ID]
		view := client.Integration{
			ID: i.ID.String(), Name: i.Name, Mode: string(i.Mode), BaseURL: i.BaseURL.String(), AuthType: i.AuthType, ClientCertificate: (*client.ClientCertificate)(i.ClientCertificate),
			HandlesTicketDelivery: i.HandlesTicketDelivery, InRegistry: i.InRegistry, PreviousSecretUntil: i.PreviousWebhookSecretUntil, CreatedAt: i.CreatedAt, LastSyncAt: i.LastSyncAt,
			Health: viewHealth(health), AwaitsApproval: stands.Guarded, Slots: viewSlots(stands.Slots), Calls: viewList(counts[i.ID], viewHour), Breaches: breaches[i.ID],
			Certification: orNil(certifications, i.ID), Admission: admissions[i.ID],
		}
		if stands.LastSync != nil {
			view.LastSync = new(viewSync(*stands.LastSync))
		}
		if s := stands.Running; s != nil {
			view.Syncing = &client.RunningSync{Mode: client.SyncMode(s.Mode), Cause: string(s.Cause), StartedAt: s.StartedAt}
		}
		views[i.ID] = view
	}
	return views, err
}

func viewHealth(f partner.Fare) client.Health {
	return client.Health{
		State: f.State, FailureCount: int(f.FailureCount), ConsecutiveFailures: f.ConsecutiveFailures, LastOKAt: f.LastOKAt,
		Changes: viewList(f.Changes, func(c partner.HealthChange) client.HealthChange { return client.HealthChange(c) }),
	}
}

func viewHour(c partner.HourCount) client.HourOfCalls {
	return client.HourOfCalls{Hour: c.Hour, OK: c.OK, Refused: c.Refused, Failed: c.Failed}
}

func viewSlots(s catalog.SlotsKnown) client.Slots {
	return client.Slots{
		Options: s.Options, Pulled: s.Pulled, OldestPullAt: valueOf(s.OldestPullAt),
		SetAside: viewList(s.SetAside, func(a catalog.OptionSlotSetAside) client.SlotSetAside {
			return client.SlotSetAside{ProductID: a.ProductID, OptionID: a.OptionID, AvailabilityID: a.SlotID, Problems: viewList(a.Problems, viewProblem)}
		}),
	}
}

func viewProblem(p catalog.Problem) client.Problem { return client.Problem(p) }

func viewSync(s catalog.Sync) client.Sync {
	return client.Sync{
		Mode: client.SyncMode(s.Mode), Cause: string(s.Cause), StartedAt: s.StartedAt, FinishedAt: s.FinishedAt, Synced: s.Synced, Skipped: s.Skipped, Failed: s.Failed, Reason: valueOf(s.Reason),
		Created: s.Created, Updated: s.Updated, Deactivated: s.Deactivated, Guard: (*client.Guard)(s.Guard),
		SetAside: viewList(s.SetAside, func(a catalog.SetAside) client.SetAside {
			return client.SetAside{ProductID: a.ProductID, Problems: viewList(a.Problems, viewProblem)}
		}),
	}
}

// orNil returns a map's value, or nil.
func orNil[V any](of map[uuid.UUID]V, id uuid.UUID) *V {
	if value, found := of[id]; found {
		return &value
	}
	return nil
}

func (h integrationHandler) remove(r *http.Request, id uuid.UUID) (any, error) {
	if err := h.service.Delete(r.Context(), scope(r).Account, id); err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return struct{}{}, nil
}

// syncs lists an integration's stored syncs, newest first.
func (h integrationHandler) syncs(r *http.Request, i domain.Integration) (any, error) {
	asked, err := readQuery(r).storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.catalog.Syncs(r.Context(), i.ID, asked.request())
	return pageOf(asked, found, viewSync), err
}

func (h integrationHandler) sync(r *http.Request, i domain.Integration) (any, error) {
	var body struct {
		Mode catalog.Mode `json:"mode" validate:"omitempty,oneof=full incremental"`
	}
	if err := readOptionalBody(r, &body); err != nil {
		return nil, err
	}
	return h.syncNow(r, i, catalog.Order{Mode: cmp.Or(body.Mode, catalog.Full), Cause: catalog.ByOperator})
}

// approveSync pulls again and applies what the guard held.
func (h integrationHandler) approveSync(r *http.Request, i domain.Integration) (any, error) {
	position, err := h.catalog.Position(r.Context(), i.ID)
	if err != nil {
		return nil, err
	}
	if position.Guarded == (catalog.Hash{}) {
		return nil, &domain.Error{Code: domain.Conflict, Message: "no sync of this integration waits for approval"}
	}
	return h.syncNow(r, i, catalog.Order{Mode: catalog.Full, Cause: catalog.ByOperator, Approved: true})
}

// syncNow syncs the integration and returns the record.
func (h integrationHandler) syncNow(r *http.Request, i domain.Integration, order catalog.Order) (view client.Sync, err error) {
	if order.Target, err = h.service.Target(i); err != nil {
		return view, err
	}
	made, err := h.syncer.Sync(r.Context(), order)
	if err == nil && !made.Skipped {
		h.caughtUp(r.Context())
	}
	return viewSync(made), partner.ForOwner(err)
}
