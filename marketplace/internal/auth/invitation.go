package auth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"partnerkit.dev/marketplace/internal/marketplace"
)

// invitationLife is how long an invitation is good for.
const invitationLife = 7 * 24 * time.Hour

// NewInvitation makes an invitation of what was asked for, which Check has found good. Its
// token is shown once; HashToken of it is what is stored.
func NewInvitation(asked marketplace.NewInvitation, now time.Time) (made marketplace.Invitation, token string, err error) {
	id, err := uuid.NewV7() // in the order of their making
	return marketplace.Invitation{ID: id, Email: marketplace.NormalEmail(asked.Email), Name: asked.Name, CreatedAt: now, ExpiresAt: now.Add(invitationLife)}, NewToken(), err
}

// Invited returns the invitation of a token, or NotFound where it was used or revoked, or has
// expired.
func (s *Service) Invited(ctx context.Context, token string) (marketplace.Invitation, error) {
	return s.store.Invited(ctx, HashToken(token), s.now())
}

// Accept makes the account that an invitation is for, and uses the invitation up. The error is
// NotFound as for Invited, Invalid for a password that will not do, or Conflict where the address
// has an account by now.
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
