package api

import (
	"encoding/json"
	"errors"
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

// prices compares what customers pay for an activity with what they would pay after a change of its
// percentages.
func (h activityHandler) prices(r *http.Request, id uuid.UUID) (any, error) {
	given := readQuery(r)
	currency, change := given.currency(), given.edit("admin_price_percentage", "admin_discount_percentage")
	if err := given.check(); err != nil {
		return nil, err
	}
	found, err := h.store.Activity(r.Context(), id)
	if err != nil {
		return nil, err
	}
	terms, err := h.terms.Terms(r.Context(), h.now())
	if err != nil {
		return nil, err
	}
	if err := storefront.CanPrice(found, terms, currency); err != nil {
		return nil, err
	}
	changed := found
	if err := change.Apply(&changed); err != nil {
		return nil, err
	}
	return storefront.PreviewPrices(found, changed, terms, currency), nil
}

// edit returns a change of an activity's numbers. Those that are absent do not change.
func (q *query) edit(names ...string) *catalog.Edit {
	body := map[string]any{}
	for _, name := range names {
		text, given := q.one(name)
		if !given {
			continue
		}
		body[name] = text // not a number, which the change refuses
		var number json.Number
		if err := json.Unmarshal([]byte(text), &number); err == nil && string(number) == text {
			body[name] = number
		}
	}
	var change *catalog.Edit
	text, err := json.Marshal(body)
	if err == nil {
		change, err = catalog.ReadEdit(text)
	}
	if refused := (*domain.Error)(nil); errors.As(err, &refused) {
		q.wrong = append(q.wrong, refused.Details...)
	}
	return change
}
