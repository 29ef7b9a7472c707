package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

// partnerStore tells how partners fare.
type partnerStore interface {
	Health(ctx context.Context, integration uuid.UUID) (partner.Health, error)
	HealthChanges(ctx context.Context, integration uuid.UUID) ([]partner.HealthChange, error)
	Breaches(ctx context.Context, integration uuid.UUID) ([]booking.Breach, error)
}

// catalogStore keeps what partners sell.
type catalogStore interface {
	Position(ctx context.Context, integration uuid.UUID) (catalog.Position, error)
	Syncs(ctx context.Context, integration uuid.UUID, skip int64, size int) (list []catalog.Sync, total int, err error)
	LastSync(ctx context.Context, integration uuid.UUID) (*catalog.Sync, error)
	SlotsKnown(ctx context.Context, integration uuid.UUID) (catalog.SlotsKnown, error)
	Activity(ctx context.Context, id uuid.UUID) (marketplace.Activity, error)
	Activities(ctx context.Context, by marketplace.ActivityFilter, skip int64, size int) (list []marketplace.Activity, total int, err error)
	EditActivity(ctx context.Context, id uuid.UUID, edit func(*marketplace.Activity) error) (marketplace.Activity, error)
}

// integrationHandler is what partners do with their integrations, and operators with
// those of all.
type integrationHandler struct {
	store    partnerStore
	catalog  catalogStore
	service  *partner.Registry
	syncer   *catalog.Syncer
	caughtUp catchUp
}

// seen is the account whose bookings and integrations the caller sees; the zero id is all.
func seen(r *http.Request) uuid.UUID {
	who := caller(r.Context())
	if who.Role == marketplace.Operator {
		return uuid.Nil
	}
	return who.Account
}

// found is a read of the live integration that the path names, if the caller may see it.
func (h integrationHandler) found(f func(*http.Request, marketplace.Integration) (any, error)) read {
	return byID("integration", func(r *http.Request, id uuid.UUID) (any, error) {
		i, err := h.service.Find(r.Context(), seen(r), id)
		if err != nil {
			return nil, err
		}
		return f(r, i)
	})
}

func (h integrationHandler) register(r *http.Request, body partner.Registration) (any, error) {
	who := caller(r.Context())
	if who.Role == marketplace.Partner {
		if err := h.service.CheckRoom(r.Context(), who.Account); err != nil {
			return nil, err
		}
	}
	made, webhook, err := h.service.Register(r.Context(), who.Account, body)
	if err != nil {
		return nil, err
	}
	h.caughtUp(r.Context()) // activities of an earlier registration are its own again
	return map[string]any{"integration_id": made.ID, "webhook_secret": webhook}, nil
}

func (h integrationHandler) list(r *http.Request) (any, error) {
	asked, err := readQuery(r).page()
	if err != nil {
		return nil, err
	}
	list, err := h.service.List(r.Context(), seen(r))
	if err != nil {
		return nil, err
	}
	total := len(list)
	list = list[min(asked.skip(), int64(total)):]
	views := []any{}
	for _, i := range list[:min(asked.size, len(list))] {
		view, err := h.show(r, i)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return asked.of(views, total), nil
}

// integrationView is an integration as its partner and operators see it: no key, no
// secret.
type integrationView struct {
	ID                    uuid.UUID           `json:"integration_id"`
	Name                  string              `json:"name"`
	BaseURL               string              `json:"base_url"`
	AuthType              partnerapi.AuthType `json:"auth_type"`
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
	CreatedAt             time.Time           `json:"created_at"`
	LastSyncAt            *time.Time          `json:"last_sync_at"`
	Health                healthView          `json:"health"`
	LastSync              *catalog.Sync       `json:"last_sync"`
	AwaitsApproval        bool                `json:"awaits_approval"` // the guard holds a pull back
	Slots                 catalog.SlotsKnown  `json:"slots"`
	Breaches              []booking.Breach    `json:"breaches"` // of the contract, the newest first
}

type healthView struct {
	partner.Health
	LastOKAt *time.Time             `json:"last_ok_at"`
	Changes  []partner.HealthChange `json:"changes"` // the newest first
}

func (h integrationHandler) show(r *http.Request, i marketplace.Integration) (any, error) {
	ctx := r.Context()
	fares, err := h.store.Health(ctx, i.ID)
	if err != nil {
		return nil, err
	}
	changes, err := h.store.HealthChanges(ctx, i.ID)
	if err != nil {
		return nil, err
	}
	last, err := h.catalog.LastSync(ctx, i.ID)
	if err != nil {
		return nil, err
	}
	position, err := h.catalog.Position(ctx, i.ID)
	if err != nil {
		return nil, err
	}
	slots, err := h.catalog.SlotsKnown(ctx, i.ID)
	if err != nil {
		return nil, err
	}
	breaches, err := h.store.Breaches(ctx, i.ID)
	view := integrationView{
		ID: i.ID, Name: i.Name, BaseURL: i.BaseURL.String(), AuthType: i.AuthType, HandlesTicketDelivery: i.HandlesTicketDelivery,
		CreatedAt: i.CreatedAt, LastSyncAt: timeOrNull(i.LastSyncAt),
		Health:         healthView{Health: fares, LastOKAt: timeOrNull(fares.LastOKAt), Changes: append([]partner.HealthChange{}, changes...)},
		AwaitsApproval: position.Guarded != catalog.Hash{}, Slots: slots, Breaches: breaches,
		LastSync: last,
	}
	return view, err
}

func (h integrationHandler) remove(r *http.Request, id uuid.UUID) (any, error) {
	if err := h.service.Delete(r.Context(), seen(r), id); err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return struct{}{}, nil
}

// syncs lists an integration's stored syncs, the newest first.
func (h integrationHandler) syncs(r *http.Request, i marketplace.Integration) (any, error) {
	asked, err := readQuery(r).page()
	if err != nil {
		return nil, err
	}
	list, total, err := h.catalog.Syncs(r.Context(), i.ID, asked.skip(), asked.size)
	return asked.of(list, total), err
}

func (h integrationHandler) sync(r *http.Request, i marketplace.Integration) (any, error) {
	var body struct {
		Mode catalog.Mode `json:"mode" validate:"omitempty,oneof=full incremental"`
	}
	if err := readBody(r, &body); err != nil {
		return nil, err
	}
	return h.syncNow(r, i, catalog.Order{Mode: cmp.Or(body.Mode, catalog.Full), Cause: catalog.ByOperator})
}

// approveSync pulls again, and lets the pull take away what the blast-radius guard
// holds back.
func (h integrationHandler) approveSync(r *http.Request, i marketplace.Integration) (any, error) {
	position, err := h.catalog.Position(r.Context(), i.ID)
	if err != nil {
		return nil, err
	}
	if position.Guarded == (catalog.Hash{}) {
		return nil, &marketplace.Error{Code: marketplace.Conflict, Message: "no pull of this integration waits for approval"}
	}
	return h.syncNow(r, i, catalog.Order{Mode: catalog.Full, Cause: catalog.ByOperator, Approved: true})
}

// syncNow makes a sync of the integration and returns its record.
func (h integrationHandler) syncNow(r *http.Request, i marketplace.Integration, order catalog.Order) (made catalog.Sync, err error) {
	if order.Target, err = h.service.Target(i); err != nil {
		return made, err
	}
	if made, err = h.syncer.Sync(r.Context(), order); err == nil && !made.Skipped {
		h.caughtUp(r.Context())
	}
	return made, err
}
