package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/catalog"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/storefront"
)

// prices compares what customers pay for an activity with what they would pay after a change of its
// percentages, or of the group price of one of its variations.
func (h activityHandler) prices(r *http.Request, id uuid.UUID) (any, error) {
	given := readQuery(r)
	currency := given.currency()
	change, err := given.priceChange()
	if err := given.checkChange(err); err != nil {
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
	changed.Variations = slices.Clone(found.Variations)
	if err := given.checkChange(change.Apply(&changed)); err != nil {
		return nil, err
	}
	return storefront.PreviewPrices(found, changed, given.id("variation_id"), terms, currency), nil
}

// priceChange returns a change of an activity's prices. What is absent does not change, and what is empty
// is cleared.
func (q *query) priceChange() (*catalog.Edit, error) {
	body := q.fields("admin_price_percentage", "admin_price_percentage", "admin_discount_percentage", "admin_discount_percentage")
	variation, pricing := q.fields("_id", "variation_id"), q.fields("group_price", "group_price", "currency", "group_price_currency")
	if len(pricing) > 0 {
		variation["pricing"] = pricing
	}
	if len(variation) > 0 {
		body["variations"] = []any{variation}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return catalog.ReadEdit(text)
}

// fields returns the fields of a change that are given, from pairs of a field and its parameter.
func (q *query) fields(pairs ...string) map[string]any {
	body := map[string]any{}
	for pair := range slices.Chunk(pairs, 2) {
		text, given := q.one(pair[1])
		if !given {
			continue
		}
		body[pair[0]] = text // not a number, which the change refuses
		var number json.Number
		if err := json.Unmarshal([]byte(text), &number); err == nil && string(number) == text {
			body[pair[0]] = number
		} else if text == "" {
			body[pair[0]] = nil
		}
	}
	return body
}

// priceParameters replaces the fields of a change by their parameters.
var priceParameters = strings.NewReplacer("variations[0].pricing.group_price", "group_price", "variations[0].pricing.currency", "group_price_currency", "variations[0]._id", "variation_id")

// checkChange returns all mistakes, with those of a change, as Invalid.
func (q *query) checkChange(err error) error {
	if refused := (*domain.Error)(nil); errors.As(err, &refused) {
		for _, detail := range refused.Details {
			q.wrong = append(q.wrong, priceParameters.Replace(detail))
		}
	} else if err != nil {
		return err
	}
	return q.check()
}
