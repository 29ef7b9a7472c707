package client

import (
	"context"
	"net/http"
	"time"

	"partnerkit.dev/schemas/partnerapi"
)

// Partner calls the API for a partner, who registers a platform and reads its status. It is safe
// for concurrent use.
type Partner struct{ account }

// NewPartner returns a partner's client. The address is the marketplace's. The credentials must be
// a Password. It makes no call.
func NewPartner(marketplace string, credentials Credentials, o Options) (*Partner, error) {
	c, err := connect(marketplace, credentials, o)
	if err != nil {
		return nil, err
	}
	return &Partner{account{c}}, nil
}

// Registration describes a platform, so that the marketplace can call it.
type Registration struct {
	Name     string              `json:"name"`                // for people
	Mode     string              `json:"mode,omitempty"`      // live or test; "": live
	BaseURL  string              `json:"base_url"`            // the platform's endpoints are below it
	AuthType partnerapi.AuthType `json:"auth_type,omitempty"` // "": Bearer
	AuthKey  Secret              `json:"auth_key"`            // that the marketplace sends
	// ClientCertificate and ClientKey, in PEM, identify the marketplace to a platform that requires a
	// client certificate; "": none.
	ClientCertificate     string `json:"client_certificate,omitempty"`
	ClientKey             Secret `json:"client_key,omitempty"`
	HandlesTicketDelivery bool   `json:"handles_ticket_delivery"`
}

// Registered contains what a platform needs to send webhooks: see NewWebhooks.
type Registered struct {
	IntegrationID string `json:"integration_id"`
	Mode          string `json:"mode"`
	WebhookSecret Secret `json:"webhook_secret"` // returned only once
	// PreviousSecretUntil says until when the previous secret is accepted. It is zero after a
	// registration.
	PreviousSecretUntil time.Time `json:"previous_webhook_secret_until" wire:"null"`
}

// Register registers a platform. It does not call the partner. Webhooks.Trigger, Operator.Sync or
// the nightly sync starts the first catalog sync. The *Error is 409 if the account has registered
// the address in that mode already.
func (p *Partner) Register(ctx context.Context, r Registration) (Registered, error) {
	return call[Registered](ctx, p.c, post(path("partner-integrations"), r))
}

// IntegrationQuery filters integrations.
type IntegrationQuery struct {
	Mode  string // live or test; "": both
	Words string // part of the name or the base URL
}

// Integrations lists the partner's integrations. For an operator it lists all integrations.
func (p *Partner) Integrations(q IntegrationQuery) List[Integration] {
	return List[Integration]{p.c, path("partner-integrations"), queryOf("mode", q.Mode, "q", q.Words)}
}

// Integration reads an integration: its health, its last sync, what was set aside.
func (p *Partner) Integration(ctx context.Context, integration string) (Integration, error) {
	return call[Integration](ctx, p.c, get(path("partner-integrations", integration), nil))
}

// ChangeIntegration changes the fields of a Registration that the patch contains. A new address or
// key is tested first. The *Error is 422 if the test fails, unless the patch sets "force" to true.
func (p *Partner) ChangeIntegration(ctx context.Context, integration string, change Patch) (Integration, error) {
	return call[Integration](ctx, p.c, request{method: http.MethodPatch, path: path("partner-integrations", integration), body: change})
}

// TestIntegration tests the connection to the partner with the changes applied, without saving
// them. An empty patch tests the stored settings.
func (p *Partner) TestIntegration(ctx context.Context, integration string, change Patch) (Trial, error) {
	return call[Trial](ctx, p.c, post(path("partner-integrations", integration, "test"), change))
}

// Trial is the result of a connection test: two reads of the partner.
type Trial struct {
	Works        bool       `json:"works"`
	Products     TrialRead  `json:"products"`
	Availability *TrialRead `json:"availability"` // of the product's first option; nil: no option to test
}

// TrialRead is what a partner answered to a read.
type TrialRead struct {
	Request  string    `json:"request"`            // method and path
	Status   int       `json:"status" wire:"null"` // 0: no answer
	Duration int       `json:"duration_ms"`        //
	Found    int       `json:"found"`              // usable products or slots
	Error    string    `json:"error" wire:"null"`  // "": the read succeeded
	Problems []Problem `json:"problems"`           // of the first unusable product or slot
}

// RotateWebhookSecret replaces the webhook secret of an integration. The previous secret stays
// valid for 24 hours; older ones do not.
func (p *Partner) RotateWebhookSecret(ctx context.Context, integration string) (Registered, error) {
	return call[Registered](ctx, p.c, request{method: http.MethodPost, path: path("partner-integrations", integration, "webhook-secret")})
}

// Syncs lists the syncs of an integration's catalog, newest first, including skipped and failed
// ones.
func (p *Partner) Syncs(integration string) List[Sync] {
	return List[Sync]{c: p.c, path: path("partner-integrations", integration, "syncs")}
}

// DeleteIntegration deletes an integration. Its activities are no longer sold and its open holds
// are released. Registering the address again restores the activities.
func (p *Partner) DeleteIntegration(ctx context.Context, integration string) error {
	return do(ctx, p.c, request{method: http.MethodDelete, path: path("partner-integrations", integration)})
}
