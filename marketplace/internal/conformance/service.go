package conformance

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// mostOfAccount limits an account's queued and running runs, so that every account gets its turn.
const mostOfAccount = 5

// Service accepts requests for runs. It is safe for concurrent use.
type Service struct {
	store Store
	ready bool
}

// NewService returns a service. ready says whether the replica has the command.
func NewService(store Store, ready bool) *Service { return &Service{store, ready} }

// Start queues a run of some rules, or of all for nil, and returns its id. Callers other than operators have a limit. The error is
// Conflict if the integration has a run in progress, with an *UnderWay as its cause.
func (s *Service) Start(ctx context.Context, integration uuid.UUID, scope Scope, rules []string, operator bool) (uuid.UUID, error) {
	if !s.ready {
		return uuid.Nil, domain.Errorf(domain.Conflict, "this service has no conformance command; its operator can set --conformance-command")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, err
	}
	most := mostOfAccount
	if operator {
		most = 0
	}
	err = s.store.Create(ctx, Run{ID: id, Integration: integration, Scope: scope, Rules: rules, State: Queued}, most)
	if under := (*UnderWay)(nil); errors.As(err, &under) {
		err = &domain.Error{Code: domain.Conflict, Message: under.Error(), Cause: under}
	}
	return id, err
}
