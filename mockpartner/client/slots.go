package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Slots gives access to the slots of a sandbox's options.
type Slots struct{ sandbox *sandbox }

// SlotQuery selects slots. The defaults are the catalog's first product, its first option, today in
// the product's zone, and 14 days.
type SlotQuery struct {
	Product string
	Option  string
	From    string // a date, such as 2026-07-01
	Days    int    // at most 60
}

// List lists every slot of an option, by start.
func (s Slots) List(ctx context.Context, q SlotQuery) ([]SlotState, error) {
	query := encodeQuery(map[string]any{"product": q.Product, "option": q.Option, "from": q.From, "days": q.Days})
	return field[[]SlotState](ctx, s.sandbox, http.MethodGet, "/slots?"+query, "slots", nil)
}

// Set changes a slot as the partner's own staff would, and returns the changed slot.
func (s Slots) Set(ctx context.Context, productID, optionID, availabilityID string, change SlotChange) (SlotState, error) {
	return call[SlotState](ctx, s.sandbox, http.MethodPatch, "/slots", struct {
		ProductID      string `json:"productId"`
		OptionID       string `json:"optionId"`
		AvailabilityID string `json:"availabilityId"`
		SlotChange
	}{productID, optionID, availabilityID, change})
}

// Catalog gives access to what a sandbox sells, in the form of a catalog file.
type Catalog struct{ sandbox *sandbox }

// Get returns the catalog as JSON.
func (c Catalog) Get(ctx context.Context) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c.sandbox, http.MethodGet, "/catalog", nil)
}

// Set replaces the sandbox's catalog (YAML or JSON). Slots in use, holds and bookings stay.
func (c Catalog) Set(ctx context.Context, catalog string) error {
	return do(ctx, c.sandbox, http.MethodPut, "/catalog", catalog)
}

// SetProduct adds a product, or replaces the one with its id, in the form of a catalog file (YAML
// or JSON). It returns the product as sold.
func (c Catalog) SetProduct(ctx context.Context, id, product string) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c.sandbox, http.MethodPut, path("products", id), product)
}

// DeleteProduct removes a product from the sandbox's catalog.
func (c Catalog) DeleteProduct(ctx context.Context, id string) error {
	return do(ctx, c.sandbox, http.MethodDelete, path("products", id), nil)
}
