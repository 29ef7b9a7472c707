package api

import (
	"cmp"
	"net/http"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// operatorIntegrationRoutes are what operators do with partners' integrations beside
// what their partners may.
func (a *API) operatorIntegrationRoutes() []route {
	return []route{
		{http.MethodPost, "/api/v1/operator/integrations/{integration}/sync", operators, a.syncIntegration},
		{http.MethodPost, "/api/v1/operator/integrations/{integration}/sync/approve", operators, a.approveSync},
		{http.MethodGet, "/api/v1/operator/integrations/{integration}/syncs", operators, a.listSyncs},
	}
}

func (a *API) syncIntegration(w http.ResponseWriter, r *http.Request) error {
	i, err := a.integrationOfPath(r)
	if err != nil {
		return err
	}
	var body struct {
		Mode catalog.Mode `json:"mode" validate:"omitempty,oneof=full incremental"`
	}
	if err := readBody(r, &body); err != nil {
		return err
	}
	return a.syncNow(w, r, i, catalog.Order{Mode: cmp.Or(body.Mode, catalog.Full), Cause: catalog.ByOperator})
}

// approveSync pulls again, and lets the pull take away what the blast-radius guard
// holds back.
func (a *API) approveSync(w http.ResponseWriter, r *http.Request) error {
	i, err := a.integrationOfPath(r)
	if err != nil {
		return err
	}
	position, err := a.store.Catalog.Position(r.Context(), i.ID)
	if err != nil {
		return err
	}
	if position.Guarded == (catalog.Hash{}) {
		return &marketplace.Error{Code: marketplace.Conflict, Message: "no pull of this integration waits for approval"}
	}
	return a.syncNow(w, r, i, catalog.Order{Mode: catalog.Full, Cause: catalog.ByOperator, Approved: true})
}

// syncNow makes a sync of the integration and answers with its record.
func (a *API) syncNow(w http.ResponseWriter, r *http.Request, i marketplace.Integration, order catalog.Order) (err error) {
	if order.Target, err = a.integrations.Target(i); err != nil {
		return err
	}
	made, err := a.syncer.Sync(r.Context(), order)
	if err != nil {
		return err
	}
	if !made.Skipped {
		a.caughtUp(r)
	}
	return writeData(w, http.StatusOK, made)
}

// listSyncs lists an integration's stored syncs, the newest first.
func (a *API) listSyncs(w http.ResponseWriter, r *http.Request) error {
	i, err := a.integrationOfPath(r)
	if err != nil {
		return err
	}
	asked, err := readPage(r)
	if err != nil {
		return err
	}
	list, total, err := a.store.Catalog.Syncs(r.Context(), i.ID, asked.skip(), asked.size)
	if err != nil {
		return err
	}
	return writePage(w, list, asked, total)
}
