package auth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/domain"
)

// invitationLife is how long an invitation is valid.
const invitationLife = 7 * 24 * time.Hour

// NewInvitation returns an invitation for a request that Check has accepted. Its token is shown
// once, and only its HashToken is stored.
func NewInvitation(asked domain.NewInvitation, now time.Time) (made domain.Invitation, token string, err error) {
	id, err := uuid.NewV7() // ordered by time of creation
	return domain.Invitation{ID: id, Email: domain.NormalEmail(asked.Email), Name: asked.Name, CreatedAt: now, ExpiresAt: now.Add(invitationLife)}, NewToken(), err
}

// FindInvitation returns the invitation of a token, or NotFound if it was used or revoked or has expired.
func (s *Service) FindInvitation(ctx context.Context, token string) (domain.Invitation, error) {
	return s.store.FindInvitation(ctx, HashToken(token), s.now())
}

// Accept creates the account of an invitation and uses the invitation up. The error is NotFound as
// for Invited, Invalid for an unacceptable password, or Conflict if the address already has an
// account.
func (s *Service) Accept(ctx context.Context, token, password string) (domain.Account, error) {
	invited, err := s.FindInvitation(ctx, token)
	if err != nil {
		return domain.Account{}, err
	}
	asked := domain.NewAccount{Email: invited.Email, Name: invited.Name, Role: domain.Partner, Password: password}
	if err := domain.Check(asked); err != nil {
		return domain.Account{}, err
	}
	made, err := NewAccount(asked, s.now())
	if err != nil {
		return domain.Account{}, err
	}
	return made, s.store.Accept(ctx, HashToken(token), made)
}
