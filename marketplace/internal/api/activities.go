package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
)

// activityHandler serves operators' requests about activities, sold or not.
type activityHandler struct {
	store    catalogStore
	caughtUp catchUp
	terms    termsStore
	now      func() time.Time
}

func (h activityHandler) list(r *http.Request) (any, error) {
	given := readQuery(r)
	by := domain.ActivityFilter{Words: given.text("q", longestFilter), Integration: given.id("integration"), Mode: given.mode()}
	if status := given.validated("status", "oneof="+storefront.Active+" "+storefront.Inactive); status != "" {
		listed := status == storefront.Active
		by.Listed = &listed
	}
	asked, err := given.storedPage(r.URL.Path)
	if err != nil {
		return nil, err
	}
	found, err := h.store.Activities(r.Context(), by, asked.request())
	return pageOf(asked, found, storefront.ForOperators), err
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
