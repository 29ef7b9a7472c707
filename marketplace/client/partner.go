package client

import (
	"context"
	"net/http"

	"partnerkit.dev/schemas/partnerapi"
)

// Partner is a company that sells through the marketplace: it registers its platform, and
// reads how that fares. It is safe for concurrent use.
type Partner struct{ account }

// NewPartner returns the client of a partner. The address is the marketplace's, the
// credentials are a Password. Nothing is called yet.
func NewPartner(marketplace string, credentials Credentials, o Options) (*Partner, error) {
	c, err := connect(marketplace, credentials, o)
	if err != nil {
		return nil, err
	}
	return &Partner{account{c}}, nil
}

// Registration is what the marketplace has to know of a platform to call it.
type Registration struct {
	Name                  string              `json:"name"`                // for people
	BaseURL               string              `json:"base_url"`            // where the platform's endpoints lie
	AuthType              partnerapi.AuthType `json:"auth_type,omitempty"` // "": Bearer
	AuthKey               Secret              `json:"auth_key"`            // that the marketplace presents
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
}

// Registered is what a platform needs for its webhooks: see NewWebhooks.
type Registered struct {
	IntegrationID string `json:"integration_id"`
	WebhookSecret Secret `json:"webhook_secret"` // it is shown this once, and cannot be had again
}

// Register registers a platform. Nobody is called: the first catalog is pulled by
// Webhooks.Trigger, by Operator.Sync or in the night. The *Error is 409 where the account
// has registered the address already.
func (p *Partner) Register(ctx context.Context, r Registration) (Registered, error) {
	return call[Registered](ctx, p.c, post(path("partner-integrations"), r))
}

// Integrations are the partner's integrations; an operator's are everybody's.
func (p *Partner) Integrations() List[Integration] {
	return List[Integration]{c: p.c, path: path("partner-integrations")}
}

// Integration reads an integration: its health, its last sync, what was set aside.
func (p *Partner) Integration(ctx context.Context, integration string) (Integration, error) {
	return call[Integration](ctx, p.c, get(path("partner-integrations", integration), nil))
}

// DeleteIntegration ends an integration: its activities are no longer sold, open holds
// are given back. Who registers the address again gets the activities back.
func (p *Partner) DeleteIntegration(ctx context.Context, integration string) error {
	return do(ctx, p.c, request{method: http.MethodDelete, path: path("partner-integrations", integration)})
}
