package api

import (
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/edit"
	"partnerkit.dev/marketplace/internal/listing"
	"partnerkit.dev/marketplace/internal/marketplace"
)

func (a *API) operatorActivityRoutes() []route {
	return []route{
		{http.MethodGet, "/api/v1/operator/activities", operators, a.listAnyActivities},
		{http.MethodGet, "/api/v1/operator/activities/{activity}", operators, a.showAnyActivity},
		{http.MethodPatch, "/api/v1/operator/activities/{activity}", operators, a.editActivity},
	}
}

func (a *API) listAnyActivities(w http.ResponseWriter, r *http.Request) error {
	given := readQuery(r)
	asked := given.page()
	by := marketplace.ActivityFilter{Words: given.text("q", longestFilter)}
	if status := given.tagged("status", "oneof="+listing.Active+" "+listing.Inactive); status != "" {
		listed := status == listing.Active
		by.Listed = &listed
	}
	if id := given.tagged("integration", "uuid"); id != "" {
		by.Integration = uuid.MustParse(id)
	}
	if err := given.check(); err != nil {
		return err
	}
	list, total, err := a.store.Catalog.Activities(r.Context(), by, asked.skip(), asked.size)
	if err != nil {
		return err
	}
	views := make([]listing.OperatorActivity, len(list))
	for i, activity := range list {
		views[i] = listing.ForOperators(activity)
	}
	return writePage(w, views, asked, total)
}

func (a *API) showAnyActivity(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "activity")
	if err != nil {
		return err
	}
	found, err := a.store.Catalog.Activity(r.Context(), id)
	if err != nil {
		return err
	}
	return writeData(w, http.StatusOK, listing.ForOperators(found))
}

func (a *API) editActivity(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, "activity")
	if err != nil {
		return err
	}
	body, err := bodyOf(r)
	if err != nil {
		return err
	}
	change, err := edit.Read(body)
	if err != nil {
		return err
	}
	edited, err := a.store.Catalog.EditActivity(r.Context(), id, change.Apply)
	if err != nil {
		return err
	}
	a.caughtUp(r)
	return writeData(w, http.StatusOK, listing.ForOperators(edited))
}
