package event

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/partner"
)

const (
	// mostSubscriptions limits the subscriptions of a reseller.
	mostSubscriptions = 10
	// secretSize is the size of a signing secret, in random bytes.
	secretSize = 24
	// bothSign is how long both secrets sign after a rotation.
	bothSign = 24 * time.Hour
	// purpose names the key that encrypts signing secrets.
	purpose = "resellers' signing secrets"
)

// Service manages resellers' subscriptions. It is safe for concurrent use.
type Service struct {
	Store
	guard  *partner.Guard
	sealer *auth.Sealer
}

// NewService returns a service that only accepts addresses that the guard accepts.
func NewService(store Store, guard *partner.Guard, secret *auth.Secret) *Service {
	return &Service{store, guard, secret.Sealer(purpose)}
}

// Request is a reseller's request for a subscription.
type Request struct {
	URL    string             `json:"url"`
	Events []domain.EventType `json:"events"`
}

// Subscribe creates a subscription and returns it with its signing secret, which is shown only
// once.
func (s *Service) Subscribe(ctx context.Context, of domain.Scope, asked Request) (made Subscription, secret string, err error) {
	made = Subscription{ID: uuid.New(), Account: of.Account, Mode: of.Mode, URL: asked.URL}
	if asked.Events == nil {
		asked.Events = []domain.EventType{}
	}
	if made.Events, err = s.check(&asked.URL, asked.Events); err != nil {
		return made, "", err
	}
	secret, made.Secret = s.newSecret(made.ID)
	made, err = s.Store.Subscribe(ctx, made, mostSubscriptions)
	return made, secret, err
}

// check returns the events, each once. The error is Invalid and names every mistake. nil is not checked.
func (s *Service) check(address *string, events []domain.EventType) (once []domain.EventType, err error) {
	wrong := &domain.Error{Code: domain.Invalid, Message: "invalid request"}
	if address != nil && *address != "" {
		if err := s.guard.CheckWebhookURL(*address); err != nil {
			wrong.Details = append(wrong.Details, "url: "+err.Error())
		}
	}
	if events != nil && len(events) == 0 {
		wrong.Details = append(wrong.Details, "events: name at least one type of event")
	}
	for i, kind := range events[:min(len(events), mostSubscriptions*len(domain.EventTypes()))] {
		switch {
		case !slices.Contains(domain.EventTypes(), kind):
			wrong.Details = append(wrong.Details, fmt.Sprintf("events[%d]: no such type of event; the types are %v", i, domain.EventTypes()))
		case !slices.Contains(once, kind):
			once = append(once, kind)
		}
	}
	if len(wrong.Details) > 0 {
		return nil, wrong
	}
	return once, nil
}

// newSecret returns a signing secret and its encrypted form.
func (s *Service) newSecret(id uuid.UUID) (secret string, sealed []byte) {
	key := make([]byte, secretSize)
	_, _ = rand.Read(key) // never fails
	secret = "whsec_" + base64.StdEncoding.EncodeToString(key)
	return secret, s.sealer.Seal(secret, id.String())
}

// Change changes a subscription within the scope.
func (s *Service) Change(ctx context.Context, of domain.Scope, id uuid.UUID, c Change) (changed Subscription, err error) {
	if c.Events, err = s.check(c.URL, c.Events); err != nil {
		return changed, err
	}
	return s.Store.Change(ctx, of, id, c)
}

// RotateSecret replaces the signing secret of a subscription within the scope, and returns the new one,
// which is shown only once. For a day the one before signs too.
func (s *Service) RotateSecret(ctx context.Context, of domain.Scope, id uuid.UUID) (rotated Subscription, secret string, err error) {
	secret, sealed := s.newSecret(id)
	rotated, err = s.Store.RotateSecret(ctx, of, id, sealed, bothSign)
	return rotated, secret, err
}

// Deliveries returns the last deliveries of a subscription within the scope.
func (s *Service) Deliveries(ctx context.Context, of domain.Scope, id uuid.UUID, state State, most int) ([]Delivery, error) {
	if _, err := s.Subscription(ctx, of, id); err != nil {
		return nil, err
	}
	return s.Store.Deliveries(ctx, id, state, most)
}

// Retry makes an event due again. The error is Conflict if the subscription has no active address.
func (s *Service) Retry(ctx context.Context, of domain.Scope, id, event uuid.UUID) (Delivery, error) {
	found, err := s.Subscription(ctx, of, id)
	switch {
	case err != nil:
		return Delivery{}, err
	case found.DisabledAt != nil:
		return Delivery{}, domain.Errorf(domain.Conflict, "the webhook is disabled (%s): enable it first", *found.DisabledReason)
	}
	return s.Store.Retry(ctx, id, event)
}
