package partner

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// Store keeps integrations.
type Store interface {
	// CreateIntegration stores a new one, with the activities of one of the same
	// account, address and mode that was deleted. The error is Conflict where there is a
	// live one.
	CreateIntegration(ctx context.Context, i marketplace.Integration) error
	// Integration returns the live one of that id, or NotFound.
	Integration(ctx context.Context, id uuid.UUID) (marketplace.Integration, error)
	// Integrations returns all live ones.
	Integrations(ctx context.Context) ([]marketplace.Integration, error)
	// ListIntegrations returns a page of the live ones within a scope, in the order of
	// their making.
	ListIntegrations(ctx context.Context, of marketplace.Scope, asked marketplace.PageRequest) (marketplace.Page[marketplace.Integration], error)
	// ChangeIntegration stores a live integration's settings as they are after a change. The
	// error is NotFound, or Conflict where how the partner is called is not what it was before,
	// or where the account has another live integration of that address.
	ChangeIntegration(ctx context.Context, before, after marketplace.Integration) error
	// RotateWebhookSecret replaces a live integration's webhook secret, whose hash that is.
	// The last one is accepted for a while longer, until the time that is returned; an older
	// one is not any more.
	RotateWebhookSecret(ctx context.Context, id uuid.UUID, hash []byte, overlap time.Duration) (until time.Time, err error)
	// DeleteIntegration ends a live one, or returns NotFound.
	DeleteIntegration(ctx context.Context, id uuid.UUID, at time.Time) error
}

// Registration is what a partner registers.
type Registration struct {
	Name                  string              `json:"name" validate:"required,max=200"`
	Mode                  marketplace.Mode    `json:"mode" validate:"omitempty,oneof=live test"` // "": live
	BaseURL               string              `json:"base_url" validate:"required,max=2000"`
	AuthType              partnerapi.AuthType `json:"auth_type" validate:"omitempty,oneof=bearer api_key"`
	AuthKey               string              `json:"auth_key" validate:"required,max=4000,headervalue"`
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
}

// Registry keeps partners' platforms, and opens what is sealed of them when they are
// called. It is safe for concurrent use.
type Registry struct {
	store  Store
	guard  *Guard
	sealer *auth.Sealer
	tries  *auth.Limiter
	now    func() time.Time
}

// NewRegistry returns a registry that seals keys with the secret.
func NewRegistry(store Store, guard *Guard, s *auth.Secret, now func() time.Time) *Registry {
	return &Registry{store: store, guard: guard, sealer: s.Sealer("partners' keys"), tries: auth.NewLimiter(triesOfHost, tryWindow, now), now: now}
}

// Register stores an account's integration, and returns it with the webhook secret,
// which cannot be read again. It does not call the partner. The error is Invalid, or Conflict
// where the account has a live integration of that address and mode.
func (r *Registry) Register(ctx context.Context, account uuid.UUID, asked Registration) (marketplace.Integration, string, error) {
	base, err := r.guard.ParseBaseURL(asked.BaseURL)
	if err != nil {
		return marketplace.Integration{}, "", &marketplace.Error{Code: marketplace.Invalid, Message: "invalid registration", Details: []string{err.Error()}}
	}
	id, err := uuid.NewV7()
	if err != nil {
		return marketplace.Integration{}, "", err
	}
	webhook := auth.NewToken()
	made := marketplace.Integration{
		ID: id, AccountID: account, Name: asked.Name, Mode: cmp.Or(asked.Mode, marketplace.Live), BaseURL: base,
		AuthType: cmp.Or(asked.AuthType, partnerapi.Bearer), AuthKey: r.sealer.Seal(asked.AuthKey, id.String()),
		WebhookSecretHash: auth.HashToken(webhook), HandlesTicketDelivery: asked.HandlesTicketDelivery, CreatedAt: r.now(),
	}
	return made, webhook, r.store.CreateIntegration(ctx, made)
}

// MostIntegrations is how many live ones a partner's account may have: each is probed and
// pulled again and again.
const MostIntegrations = 100

// CheckRoom returns Conflict where a partner's account has as many as it may have.
func (r *Registry) CheckRoom(ctx context.Context, account uuid.UUID) error {
	list, err := r.List(ctx, marketplace.Scope{Account: account}, marketplace.PageRequest{Size: 1})
	if err == nil && list.Total >= MostIntegrations {
		err = marketplace.Errorf(marketplace.Conflict, "an account may have at most %d integrations; delete one, or ask an operator to register this one", MostIntegrations)
	}
	return err
}

// Find returns a live integration that the caller may see: its own account's, or any
// for the zero id. Others are NotFound.
func (r *Registry) Find(ctx context.Context, account, id uuid.UUID) (marketplace.Integration, error) {
	i, err := r.store.Integration(ctx, id)
	if err == nil && account != uuid.Nil && i.AccountID != account {
		err = &marketplace.Error{Code: marketplace.NotFound, Message: "integration not found"}
	}
	if err != nil {
		return marketplace.Integration{}, err
	}
	return i, nil
}

// List returns a page of the live integrations that the caller may see.
func (r *Registry) List(ctx context.Context, of marketplace.Scope, asked marketplace.PageRequest) (marketplace.Page[marketplace.Integration], error) {
	return r.store.ListIntegrations(ctx, of, asked)
}

// Delete ends an integration that the caller may see, or returns NotFound.
func (r *Registry) Delete(ctx context.Context, account, id uuid.UUID) error {
	if _, err := r.Find(ctx, account, id); err != nil {
		return err
	}
	return r.store.DeleteIntegration(ctx, id, r.now())
}

// decoy is what the webhook secret of an integration that does not exist is held
// against: it is refused in the same time.
var decoy = auth.HashToken("no integration has this secret")

// ByWebhook returns the live integration whose webhook secret that is, or was until a
// rotation less than WebhookOverlap ago. Whether it is unknown or the secret is wrong, the
// error is the same: Unauthorized. Where there is such an integration, its id is returned
// with it.
func (r *Registry) ByWebhook(ctx context.Context, id uuid.UUID, webhook string) (marketplace.Integration, error) {
	i, err := r.store.Integration(ctx, id)
	if err != nil && marketplace.CodeOf(err) != marketplace.NotFound {
		return marketplace.Integration{}, err
	}
	matches := false
	for _, hash := range [][]byte{i.WebhookSecretHash, i.PreviousWebhookSecretHash} {
		if len(hash) == 0 {
			hash = decoy
		}
		matches = auth.TokenMatches(webhook, hash) || matches
	}
	if !matches || err != nil {
		return marketplace.Integration{ID: i.ID}, &marketplace.Error{Code: marketplace.Unauthorized, Message: "unauthorized access"}
	}
	return i, nil
}

// CheckSecret returns an error where partners' keys were sealed with another secret than
// the service's.
func (r *Registry) CheckSecret(ctx context.Context) error {
	list, err := r.store.Integrations(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	_, err = r.Target(list[len(list)-1])
	return err
}

// Target is how an integration's partner is called.
func (r *Registry) Target(i marketplace.Integration) (Target, error) {
	key, err := r.sealer.Open(i.AuthKey, i.ID.String())
	return Target{ID: i.ID, Mode: i.Mode, BaseURL: i.BaseURL, AuthType: i.AuthType, AuthKey: key}, err
}
