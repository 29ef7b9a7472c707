package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Catalog returns what the sandbox sells, in the form of a catalog file, as JSON.
func (c *Client) Catalog(ctx context.Context) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c, http.MethodGet, "/catalog", nil)
}

// SetCatalog has the sandbox sell another catalog, in the form of a catalog file
// (YAML or JSON). Slots in use, holds and bookings stay.
func (c *Client) SetCatalog(ctx context.Context, catalog string) error {
	return do(ctx, c, http.MethodPut, "/catalog", catalog)
}

// SetProduct adds a product to what the sandbox sells, or replaces the one of its
// id, in the form that it has in a catalog file (YAML or JSON), and returns it as
// it is sold.
func (c *Client) SetProduct(ctx context.Context, id, product string) (json.RawMessage, error) {
	return call[json.RawMessage](ctx, c, http.MethodPut, path("products", id), product)
}

// DeleteProduct takes a product out of what the sandbox sells.
func (c *Client) DeleteProduct(ctx context.Context, id string) error {
	return do(ctx, c, http.MethodDelete, path("products", id), nil)
}
