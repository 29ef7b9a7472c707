package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/partner"
	"partnerkit.dev/schemas/partnerapi"
)

func (a *API) integrationRoutes() []route {
	return []route{
		{http.MethodPost, "/api/v1/partner-integrations", partners, a.register},
		{http.MethodGet, "/api/v1/partner-integrations", partners, a.listIntegrations},
		{http.MethodGet, "/api/v1/partner-integrations/{integration}", partners, a.showIntegration},
		{http.MethodDelete, "/api/v1/partner-integrations/{integration}", partners, a.deleteIntegration},
	}
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

func (a *API) register(w http.ResponseWriter, r *http.Request) error {
	var body partner.Registration
	if err := readBody(r, &body); err != nil {
		return err
	}
	made, webhook, err := a.integrations.Register(r.Context(), caller(r.Context()).Account, body)
	if err != nil {
		return err
	}
	a.caughtUp(r) // activities of an earlier registration are its own again
	w.Header().Set("Cache-Control", "no-store")
	return writeData(w, http.StatusCreated, map[string]any{"integration_id": made.ID, "webhook_secret": webhook})
}

// seen is the account whose integrations the caller sees; the zero id is all.
func seen(r *http.Request) uuid.UUID {
	who := caller(r.Context())
	if who.Role == marketplace.Operator {
		return uuid.Nil
	}
	return who.Account
}

func (a *API) listIntegrations(w http.ResponseWriter, r *http.Request) error {
	asked, err := readPage(r)
	if err != nil {
		return err
	}
	list, err := a.integrations.List(r.Context(), seen(r))
	if err != nil {
		return err
	}
	views, total := []integrationView{}, len(list)
	list = list[min(asked.skip(), int64(total)):]
	for _, i := range list[:min(asked.size, len(list))] {
		view, err := a.viewIntegration(r, i)
		if err != nil {
			return err
		}
		views = append(views, view)
	}
	return writePage(w, views, asked, total)
}

func (a *API) showIntegration(w http.ResponseWriter, r *http.Request) error {
	found, err := a.integrationOfPath(r)
	if err != nil {
		return err
	}
	view, err := a.viewIntegration(r, found)
	if err != nil {
		return err
	}
	return writeData(w, http.StatusOK, view)
}

// integrationOfPath returns the live integration that the path names, if the caller
// may see it.
func (a *API) integrationOfPath(r *http.Request) (marketplace.Integration, error) {
	id, err := pathID(r, "integration")
	if err != nil {
		return marketplace.Integration{}, err
	}
	return a.integrations.Find(r.Context(), seen(r), id)
}

func (a *API) viewIntegration(r *http.Request, i marketplace.Integration) (integrationView, error) {
	view := integrationView{
		ID: i.ID, Name: i.Name, BaseURL: i.BaseURL.String(), AuthType: i.AuthType,
		HandlesTicketDelivery: i.HandlesTicketDelivery, CreatedAt: i.CreatedAt, LastSyncAt: timeOrNull(i.LastSyncAt),
	}
	h, err := a.store.Partners.Health(r.Context(), i.ID)
	if err != nil {
		return view, err
	}
	changes, err := a.store.Partners.HealthChanges(r.Context(), i.ID)
	if err != nil {
		return view, err
	}
	view.Health = healthView{Health: h, LastOKAt: timeOrNull(h.LastOKAt), Changes: append([]partner.HealthChange{}, changes...)}
	last, _, err := a.store.Catalog.Syncs(r.Context(), i.ID, 0, 1)
	if err != nil {
		return view, err
	}
	if len(last) > 0 {
		view.LastSync = &last[0]
	}
	position, err := a.store.Catalog.Position(r.Context(), i.ID)
	if err != nil {
		return view, err
	}
	view.AwaitsApproval = position.Guarded != catalog.Hash{}
	if view.Slots, err = a.store.Catalog.SlotsKnown(r.Context(), i.ID); err != nil {
		return view, err
	}
	view.Breaches, err = a.store.Partners.Breaches(r.Context(), i.ID)
	return view, err
}

func (a *API) deleteIntegration(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "integration")
	if err != nil {
		return err
	}
	if err := a.integrations.Delete(r.Context(), seen(r), id); err != nil {
		return err
	}
	a.caughtUp(r)
	return writeData(w, http.StatusOK, struct{}{})
}

// timeOrNull is a time as answers show it: null where there is none.
func timeOrNull(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
