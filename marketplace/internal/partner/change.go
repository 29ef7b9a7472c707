package partner

import (
	"bytes"
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/schemas/partnerapi"
)

// Change is what changes of an integration; nil leaves a field unchanged.
type Change struct {
	Name                  *string              `json:"name" validate:"omitnil,min=1,max=200"`
	BaseURL               *string              `json:"base_url" validate:"omitnil,min=1,max=2000"`
	AuthType              *partnerapi.AuthType `json:"auth_type" validate:"omitnil,oneof=bearer api_key"`
	AuthKey               *string              `json:"auth_key" validate:"omitnil,max=4000,headervalue"`
	HandlesTicketDelivery *bool                `json:"handles_ticket_delivery"`
	Force                 bool                 `json:"force"` // stores what was not tried
}

const (
	// triesOfHost is how often connections are tried in a minute, at one host and by one
	// account. Each try makes two calls, so a host gets as many as by a round of probes.
	triesOfHost = 30
	tryWindow   = time.Minute
)

// WebhookOverlap is how long a webhook secret is still accepted after its rotation.
const WebhookOverlap = 24 * time.Hour

// TryTarget is how the partner of an integration that the caller may see would be called
// after a change, for a try: its id is that of the host, so that a try of a host that
// hangs delays neither the integration's own calls nor other hosts. The error is
// RateLimited where the account or the host has been tried too often.
func (r *Registry) TryTarget(ctx context.Context, account, id uuid.UUID, c Change) (Target, error) {
	before, err := r.Find(ctx, account, id)
	if err != nil {
		return Target{}, err
	}
	_, target, err := r.changed(before, c)
	if err != nil {
		return Target{}, err
	}
	return r.triable(before, target)
}

func (r *Registry) triable(i marketplace.Integration, t Target) (Target, error) {
	if err := r.tries.Take("account " + i.AccountID.String()).Err(); err != nil {
		return t, err
	}
	t.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte(t.BaseURL.Hostname()))
	return t, r.tries.Take("host " + t.BaseURL.Hostname()).Err()
}

// Change changes an integration that the caller may see. A new address or key is first
// tried with try, unless the change is forced; where that returns an error, nothing
// changes. Calls under way keep the key that they were sent with. The error is Invalid,
// or Conflict where the account has another live integration of that address, or where the
// integration was changed while the new settings were tried.
func (r *Registry) Change(ctx context.Context, account, id uuid.UUID, c Change, try func(context.Context, Target) error) (marketplace.Integration, error) {
	before, err := r.Find(ctx, account, id)
	if err != nil {
		return before, err
	}
	after, target, err := r.changed(before, c)
	if err != nil {
		return before, err
	}
	if !c.Force && !sameTarget(before, after) {
		if target, err = r.triable(before, target); err != nil {
			return before, err
		}
		if err := try(ctx, target); err != nil {
			return before, err
		}
	}
	return after, r.store.ChangeIntegration(ctx, before, after)
}

// changed is an integration after a change, and how its partner is called then. A key that
// is the same stays sealed unchanged.
func (r *Registry) changed(i marketplace.Integration, c Change) (marketplace.Integration, Target, error) {
	target, err := r.Target(i)
	if err != nil {
		return i, target, err
	}
	if c.BaseURL != nil {
		if i.BaseURL, err = r.guard.ParseBaseURL(*c.BaseURL); err != nil {
			return i, target, &marketplace.Error{Code: marketplace.Invalid, Message: "invalid change", Details: []string{err.Error()}}
		}
	}
	if c.AuthKey != nil && *c.AuthKey != target.AuthKey {
		target.AuthKey, i.AuthKey = *c.AuthKey, r.sealer.Seal(*c.AuthKey, i.ID.String())
	}
	set(&i.Name, c.Name)
	set(&i.AuthType, c.AuthType)
	set(&i.HandlesTicketDelivery, c.HandlesTicketDelivery)
	target.BaseURL, target.AuthType = i.BaseURL, i.AuthType
	return i, target, nil
}

func set[T any](field *T, to *T) {
	if to != nil {
		*field = *to
	}
}

// sameTarget reports whether a partner is called in the same way by both.
func sameTarget(a, b marketplace.Integration) bool {
	return a.BaseURL.String() == b.BaseURL.String() && a.AuthType == b.AuthType && bytes.Equal(a.AuthKey, b.AuthKey)
}

// RotateWebhookSecret gives an integration that the caller may see a new webhook secret,
// which it returns; it cannot be read again. The last one is accepted until that time, any
// older one no longer.
func (r *Registry) RotateWebhookSecret(ctx context.Context, account, id uuid.UUID) (webhook string, until time.Time, err error) {
	if _, err := r.Find(ctx, account, id); err != nil {
		return "", time.Time{}, err
	}
	webhook = auth.NewToken()
	until, err = r.store.RotateWebhookSecret(ctx, id, auth.HashToken(webhook), WebhookOverlap)
	return webhook, until, err
}
