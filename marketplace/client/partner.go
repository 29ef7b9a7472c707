package client

import (
	"context"
	"net/http"
	"time"

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
	Mode                  string              `json:"mode,omitempty"`      // live or test; "": live
	BaseURL               string              `json:"base_url"`            // where the platform's endpoints lie
	AuthType              partnerapi.AuthType `json:"auth_type,omitempty"` // "": Bearer
	AuthKey               Secret              `json:"auth_key"`            // that the marketplace presents
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
}

// Registered is what a platform needs for its webhooks: see NewWebhooks.
type Registered struct {
	IntegrationID string `json:"integration_id"`
	Mode          string `json:"mode"`
	WebhookSecret Secret `json:"webhook_secret"` // it is shown this once, and cannot be shown again
	// PreviousSecretUntil is until when the secret before a rotation is accepted; zero after
	// a registration.
	PreviousSecretUntil time.Time `json:"previous_webhook_secret_until"`
}

// Register registers a platform. It does not call the partner: the first catalog sync
// is started by Webhooks.Trigger, by Operator.Sync or by the nightly sync. The *Error is 409 where the account
// has registered the address in that mode already.
func (p *Partner) Register(ctx context.Context, r Registration) (Registered, error) {
	return call[Registered](ctx, p.c, post(path("partner-integrations"), r))
}

// Integrations are the partner's integrations of a mode, live or test, or of both for "";
// an operator's are everybody's.
func (p *Partner) Integrations(mode string) List[Integration] {
	return List[Integration]{p.c, path("partner-integrations"), queryOf("mode", mode)}
}

// Integration reads an integration: its health, its last sync, what was set aside.
func (p *Partner) Integration(ctx context.Context, integration string) (Integration, error) {
	return call[Integration](ctx, p.c, get(path("partner-integrations", integration), nil))
}

// ChangeIntegration changes the fields of a Registration that the patch has. A new address
// or key is tested first; the *Error is 422 where the partner does not work with it, unless
// "force" is true in the patch.
func (p *Partner) ChangeIntegration(ctx context.Context, integration string, change Patch) (Integration, error) {
	return call[Integration](ctx, p.c, request{method: http.MethodPatch, path: path("partner-integrations", integration), body: change})
}

// TestIntegration tests the connection to the partner as it would be after a change, which
// is not made. An empty patch tests the settings that are stored.
func (p *Partner) TestIntegration(ctx context.Context, integration string, change Patch) (Trial, error) {
	return call[Trial](ctx, p.c, post(path("partner-integrations", integration, "test"), change))
}

// Trial is the result of a connection test: two reads of the partner.
type Trial struct {
	Works        bool       `json:"works"`
	Products     TrialRead  `json:"products"`
	Availability *TrialRead `json:"availability"` // of the product's first option; nil: there was none to ask for
}

// TrialRead is what a partner answered to a read.
type TrialRead struct {
	Request  string    `json:"request"`     // method and path
	Status   int       `json:"status"`      // 0: there was no answer
	Duration int       `json:"duration_ms"` //
	Found    int       `json:"found"`       // products, or slots, that can be used
	Error    string    `json:"error"`       // "": the read works
	Problems []Problem `json:"problems"`    // of the first product, or slot, that cannot be used
}

// RotateWebhookSecret replaces the webhook secret of an integration. The previous one is
// accepted for 24 hours more, an older one no longer.
func (p *Partner) RotateWebhookSecret(ctx context.Context, integration string) (Registered, error) {
	return call[Registered](ctx, p.c, request{method: http.MethodPost, path: path("partner-integrations", integration, "webhook-secret")})
}

// Syncs are the pulls of an integration's catalog, the newest first, with those that were
// skipped or failed.
func (p *Partner) Syncs(integration string) List[Sync] {
	return List[Sync]{c: p.c, path: path("partner-integrations", integration, "syncs")}
}

// DeleteIntegration ends an integration: its activities are no longer sold, open holds
// are given back. Who registers the address again gets the activities back.
func (p *Partner) DeleteIntegration(ctx context.Context, integration string) error {
	return do(ctx, p.c, request{method: http.MethodDelete, path: path("partner-integrations", integration)})
}
