package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/conformance"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// partnerStore reads partners' health.
type partnerStore interface {
	Fares(ctx context.Context, integrations []uuid.UUID) (map[uuid.UUID]partner.Fare, error)
	Calls(ctx context.Context, integration uuid.UUID, failed *bool, asked domain.PageRequest) (domain.Page[partner.CallEntry], error)
	Webhooks(ctx context.Context, integration uuid.UUID, failed *bool, asked domain.PageRequest) (domain.Page[partner.WebhookEntry], error)
	HourCounts(ctx context.Context, integrations []uuid.UUID, since time.Time) (map[uuid.UUID]domain.List[partner.HourCount], error)
	Breaches(ctx context.Context, integrations []uuid.UUID, evidence bool) (map[uuid.UUID]domain.List[domain.Breach], error)
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
	return pageOf(asked, found, func(i domain.Integration) integrationView { return views[i.ID] }), err
}

// integrationView is an integration as its partner and operators see it, without key and secret.
type integrationView struct {
	ID                    uuid.UUID                      `json:"integration_id"`
	Name                  string                         `json:"name"`
	Mode                  domain.Mode                    `json:"mode"`
	BaseURL               string                         `json:"base_url"`
	AuthType              partnerapi.AuthType            `json:"auth_type"`
	ClientCertificate     *domain.ClientCertificate      `json:"client_certificate"` // nil: none is sent
	HandlesTicketDelivery bool                           `json:"handles_ticket_delivery"`
	PreviousSecretUntil   *time.Time                     `json:"previous_webhook_secret_until"` // null: only the newest webhook secret is accepted
	CreatedAt             time.Time                      `json:"created_at"`
	LastSyncAt            *time.Time                     `json:"last_sync_at"`
	Health                healthView                     `json:"health"`
	LastSync              *catalog.Sync                  `json:"last_sync"`
	AwaitsApproval        bool                           `json:"awaits_approval"` // the guard holds a pull
	Slots                 catalog.SlotsKnown             `json:"slots"`
	Calls                 domain.List[partner.HourCount] `json:"calls"`         // of the last day, by hour; oldest first
	Breaches              domain.List[domain.Breach]     `json:"breaches"`      // newest first
	Certification         *conformance.Certification     `json:"certification"` // nil: not shown
	Admission             conformance.Admission          `json:"admission"`
}

// callsCounted is how far back calls are counted by hour, in addition to the current hour.
const callsCounted = 23 * time.Hour

type healthView struct {
	partner.Health
	LastOKAt *time.Time                        `json:"last_ok_at"`
	Changes  domain.List[partner.HealthChange] `json:"changes"` // newest first
}

func (h integrationHandler) show(r *http.Request, i domain.Integration) (any, error) {
	views, err := h.views(r.Context(), []domain.Integration{i}, true)
	return views[i.ID], err
}

// views reads the state of several integrations in one batch, with the evidence of their breaches
// if asked for.
func (h integrationHandler) views(ctx context.Context, list []domain.Integration, evidence bool) (map[uuid.UUID]integrationView, error) {
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
	views := make(map[uuid.UUID]integrationView, len(list))
	for _, i := range list {
		health, stands := fares[i.ID], standings[i.ID]
		views[i.ID] = integrationView{
			ID: i.ID, Name: i.Name, Mode: i.Mode, BaseURL: i.BaseURL.String(), AuthType: i.AuthType, ClientCertificate: i.ClientCertificate, HandlesTicketDelivery: i.HandlesTicketDelivery,
			PreviousSecretUntil: timeOrNull(i.PreviousWebhookSecretUntil), CreatedAt: i.CreatedAt, LastSyncAt: timeOrNull(i.LastSyncAt),
			Health:   healthView{Health: health.Health, LastOKAt: timeOrNull(health.LastOKAt), Changes: health.Changes},
			LastSync: stands.LastSync, AwaitsApproval: stands.Guarded, Slots: stands.Slots, Calls: counts[i.ID], Breaches: breaches[i.ID],
			Certification: orNil(certifications, i.ID), Admission: admissions[i.ID],
		}
	}
	return views, err
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
	return pageOf(asked, found, func(s catalog.Sync) catalog.Sync { return s }), err
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
func (h integrationHandler) syncNow(r *http.Request, i domain.Integration, order catalog.Order) (made catalog.Sync, err error) {
	if order.Target, err = h.service.Target(i); err != nil {
		return made, err
	}
	if made, err = h.syncer.Sync(r.Context(), order); err == nil && !made.Skipped {
		h.caughtUp(r.Context())
	}
	return made, partner.ForOwner(err)
}
