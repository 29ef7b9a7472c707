package partner

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// Store keeps integrations.
type Store interface {
	// CreateIntegration stores a new integration. It restores the activities of a deleted one of
	// the same account, address and mode. The error is Conflict if a live one exists, or if the
	// account has most live ones already, also if many are stored at the same time; 0 means any number.
	CreateIntegration(ctx context.Context, i domain.Integration, most int) error
	// Integration returns the live integration with that id, or NotFound.
	Integration(ctx context.Context, id uuid.UUID) (domain.Integration, error)
	// Integrations returns all live integrations.
	Integrations(ctx context.Context) ([]domain.Integration, error)
	// ListIntegrations returns a page of the live integrations within a scope whose name or base
	// URL contains the words ("": all), in order of creation.
	ListIntegrations(ctx context.Context, of domain.Scope, words string, asked domain.PageRequest) (domain.Page[domain.Integration], error)
	// ChangeIntegration stores a live integration's new settings. The error is NotFound, or
	// Conflict if the target has changed meanwhile, or if the account has another live integration
	// with that address.
	ChangeIntegration(ctx context.Context, before, after domain.Integration) error
	// RotateWebhookSecret replaces a live integration's webhook secret with one of that hash. The
	// previous one is accepted until the returned time; older ones are not.
	RotateWebhookSecret(ctx context.Context, id uuid.UUID, hash []byte, overlap time.Duration) (until time.Time, err error)
	// DeleteIntegration deletes a live integration, or returns NotFound.
	DeleteIntegration(ctx context.Context, id uuid.UUID, at time.Time) error
}

// Registration is a partner's registration request.
type Registration struct {
	Name                  string              `json:"name" validate:"required,max=200"`
	Mode                  domain.Mode         `json:"mode" validate:"omitempty,oneof=live test"` // "": live
	BaseURL               string              `json:"base_url" validate:"required,max=2000"`
	AuthType              partnerapi.AuthType `json:"auth_type" validate:"omitempty,oneof=bearer api_key"`
	AuthKey               string              `json:"auth_key" validate:"required,max=4000,headervalue"`
	ClientCertificate     string              `json:"client_certificate" validate:"max=50000"`
	ClientKey             string              `json:"client_key" validate:"max=50000"`
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
}

// Registry keeps partners' platforms and decrypts their keys for calls. It is safe for concurrent
// use.
type Registry struct {
	store      Store
	guard      *Guard
	sealer     *auth.Sealer
	identities *auth.Sealer
	tries      *auth.Limiter
	now        func() time.Time
}

// NewRegistry returns a registry that seals keys with the secret.
func NewRegistry(store Store, guard *Guard, s *auth.Secret, now func() time.Time) *Registry {
	return &Registry{store: store, guard: guard, sealer: s.Sealer("partners' keys"), identities: s.Sealer("client certificates"), tries: auth.NewLimiter(triesOfHost, tryWindow, now), now: now}
}

// Register stores an account's integration and returns it with the webhook secret, which cannot be
// read again. It does not call the partner. The error is Invalid, or Conflict if the account has a
// live integration with that address and mode.
func (r *Registry) Register(ctx context.Context, account uuid.UUID, asked Registration) (domain.Integration, string, error) {
	return r.RegisterWithin(ctx, account, 0, asked)
}

// MostIntegrations limits the live integrations of a partner's account. Each one is probed and
// pulled repeatedly.
const MostIntegrations = 100

