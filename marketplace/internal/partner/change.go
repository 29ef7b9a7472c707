package partner

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// Change is a change of an integration. A nil field is unchanged.
type Change struct {
	Name                  *string              `json:"name" validate:"omitnil,min=1,max=200"`
	BaseURL               *string              `json:"base_url" validate:"omitnil,min=1,max=2000"`
	AuthType              *partnerapi.AuthType `json:"auth_type" validate:"omitnil,oneof=bearer api_key"`
	AuthKey               *string              `json:"auth_key" validate:"omitnil,max=4000,headervalue"`
	ClientCertificate     *string              `json:"client_certificate" validate:"omitnil,max=50000"` // "" removes it
	ClientKey             *string              `json:"client_key" validate:"omitnil,max=50000"`
	HandlesTicketDelivery *bool                `json:"handles_ticket_delivery"`
	Force                 bool                 `json:"force"` // stores settings without a test
}

const (
	// triesOfHost limits connection tests a minute, for each host and for each account. A test
	// makes two calls, so a host receives as many as in a round of probes.
	triesOfHost = 30
	tryWindow   = time.Minute
)

// WebhookOverlap is how long the previous webhook secret is accepted after a rotation.
const WebhookOverlap = 24 * time.Hour

// TryTarget returns the target for a test of a change. Its id belongs to the host, so that a host
// that hangs delays neither the integration's calls nor other hosts. The error is RateLimited if
// the account or the host was tested too often.
func (r *Registry) TryTarget(ctx context.Context, account, id uuid.UUID, c Change) (Target, error) {
	before, err := r.Find(ctx, account, id)
	if err != nil {
		return Target{}, err
	}
	_, target, err := r.applyChange(before, c)
	if err != nil {
		return Target{}, err
	}
	return r.takeTries(before, target)
}

func (r *Registry) takeTries(i domain.Integration, t Target) (Target, error) {
	if err := r.tries.Take("account " + i.AccountID.String()).Err(); err != nil {
		return t, err
	}
	t.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.BaseURL.Hostname()))
	return t, r.tries.Take("host " + t.BaseURL.Hostname()).Err()
}

// Change changes an integration that the caller may see. A new address or key is tested with try
// first, unless the change is forced; if try fails, nothing changes. Calls in progress keep their
// key. The error is Invalid, or Conflict if the account has another live integration with that
// address, or if the integration changed during the test.
func (r *Registry) Change(ctx context.Context, account, id uuid.UUID, c Change, try func(context.Context, Target) error) (domain.Integration, error) {
	before, err := r.Find(ctx, account, id)
	if err != nil {
		return before, err
	}
	after, target, err := r.applyChange(before, c)
	if err != nil {
		return before, err
	}
	if !c.Force && !sameTarget(before, after) {
		if target, err = r.takeTries(before, target); err != nil {
			return before, err
		}
		if err := try(ctx, target); err != nil {
			return before, err
		}
	}
	return after, r.store.ChangeIntegration(ctx, before, after)
}

// applyChange returns an integration after a change, and its target. A key that is unchanged and was
// given for the same origin keeps its sealed form. Every way to change an integration, or to test a
// change, leads here.
func (r *Registry) applyChange(i domain.Integration, c Change) (domain.Integration, Target, error) {
	target, err := r.Target(i)
	if err != nil {
		return i, target, err
	}
	origin := i.Origin()
	if c.BaseURL != nil {
		base, err := r.guard.ParseBaseURL(*c.BaseURL)
		if err != nil {
			return i, target, &domain.Error{Code: domain.Invalid, Message: "invalid change", Details: []string{err.Error()}}
		}
		if i, err = i.MoveTo(base, c.AuthKey != nil); err != nil {
			return i, target, err
		}
	}
	if c.AuthKey != nil && (*c.AuthKey != target.AuthKey || i.Origin() != origin) {
		target.AuthKey, i.AuthKey = *c.AuthKey, r.sealer.Seal(*c.AuthKey, i.ID.String())
	}
	if err := r.changeIdentity(&i, &target, c); err != nil {
		return i, target, err
	}
	set(&i.Name, c.Name)
	set(&i.AuthType, c.AuthType)
	set(&i.HandlesTicketDelivery, c.HandlesTicketDelivery)
	target.BaseURL, target.AuthType = i.BaseURL, i.AuthType
	return i, target, checkIdentity(i)
}

// changeIdentity replaces or removes the client certificate, with its key. An unchanged one keeps its
// sealed form.
func (r *Registry) changeIdentity(i *domain.Integration, t *Target, c Change) error {
	if c.ClientCertificate == nil && c.ClientKey == nil {
		return nil
	}
	var certificate, key string
	set(&certificate, c.ClientCertificate)
	set(&key, c.ClientKey)
	identity, shown, err := newIdentity(certificate, key)
	if err == nil && identity != t.Identity {
		t.Identity, i.ClientIdentity, i.ClientCertificate = identity, r.sealIdentity(identity, i.ID), shown
	}
	return err
}

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// sameTarget reports whether both are called in the same way.
func sameTarget(a, b domain.Integration) bool {
	return a.BaseURL.String() == b.BaseURL.String() && a.AuthType == b.AuthType && bytes.Equal(a.AuthKey, b.AuthKey) && bytes.Equal(a.ClientIdentity, b.ClientIdentity)
}

// RotateWebhookSecret replaces the webhook secret of an integration that the caller may see. It
// returns the new secret, which cannot be read again. The previous one is accepted until the
// returned time; older ones are not.
func (r *Registry) RotateWebhookSecret(ctx context.Context, account, id uuid.UUID) (webhook string, until time.Time, err error) {
	if _, err := r.Find(ctx, account, id); err != nil {
		return "", time.Time{}, err
	}
	webhook = auth.NewToken()
	until, err = r.store.RotateWebhookSecret(ctx, id, auth.HashToken(webhook), WebhookOverlap)
	return webhook, until, err
}
