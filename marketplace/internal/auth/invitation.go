package auth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// invitationLife is how long an invitation is valid.
const invitationLife = 7 * 24 * time.Hour

// NewInvitation returns an invitation for a request that Check has accepted. Its token is shown
// once, and only its HashToken is stored.
func NewInvitation(asked marketplace.NewInvitation, now time.Time) (made marketplace.Invitation, token string, err error) {
	id, err := uuid.NewV7() // ordered by time of creation
	return marketplace.Invitation{ID: id, Email: marketplace.NormalEmail(asked.Email), Name: asked.Name, CreatedAt: now, ExpiresAt: now.Add(invitationLife)}, NewToken(), err
}

// Invited returns the invitation of a token, or NotFound if it was used or revoked or has expired.
func (s *Service) Invited(ctx context.Context, token string) (marketplace.Invitation, error) {
	return s.store.Invited(ctx, HashToken(token), s.now())
}

// Accept creates the account of an invitation and uses the invitation up. The error is NotFound as
// for Invited, Invalid for an unacceptable password, or Conflict if the address already has an
// account.
func (s *Service) Accept(ctx context.Context, token, password string) (marketplace.Account, error) {
	invited, err := s.Invited(ctx, token)
	if err != nil {
		return marketplace.Account{}, err
	}
	asked := marketplace.NewAccount{Email: invited.Email, Name: invited.Name, Role: marketplace.Partner, Password: password}
	if err := marketplace.Check(asked); err != nil {
		return marketplace.Account{}, err
	}
	made, err := NewAccount(asked, s.now())
	if err != nil {
		return marketplace.Account{}, err
	}
	return made, s.store.Accept(ctx, HashToken(token), made)
}
