package api

import (
	"net/http"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/storefront"
)

// activityHandler is what operators do with activities, sold or not.
type activityHandler struct {
	store    catalogStore
	caughtUp catchUp
}

func (h activityHandler) list(r *http.Request) (any, error) {
	given := readQuery(r)
	by := marketplace.ActivityFilter{Words: given.text("q", longestFilter)}
	if status := given.tagged("status", "oneof="+storefront.Active+" "+storefront.Inactive); status != "" {
		listed := status == storefront.Active
		by.Listed = &listed
	}
	if id := given.tagged("integration", "uuid"); id != "" {
		by.Integration = uuid.MustParse(id)
	}
	asked, err := given.page()
	if err != nil {
		return nil, err
	}
	list, total, err := h.store.Activities(r.Context(), by, asked.skip(), asked.size)
	if err != nil {
		return nil, err
	}
	return pageOf(list, storefront.ForOperators, asked, total), nil
}

func (h activityHandler) show(r *http.Request, id uuid.UUID) (any, error) {
	found, err := h.store.Activity(r.Context(), id)
	if err != nil {
		return nil, err
	}
	return storefront.ForOperators(found), nil
}

func (h activityHandler) edit(r *http.Request, id uuid.UUID) (any, error) {
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	change, err := catalog.ReadEdit(body)
	if err != nil {
		return nil, err
	}
	edited, err := h.store.EditActivity(r.Context(), id, change.Apply)
	if err != nil {
		return nil, err
	}
	h.caughtUp(r.Context())
	return storefront.ForOperators(edited), nil
}
