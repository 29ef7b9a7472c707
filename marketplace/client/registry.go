package client

import (
	"context"
	"net/http"
	"time"
)

// RegistryEntry is a certified partner in the public registry.
type RegistryEntry struct {
	IntegrationID   string    `json:"integration_id"`
	Name            string    `json:"name"`     // that the certificate states; others may have the same
	BaseURL         string    `json:"base_url"` // that was tested
	ContractVersion string    `json:"contract_version"`
	CertifiedSince  time.Time `json:"certified_since"`
	ValidUntil      time.Time `json:"valid_until"`
	Badge           string    `json:"badge_url"`   // of an image in SVG
	Certificate     string    `json:"certificate"` // the signed statement, a compact JWS
}

// JoinRegistry puts an integration into the public registry, where everyone sees its name, its base URL
// and the rest of its certificate while that is valid. The *Error is 409 for a test integration. It is
// idempotent.
func (p *Partner) JoinRegistry(ctx context.Context, integration string) (Integration, error) {
	return call[Integration](ctx, p.c, request{method: http.MethodPut, path: path("partner-integrations", integration, "registry")})
}

// LeaveRegistry takes an integration out of the public registry. It is idempotent.
func (p *Partner) LeaveRegistry(ctx context.Context, integration string) (Integration, error) {
	return call[Integration](ctx, p.c, request{method: http.MethodDelete, path: path("partner-integrations", integration, "registry")})
}
