package client

import (
	"context"
	"net/http"
)

// Choices are what a sandbox can be by name: the defects, or the variants, that
// "mockpartner defects" and "mockpartner variants" list.
type Choices struct {
	sandbox *sandbox
	kind    string
}

// Apply makes the sandbox a partner with that defect, or of that variant.
func (c Choices) Apply(ctx context.Context, name string) error {
	return do(ctx, c.sandbox, http.MethodPost, path(c.kind, name), nil)
}

// Remove takes a defect or a variant off again.
func (c Choices) Remove(ctx context.Context, name string) error {
	return do(ctx, c.sandbox, http.MethodDelete, path(c.kind, name), nil)
}
