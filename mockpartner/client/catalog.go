package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Catalog is what a sandbox sells, in the form of a catalog file.
type Catalog struct{ sandbox *sandbox }

// Get returns the catalog as JSON.
func (c Catalog) Get(ctx context.Context) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c.sandbox, http.MethodGet, "/catalog", nil)
}

// Set has the sandbox sell another catalog (YAML or JSON). Slots in use, holds and
// bookings stay.
func (c Catalog) Set(ctx context.Context, catalog string) error {
	return do(ctx, c.sandbox, http.MethodPut, "/catalog", catalog)
}

// SetProduct adds a product, or replaces the one of its id, in the form that it has
// in a catalog file (YAML or JSON), and returns it as it is sold.
func (c Catalog) SetProduct(ctx context.Context, id, product string) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c.sandbox, http.MethodPut, path("products", id), product)
}

// DeleteProduct takes a product out of what the sandbox sells.
func (c Catalog) DeleteProduct(ctx context.Context, id string) error {
	return do(ctx, c.sandbox, http.MethodDelete, path("products", id), nil)
}