// RegisterWithin is Register for an account with at most that many live integrations, otherwise the
// error is Conflict; 0 means any number.
func (r *Registry) RegisterWithin(ctx context.Context, account uuid.UUID, most int, asked Registration) (domain.Integration, string, error) {
	base, err := r.guard.ParseBaseURL(asked.BaseURL)
	if err != nil {
		return domain.Integration{}, "", &domain.Error{Code: domain.Invalid, Message: "invalid registration", Details: []string{err.Error()}}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return domain.Integration{}, "", err
	}
	identity, shown, err := newIdentity(asked.ClientCertificate, asked.ClientKey)
	if err != nil {
		return domain.Integration{}, "", err
	}
	webhook := auth.NewToken()
	made := domain.Integration{
		ID: id, AccountID: account, Name: asked.Name, Mode: cmp.Or(asked.Mode, domain.Live), BaseURL: base,
		AuthType: cmp.Or(asked.AuthType, partnerapi.Bearer), AuthKey: r.sealer.Seal(asked.AuthKey, id.String()),
		WebhookSecretHash: auth.HashToken(webhook), HandlesTicketDelivery: asked.HandlesTicketDelivery, CreatedAt: r.now(),
		ClientIdentity: r.sealIdentity(identity, id), ClientCertificate: shown,
	}
	if err := checkIdentity(made); err != nil {
		return domain.Integration{}, "", err
	}
	return made, webhook, r.store.CreateIntegration(ctx, made, most)
}

// Find returns a live integration of the account, or any live one if account is zero. Others are
// NotFound.
func (r *Registry) Find(ctx context.Context, account, id uuid.UUID) (domain.Integration, error) {
	i, err := r.store.Integration(ctx, id)
	if err == nil && account != uuid.Nil && i.AccountID != account {
		err = &domain.Error{Code: domain.NotFound, Message: "integration not found"}
	}
	if err != nil {
		return domain.Integration{}, err
	}
	return i, nil
}

// List returns a page of the live integrations that the caller may see.
func (r *Registry) List(ctx context.Context, of domain.Scope, words string, asked domain.PageRequest) (domain.Page[domain.Integration], error) {
	return r.store.ListIntegrations(ctx, of, words, asked)
}

// Delete deletes an integration that the caller may see, or returns NotFound.
func (r *Registry) Delete(ctx context.Context, account, id uuid.UUID) error {
	if _, err := r.Find(ctx, account, id); err != nil {
		return err
	}
	return r.store.DeleteIntegration(ctx, id, r.now())
}

// decoy is compared with the webhook secret for an unknown integration, so that the refusal takes
// the same time.
var decoy = auth.HashToken("no integration has this secret")

// ByWebhook returns the live integration with that webhook secret. The previous secret is valid for
// WebhookOverlap after a rotation. An unknown integration and a wrong secret return the same error,
// Unauthorized. For a known integration its id is returned with the error.
func (r *Registry) ByWebhook(ctx context.Context, id uuid.UUID, webhook string) (domain.Integration, error) {
	i, err := r.store.Integration(ctx, id)
	if err != nil && domain.CodeOf(err) != domain.NotFound {
		return domain.Integration{}, err
	}
	matches := false
	for _, hash := range [][]byte{i.WebhookSecretHash, i.PreviousWebhookSecretHash} {
		if len(hash) == 0 {
			hash = decoy
		}
		matches = auth.TokenMatches(webhook, hash) || matches
	}
	if !matches || err != nil {
		return domain.Integration{ID: i.ID}, &domain.Error{Code: domain.Unauthorized, Message: "unauthorized access"}
	}
	return i, nil
}

// CheckSecret returns an error if partners' keys were sealed with another secret than the
// service's.
func (r *Registry) CheckSecret(ctx context.Context) error {
	list, err := r.store.Integrations(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	_, err = r.Target(list[len(list)-1])
	return err
}

// Target returns how an integration's partner is called.
func (r *Registry) Target(i domain.Integration) (Target, error) {
	key, err := r.sealer.Open(i.AuthKey, i.ID.String())
	identity := ""
	if err == nil && len(i.ClientIdentity) > 0 {
		identity, err = r.identities.Open(i.ClientIdentity, i.ID.String())
	}
	return Target{ID: i.ID, Account: i.AccountID, Mode: i.Mode, BaseURL: i.BaseURL, AuthType: i.AuthType, AuthKey: key, Identity: identity, Tickets: i.HandlesTicketDelivery}, err
}

// sealIdentity encrypts a client certificate with its key; nil for "".
func (r *Registry) sealIdentity(identity string, id uuid.UUID) []byte {
	if identity == "" {
		return nil
	}
	return r.identities.Seal(identity, id.String())
}
